import { readId } from '../../platform/lib/ids.ts'
import type { Dispute, RailEvent, RailEventKind } from '../../rails/rail.ts'
import type { DisputedRow, PaymentRow, RefundRow } from './queries.ts'

/** The rail of the card processor's pages. */
export const cardName = 'sandbox-card'

/** The rail of the bank's pages. */
export const openBankingName = 'sandbox-open-banking'

/** The fields that every message has. */
export const messageFields = [
  'event',
  'payment',
  'status',
  'merchant_reference',
  'asset',
  'amount',
] as const satisfies string[]

/** A message about a payment. Those about disputes name the dispute and its deadline. */
export type Message = Record<(typeof messageFields)[number], string> & {
  dispute?: string
  respond_by?: string
  fingerprint?: string
  avs?: string
  cvc?: string
}

/** The id of a payment in messages. */
export const publicPaymentId = (id: bigint): string => `pay_${id}`

/** Reads such an id; undefined for any other text. */
export const readPaymentId = (text: string): bigint | undefined =>
  text.startsWith('pay_') ? readId(text.slice(4)) : undefined

/** The id of a refund in messages. */
export const publicRefundId = (id: bigint): string => `ref_${id}`

/** What a status reports. A status that is not here moves no money. */
const kinds: ReadonlyMap<string, RailEventKind> = new Map([
  ['CAPTURED', 'deposit_final'],
  ['DECLINED', 'deposit_declined'],
  ['VOIDED', 'deposit_declined'],
  ['CHARGED_BACK', 'deposit_reversed'],
  ['DISPUTE_OPENED', 'dispute_opened'],
  ['DISPUTE_WON', 'dispute_won'],
  ['DISPUTE_LOST', 'dispute_lost'],
  ['REFUND_RETURNED', 'payout_returned'],
])

const disputeKinds: ReadonlySet<RailEventKind> = new Set(['dispute_opened', 'dispute_won', 'dispute_lost'])

/** The message about a payment's state. Each attempt has its own event. */
export const messageOf = ({
  id,
  reference,
  state,
  attempts,
  asset,
  amount,
  fingerprint,
  mismatch,
}: PaymentRow): Message => ({
  event: `${publicPaymentId(id)}_${attempts}`,
  payment: publicPaymentId(id),
  status: state.toUpperCase(),
  merchant_reference: reference,
  asset,
  amount: String(amount),
  ...(fingerprint === null ? {} : { fingerprint }),
  ...(mismatch === null ? {} : { avs: mismatch === 'avs' ? 'N' : 'Y', cvc: mismatch === 'cvc' ? 'N' : 'M' }),
})

/** The messages about a payment's dispute so far, in order. */
export function disputeMessages(row: DisputedRow): Message[] {
  const { id, dispute: state, respond_by: respondBy } = row
  if (state === null || respondBy === null) return []
  const dispute = `dsp_${id}`
  const about = { ...messageOf(row), dispute, respond_by: respondBy.toISOString() }
  const message = (step: string): Message => ({ ...about, event: `${dispute}_${step}`, status: `DISPUTE_${step}` })
  return [message('OPENED'), ...(state === 'open' ? [] : [message(state.toUpperCase())])]
}

/** The message about a refund that came back, under the key of the prepared payment that asked for it. */
export const returnMessage = ({ id, plan_key: planKey, asset, amount }: RefundRow): Message => ({
  event: `${publicRefundId(id)}_returned`,
  payment: publicRefundId(id),
  status: 'REFUND_RETURNED',
  merchant_reference: planKey,
  asset,
  amount: String(amount),
})

/** Translates a message; `refused` is what a customer reads about a failed attempt. */
export function toRailEvent(message: Message, refused: string): RailEvent {
  const { event, payment, status, merchant_reference: reference, asset, amount } = message
  const dispute = disputeOf(message)
  const known = kinds.get(status)
  const kind = known === undefined || (disputeKinds.has(known) && !dispute) ? 'unknown' : known
  return {
    key: event,
    kind,
    reference,
    payment,
    asset,
    amount: BigInt(amount),
    ...(dispute ? { dispute } : {}),
    body: {
      payment,
      status,
      ...(kind === 'deposit_declined' ? { reason: refused } : {}),
      ...(message.fingerprint === undefined ? {} : { fingerprint: message.fingerprint }),
      ...(message.avs === undefined ? {} : { avs: message.avs }),
      ...(message.cvc === undefined ? {} : { cvc: message.cvc }),
    },
  }
}

/** This processor withdraws the money when a dispute is opened, and gives it back when it is won. */
function disputeOf({ status, dispute: id, respond_by: deadline = '' }: Message): Dispute | undefined {
  if (id === undefined) return undefined
  const respondBy = new Date(deadline)
  const isDate = Number.isFinite(respondBy.getTime())
  return { id, ...(isDate ? { respondBy } : {}), fundsMoved: status !== 'DISPUTE_LOST' }
}
