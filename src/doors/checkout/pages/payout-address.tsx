import { comparable } from '../../../reference/addresses/resembles.ts'
import type { Memo } from '../../../reference/catalog/network.ts'
import type { Page, PageProps } from '../page.ts'
import { isAddressNeeded } from '../step.ts'
import { Address } from '../ui/address.tsx'
import { Fills } from '../ui/fills.tsx'
import { capital, memoName } from '../ui/memo-name.ts'
import { Form, Submit, TextField, WholeTextField } from '../../ui/form.tsx'
import { Notice } from '../../ui/notice.tsx'
import { payoutAccountPage } from './payout-account.tsx'

/** Asks where the payout shall go: coins to an address, with its memo where the network has one; money to an account. */
export function payoutAddressPage(props: PageProps): Page {
  const { visit, language, home } = props
  if (visit.view.to.currency.kind === 'FIAT') return payoutAccountPage(props)
  const { say } = language
  const { to, payoutAddress } = visit.view
  return {
    title: say('address.title', { asset: to.asset.ticker }),
    body: (
      <>
        {isAddressNeeded(visit.view) ? <Returned {...props} /> : null}
        <AddressForm {...props} />
        {payoutAddress === null || isAddressNeeded(visit.view) ? null : (
          <p class="others">
            <a href={home}>{say('address.keep')}</a>
          </p>
        )}
      </>
    ),
  }
}

function AddressForm(props: PageProps) {
  const { visit, language, here, problems, typed } = props
  const { say } = language
  const { to, payoutAddress } = visit.view
  const memo = to.network.chain?.memo ?? null
  const kept = isAddressNeeded(visit.view) ? null : payoutAddress
  return (
    <Form here={here} does="payout_address">
      <WholeTextField
        name="payout_address"
        label={say('address.label', { asset: to.asset.ticker, network: to.network.name })}
        hint={say('address.hint')}
        problems={problems}
        value={typed.payout_address ?? kept ?? undefined}
      />
      <Fills name="payout_address" language={language} />
      <Comparison {...props} />
      {memo === null ? null : <MemoField {...props} memo={memo} />}
      <Submit>{say('address.submit')}</Submit>
    </Form>
  )
}

/** The two addresses, whole, one under the other, in one spelling. The box confirms the one that was typed, and no other. */
function Comparison({ visit, language: { say }, typed, resembled }: PageProps) {
  const entered = (typed.payout_address ?? '').trim()
  const { chain } = visit.view.to.network
  if (resembled === undefined || entered === '' || !chain) return null
  const [earlier, later] = [comparable(chain.family, resembled), comparable(chain.family, entered)]
  return (
    <div class="comparison">
      <dl>
        <dt>{say('address.earlier')}</dt>
        <dd>
          <Address text={earlier} unlike={later} />
        </dd>
        <dt>{say('address.entered')}</dt>
        <dd>
          <Address text={later} unlike={earlier} />
        </dd>
      </dl>
      <label class="tick">
        <input type="checkbox" name="confirms" value={entered} />
        <span>{say('address.confirm')}</span>
      </label>
    </div>
  )
}

/** A payout came back: the address that it went to is shown, so that it is not entered again. */
function Returned({ visit: { view }, language: { say } }: PageProps) {
  return (
    <Notice kind="bad">
      <p>{say('address.returned')}</p>
      <Address text={view.payoutAddress ?? ''} />
    </Notice>
  )
}

function MemoField({ visit, language, problems, typed, memo }: PageProps & { memo: Memo }) {
  const { say } = language
  const name = memoName(memo, language)
  const kept = isAddressNeeded(visit.view) ? null : visit.view.extraId
  return (
    <TextField
      name="extra_id"
      label={capital(say(memo.required ? 'address.memo' : 'address.memoOptional', { memo: name }))}
      hint={say('address.memoHint')}
      problems={problems}
      value={typed.extra_id ?? kept ?? undefined}
      autocomplete="off"
      required={memo.required}
    />
  )
}
