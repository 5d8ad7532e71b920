import { type AccountForm, accountFormOf } from '../../reference/bank/account.ts'
import { ourAccount } from '../../reference/bank/our-accounts.ts'
import { listings } from '../../reference/catalog/asset.ts'
import { paymentCategories } from '../../reference/catalog/payment-category.ts'

/** The accounts that customers pay to, with the form of the accounts that such payments come from. */
const forms: ReadonlyMap<string, AccountForm> = new Map(
  paymentCategories.flatMap(({ category, flow }) => {
    const form = flow === 'transfer' ? accountFormOf(category) : undefined
    if (!form) return []
    const accounts = listings.flatMap(({ asset }) => ourAccount(category, asset.ticker)?.account ?? [])
    return accounts.map((account) => [account, form] as const)
  }),
)

/** How the payer of an account of ours names their own; undefined for an account that is not ours. */
export const formOfPayer = (account: string): AccountForm | undefined => forms.get(account)

/** Whether this is an account of ours that customers pay to. */
export const isOurAccount = (account: string): boolean => forms.has(account)
