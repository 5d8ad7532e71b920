import type { Fact } from '../../rail.ts'
import type { PaymentRow } from './queries.ts'

/** What a page's owner says of a payment, besides its amount. */
export const wordNames = [
  'event',
  'payment',
  'status',
  'merchant_reference',
  'asset',
  'amount',
] as const satisfies string[]

/** A thing that the owner of a page says. */
export type Said = Record<(typeof wordNames)[number], string>

/** The id of a payment as the page's owner tells it. */
export const publicPaymentId = (id: bigint): string => `pay_${id}`

/** The words for what has become of a payment. A word that is not here moves no money. */
const kinds: ReadonlyMap<string, Fact['kind']> = new Map([
  ['CAPTURED', 'deposit.final'],
  ['DECLINED', 'deposit.declined'],
  ['CHARGED_BACK', 'deposit.reversed'],
])

/** What is said of a payment as it stands, after so many things that happened to it. */
export const wordsOf = ({ id, reference, state, attempts, asset, amount }: PaymentRow): Said => ({
  event: `${publicPaymentId(id)}_${attempts}`,
  payment: publicPaymentId(id),
  status: state.toUpperCase(),
  merchant_reference: reference,
  asset,
  amount: String(amount),
})

/** Translates what was said; `refused` is how a customer is told of an attempt that came to nothing. */
export function factOf(
  { event, payment, status, merchant_reference: reference, asset, amount }: Said,
  refused: string,
): Fact {
  const kind = kinds.get(status) ?? 'other'
  const body = { payment, status, ...(kind === 'deposit.declined' ? { reason: refused } : {}) }
  return { key: event, kind, reference, payment, asset, amount: BigInt(amount), body }
}
