import { readId } from '../../platform/lib/ids.ts'
import type { RailEvent } from '../../rails/rail.ts'
import type { PaymentRow, RefundRow } from './queries.ts'

/** The rail of the card processor's pages. */
export const cardName = 'sandbox-card'

/** The rail of the bank's pages. */
export const openBankingName = 'sandbox-open-banking'

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

/** Reads such an id; undefined for any other text. */
export const readPaymentId = (text: string): bigint | undefined =>
  text.startsWith('pay_') ? readId(text.slice(4)) : undefined

/** The id of a refund as the page's owner tells it. */
export const publicRefundId = (id: bigint): string => `ref_${id}`

/** The words for what has become of a payment. A word that is not here moves no money. */
const kinds: ReadonlyMap<string, RailEvent['kind']> = new Map([
  ['CAPTURED', 'deposit_final'],
  ['DECLINED', 'deposit_declined'],
  ['VOIDED', 'deposit_declined'],
  ['CHARGED_BACK', 'deposit_reversed'],
  ['REFUND_RETURNED', 'payout_returned'],
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

/** What is said of a refund that has come back: it is known by the key of the plan that asked for it. */
export const returnWords = ({ id, plan_key: planKey, asset, amount }: RefundRow): Said => ({
  event: `${publicRefundId(id)}_returned`,
  payment: publicRefundId(id),
  status: 'REFUND_RETURNED',
  merchant_reference: planKey,
  asset,
  amount: String(amount),
})

/** Translates what was said; `refused` is how a customer is told of an attempt that came to nothing. */
export function factOf(
  { event, payment, status, merchant_reference: reference, asset, amount }: Said,
  refused: string,
): RailEvent {
  const kind = kinds.get(status) ?? 'unknown'
  const body = { payment, status, ...(kind === 'deposit_declined' ? { reason: refused } : {}) }
  return { key: event, kind, reference, payment, asset, amount: BigInt(amount), body }
}
