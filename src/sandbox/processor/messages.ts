import { readId } from '../../platform/lib/ids.ts'
import type { RailEvent } from '../../rails/rail.ts'
import type { PaymentRow, RefundRow } from './queries.ts'

/** The rail of the card processor's pages. */
export const cardName = 'sandbox-card'

/** The rail of the bank's pages. */
export const openBankingName = 'sandbox-open-banking'

/** What a page's owner says of a payment, besides its amount. */
export const messageFields = [
  'event',
  'payment',
  'status',
  'merchant_reference',
  'asset',
  'amount',
] as const satisfies string[]

/** A thing that the owner of a page says. */
export type Message = Record<(typeof messageFields)[number], string>

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
export const messageOf = ({ id, reference, state, attempts, asset, amount }: PaymentRow): Message => ({
  event: `${publicPaymentId(id)}_${attempts}`,
  payment: publicPaymentId(id),
  status: state.toUpperCase(),
  merchant_reference: reference,
  asset,
  amount: String(amount),
})

/** What is said of a refund that has come back: it is known by the key of the plan that asked for it. */
export const returnMessage = ({ id, plan_key: planKey, asset, amount }: RefundRow): Message => ({
  event: `${publicRefundId(id)}_returned`,
  payment: publicRefundId(id),
  status: 'REFUND_RETURNED',
  merchant_reference: planKey,
  asset,
  amount: String(amount),
})

/** Translates what was said; `refused` is how a customer is told of an attempt that came to nothing. */
export function toRailEvent(
  { event, payment, status, merchant_reference: reference, asset, amount }: Message,
  refused: string,
): RailEvent {
  const kind = kinds.get(status) ?? 'unknown'
  const body = { payment, status, ...(kind === 'deposit_declined' ? { reason: refused } : {}) }
  return { key: event, kind, reference, payment, asset, amount: BigInt(amount), body }
}
