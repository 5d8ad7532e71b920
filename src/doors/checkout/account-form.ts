import { type AccountForm, accountFormOf } from '../../reference/bank/account.ts'
import type { Category } from '../../reference/catalog/payment-category.ts'
import { type Problem, Refusal } from '../../platform/lib/refusal.ts'

/** How accounts are named where a payout goes out. Money that goes to no account of any form is a fault of the catalog. */
export function formOf(payout: Category): AccountForm {
  const form = accountFormOf(payout)
  if (!form) throw new Error(`No account can be asked for to pay out by ${payout}.`)
  return form
}

/**
 * Reads where money shall go from what a form sent: `payout_address` is the account, with `sort_code` before it in the United
 * Kingdom, `extra_id` the bank's BIC, `payout_holder` whose it is. Refuses what is empty, each field of it at once; what it must look
 * like is judged further down.
 */
export function readAccount(
  payout: Category,
  typed: Record<string, string>,
): { payoutAddress: string; extraId: string; payoutHolder: string } {
  const read = (name: string): string => (typed[name] ?? '').trim()
  const account = read('payout_address')
  const holder = read('payout_holder').replace(/\s+/g, ' ')
  // An IBAN, and an account that was known before, bring their sort code along.
  const isUk = formOf(payout) === 'uk' && !/^[a-z]/i.test(account) && account.replace(/\D/g, '').length < 14

  const problems = [
    holder === '' ? [missing('payout_holder', 'HOLDER_MISSING', 'Please enter the holder’s name.')] : [],
    isUk && read('sort_code') === '' ? [missing('sort_code', 'SORT_CODE_MISSING', 'Please enter the sort code.')] : [],
    account === '' ? [missing('payout_address', 'ACCOUNT_MISSING', 'Please enter the account.')] : [],
  ].flat()
  if (problems[0]) throw new Refusal('BAD_REQUEST', problems[0].message, problems)
  return {
    payoutAddress: isUk ? read('sort_code') + account : account,
    extraId: read('extra_id'),
    payoutHolder: holder,
  }
}

const missing = (path: string, code: string, message: string): Problem => ({ path, code, message })
