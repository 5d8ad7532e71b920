import { secretIn } from '../../reference/addresses/secret-text.ts'
import { isCardForDestination } from '../../reference/bank/card-for-destination.ts'
import type { Category } from '../../reference/catalog/payment-category.ts'
import { holdsCardNumber } from '../../platform/lib/card-number.ts'

/** Fields of addresses and memos, where nothing else looks like a secret key or a recovery phrase. */
const destinations: ReadonlySet<string> = new Set(['payout_address', 'refund_address', 'extra_id', 'confirms'])

/** Whether a form field holds a card number; `payout` is how the order is paid out. A memo of coins may be any number. */
export function isCard(payout: Category, name: string, text: string): boolean {
  if (name === 'extra_id') return payout !== 'CRYPTO' && holdsCardNumber(text)
  return destinations.has(name) ? isCardForDestination(text) : holdsCardNumber(text)
}

/** Whether a form field holds a private key or a recovery phrase. */
export const holdsSecret = (name: string, text: string): boolean =>
  secretIn(text, destinations.has(name) ? 'destination' : 'text') !== undefined
