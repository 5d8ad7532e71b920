import { type AccountForm, accountFormOf } from '../../reference/bank/account.ts'
import type { Category } from '../../reference/catalog/payment-category.ts'
import { type Problem, Refusal } from '../../platform/lib/refusal.ts'

/** The account format of a payout category. */
export function formOf(payout: Category): AccountForm {
  const form = accountFormOf(payout)
  if (!form) throw new Error(`Payouts by ${payout} have no account format.`)
  return form
}

/**
 * Reads a bank account from a form: `payout_address` is the account, preceded by `sort_code` in the United Kingdom, `extra_id` the
 * bank's BIC, `payout_holder` the holder. Refuses all empty fields at once; the format is validated with the order.
 */
export function readAccount(
  payout: Category,
  typed: Record<string, string>,
): { payoutAddress: string; extraId: string; payoutHolder: string } {
  const read = (name: string): string => (typed[name] ?? '').trim()
  const account = read('payout_address')
  const holder = read('payout_holder').replace(/\s+/g, ' ')
  // An IBAN, or an account that was saved before, includes its sort code.
  const isUk = formOf(payout) === 'uk' && !/^[a-z]/i.test(account) && account.replace(/\D/g, '').length < 14

  const problems = [
    holder === '' ? [missing('payout_holder', 'HOLDER_MISSING', 'Enter the holder’s name.')] : [],
    isUk && read('sort_code') === '' ? [missing('sort_code', 'SORT_CODE_MISSING', 'Enter the sort code.')] : [],
    account === '' ? [missing('payout_address', 'ACCOUNT_MISSING', 'Enter the account.')] : [],
  ].flat()
  if (problems[0]) throw new Refusal('BAD_REQUEST', problems[0].message, problems)
  return {
    payoutAddress: isUk ? read('sort_code') + account : account,
    extraId: read('extra_id'),
    payoutHolder: holder,
  }
}

const missing = (path: string, code: string, message: string): Problem => ({ path, code, message })
