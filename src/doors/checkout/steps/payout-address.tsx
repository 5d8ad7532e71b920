import { checkDetails, giveDetails } from '../../../exchange/orders/checkout.ts'
import type { Details } from '../../../exchange/orders/steps.ts'
import { badField } from '../../../platform/lib/refusal.ts'
import type { CheckoutView } from '../../../exchange/orders/checkout-view.ts'
import { readAccount } from '../account-form.ts'
import type { Fields } from '../checkout-step.ts'
import type { CheckoutStep } from '../checkout-step.ts'
import { comparable } from '../../../reference/addresses/resembles.ts'
import type { Memo } from '../../../reference/catalog/network.ts'
import type { Page, PageProps } from '../page.ts'
import { isAddressNeeded, mayChangeAddress } from '../step.ts'
import { Address } from '../ui/address.tsx'
import { Fills } from '../ui/fills.tsx'
import { capital, memoName } from '../ui/memo-name.ts'
import { SavedDestinations } from '../ui/saved-destinations.tsx'
import { Form, Submit, TextField, WholeTextField } from '../../ui/form.tsx'
import { Notice } from '../../ui/notice.tsx'
import { payoutAccountPage } from '../ui/payout-account.tsx'

/** Asks where the payout goes: coins to an address, with its memo if the network has one; money to an account. */
export const payoutAddress: CheckoutStep = {
  phase: 'details',
  page: payoutAddressPage,
  fields: ['payout_address', 'extra_id', 'payout_holder', 'sort_code'],
  actions: {
    async payout_address({ ctx, visit: { view, customerId }, fields }) {
      await giveDetails(ctx, view.publicId, readDestination(view, fields), customerId)
      return {}
    },
  },
  async checkField({ ctx, visit: { view, customerId }, fields }, field) {
    const part = destinationPart(view, fields, field)
    if (part) await checkDetails(ctx, view.publicId, part, customerId)
  },
  addressField: ({ view }) =>
    view.to.currency.kind === 'CRYPTO' ? { field: 'payout_address', listing: view.to } : undefined,
  mayReopen: mayChangeAddress,
}

function payoutAddressPage(props: PageProps): Page {
  const { visit, language, home } = props
  if (visit.view.to.currency.kind === 'FIAT') return payoutAccountPage(props)
  const { say } = language
  const { to, payoutAddress } = visit.view
  return {
    title: say('address.title', { asset: language.currency(to.currency) }),
    body: (
      <>
        {isAddressNeeded(visit.view) ? <Returned {...props} /> : null}
        <SavedDestinations {...props} />
        <AddressForm {...props} />
        {isAddressNeeded(visit.view) ? null : <NoWallet {...props} />}
        {payoutAddress === null || isAddressNeeded(visit.view) ? null : (
          <p class="others">
            <a href={home}>{say('address.keep')}</a>
          </p>
        )}
      </>
    ),
  }
}

function readDestination(view: CheckoutView, fields: Fields): Details {
  const { to, payout, bound } = view
  const isFiat = to.currency.kind === 'FIAT'
  const isHolderAsked = isFiat && bound.destination && !isAddressNeeded(view) && (fields.payout_address ?? '') === ''
  if (isHolderAsked) return { payoutHolder: (fields.payout_holder ?? '').trim() }
  if (isFiat) return readAccount(payout.category, fields)
  const address = readAddress(fields)
  if (address.payoutAddress === '') throw badField('payout_address', 'Enter the address.', 'ADDRESS_MISSING')
  return address
}

/** The checkbox names the address that was compared; another address is compared again. */
function readAddress(fields: Fields) {
  const payoutAddress = (fields.payout_address ?? '').trim()
  const confirmsResembling = fields.confirms === payoutAddress
  return { payoutAddress, extraId: (fields.extra_id ?? '').trim(), confirmsResembling }
}

/** What can be checked while other fields may still be empty: an account and its holder are checked separately. */
function destinationPart({ to, payout }: CheckoutView, fields: Fields, field: string): Details | undefined {
  if (to.currency.kind === 'CRYPTO') {
    const address = readAddress(fields)
    return address.payoutAddress === '' ? undefined : address
  }
  if (field === 'payout_holder') return { payoutHolder: (fields.payout_holder ?? '').trim() }
  const { payoutHolder: _, ...account } = readAccount(payout.category, { ...fields, payout_holder: 'Not Yet Entered' })
  return account
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

/** What a wallet is and where its address is found. Names no product. */
function NoWallet({ visit: { view }, language }: PageProps) {
  const { say, currency } = language
  return (
    <details>
      <summary>{say('wallet.open')}</summary>
      <p class="hint">{say('wallet.what')}</p>
      <p class="hint">{say('wallet.get', { asset: currency(view.to.currency), network: view.to.network.name })}</p>
    </details>
  )
}

/** Both addresses in full, one below the other. The checkbox confirms only the one that was typed. */
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

/** The payout was returned: shows the address it was sent to, so that it isn't entered again. */
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
