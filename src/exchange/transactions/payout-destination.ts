import { checkAddress } from '../../reference/addresses/address.ts'
import { isContractOf } from '../../reference/addresses/contract.ts'
import { foreignSentence } from '../../reference/addresses/foreign-text.ts'
import { accountFormOf, bicFault, checkAccount } from '../../reference/bank/account.ts'
import type { Listing } from '../../reference/catalog/asset.ts'
import type { Memo, Network } from '../../reference/catalog/network.ts'
import type { PaymentMethod } from '../../reference/catalog/payment-method.ts'
import type { Ctx } from '../context.ts'
import { type Billing, fullNameIn } from '../customers/billing-field.ts'

/** Where money is to go, as someone wrote it: an address and its memo, or an account and its bank's BIC. */
export type WrittenDestination = { address: string; extraId: string }

/** The same in the one spelling that is paid to (`iban` is empty where the account has none), or the fault of one field. */
export type DestinationCheck =
  | { ok: true; address: string; extraId: string; iban: string }
  | { ok: false; field: 'address' | 'extraId'; code: string; reason: string }

/**
 * Judges where a payout is to go by a method: an address of the network, checksum included, of somebody else, with the memo
 * that the network demands; or an account of the method's kind. Our own wallet and the token's own contract are valid
 * addresses, and what is sent there reaches nobody.
 */
export function checkDestination(
  ctx: Pick<Ctx, 'rails'>,
  { listing, method, isRefund = false }: { listing: Listing; method: PaymentMethod; isRefund?: boolean },
  written: WrittenDestination,
): DestinationCheck {
  const { chain } = listing.network
  return chain
    ? checkCoins(ctx, listing, { chain, method, isRefund }, written)
    : checkBank(ctx, { listing, method }, written)
}

function checkBank(
  { rails }: Pick<Ctx, 'rails'>,
  { listing, method: { category } }: { listing: Listing; method: PaymentMethod },
  { address, extraId }: WrittenDestination,
): DestinationCheck {
  const form = accountFormOf(category)
  if (!form) throw new Error(`${category} pays out to no account.`)
  const check = checkAccount(form, { account: address, bic: extraId })
  const refuse = (field: 'address' | 'extraId', reason: string): DestinationCheck => ({
    ok: false,
    field,
    code: 'INVALID_ACCOUNT',
    reason,
  })
  if (!check.ok) return refuse(check.field === 'account' ? 'address' : 'extraId', check.reason)
  if (rails.forPayout(category, listing.network.code)?.payout.owns(check.canonical))
    return refuse('address', 'This account belongs to the exchange itself.')
  return { ok: true, address: check.canonical, extraId: check.bic, iban: check.iban }
}

function checkCoins(
  { rails }: Pick<Ctx, 'rails'>,
  { network, currency }: Listing,
  { chain, method, isRefund }: { chain: Network; method: PaymentMethod; isRefund: boolean },
  { address, extraId }: WrittenDestination,
): DestinationCheck {
  const refuse = (reason: string): DestinationCheck => ({
    ok: false,
    field: 'address',
    code: 'INVALID_ADDRESS',
    reason,
  })
  const check = checkAddress(chain.family, address)
  if (!check.ok) return refuse(foreignSentence(chain.family, currency.name, address, isRefund) ?? check.reason)
  if (isContractOf(chain.family, network.contract, check.canonical))
    return refuse(`This is the contract of ${currency.ticker} itself. What is sent there is lost.`)
  if (rails.forPayout(method.category, network.code)?.payout.owns(check.canonical))
    return refuse('This address belongs to the exchange itself.')

  // A chain without memos gets none, even if one was passed: it would be public there.
  if (!chain.memo) return { ok: true, address: check.canonical, extraId: '', iban: '' }
  const fault = memoFault(chain.name, chain.memo, extraId, check.extraId)
  if (fault) return { ok: false, field: 'extraId', ...fault }
  return { ok: true, address: check.canonical, extraId: check.extraId ?? extraId, iban: '' }
}

/**
 * What is wrong with a memo or a BIC by itself, to report it together with an unreadable address or account. A missing one is
 * not reported, because the address might have contained it.
 */
export function extraIdFault(
  { listing, method }: { listing: Listing; method: PaymentMethod },
  extraId: string,
): { code: string; reason: string } | undefined {
  const { chain } = listing.network
  if (extraId === '') return undefined
  if (chain) return chain.memo ? memoFault(chain.name, chain.memo, extraId, undefined) : undefined
  const reason = accountFormOf(method.category) && bicFault(extraId)
  return reason === undefined ? undefined : { code: 'INVALID_ACCOUNT', reason }
}

/** What is wrong with a memo; `inAddress` is the one that the address itself names. */
function memoFault(
  network: string,
  memo: Memo,
  extraId: string,
  inAddress: string | undefined,
): { code: string; reason: string } | undefined {
  if (inAddress !== undefined) {
    const differs = extraId !== '' && extraId !== inAddress
    return differs ? { code: 'INVALID_VALUE', reason: `The address itself names another ${memo.name}.` } : undefined
  }
  if (extraId === '')
    return memo.required ? { code: 'REQUIRED', reason: `${network} needs a ${memo.name}.` } : undefined
  if (new RegExp(memo.regex).test(extraId)) return undefined
  return { code: 'INVALID_VALUE', reason: `This is not a ${memo.name} of ${network}.` }
}

/** Longer than the names that banks take, and shorter than what would be no name. */
const longestName = 70

/** What is wrong with the name of an account's holder, as one plain sentence; undefined if nothing is. */
export function holderFault(holder: string): string | undefined {
  if (holder.length > longestName) return `A name has at most ${longestName} characters here.`
  return /\p{L}.*\p{L}/u.test(holder) && !/[\p{C}<>]/u.test(holder) ? undefined : 'This is not a full name.'
}

/**
 * The account holder's name for a bank payout, taken from billing information; null if there is none or banks would not accept
 * it.
 */
export function holderIn(billing: Billing | null | undefined): string | null {
  const name = fullNameIn(billing)
  return name === null || holderFault(name) ? null : name
}
