import { fieldsOf, integerOf, listOf, textOf, timeOf } from '../processor/call.ts'
import type { Findings } from '../processor/follow.ts'
import { type Decimals, fromMinor } from '../processor/minor-units.ts'
import type { RailEvent, RailEventKind } from '../rail.ts'
import { cardFactsOf } from './card.ts'

const noDecimals = new Set('BIF DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF'.split(' '))
const threeDecimals = new Set('BHD IQD JOD KWD LYD OMR TND'.split(' '))

/** Minor units as https://www.checkout.com/docs/payments/calculating-the-value has them: the Chilean peso has two. */
export const decimalsOf: Decimals = (currency) => (noDecimals.has(currency) ? 0 : threeDecimals.has(currency) ? 3 : 2)

/** What a payment's status reports. A status that is not here moves no money. */
const payments: ReadonlyMap<string, RailEventKind> = new Map([
  ['Authorized', 'deposit_seen'],
  ['Captured', 'deposit_final'],
  ['Partially Captured', 'deposit_final'],
  // A refund is a payout of ours: the payment itself stays what it was.
  ['Partially Refunded', 'deposit_final'],
  ['Refunded', 'deposit_final'],
  ['Declined', 'deposit_declined'],
  ['Canceled', 'deposit_declined'],
  ['Expired', 'deposit_declined'],
  ['Voided', 'deposit_declined'],
])

const moneyOf = (currency: unknown, units: bigint | undefined) =>
  units === undefined ? undefined : fromMinor(decimalsOf, textOf(currency), units)

/**
 * The event of a payment as `GET /payments/{id}` shows it. What has come is what was captured by now, whatever was authorized: more may
 * be captured later, so each amount is a separate event.
 */
export function readPayment(body: unknown): RailEvent {
  const payment = fieldsOf(body)
  const [id, status] = [textOf(payment.id), textOf(payment.status)]
  const known = payments.get(status)
  const captured = integerOf(fieldsOf(payment.balances).total_captured)
  const isCaptured = known === 'deposit_final' || (captured ?? 0n) > 0n
  const money = moneyOf(payment.currency, isCaptured ? captured : integerOf(payment.amount))
  const isClear = known !== undefined && money !== undefined && money.amount > 0n
  const kind = !isClear ? 'unknown' : isCaptured ? 'deposit_final' : known
  const step = isCaptured ? `captured:${captured}` : status.toLowerCase()
  const { card, ...facts } = cardFactsOf(payment)
  return {
    key: `${id}:${isClear ? step : `unclear:${status}`}`,
    kind,
    reference: textOf(payment.reference),
    payment: id,
    ...(money ?? { asset: '', amount: 0n }),
    ...facts,
    body: {
      payment: id,
      status,
      ...(kind === 'deposit_declined' ? { reason: 'The card was declined.' } : {}),
      ...card,
    },
  }
}

/** Whether more of a payment may still be captured. */
const mayGrow = (body: unknown): boolean => {
  const { amount, balances } = fieldsOf(body)
  return (integerOf(fieldsOf(balances).total_captured) ?? 0n) < (integerOf(amount) ?? 0n)
}

/** The payments of one order, the oldest first. */
export function readPayments(payments: readonly unknown[]): Findings {
  const events = payments.map((one) => readPayment(one))
  const paid = payments.filter((_, index) => events[index]?.kind === 'deposit_final')
  const isPaid = paid.length > 0
  const again = !isPaid ? 'soon' : paid.some(mayGrow) ? 'rarely' : 'briefly'
  return { events, status: isPaid ? 'paid' : 'open', settled: isPaid, again }
}

type DisputeMeaning = { state: 'open' | 'won' | 'lost' | 'refunded'; round: number }

/**
 * Of a dispute, by its status. The amount is withdrawn from its opening on, until it is won; in arbitration again, also after it was won.
 * One that nobody answered in time stays withdrawn. What was `resolved` had been refunded before: nothing is withdrawn for it.
 */
const disputes: ReadonlyMap<string, DisputeMeaning> = new Map([
  ['evidence_required', { state: 'open', round: 0 }],
  ['evidence_under_review', { state: 'open', round: 0 }],
  ['resolved', { state: 'refunded', round: 0 }],
  ['won', { state: 'won', round: 0 }],
  ['canceled', { state: 'won', round: 0 }],
  ['lost', { state: 'lost', round: 0 }],
  ['accepted', { state: 'lost', round: 0 }],
  ['expired', { state: 'lost', round: 0 }],
  ['arb_evidence_submitted', { state: 'open', round: 2 }],
  ['arbitration_under_review', { state: 'open', round: 2 }],
  ['arbitration_won', { state: 'won', round: 2 }],
  ['arbitration_lost', { state: 'lost', round: 2 }],
])

/** Statuses that end a dispute before arbitration. */
const endedFirst: ReadonlySet<string> = new Set(
  [...disputes].filter(([, { state, round }]) => state !== 'open' && round === 0).map(([status]) => status),
)

/** What our status of a dispute begins with in each round. Pre-arbitration has no statuses at Checkout.com. */
const rounds = ['', 'pre_arbitration:', 'arbitration:']

/** The status that Checkout.com shows of a dispute, by ours. */
export const statusIn = ({ status }: { status: string }): string => status.slice(status.indexOf(':') + 1)

/** A dispute that had ended before arbitration and is open again is in its next round. */
function roundOf(meaning: DisputeMeaning | undefined, before: string): number {
  const known = rounds.findLastIndex((name) => before.startsWith(name))
  const isOpenAgain = meaning?.state === 'open' && endedFirst.has(statusIn({ status: before }))
  return Math.min(2, Math.max(meaning?.round ?? 0, known + (isOpenAgain ? 1 : 0)))
}

/**
 * The events of a dispute as `GET /disputes/{id}` shows it, with what it must have been before in the same round. `before`: our status of it
 * before it was asked about.
 */
export function readDispute(body: unknown, before = ''): Findings {
  const dispute = fieldsOf(body)
  const payment = fieldsOf(dispute.payment)
  const [id, status] = [textOf(dispute.id), textOf(dispute.status)]
  const money = moneyOf(dispute.currency, integerOf(dispute.amount))
  const meaning = money && disputes.get(status)
  const respondBy = timeOf(dispute.evidence_required_by)
  const round = roundOf(meaning, before)
  const event = (kind: RailEventKind, step: string, fundsMoved: boolean): RailEvent => ({
    key: `${id}:${rounds[round]}${step}`,
    kind,
    reference: textOf(payment.reference),
    payment: textOf(payment.id),
    ...(money ?? { asset: '', amount: 0n }),
    ...(meaning ? { dispute: { id, ...(respondBy ? { respondBy } : {}), round, fundsMoved } } : {}),
    body: { payment: textOf(payment.id), status },
  })
  const opened = event('dispute_opened', 'opened', true)
  const events = {
    open: [opened],
    won: [opened, event('dispute_won', 'won', true)],
    lost: [opened, event('dispute_lost', 'lost', false)],
    refunded: [event('dispute_won', 'resolved', true)],
    unknown: [event('unknown', `unclear:${status}`, false)],
  }[meaning?.state ?? 'unknown']
  return { events, status: `${rounds[round]}${status}`, settled: false, again: 'never' }
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
  const money = moneyOf(fieldsOf(payment).currency, amount)
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
