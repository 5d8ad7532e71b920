import { isCardForDestination } from '../../reference/bank/card-for-destination.ts'
import type { Category } from '../../reference/catalog/payment-category.ts'
import { holdsCardNumber } from '../../platform/lib/card-number.ts'
import { textFault } from '../ui/text-fault.ts'

/** Fields of addresses and memos, where nothing else looks like a secret key or a recovery phrase. */
const destinations: ReadonlySet<string> = new Set(['payout_address', 'refund_address', 'extra_id', 'confirms'])

/** Why a form field is not taken, whatever it is for; `payout` is how the order is paid out. */
export const fieldFault = (payout: Category, name: string, text: string): ReturnType<typeof textFault> =>
  textFault(text, {
    place: destinations.has(name) ? 'destination' : 'text',
    hasLines: true,
    isCard: (written) => isCard(payout, name, written),
  })

/** A memo of coins may be any number. */
function isCard(payout: Category, name: string, text: string): boolean {
  if (name === 'extra_id') return payout !== 'CRYPTO' && holdsCardNumber(text)
  return destinations.has(name) ? isCardForDestination(text) : holdsCardNumber(text)
}
