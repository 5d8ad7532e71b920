import type { Memo } from '../../catalog/network.ts'
import type { Page, PageProps } from '../page.ts'
import { Form, Submit, TextField, WholeTextField } from '../ui/form.tsx'

/** Asks where the coins shall go, naming the network, and for the memo where the network has one. */
export function payoutAddressPage(props: PageProps): Page {
  const { visit, language, here, home, problems, typed } = props
  const { say } = language
  const { to, payoutAddress } = visit.view
  const memo = to.network.chain?.memo ?? null
  const values = { asset: to.asset.ticker, network: to.network.name }
  return {
    title: say('address.title', values),
    body: (
      <>
        <Form here={here} does="payout_address">
          <WholeTextField
            name="payout_address"
            label={say('address.label', values)}
            hint={say('address.hint')}
            problems={problems}
            value={typed.payout_address ?? payoutAddress ?? undefined}
          />
          {memo === null ? null : <MemoField {...props} memo={memo} />}
          <Submit>{say('address.submit')}</Submit>
        </Form>
        {payoutAddress === null ? null : (
          <p class="others">
            <a href={home}>{say('address.keep')}</a>
          </p>
        )}
      </>
    ),
  }
}

function MemoField({ visit, language: { say }, problems, typed, memo }: PageProps & { memo: Memo }) {
  return (
    <TextField
      name="extra_id"
      label={say(memo.required ? 'address.memo' : 'address.memoOptional', { memo: memo.name })}
      hint={say('address.memoHint')}
      problems={problems}
      value={typed.extra_id ?? visit.view.extraId ?? undefined}
      autocomplete="off"
      required={memo.required}
    />
  )
}
