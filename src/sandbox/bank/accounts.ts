import { type AccountForm, accountFormOf } from '../../reference/bank/account.ts'
import type { BankAccount } from '../../rails/bank-accounts.ts'
import type { World } from '../world.ts'
import { sandboxAccounts } from './our-accounts.ts'

/** The exchange's accounts at the bank: the operator's own, where they are set. */
export const accountsAt = ({ accounts }: Pick<World, 'accounts'>): readonly BankAccount[] => accounts ?? sandboxAccounts

/** How people who pay to an account name their own; undefined for an account that isn't ours. */
export function payerForm(world: Pick<World, 'accounts'>, account: string): AccountForm | undefined {
  const found = accountsAt(world).find((one) => one.account === account)
  return found && accountFormOf(found.category)
}
