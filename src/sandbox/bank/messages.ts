import { findReference } from '../../reference/bank/creditor-reference.ts'
import { readId } from '../../platform/lib/ids.ts'
import type { RailEvent } from '../../rails/rail.ts'
import type { PaymentRow, PaymentState } from './queries.ts'

/** The bank's rail, in and out. */
export const bankName = 'sandbox-bank'

/** The bank's own id of a payment, as it tells it. */
export const bankId = (id: bigint): string => `bnk_${id}`

/** Reads such an id; undefined for any other text. */
export const readBankId = (text: string): bigint | undefined =>
  text.startsWith('bnk_') ? readId(text.slice(4)) : undefined

/** What the bank says of a payment, besides its amount. */
export const messageFields = [
  'event',
  'payment',
  'status',
  'remittance',
  'end_to_end_id',
  'asset',
  'amount',
] as const satisfies string[]

/** A thing that the bank says. */
export type Message = Record<(typeof messageFields)[number], string>

/** What a status reports. A status that is not here moves no money. */
const kinds: ReadonlyMap<string, RailEvent['kind']> = new Map([
  ['BOOKED', 'deposit_final'],
  ['RECALLED', 'deposit_reversed'],
  ['RETURNED', 'payout_returned'],
])

const steps: Record<PaymentState, number> = { booked: 1, recalled: 2, returned: 2 }

/** What the bank says when a payment has come to a state. The payer's name is not in it. */
export function messageOf(
  { id, asset, amount, remittance, end_to_end_id: endToEndId }: PaymentRow,
  state: PaymentState,
): Message {
  return {
    event: `${bankId(id)}_${steps[state]}`,
    payment: bankId(id),
    status: state.toUpperCase(),
    remittance,
    end_to_end_id: endToEndId ?? '',
    asset,
    amount: String(amount),
  }
}

/**
 * Translates a message. A returned payout is matched by our end-to-end id, other money by our reference in the payer's text;
 * without one it has no owner yet. The text itself is dropped: people write their names in it.
 */
export function toRailEvent(message: Message): RailEvent {
  const { event, payment, status, asset, amount } = message
  const kind = kinds.get(status) ?? 'unknown'
  const reference = message.end_to_end_id === '' ? (findReference(message.remittance) ?? '') : message.end_to_end_id
  return { key: event, kind, reference, payment, asset, amount: BigInt(amount), body: { payment, status } }
}
