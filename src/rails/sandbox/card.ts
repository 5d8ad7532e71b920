import { createHmac, timingSafeEqual } from 'node:crypto'

import { type Atomic, type Database, one } from '../../db/sql.ts'
import type { Queue } from '../../jobs/queue.ts'
import type { Clock } from '../../lib/clock.ts'
import { gather } from '../../lib/gather.ts'
import { randomId } from '../../lib/ids.ts'
import { Refusal } from '../../lib/refusal.ts'
import type { DepositOrder, DepositRail, Fact } from '../rail.ts'
import * as queries from './queries.ts'

/** What the sandbox's card processor stands on. It has no other way to reach the exchange than its callbacks. */
export type Processor = {
  db: Database
  clock: Clock
  queue: Queue
  secrets: { processor: Buffer }
  /** The origin of its own pages. */
  url: string
}

/** The job that brings a callback to the merchant. Its key is the callback's id. */
export const callbackOwed = 'sandbox.callback'

const railName = 'sandbox-card'

/** The card processor as the exchange sees it. */
export const cardRail = (processor: Processor): DepositRail => ({
  name: railName,
  place: 'card-processor',
  open: async (order) => ({ payAt: payLink(processor, order) }),
  readCallback: (body, headers) => readCallback(processor, body, headers['x-processor-signature']),
  look: async (reference) => {
    const [payment] = await queries.payment(processor.db, reference)
    return payment ? [factOf({ reference, ...payment })] : []
  },
})

const sign = ({ secrets }: Pick<Processor, 'secrets'>, text: string): string =>
  createHmac('sha256', secrets.processor).update(text).digest('hex')

function isSigned(processor: Pick<Processor, 'secrets'>, text: string, signature: string | undefined): boolean {
  const right = Buffer.from(sign(processor, text))
  const given = Buffer.from(signature ?? '')
  return right.length === given.length && timingSafeEqual(right, given)
}

/** The address of the processor's page for one order. All of it is signed, so that nobody can change what is to be paid. */
function payLink(processor: Processor, { reference, asset, amount, returnUrl, locale }: DepositOrder): string {
  const query = new URLSearchParams({ reference, asset, amount: String(amount), return_url: returnUrl, locale })
  query.append('signature', sign(processor, query.toString()))
  return `${processor.url}/pay?${query.toString()}`
}

/** Reads a link that the exchange made; undefined for any other. */
export function readPayLink(processor: Pick<Processor, 'secrets'>, query: URLSearchParams): DepositOrder | undefined {
  const bare = new URLSearchParams(query)
  bare.delete('signature')
  if (!isSigned(processor, bare.toString(), query.get('signature') ?? undefined)) return undefined
  return {
    reference: bare.get('reference') ?? '',
    asset: bare.get('asset') ?? '',
    amount: BigInt(bare.get('amount') ?? '0'),
    returnUrl: bare.get('return_url') ?? '',
    locale: bare.get('locale') ?? 'en',
  }
}

/** What a test card does (wire.md, section 8). Other numbers are no cards of this processor. */
const cards: Record<string, 'captured' | 'declined' | 'challenge'> = {
  '4242424242424242': 'captured',
  '4000000000000002': 'declined',
  '4000000000003220': 'challenge',
}

/** Whether the processor knows a card number. Blanks and dashes do not count. */
export const isTestCard = (number: string): boolean => Object.hasOwn(cards, digitsOf(number))

const digitsOf = (number: string): string => number.replace(/[\s-]/g, '')

/** Tries to pay with a card. Paying what is paid already changes nothing. The number is used and forgotten. */
export function payByCard(
  processor: Processor,
  order: DepositOrder,
  { number }: { number: string },
): Promise<'captured' | 'challenge' | 'declined'> {
  const outcome = isTestCard(number) ? cards[digitsOf(number)] : undefined
  if (!outcome) throw new Refusal('BAD_REQUEST', 'This is not a card that the sandbox knows.')
  return attempt(processor, order, outcome)
}

/** Pays with a good card, for whoever drives the sandbox, and gives the processor's own id of the payment. */
export async function payForSure(processor: Processor, order: DepositOrder): Promise<string> {
  const { id } = await attemptWithOthers(processor, { order, outcome: 'captured' })
  return publicPaymentId(id ?? one(await queries.payment(processor.db, order.reference)).id)
}

/** Answers the challenge that a card asked for. */
export const answerChallenge = (
  processor: Processor,
  order: DepositOrder,
  passed: boolean,
): Promise<'captured' | 'declined'> => attempt(processor, order, passed ? 'captured' : 'declined')

/** How an order stands at the processor; `open` if nobody has tried to pay. */
export async function paymentState({ db }: Processor, reference: string): Promise<queries.CardState> {
  const [payment] = await queries.payment(db, reference)
  return payment?.state ?? 'open'
}

const publicPaymentId = (id: bigint): string => `pay_${id}`

type Attempt = { order: DepositOrder; outcome: 'captured' | 'challenge' | 'declined' }

/** What an attempt came to. Without an id nothing has changed: the payment was made before. */
type Attempted = { state: queries.CardState; id: bigint | undefined }

const attempts = new WeakMap<Processor, (one: Attempt) => Promise<Attempted>>()

async function attempt<Outcome extends Attempt['outcome']>(
  processor: Processor,
  order: DepositOrder,
  outcome: Outcome,
): Promise<Outcome> {
  const { state } = await attemptWithOthers(processor, { order, outcome })
  return (state === 'captured' ? 'captured' : outcome) as Outcome
}

/** Attempts that come at the same time share one atomic block. */
function attemptWithOthers(processor: Processor, one: Attempt): Promise<Attempted> {
  let run = attempts.get(processor)
  if (!run) attempts.set(processor, (run = gather((all: Attempt[]) => settle(processor, all), { most: 64 })))
  return run(one)
}

async function settle(processor: Processor, all: Attempt[]): Promise<Attempted[]> {
  const at = processor.clock.realNow()
  const rows = all.map(({ order, outcome }) => ({
    id: randomId(),
    reference: order.reference,
    asset: order.asset,
    amount: order.amount,
    merchantReturn: order.returnUrl,
    state: outcome,
    at,
  }))
  const changed = await processor.db.atomic(async (db) => {
    const written = await queries.writeAttempts(db, rows)
    await oweCallbacks(processor, db, written.filter(({ state }) => state !== 'challenge').map(bodyOf))
    return new Map(written.map(({ reference, state, id }) => [reference, { state, id }]))
  })
  return all.map(({ order }) => changed.get(order.reference) ?? { state: 'captured', id: undefined })
}

type Told = { id: bigint; reference: string; state: queries.CardState; attempts: number; asset: string; amount: bigint }

/** A callback's text: the processor's own words, which the rail translates. */
const bodyOf = ({ id, reference, state, attempts: number, asset, amount }: Told): string =>
  JSON.stringify({
    event: `${publicPaymentId(id)}_${number}`,
    payment: publicPaymentId(id),
    status: state.toUpperCase(),
    merchant_reference: reference,
    asset,
    amount: String(amount),
  })

/** Owes the merchant callbacks, and brings them by a job. */
export async function oweCallbacks(
  { queue, clock }: Pick<Processor, 'queue' | 'clock'>,
  db: Atomic,
  bodies: string[],
): Promise<void> {
  if (bodies.length === 0) return
  const owed = await queries.insertCallbacks(db, railName, bodies, clock.realNow())
  queue.enqueue(
    db,
    owed.map(({ id }) => ({ kind: callbackOwed, key: String(id), runAt: clock.realNow(), timebase: 'real' })),
  )
}

/** A callback on its way: the rail that tells it, its text and what proves its sender. */
export type Callback = { rail: string; body: string; headers: Record<string, string> }

/** Takes owed callbacks, signed, for delivery in the same block. */
export async function takeCallbacks(processor: Processor, db: Atomic, ids: bigint[]): Promise<Callback[]> {
  const owed = await queries.callbacks(db, ids)
  queries.removeCallbacks(db, ids)
  return owed.map(({ rail, body }) => ({ rail, body, headers: { 'x-processor-signature': sign(processor, body) } }))
}

/** The processor's words for what has become of a payment. A word that is not here moves no money. */
const kinds: ReadonlyMap<string, Fact['kind']> = new Map([
  ['CAPTURED', 'deposit.final'],
  ['DECLINED', 'deposit.declined'],
  ['CHARGED_BACK', 'deposit.reversed'],
])

function readCallback(processor: Processor, body: string, signature: string | undefined): Fact {
  if (!isSigned(processor, body, signature)) throw new Refusal('SIGNATURE_INVALID', 'The signature does not fit.')
  const told = readSaid(body)
  if (!told) throw new Refusal('BAD_REQUEST', 'This is not what the processor says of a payment.')
  return {
    key: told.event,
    kind: kinds.get(told.status) ?? 'other',
    reference: told.merchant_reference,
    asset: told.asset,
    amount: BigInt(told.amount),
    body: { payment: told.payment, status: told.status },
  }
}

const saidNames = ['event', 'payment', 'status', 'merchant_reference', 'asset', 'amount'] as const

/** The processor's words: six texts, one of them an amount in smallest units. Undefined for anything else. */
function readSaid(body: string): Record<(typeof saidNames)[number], string> | undefined {
  let said: unknown
  try {
    said = JSON.parse(body)
  } catch {
    return undefined
  }
  if (typeof said !== 'object' || said === null) return undefined
  const texts = Object.fromEntries(
    Object.entries(said).filter(([, text]) => typeof text === 'string' && !text.includes('\0')),
  )
  const isWhole = saidNames.every((name) => name in texts) && /^\d{1,38}$/.test(String(texts.amount))
  return isWhole ? (texts as Record<(typeof saidNames)[number], string>) : undefined
}

function factOf(told: Told): Fact {
  const { event, status, payment } = JSON.parse(bodyOf(told)) as Record<'event' | 'status' | 'payment', string>
  const { reference, asset, amount } = told
  return { key: event, kind: kinds.get(status) ?? 'other', reference, asset, amount, body: { payment, status } }
}
