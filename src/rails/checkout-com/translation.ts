import { type Fields, fieldsOf, integerOf, listOf, textOf, timeOf } from '../processor/call.ts'
import type { Findings } from '../processor/follow.ts'
import { type Decimals, fromMinor } from '../processor/minor-units.ts'
import type { RailEvent, RailEventKind } from '../rail.ts'

const noDecimals = new Set('BIF DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF'.split(' '))
const threeDecimals = new Set('BHD IQD JOD KWD LYD OMR TND'.split(' '))

/** Minor units as https://www.checkout.com/docs/payments/calculating-the-value has them: the Chilean peso has two. */
export const decimalsOf: Decimals = (currency) => (noDecimals.has(currency) ? 0 : threeDecimals.has(currency) ? 3 : 2)

/** What a payment's status reports, and the step in its key. A status that is not here moves no money. */
const payments: ReadonlyMap<string, { kind: RailEventKind; step: string }> = new Map([
  ['Authorized', { kind: 'deposit_seen', step: 'authorized' }],
  ['Captured', { kind: 'deposit_final', step: 'captured' }],
  // A refund is a payout of ours: the payment itself stays what it was.
  ['Partially Refunded', { kind: 'deposit_final', step: 'captured' }],
  ['Refunded', { kind: 'deposit_final', step: 'captured' }],
  ['Declined', { kind: 'deposit_declined', step: 'declined' }],
  ['Canceled', { kind: 'deposit_declined', step: 'canceled' }],
  ['Expired', { kind: 'deposit_declined', step: 'expired' }],
  ['Voided', { kind: 'deposit_declined', step: 'voided' }],
] as const)

const moneyOf = ({ currency, amount }: Fields) => {
  const units = integerOf(amount)
  return units === undefined ? undefined : fromMinor(decimalsOf, textOf(currency), units)
}

/** The event of a payment as `GET /payments/{id}` shows it. */
export function readPayment(body: unknown): RailEvent {
  const payment = fieldsOf(body)
  const [id, status] = [textOf(payment.id), textOf(payment.status)]
  const money = moneyOf(payment)
  const known = money && money.amount > 0n ? payments.get(status) : undefined
  return {
    key: known ? `${id}:${known.step}` : `${id}:unclear:${status}`,
    kind: known?.kind ?? 'unknown',
    reference: textOf(payment.reference),
    payment: id,
    ...(money ?? { asset: '', amount: 0n }),
    body: { payment: id, status, ...(known?.kind === 'deposit_declined' ? { reason: 'The card was declined.' } : {}) },
  }
}

/** The payments of one order, as `GET /payments?reference=` lists them, the oldest first. */
export function readPayments(body: unknown): Findings {
  const events = listOf(fieldsOf(body).data)
    .toReversed()
    .map((one) => readPayment(one))
  const isPaid = events.some(({ kind }) => kind === 'deposit_final')
  return { events, status: isPaid ? 'paid' : 'open', settled: isPaid, again: isPaid ? 'briefly' : 'soon' }
}

/** What `GET /disputes/{id}` says of a dispute. From its opening on the amount is withdrawn, until it is won. */
const disputes: ReadonlyMap<string, 'open' | 'won' | 'lost'> = new Map([
  ['evidence_required', 'open'],
  ['evidence_under_review', 'open'],
  ['won', 'won'],
  ['canceled', 'won'],
  ['lost', 'lost'],
  ['accepted', 'lost'],
] as const)

export function readDispute(body: unknown): RailEvent[] {
  const dispute = fieldsOf(body)
  const payment = fieldsOf(dispute.payment)
  const [id, status] = [textOf(dispute.id), textOf(dispute.status)]
  const money = moneyOf(dispute)
  const state = money && disputes.get(status)
  const respondBy = timeOf(dispute.evidence_required_by)
  const event = (kind: RailEventKind, step: string, fundsMoved: boolean): RailEvent => ({
    key: `${id}:${step}`,
    kind,
    reference: textOf(payment.reference),
    payment: textOf(payment.id),
    ...(money ?? { asset: '', amount: 0n }),
    ...(state ? { dispute: { id, ...(respondBy ? { respondBy } : {}), fundsMoved } } : {}),
    body: { payment: textOf(payment.id), status },
  })
  if (!state) return [event('unknown', `unclear:${status}`, false)]
  const opened = event('dispute_opened', 'opened', true)
  if (state === 'open') return [opened]
  return [opened, state === 'won' ? event('dispute_won', 'won', true) : event('dispute_lost', 'lost', false)]
}

/** The refund with our reference among a payment's actions. */
type Refund = { state: 'paid' | 'failed' | 'open'; amount: bigint | undefined }

/** Finds a refund by our reference; undefined where there is none. */
export function readRefund(actions: unknown, reference: string): Refund | undefined {
  const own = listOf(actions)
    .map(fieldsOf)
    .find((one) => textOf(one.type) === 'Refund' && textOf(one.reference) === reference)
  if (!own) return undefined
  const { approved } = own
  return { state: approved === true ? 'paid' : approved === false ? 'failed' : 'open', amount: integerOf(own.amount) }
}

/** The events of a refund; its currency is the payment's. */
export function readRefundState({ state, amount }: Refund, key: string, payment: unknown): Findings {
  const { currency } = fieldsOf(payment)
  const money = amount === undefined ? undefined : fromMinor(decimalsOf, textOf(currency), amount)
  const event = (kind: RailEventKind): RailEvent => ({
    key: `${key}:${state}`,
    kind,
    reference: key,
    payment: key,
    ...(money ?? { asset: '', amount: 0n }),
    body: { payment: key, status: state },
  })
  if (state === 'open' || !money) return { events: [], status: 'open', settled: false, again: 'soon' }
  return state === 'paid'
    ? { events: [event('payout_settled')], status: state, settled: true, again: 'never' }
    : { events: [event('payout_failed')], status: state, settled: false, again: 'never' }
}
