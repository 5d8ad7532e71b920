import { Form, Submit, TextField, WholeTextField } from '../../ui/form.tsx'
import { Notice } from '../../ui/notice.tsx'
import type { Page, PageProps } from '../page.ts'
import { listed } from '../refunded-asset.ts'
import { Fills } from '../ui/fills.tsx'
import { capital, memoName } from '../ui/memo-name.ts'

/** A refund does not know where to go: an address of the customer's own, on the network that the coins came by. */
export function refundAddressPage(props: PageProps): Page {
  const { visit, language, here, problems, typed } = props
  const { say } = language
  const needed = visit.choices.refund_address
  if (!needed) throw new Error('This page is for refunds that wait for an address.')
  const listing = listed(needed.asset)
  const memo = listing.network.chain?.memo ?? null
  const name = memoName(memo, language)
  const values = {
    amount: language.amount(needed.amount, listing),
    asset: listing.asset.ticker,
    network: listing.network.name,
  }
  return {
    title: say('refund.title'),
    body: (
      <>
        <p class="lead">{say('refund.lead', values)}</p>
        <Notice kind="plain">{say('refund.own', values)}</Notice>
        <Form here={here} does="refund_address">
          <WholeTextField
            name="refund_address"
            label={say('address.label', values)}
            hint={say('address.hint')}
            problems={problems}
            value={typed.refund_address}
          />
          <Fills name="refund_address" language={language} />
          {memo === null || !needed.memo ? null : (
            <TextField
              name="extra_id"
              label={capital(say(memo.required ? 'address.memo' : 'address.memoOptional', { memo: name }))}
              hint={say('address.memoHint')}
              problems={problems}
              value={typed.extra_id}
              autocomplete="off"
              required={memo.required}
            />
          )}
          <Submit>{say('refund.submit')}</Submit>
        </Form>
      </>
    ),
  }
}
