import { type AccountForm, printAccount } from '../../../reference/bank/account.ts'
import type { CheckoutView } from '../../../exchange/orders/checkout-view.ts'
import { formOf } from '../account-form.ts'
import type { Page, PageProps } from '../page.ts'
import { isAddressNeeded } from '../step.ts'
import { AccountNumber } from './account.tsx'
import { SavedDestinations } from './saved-destinations.tsx'
import { Form, Submit, TextField } from '../../ui/form.tsx'
import { Notice } from '../../ui/notice.tsx'
import { methodName } from '../../ui/method-name.ts'

/** Asks for a bank account in the payout method's format, and for its holder. */
export function payoutAccountPage(props: PageProps): Page {
  const { visit, language, here, home, problems, typed } = props
  const { say } = language
  const { to, payout, payoutAddress, payoutHolder } = visit.view
  const form = formOf(payout.category)
  const isNeeded = isAddressNeeded(visit.view)
  const values = { currency: language.currency(to.currency), method: methodName(payout.category, language) }
  return {
    title: say('account.title'),
    body: (
      <>
        {isNeeded ? (
          <Notice kind="bad">
            <p>{say('account.returned')}</p>
            <AccountNumber form={form} account={payoutAddress ?? ''} />
          </Notice>
        ) : (
          <p class="lead">{say('account.lead', values)}</p>
        )}
        {isFixed(visit.view) ? null : <SavedDestinations {...props} />}
        <Form here={here} does="payout_address">
          <TextField
            name="payout_holder"
            label={say('account.holder')}
            hint={say('account.holderHint')}
            problems={problems}
            value={typed.payout_holder ?? (visit.view.bound.holder ? undefined : (payoutHolder ?? undefined))}
            autocomplete="name"
            autocapitalize="words"
          />
          {isFixed(visit.view) ? (
            <FixedAccount {...props} form={form} />
          ) : (
            <AccountFields {...props} form={form} kept={isNeeded ? '' : (payoutAddress ?? '')} />
          )}
          <Submit>{say('address.submit')}</Submit>
        </Form>
        {payoutAddress === null || payoutHolder === null || isNeeded ? null : (
          <p class="others">
            <a href={home}>{say('account.keep')}</a>
          </p>
        )}
      </>
    ),
  }
}

/** The partner has fixed the account, so only its holder is asked for; a returned payout needs another account. */
const isFixed = (view: CheckoutView): boolean =>
  view.payoutAddress !== null && !view.payoutAddressChangeable && !isAddressNeeded(view)

function FixedAccount({ visit: { view }, language: { say }, form }: PageProps & { form: AccountForm }) {
  return (
    <div class="destination">
      <h2>{say(`account.${form}`)}</h2>
      <AccountNumber form={form} account={view.payoutAddress ?? ''} />
      {view.bound.destination ? null : (
        <>
          <input type="hidden" name="payout_address" value={view.payoutAddress ?? ''} />
          <input type="hidden" name="extra_id" value={view.extraId ?? ''} />
        </>
      )}
    </div>
  )
}

function AccountFields(props: PageProps & { form: AccountForm; kept: string }) {
  const { visit, language, problems, typed, form, kept } = props
  const { say } = language
  const [sortCode, number] = form === 'uk' ? printAccount(form, kept).split(' ') : ['', printAccount(form, kept)]
  const isDigits = form === 'uk' || form === 'clabe'
  return (
    <>
      {form === 'uk' ? (
        <TextField
          name="sort_code"
          label={say('account.sortCode')}
          hint={say('account.sortCodeHint')}
          problems={problems}
          value={typed.sort_code ?? sortCode}
          inputMode="numeric"
          autocomplete="off"
          class="short"
        />
      ) : null}
      <TextField
        name="payout_address"
        label={say(`account.${form}`)}
        hint={say(`account.${form}Hint`)}
        problems={problems}
        value={typed.payout_address ?? number}
        {...(isDigits ? { inputMode: 'numeric' as const } : {})}
        autocomplete="off"
        class="account-number"
      />
      {form === 'swift' ? (
        <TextField
          name="extra_id"
          label={say('account.bic')}
          hint={say('account.bicHint')}
          problems={problems}
          value={typed.extra_id ?? (kept === '' ? undefined : (visit.view.extraId ?? undefined))}
          autocomplete="off"
          class="short"
          required={false}
        />
      ) : null}
    </>
  )
}
