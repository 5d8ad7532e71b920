import type { Ctx } from '../context.ts'
import { post } from '../ledger/post.ts'
import { addTraits, type OwnTrait } from '../customers/traits.sql.ts'
import { findPartners } from '../partners/known.ts'
import type { Atomic } from '../../platform/db/sql.ts'
import type { Handler, Job } from '../../platform/jobs/job.ts'
import type { Again } from '../../platform/jobs/queue.ts'
import { after } from '../../platform/lib/clock.ts'
import type { Category } from '../../reference/catalog/payment-category.ts'
import { bookedAsset } from '../../reference/catalog/sync-assets.ts'
import { amend } from '../transactions/advance.ts'
import { readLocked } from '../transactions/load.ts'
import { methodOf } from '../transactions/method.ts'
import type { Transaction } from '../transactions/transaction.ts'
import { cancelReversedRefund } from './cancel-refunds.ts'
import { showConfirming } from './confirming.ts'
import { captureLater } from './capture.ts'
import { settleRest } from './deposit-rest.ts'
import { settleDispute, settleWithdrawnReversal } from './dispute.ts'
import { depositEntry, payoutReturnedEntry } from './entries.ts'
import { checkPayer, isReviewed } from './payer.ts'
import { type KeyedPayout, markReturned, payoutsByKey } from './payout.ts'
import {
  type EventContext,
  lockByRailEvents,
  lockPaymentsAndCards,
  type MatchedEvent,
  matchRailEvents,
  railEventReceived,
  unbookedDeposit,
} from './rail-event.ts'
import { isOnChain, refunds } from './refund.ts'
import { settleReversal } from './reversal.ts'
import { type Batch, newBatch, settle, writeBatch } from './settle.ts'
import { transition } from './transition.ts'
import { watchedFrom, watchesAll } from './watched.ts'

/** How long to wait for the evidence of a payout that is reported to have come back, in real milliseconds. */
const awaitEvidenceMs = 2_000

/** Settles what rails reported: matches each event, books the money, and settles the transaction that it belongs to. */
export const settleRailEvents = (ctx: Ctx): Handler => ({
  batch: 64,
  concurrency: 1,
  run: (jobs) => ctx.queue.revisit(jobs, (db, held) => settleJobs(ctx, db, held)),
})

/**
 * Settles events in rounds, one of each transaction in a round: what one has changed is written before the next one about the same
 * transaction is looked at, so that each is judged as things are then. Events about different transactions, the usual batch, are
 * one round.
 */
async function settleJobs(ctx: Ctx, db: Atomic, jobs: Job[]): Promise<Map<bigint, Again>> {
  const jobOf = new Map(jobs.map((job) => [BigInt(job.key), job.id]))
  const again = new Map<bigint, Again>()
  lockPaymentsAndCards(db, [...jobOf.keys()])
  lockByRailEvents(db, [...jobOf.keys()])
  const growing = ctx.rails.all.filter(({ deposit }) => deposit?.grows).map(({ name }) => name)
  const reading = { watchedFrom: watchedFrom(ctx.policies.at(ctx.clock.now(), 'risk')), growing }
  let left = await matchRailEvents(db, [...jobOf.keys()], reading)
  while (left.length > 0) {
    const { round, later, payouts } = await nextRound(db, left)
    const { early, unbooked } = await settleRound(ctx, db, round, payouts)
    const at = after(ctx.clock.realNow(), awaitEvidenceMs)
    for (const { id } of early) again.set(jobOf.get(id) ?? 0n, { at, timebase: 'real' })
    for (const id of unbooked) {
      const job = jobOf.get(BigInt(id))
      if (job === undefined) ctx.queue.enqueue(db, [{ kind: railEventReceived, key: id, runAt: ctx.clock.now() }])
      else again.set(job, { at: ctx.clock.realNow(), timebase: 'real' })
    }
    const laterIds = later.map(({ id }) => id)
    left = laterIds.length > 0 ? await matchRailEvents(db, laterIds, reading) : []
  }
  return again
}

type Payouts = Map<string, KeyedPayout>

const payoutOf = (payouts: Payouts, { rail, reference }: MatchedEvent): KeyedPayout | undefined =>
  payouts.get(`${rail} ${reference}`)

/** The transaction of an event: of the payout that came back, or of the instruction with its reference. */
const ownerOf = (payouts: Payouts, event: MatchedEvent): bigint | null =>
  payoutOf(payouts, event)?.transaction_id ?? event.transaction_id

/** The first event of each transaction, and of each payment that belongs to none. */
async function nextRound(
  db: Atomic,
  events: MatchedEvent[],
): Promise<{ round: MatchedEvent[]; later: MatchedEvent[]; payouts: Payouts }> {
  const payouts = await payoutsByKey(
    db,
    events.filter(({ kind }) => kind === 'payout_returned'),
  )
  const seen = new Set<bigint | string>()
  const round: MatchedEvent[] = []
  const later: MatchedEvent[] = []
  for (const event of events) {
    const subject = ownerOf(payouts, event) ?? `${event.rail} ${event.payment}`
    if (seen.has(subject)) later.push(event)
    else round.push(event)
    seen.add(subject)
  }
  return { round, later, payouts }
}

/**
 * Settles events of different transactions together. Gives those that have to wait for something else first, and the ids of earlier
 * ones about the same payments as what was booked now, which are looked at again.
 */
async function settleRound(
  ctx: Ctx,
  db: Atomic,
  round: MatchedEvent[],
  payouts: Payouts,
): Promise<{ early: MatchedEvent[]; unbooked: string[] }> {
  const events = round.filter(({ booked }) => !booked)
  const ids = events.flatMap((event) => ownerOf(payouts, event) ?? [])
  const transactions = await readLocked(ctx, db, ids)
  const partnerIds = [...transactions.values()].map(({ partnerId }) => partnerId)
  const partners = await findPartners(ctx, partnerIds)
  addTraits(db, cardsOf(events, payouts, transactions), ctx.clock.now())
  const batch = newBatch()
  const early: MatchedEvent[] = []
  const unbooked: string[] = []
  for (const event of events) {
    const payout = payoutOf(payouts, event)
    const transaction = transactions.get(ownerOf(payouts, event) ?? -1n)
    const partner = transaction && partners.get(transaction.partnerId)
    // What has come back must have gone: the rail's own evidence is booked first.
    if (payout?.state === 'planned' || isHalted(event)) early.push(event)
    else {
      const before = batch.entries.length
      await settleEvent(ctx, db, batch, { event, transaction, partner }, payout)
      const isBooked = batch.entries.length > before
      if (isBooked && isAboutDeposit(event)) unbooked.push(...event.unbooked)
      if (!isBooked && event.kind === 'dispute_won') unbooked.push(...(await unbookedDeposit(db, event)))
    }
  }
  await writeBatch(ctx, db, batch)
  return { early, unbooked }
}

/** The cards that customers pay with, as far as processors tell cards apart. */
const cardsOf = (
  events: readonly MatchedEvent[],
  payouts: Payouts,
  transactions: ReadonlyMap<bigint, Transaction>,
): OwnTrait[] =>
  events.flatMap((event) => {
    const { kind, card_hash: hash, is_money: isMoney, is_reversed: isReversed } = event
    const customerId = transactions.get(ownerOf(payouts, event) ?? -1n)?.customerId ?? null
    const isPayment = kind === 'deposit_final' && isMoney && !isReversed && !isHalted(event)
    return isPayment && customerId !== null && hash !== null ? [{ customerId, kind: 'card', hash }] : []
  })

/** An event after which others about the same deposit may be booked that could not be before. */
const isAboutDeposit = ({ kind, reverses }: MatchedEvent): boolean => reverses || kind === 'deposit_final'

/** Nothing is credited on a rail that reversed what was final, until an operator resumes it. */
const isHalted = ({ kind, halted, is_reversed: isReversed }: MatchedEvent): boolean =>
  halted && kind === 'deposit_final' && !isReversed

async function settleEvent(
  ctx: Ctx,
  db: Atomic,
  batch: Batch,
  context: EventContext,
  payout: KeyedPayout | undefined,
): Promise<void> {
  const { event, partner } = context
  // Of an erased customer only what was booked before can be reversed: whatever else comes lies in suspense.
  const transaction = context.transaction?.isErased ? undefined : context.transaction
  if (event.is_money && event.dispute !== null) return settleDispute(ctx, db, batch, context)
  if (event.is_money && event.reverses) return settleReversal(ctx, db, batch, context)
  switch (event.is_money ? event.kind : 'unknown') {
    case 'deposit_final':
      ctx.rails.health.record(event.rail, 'paid')
      if (event.is_rest) return settleRest(ctx, db, batch, context)
      // What the rail has reversed already is not there: nothing is booked, whatever is reported late.
      if (!event.is_reversed) return settleDeposit(ctx, db, batch, { event, transaction, partner })
      if (transaction) await showConfirming(ctx, db, { event, transaction, partner })
      return
    case 'deposit_seen':
      if (transaction) await showConfirming(ctx, db, { event, transaction, partner })
      captureLater(ctx, db, event)
      return
    case 'deposit_declined':
      ctx.rails.health.record(event.rail, 'declined')
      if (transaction) showDecline(ctx, db, transaction, event)
      return
    case 'payout_returned':
      // What came back and belongs to no payout of ours is money all the same.
      if (await settleReturn(ctx, db, batch, { event, transaction, partner }, payout)) return
      return settleDeposit(ctx, db, batch, { event, transaction: undefined, partner: undefined })
    case 'reversal_withdrawn':
      return settleWithdrawnReversal(ctx, db, batch, context)
    case 'deposit_reversed':
    case 'deposit_withdrawn':
    case 'dispute_opened':
    case 'dispute_won':
    case 'dispute_lost':
    case 'payout_settled':
    case 'payout_failed':
    case 'unknown':
      // What is not a plain yes or no, or has no amount, changes nothing; the event stays for people to read.
      ctx.log.warn({ event: String(event.id), rail: event.rail, kind: event.kind }, 'A rail event changed nothing.')
  }
}

/** A payment attempt that failed: the customer may try again until the deadline, and the record says so. */
function showDecline(ctx: Ctx, db: Atomic, transaction: Transaction, { body, method }: MatchedEvent): void {
  if (transaction.status !== 'waiting_for_deposit') return
  const { category } = methodOf(transaction.from, method ?? transaction.depositMethod)
  const declined = cardCategories.has(category)
    ? { code: 'card_declined', reason: body.reason ?? 'The card was declined.' }
    : { code: 'payment_declined', reason: body.reason ?? 'The payment was declined.' }
  amend(ctx, db, transaction, { errors: [...transaction.errors, declined].slice(-10) })
}

/** Categories that are paid by card. */
const cardCategories: ReadonlySet<Category> = new Set(['VISA_MC', 'APPLE_PAY', 'GOOGLE_PAY', 'REVOLUT_PAY'])

/** Money is final. It is booked, whatever follows. Money of no transaction, or of an erased customer, lies in suspense. */
async function settleDeposit(
  ctx: Ctx,
  db: Atomic,
  batch: Batch,
  { event, transaction, partner }: EventContext,
): Promise<void> {
  const at = ctx.clock.now()
  const asset = bookedAsset(event.asset)
  if (!asset || event.amount <= 0n) {
    throw new Error(`Rail event ${event.id} has an unknown asset or a non-positive amount.`)
  }
  const rail = ctx.rails.deposit(event.rail)
  if (!rail) throw new Error(`There is no rail ${event.rail} in this process.`)
  const deposit = {
    id: await ctx.rowIds.next(),
    transactionId: transaction?.id ?? null,
    eventId: event.id,
    rail: event.rail,
    payment: event.payment,
    asset: asset.id,
    amount: event.amount,
    exchanged: 0n,
    at,
  }
  const owner = partner && transaction
  batch.entries.push(depositEntry(owner, deposit, rail.custodyAccount, at))
  if (!transaction || !partner) {
    batch.deposits.push(deposit)
    return
  }
  const method = event.method ?? transaction.depositMethod
  const arrival = { method, arrivedAt: event.arrived_at, finalAt: event.received_at }
  const paidBy = await checkPayer(ctx, db, { transaction, deposit })
  const isWatched = event.watched || isReviewed(paidBy) || watchesAll(ctx, transaction, ctx.clock.now())
  const change = { kind: 'deposit_final', deposit, arrival, isWatched, isSentBack: paidBy === 'return' } as const
  await settle(ctx, db, batch, { transaction, partner }, change)
}

/**
 * A payout came back: we hold the money again and owe it again, to a customer who is asked for another address; where the money that
 * paid for it was reversed meanwhile, staff decide. A refund that came back is asked for another address too, if it went to one.
 * False where it belongs to no payout that was made, or is not what was paid.
 */
async function settleReturn(
  ctx: Ctx,
  db: Atomic,
  batch: Batch,
  { event, transaction, partner }: EventContext,
  payout: KeyedPayout | undefined,
): Promise<boolean> {
  if (!payout || (payout.transaction_id !== null && !transaction)) return false
  const { id, asset, place, refund_id: refundId } = payout
  const isWhatWasPaid = event.asset === asset && event.amount <= payout.amount
  if (!isWhatWasPaid || !(await markReturned(db, id))) return false

  if (refundId !== null) {
    const mayAsk = payout.transaction_id !== null && isOnChain(asset)
    transition(db, refunds, [{ id: refundId }], 'paid', mayAsk ? 'address_needed' : 'failed')
  }
  await post(db, ctx, [payoutReturnedEntry(transaction, { id, asset, amount: event.amount }, place, ctx.clock.now())])
  if (refundId !== null) await cancelReversedRefund(ctx, db, transaction, refundId)
  if (!transaction || !partner) return true
  const kind = refundId === null ? 'payout_returned' : 'refund_returned'
  await settle(ctx, db, batch, { transaction, partner }, { kind, id })
  return true
}
