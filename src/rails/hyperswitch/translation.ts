import type { CardAuthentication, Dispute, RailEvent, RailEventKind } from '../rail.ts'
import { type Fields, fieldsOf, integerOf, textOf, timeOf } from '../processor/call.ts'
import { codeOf, given, outcomeOf } from '../processor/card.ts'
import type { Findings } from '../processor/follow.ts'
import { type Decimals, fromMinor } from '../processor/minor-units.ts'

const noDecimals = new Set('BIF CLP DJF GNF IRR JPY KMF KRW MGA PYG RWF UGX VND VUV XAF XOF XPF'.split(' '))
const threeDecimals = new Set('BHD IQD JOD KWD LYD OMR TND'.split(' '))

/** The minor units of Hyperswitch's amounts (its `Currency` in common_enums): the króna has two, unlike in ISO 4217. */
export const decimalsOf: Decimals = (currency) => (noDecimals.has(currency) ? 0 : threeDecimals.has(currency) ? 3 : 2)

/** What a status says of a payment: its event, the step in the event's key, and whether it is worth asking again. */
type PaymentMeaning = { kind: RailEventKind; step: string; again: Findings['again']; amount: 'received' | 'asked' }

const asked = (kind: RailEventKind, step: string, again: Findings['again']): PaymentMeaning => ({
  kind,
  step,
  again,
  amount: 'asked',
})
const captured: PaymentMeaning = { kind: 'deposit_final', step: 'captured', again: 'briefly', amount: 'received' }

/** A part of it was captured: more may be, now or later. Each amount is a separate event. */
const inPart: PaymentMeaning = { ...captured, step: 'captured:', again: 'rarely' }

/** IntentStatus. `undefined`: nobody has tried to pay yet. A status that is not here moves no money, and is asked about again. */
const payments: ReadonlyMap<string, PaymentMeaning | undefined> = new Map([
  ['requires_payment_method', undefined],
  ['requires_confirmation', undefined],
  ['succeeded', captured],
  ['partially_captured', inPart],
  ['partially_captured_and_capturable', inPart],
  ['requires_capture', asked('deposit_seen', 'authorized', 'soon')],
  ['failed', asked('deposit_declined', 'failed', 'briefly')],
  ['cancelled', asked('deposit_declined', 'cancelled', 'briefly')],
  ['expired', asked('deposit_declined', 'expired', 'briefly')],
  ['cancelled_post_capture', { ...captured, kind: 'deposit_withdrawn', step: 'reversed' }],
])

/** The statuses after which a payment cannot be paid any more: the next press makes another one. */
export const endedUnpaid: ReadonlySet<string> = new Set(['failed', 'cancelled', 'expired'])

const reasons: Readonly<Record<string, string>> = {
  cancelled: 'The payment was cancelled: it was declined or given up.',
  expired: 'The payment was declined: its page has expired.',
}

/** A payment's id without its number: the reference that all attempts to pay one order share. */
export const referenceOf = (paymentId: string): string => paymentId.slice(0, -2)

/** The events of a payment as it is now. Everything but amounts and statuses that we know is left out. */
export function readPayment(body: unknown): Findings {
  const payment = fieldsOf(body)
  const [id, status] = [textOf(payment.payment_id), textOf(payment.status)]
  const isKnown = payments.has(status)
  const meaning = isKnown ? payments.get(status) : asked('unknown', status, 'soon')
  if (!meaning) return { events: [], status, settled: false, again: 'soon' }

  const amount = integerOf(payment.amount)
  // Partly captured, only what was received counts; of a payment that succeeded, some processors name the amount alone.
  const received = integerOf(payment.amount_received) ?? (meaning === inPart ? undefined : amount)
  const money = moneyOf(payment.currency, meaning.amount === 'received' ? received : amount)
  const isClear = money !== undefined && money.amount > 0n
  const event: RailEvent = {
    // What is not clear must not take the key of what is.
    key: isClear ? `${id}:${meaning.step}${meaning === inPart ? String(received) : ''}` : `${id}:unclear:${status}`,
    kind: isClear ? meaning.kind : 'unknown',
    reference: referenceOf(id),
    payment: id,
    ...(money ?? unknownMoney),
    ...authenticationOf(payment),
    body: { payment: id, status, ...reasonOf(meaning.kind, payment), ...riskOf(payment) },
  }
  const settled = isClear && meaning.kind === 'deposit_final'
  // What was voided after it was captured had arrived first. No customer does that.
  const isVoid = event.kind === 'deposit_withdrawn'
  const events = isVoid ? [{ ...event, kind: 'deposit_final' as const, key: `${id}:captured` }, event] : [event]
  return { events, status, settled, again: isClear ? meaning.again : 'soon' }
}

const unknownMoney = { asset: '', amount: 0n }

const moneyOf = (currency: unknown, amount: bigint | undefined) =>
  amount === undefined ? undefined : fromMinor(decimalsOf, textOf(currency), amount)

function reasonOf(kind: RailEventKind, payment: Fields): Record<string, string> {
  if (kind !== 'deposit_declined') return {}
  const isCard = ['card', 'wallet', ''].includes(textOf(payment.payment_method))
  const reason = reasons[textOf(payment.status)] ?? (isCard ? 'The card was declined.' : 'The payment was declined.')
  return { reason, ...given('code', codeOf(payment.unified_code) || codeOf(payment.error_code)) }
}

/** What the risk rules read of a card: checks of the address and the code, the country of its bank, and its fingerprint. */
function riskOf(payment: Fields): Record<string, string> {
  const card = cardOf(payment)
  const checks = fieldsOf(card.payment_checks)
  const avs = [checks.address_line1_check, checks.address_postal_code_check, checks.avs_result].map(codeOf)
  return {
    ...given('connector', codeOf(payment.connector)),
    ...given('avs', avs.filter((one) => one !== '').join('/')),
    ...given('cvc', codeOf(checks.cvc_check) || codeOf(checks.cvv_result)),
    ...given('bin_country', codeOf(card.card_issuing_country)),
    ...given('fingerprint', codeOf(payment.fingerprint)),
  }
}

const cardOf = (payment: Fields): Fields => {
  const data = fieldsOf(payment.payment_method_data)
  return fieldsOf(data.card)
}

/** The outcome of 3-D Secure by its electronic commerce indicator: anything else shifts nothing. Nothing at all where Hyperswitch does not say. */
function authenticationOf(payment: Fields): { authentication?: CardAuthentication } {
  const external = fieldsOf(payment.external_authentication_details)
  const native = fieldsOf(cardOf(payment).authentication_data)
  const indicator = textOf(external.electronic_commerce_indicator) || textOf(native.electronic_commerce_indicator)
  const status = textOf(external.status)
  if (status === 'failed') return { authentication: { threeDSecure: 'failed', liabilityShifted: false } }
  const outcome = outcomeOf(indicator)
  if (outcome) return { authentication: outcome }
  if (status === 'success') return { authentication: { threeDSecure: 'authenticated', liabilityShifted: false } }
  const isNotUsed = indicator !== '' || textOf(payment.authentication_type) === 'no_three_ds'
  return isNotUsed ? { authentication: { threeDSecure: 'not_used', liabilityShifted: false } } : {}
}

type Movement = 'paid' | 'failed' | 'open'

/** RefundStatus. `review` waits for a person at the processor. */
const refunds: ReadonlyMap<string, Movement> = new Map([
  ['succeeded', 'paid'],
  ['failed', 'failed'],
  ['pending', 'open'],
  ['review', 'open'],
])

/** PayoutStatus. What was reversed came back. */
const payouts: ReadonlyMap<string, Movement> = new Map([
  ['success', 'paid'],
  ['failed', 'failed'],
  ['cancelled', 'failed'],
  ['expired', 'failed'],
  ['ineligible', 'failed'],
  ['reversed', 'failed'],
])

/** The events of a refund. A refund that succeeded can fail later: its money came back. */
export const readRefund = (body: unknown, settledBefore: boolean): Findings =>
  readOutgoing(textOf(fieldsOf(body).refund_id), refunds, body, settledBefore)

/** The events of a payout. */
export const readPayout = (body: unknown, settledBefore: boolean): Findings =>
  readOutgoing(textOf(fieldsOf(body).payout_id), payouts, body, settledBefore)

function readOutgoing(
  id: string,
  table: ReadonlyMap<string, Movement>,
  body: unknown,
  settledBefore: boolean,
): Findings {
  const { status: given, currency, amount } = fieldsOf(body)
  const status = textOf(given)
  const money = moneyOf(currency, integerOf(amount))
  const state = money ? (table.get(status) ?? 'open') : 'open'
  const event = (kind: RailEventKind, step: string): RailEvent => ({
    key: `${id}:${step}`,
    kind,
    reference: id,
    payment: id,
    ...(money ?? unknownMoney),
    body: { payment: id, status },
  })
  const paid = event('payout_settled', 'paid')
  if (state === 'paid') return { events: [paid], status, settled: true, again: 'rarely' }
  if (state === 'open') return { events: [], status, settled: false, again: 'soon' }
  return settledBefore
    ? { events: [paid, event('payout_returned', 'returned')], status, settled: true, again: 'never' }
    : { events: [event('payout_failed', 'failed')], status, settled: false, again: 'never' }
}

type DisputeMeaning = 'open' | 'won' | 'lost' | 'expired' | 'unknown'

/** DisputeStatus. An inquiry that expired took nothing; whether a chargeback that did was lost is for a person to say. */
const disputes: ReadonlyMap<string, DisputeMeaning> = new Map([
  ['dispute_opened', 'open'],
  ['dispute_challenged', 'open'],
  ['dispute_won', 'won'],
  ['dispute_cancelled', 'won'],
  ['dispute_lost', 'lost'],
  ['dispute_accepted', 'lost'],
  ['dispute_expired', 'expired'],
])

/**
 * DisputeStage, in the order in which a dispute passes through some of them under one id; each has its own status. Before a chargeback
 * nothing is withdrawn.
 */
const stages: ReadonlyMap<string, { round: number; step: string }> = new Map([
  ['pre_dispute', { round: -1, step: 'inquiry:' }],
  ['dispute', { round: 0, step: '' }],
  ['pre_arbitration', { round: 1, step: 'pre_arbitration:' }],
  ['arbitration', { round: 2, step: 'arbitration:' }],
  ['dispute_reversal', { round: 3, step: 'reversal:' }],
])

/**
 * The events of a dispute as it is now, with what it must have been before in the same stage. From a chargeback on the amount is
 * withdrawn while a stage is open or lost, and given back where it is won: so it goes from one stage to the next, whatever of it we
 * have seen. Its amounts are texts of minor units.
 */
export function readDispute(body: unknown): Findings {
  const fields = fieldsOf(body)
  const [id, payment] = [textOf(fields.dispute_id), textOf(fields.payment_id)]
  const [stage, status] = [textOf(fields.dispute_stage), textOf(fields.dispute_status)]
  const place = stages.get(stage)
  const isInquiry = stage === 'pre_dispute'
  const money = moneyOf(fields.currency, integerOf(fields.amount))
  const meaning = money && place ? (disputes.get(status) ?? 'unknown') : 'unknown'
  const respondBy = timeOf(fields.challenge_required_by)
  const event = (kind: RailEventKind, step: string, fundsMoved: boolean): RailEvent => {
    const dispute: Dispute = { id, ...(respondBy ? { respondBy } : {}), round: place?.round ?? 0, fundsMoved }
    return {
      key: `${id}:${step}`,
      kind,
      reference: referenceOf(payment),
      payment,
      ...(money ?? unknownMoney),
      ...(kind === 'unknown' ? {} : { dispute }),
      body: {
        payment,
        status,
        ...given('stage', codeOf(stage)),
        ...given('code', codeOf(fields.connector_reason_code)),
      },
    }
  }
  const state = `${stage}:${status}`
  const step = place?.step ?? ''
  const found = (events: RailEvent[], settled: boolean, again: Findings['again']): Findings => ({
    events,
    status: state,
    settled,
    again,
  })
  // What is reversed is won or lost: that it is looked at moves nothing.
  const isReversal = stage === 'dispute_reversal'
  if (isReversal && (meaning === 'open' || meaning === 'expired')) return found([], false, 'rarely')
  const opened = isInquiry
    ? event('dispute_opened', 'inquiry', false)
    : event('dispute_opened', `${step}opened`, !isReversal)
  // Whatever has ended may be opened again, in the next stage.
  switch (meaning) {
    case 'open':
      return found([opened], false, 'rarely')
    case 'expired':
      return isInquiry
        ? found([opened, event('dispute_won', `${step}won`, false)], true, 'rarely')
        : found([opened, event('unknown', state, false)], false, 'rarely')
    case 'won':
      return found([opened, event('dispute_won', `${step}won`, !isInquiry)], true, 'rarely')
    case 'lost':
      return found([opened, event('dispute_lost', `${step}lost`, isInquiry || isReversal)], true, 'rarely')
    case 'unknown':
      return found([event('unknown', state, false)], false, 'rarely')
  }
}
