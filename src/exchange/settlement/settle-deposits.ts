import type { Ctx } from '../context.ts'
import type { Atomic } from '../../platform/db/sql.ts'
import { lockByRailEvents, type MatchedEvent, matchRailEvents, railEventReceived } from './rail-event.ts'
import type { Handler, Job } from '../../platform/jobs/job.ts'
import type { Again } from '../../platform/jobs/queue.ts'
import { after } from '../../platform/lib/clock.ts'
import { findPartners } from '../partners/known.ts'
import { type KeyedPayout, payoutsByPlanKey } from './returned.ts'
import { readLocked } from '../transactions/load.ts'
import { emptyOutcome, type Outcome, writeOutcome } from './outcome.ts'
import { settleDecline, settleMoney, type Told } from './settle-money.ts'
import { settleReturn, settleReversal, showConfirming } from './take-back.ts'
import type { Transaction } from '../transactions/transaction.ts'

/** How long to wait for the evidence of a payout that is said to have come back, in real milliseconds. */
const awaitEvidenceMs = 2_000

/** Settles what rails told: matches each fact, books the money, and lets the transaction go on or stop for a person. */
export const settleDeposits = (ctx: Ctx): Handler => ({
  batch: 64,
  concurrency: 1,
  run: (jobs) => ctx.queue.revisit(jobs, (db, held) => settle(ctx, db, held)),
})

/**
 * Settles facts in rounds, one of each transaction in a round: what one has changed is written before the next one about the
 * same transaction is looked at, so that each is judged by what is true then. Facts about different transactions, the usual
 * batch, are one round.
 */
async function settle(ctx: Ctx, db: Atomic, jobs: Job[]): Promise<Map<bigint, Again>> {
  const jobOf = new Map(jobs.map((job) => [BigInt(job.key), job.id]))
  const again = new Map<bigint, Again>()
  lockByRailEvents(db, [...jobOf.keys()])
  let left = await matchRailEvents(db, [...jobOf.keys()])
  while (left.length > 0) {
    const { round, later, payouts } = await nextRound(db, left)
    const early = await settleRound(ctx, db, round, payouts)
    const at = after(ctx.clock.realNow(), awaitEvidenceMs)
    for (const { id } of early) again.set(jobOf.get(id) ?? 0n, { at, timebase: 'real' })
    const undone = round.filter((fact) => isCredited(fact) && !early.includes(fact))
    for (const id of undone.flatMap((fact) => fact.unbooked_reversals)) {
      const job = jobOf.get(BigInt(id))
      if (job === undefined) ctx.queue.enqueue(db, [{ kind: railEventReceived, key: id, runAt: ctx.clock.now() }])
      else again.set(job, { at: ctx.clock.realNow(), timebase: 'real' })
    }
    const laterIds = later.map(({ id }) => id)
    left = laterIds.length > 0 ? await matchRailEvents(db, laterIds) : []
  }
  return again
}

type Payouts = Map<string, KeyedPayout>

const payoutOf = (payouts: Payouts, { rail, reference }: MatchedEvent): KeyedPayout | undefined =>
  payouts.get(`${rail} ${reference}`)

/** Whose a fact is: the transaction whose payout came back, or whose customer was told the reference. */
const ownerOf = (payouts: Payouts, fact: MatchedEvent): bigint | null =>
  payoutOf(payouts, fact)?.transaction_id ?? fact.transaction_id

/** The first fact of each transaction, and all that are nobody's. */
async function nextRound(
  db: Atomic,
  facts: MatchedEvent[],
): Promise<{ round: MatchedEvent[]; later: MatchedEvent[]; payouts: Payouts }> {
  const payouts = await payoutsByPlanKey(
    db,
    facts.filter(({ kind }) => kind === 'payout_returned'),
  )
  const seen = new Set<bigint>()
  const round: MatchedEvent[] = []
  const later: MatchedEvent[] = []
  for (const fact of facts) {
    const owner = ownerOf(payouts, fact)
    if (owner !== null && seen.has(owner)) later.push(fact)
    else round.push(fact)
    if (owner !== null) seen.add(owner)
  }
  return { round, later, payouts }
}

/** Settles facts of different transactions together. Gives those that have to wait for something else first. */
async function settleRound(ctx: Ctx, db: Atomic, round: MatchedEvent[], payouts: Payouts): Promise<MatchedEvent[]> {
  const facts = round.filter(({ booked }) => !booked)
  const ids = facts.flatMap((fact) => ownerOf(payouts, fact) ?? [])
  const transactions = await readLocked(ctx, db, ids)
  const partners = await findPartners(
    ctx,
    [...transactions.values()].map(({ partnerId }) => partnerId),
  )
  const outcome = emptyOutcome()
  const early: MatchedEvent[] = []
  for (const fact of facts) {
    const payout = payoutOf(payouts, fact)
    const transaction = transactions.get(ownerOf(payouts, fact) ?? -1n)
    if ((payout && isUnproven(payout)) || isHalted(fact)) early.push(fact)
    else await settleFact(ctx, db, outcome, { fact, transaction, partner: partnerOf(transaction) }, payout)
  }
  await writeOutcome(ctx, db, outcome)
  return early

  function partnerOf(transaction: Transaction | undefined) {
    return transaction && partners.get(transaction.partnerId)
  }
}

/** What has come back must have gone: the rail's own evidence is booked first. */
const isUnproven = ({ state }: KeyedPayout): boolean => state === 'planned' || state === 'unknown'

/** Money that is booked now: what was said of taking a part of it back, before it was there, is looked at again. */
const isCredited = ({ kind, is_money: isMoney, booked, is_reversed: isReversed }: MatchedEvent): boolean =>
  kind === 'deposit_final' && isMoney && !booked && !isReversed

/** Nothing is credited on a rail that took back what was final, until an operator says so. */
const isHalted = ({ kind, halted, is_reversed: isReversed }: MatchedEvent): boolean =>
  halted && kind === 'deposit_final' && !isReversed

/** Does what one fact asks for. */
async function settleFact(
  ctx: Ctx,
  db: Atomic,
  outcome: Outcome,
  told: Told,
  payout: KeyedPayout | undefined,
): Promise<void> {
  const { fact, partner } = told
  // Of somebody who was erased only what was booked before can be taken back: whatever else comes is nobody's.
  const transaction = told.transaction?.isErased ? undefined : told.transaction
  if (fact.is_money && fact.reverses) return settleReversal(ctx, db, outcome, told)
  const kind = fact.is_money ? fact.kind : 'unknown'
  switch (kind) {
    case 'deposit_final':
      // What the rail has taken back already is not there: nothing is booked, whatever is told late.
      if (fact.is_reversed) {
        if (transaction) await showConfirming(ctx, db, { fact, transaction, partner })
        return
      }
      return settleMoney(ctx, db, outcome, { fact, transaction, partner })
    case 'payout_returned':
      // What came back and belongs to no payout of ours is money all the same.
      if (await settleReturn(ctx, db, outcome, { fact, transaction, partner, payout })) return
      return settleMoney(ctx, db, outcome, { fact, transaction: undefined, partner: undefined })
    case 'deposit_seen':
      if (transaction) await showConfirming(ctx, db, { fact, transaction, partner })
      return
    case 'deposit_declined':
      if (transaction) settleDecline(ctx, db, transaction, fact)
      return
    case 'dispute_won':
      // What a won dispute gives back waits in suspense: staff decide whose it is.
      ctx.log.error({ event: String(fact.id), rail: fact.rail }, 'A dispute was won; staff must assign its money.')
      if (fact.funds_moved !== true || fact.dispute === null) return
      // The disputed payment is a deposit already: what comes back is another one.
      return settleMoney(ctx, db, outcome, {
        fact: { ...fact, payment: fact.dispute },
        transaction: undefined,
        partner: undefined,
      })
    case 'dispute_opened':
    case 'dispute_lost':
      ctx.log.error(
        { event: String(fact.id), rail: fact.rail, kind: fact.kind },
        'A dispute needs a decision by staff.',
      )
      return
    case 'deposit_reversed':
    case 'payout_settled':
    case 'payout_failed':
    case 'unknown':
      // What is not a plain yes or no, or no money, moves nothing; the fact stays for people to read.
      ctx.log.warn({ fact: String(fact.id), rail: fact.rail, kind: fact.kind }, 'A fact was kept and nothing was done.')
  }
}
