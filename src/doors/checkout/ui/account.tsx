import { type AccountForm, printAccount } from '../../../reference/bank/account.ts'
import type { Language } from '../../../platform/language/language.ts'
import { Address } from './address.tsx'

type AccountProps = { form: AccountForm; account: string; bic: string; holder: string; language: Language }

/** An account and its holder, in full. */
export function Account({ form, account, bic, holder, language: { say } }: AccountProps) {
  return (
    <div class="account">
      <p>{holder}</p>
      <AccountNumber form={form} account={account} />
      {bic === '' ? null : (
        <p>
          {say('pay.bic')} <code dir="ltr">{bic}</code>
        </p>
      )}
    </div>
  )
}

/** An account number as people compare it: in visual groups, or as its banks print it. */
export function AccountNumber({ form, account }: { form: AccountForm; account: string }) {
  const printed = printAccount(form, account)
  if (form === 'clabe' || (form !== 'uk' && printed !== account)) return <Address text={account} />
  return (
    <code dir="ltr" class="address" translate={false}>
      {printed}
    </code>
  )
}
