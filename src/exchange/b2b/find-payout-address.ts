import { checkAddress } from '../../reference/addresses/address.ts'
import { accountFormOf, checkAccount } from '../../reference/bank/account.ts'
import { compact } from '../../reference/bank/iban.ts'
import type { Listing } from '../../reference/catalog/asset.ts'
import type { Ctx } from '../context.ts'
import type { Atomic } from '../../platform/db/sql.ts'
import { readId } from '../../platform/lib/ids.ts'
import { badField, Refusal } from '../../platform/lib/refusal.ts'
import type { PayoutAddress } from '../partners/payout-address.ts'
import { lockPayoutAddress, lockPayoutAddresses } from '../partners/payout-addresses.ts'
import { paysOut } from './pays-out.ts'

/** Whom a B2B transaction is to pay, as the request names it: by the address or account, by our id of it, or by both. */
export type WhomToPay = { payoutAccountAddress: string | undefined; payoutAddressId: string | undefined }

/** For whom, and what is to be paid. */
export type AddressQuery = { partnerId: bigint; target: Listing }

const path = 'payout_account_address'

/**
 * Finds the registered address that a request names, for the currency that it is to be paid, and keeps its status until the
 * block ends. Refuses one that is not registered, another partner's among them, with 400, and one that is not active with 409.
 */
export async function findPayoutAddress(
  ctx: Ctx,
  db: Atomic,
  { partnerId, target }: AddressQuery,
  whom: WhomToPay,
): Promise<PayoutAddress> {
  const named = await registered(ctx, db, { partnerId, target }, whom)
  const fitting = named.filter((address) => fits(address, target))
  if (fitting.length === 0) {
    throw badField(path, `This is no registered payout address for ${target.currency.ticker}.`, 'NOT_REGISTERED')
  }
  const active = fitting.filter(({ status }) => status === 'active')
  const [first] = active.toSorted((a, b) => rankOf(a, target) - rankOf(b, target))
  if (!first) throw new Refusal('CONFLICT', `This payout address is not active: it is ${fitting[0]?.status}.`)
  if (active.some((other) => other !== first && other.category === first.category)) {
    throw badField(path, 'This address is registered more than once: name it by payout_address_id.', 'AMBIGUOUS')
  }
  return first
}

async function registered(
  ctx: Ctx,
  db: Atomic,
  { partnerId, target }: AddressQuery,
  { payoutAccountAddress: text, payoutAddressId: idText }: WhomToPay,
): Promise<PayoutAddress[]> {
  if (idText === undefined) return text === undefined ? [] : byText(ctx, db, { partnerId, target }, text)
  const id = readId(idText)
  const address = id === undefined ? undefined : await lockPayoutAddress(ctx, db, partnerId, id)
  if (!address) return []
  return text === undefined || spellingsOf(text, target).includes(address.details.address) ? [address] : []
}

const byText = (ctx: Ctx, db: Atomic, { partnerId, target }: AddressQuery, text: string): Promise<PayoutAddress[]> =>
  lockPayoutAddresses(ctx, db, partnerId, spellingsOf(text, target))

/** What a text may be registered as: the canonical spelling of an address, or of an account in each way of paying it. */
function spellingsOf(text: string, { network }: Listing): string[] {
  if (network.chain) {
    const check = checkAddress(network.chain.family, text)
    return check.ok ? [check.canonical] : []
  }
  const forms = network.paymentMethods.flatMap(({ category }) => accountFormOf(category) ?? [])
  const spellings = forms.flatMap((form) => {
    const check = checkAccount(form, { account: text, bic: '' })
    // A foreign account cannot be checked without its bank, which is registered with it.
    return check.ok ? [check.canonical] : (compact(text.slice(0, 140)) ?? [])
  })
  return [...new Set(spellings)]
}

/** Whether an address is one for this currency. */
const fits = ({ asset, category }: PayoutAddress, target: Listing): boolean =>
  (asset === null ? !target.network.chain : asset === target.asset.id) && paysOut(target, category) !== undefined

/** The catalog's order of preference. */
const rankOf = ({ category }: PayoutAddress, { network }: Listing): number =>
  network.paymentMethods.findIndex((method) => method.category === category)
