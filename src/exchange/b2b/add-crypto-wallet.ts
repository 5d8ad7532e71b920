import { findListing, type Listing } from '../../reference/catalog/asset.ts'
import { findCurrency } from '../../reference/catalog/currency.ts'
import type { PaymentMethod } from '../../reference/catalog/payment-method.ts'
import type { Ctx } from '../context.ts'
import type { Atomic } from '../../platform/db/sql.ts'
import { badField } from '../../platform/lib/refusal.ts'
import type { PayoutAddress } from '../partners/payout-address.ts'
import { registerPayoutAddress, resemblesRegistered } from '../partners/payout-addresses.ts'
import { checkDestination } from '../transactions/payout-destination.ts'
import type { Registrant } from './add-bank-account.ts'
import { paysOut } from './pays-out.ts'

/** A wallet as a partner writes it. Texts that were not given are empty; no network is the coin's main one. */
export type CryptoWalletInput = {
  currency: string
  network: string
  address: string
  extraId: string
  label: string
  /** The partner has seen that the address resembles one it has registered, and means it. */
  confirmsResembling: boolean
}

/**
 * Registers a wallet to be paid to in the caller's block. Refuses, with the field at fault, an address that cannot be or is our
 * own, a memo that is missing, and, unless confirmed, an address that begins and ends like another registered one.
 */
export async function addCryptoWallet(
  ctx: Ctx,
  db: Atomic,
  registrant: Registrant,
  input: CryptoWalletInput,
): Promise<{ address: PayoutAddress; isNew: boolean }> {
  const { listing, method } = coinOf(input)
  const check = checkDestination(ctx, { listing, method }, { address: input.address, extraId: input.extraId })
  if (!check.ok) throw badField(check.field === 'address' ? 'wallet_address' : 'extra_id', check.reason, check.code)
  if (!input.confirmsResembling && (await resemblesRegistered(ctx, db, registrant.partner.id, check.address))) {
    const message = 'This address begins and ends like one that is registered, and is another one.'
    throw badField('wallet_address', message, 'RESEMBLES_EARLIER')
  }

  // From here on nothing may refuse.
  return registerPayoutAddress(ctx, db, registrant, {
    type: 'crypto_wallet',
    category: method.category,
    asset: listing.asset.id,
    details: { address: check.address, extraId: check.extraId, holder: '', label: input.label, intermediary: null },
    apart: check.extraId,
  })
}

function coinOf({ currency, network }: CryptoWalletInput): { listing: Listing; method: PaymentMethod } {
  const known = findCurrency(currency)
  if (known?.kind !== 'CRYPTO') throw badField('currency', 'This is no coin that we know.', 'CURRENCY_UNKNOWN')
  const listing = findListing(currency, network === '' ? undefined : network)
  const method = listing && paysOut(listing, 'CRYPTO')
  if (listing && method) return { listing, method }
  throw badField('network', `${known.ticker} is not available on this network.`, 'NETWORK_NOT_AVAILABLE')
}
