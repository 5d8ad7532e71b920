import type { Ctx } from '../context.ts'
import type { Atomic } from '../../platform/db/sql.ts'
import type { Handler, Job } from '../../platform/jobs/job.ts'
import type { Again } from '../../platform/jobs/queue.ts'
import { clearing, customer, held, networkFees, suspense } from '../ledger/account.ts'
import { type Claim, releaseReserves, settleReserves, type SettledClaim } from '../ledger/balance.ts'
import { type Entry, entry } from '../ledger/entry.ts'
import { post } from '../ledger/post.ts'
import { after } from '../../platform/lib/clock.ts'
import { gather } from '../../platform/lib/gather.ts'
import { markRefunds } from './refund.ts'
import { endPlans, failPlans, lockOpenPlans, markPlans, type Sent, sendPlans } from './send.ts'
import type { Evidence } from '../../rails/rail.ts'
import type { Step } from '../transactions/advance.ts'
import { failureEntry } from './book.ts'
import { partnerOf } from '../transactions/partner-of.ts'
import { goOn, type Happened } from './go-on.ts'
import { lockTransactions } from '../transactions/load.ts'
import { emptyOutcome, writeOutcome } from './outcome.ts'
import { tellUnclear } from './tell-unclear.ts'
import type { ChangeKind } from '../transactions/status-history.ts'
import type { Transaction } from '../transactions/transaction.ts'
import { forgetRefund } from './undo.ts'

/** How long to wait before a rail that gave no clear answer is asked again, in real milliseconds. */
const askAgainMs = 2_000

/** Plans that have ended, by the rail's plain word: carried out, with evidence, or never. */
type Done = Sent & { outcome: { state: 'done'; evidence: Evidence } }
type Plain = Done | (Sent & { outcome: { state: 'never' } })

/**
 * Brings plans to their rails and waits for evidence: from `sending` to `finished`, or to a person where the
 * rail says plainly that it never will. Nothing is decided on a guess: what the
 * rail has not answered plainly is asked again, for as long as it takes.
 */
export const finishPayouts = (ctx: Ctx): Handler => {
  // Rails are asked side by side, and one that is slow keeps back no other; what they answered is booked together.
  const settleTogether = gather(async (answers: Answer[]) => {
    await settle(ctx, answers)
    return answers.map(() => undefined)
  })
  return {
    batch: 64,
    concurrency: 4,
    run: async (jobs) => {
      const sent = await sendPlans(
        ctx,
        jobs.map(({ key }) => BigInt(key)),
      )
      await settleTogether({ jobs, sent })
    },
  }
}

/** Jobs, and what the rails said of their plans. */
type Answer = { jobs: Job[]; sent: Sent[] }

async function settle(ctx: Ctx, answers: Answer[]): Promise<void> {
  const jobs = answers.flatMap((answer) => answer.jobs)
  await ctx.queue.revisit(jobs, async (db, mine) => {
    // What was submitted for a job that someone else has claimed since is that one's to write down.
    const keys = new Set(mine.map(({ key }) => key))
    const ours = answers.flatMap(({ sent }) => sent).filter(({ plan }) => keys.has(String(plan.id)))
    const plain = ours.filter((one): one is Plain => one.outcome.state === 'done' || one.outcome.state === 'never')
    await tellUnclear(ctx, db, ours)
    if (plain.length > 0) await end(ctx, db, plain)
    await mark(ctx, db, ours)
    return lookAgain(ctx, mine, ours)
  })
}

/** Ends plans in rounds, one of each transaction in a round: each is judged by what the one before has left. */
async function end(ctx: Ctx, db: Atomic, ended: Plain[]): Promise<void> {
  const ids = ended.flatMap(({ plan }) => plan.transaction_id ?? [])
  let transactions = await lockTransactions(ctx, db, ids)
  const planIds = ended.map(({ plan }) => plan.id)
  const open = new Set((await lockOpenPlans(db, planIds)).map(({ id }) => id))
  let left = ended.filter(({ plan }) => open.has(plan.id))
  while (left.length > 0) {
    const round = firstOfEach(left)
    await endRound(ctx, db, round, transactions)
    left = left.filter((one) => !round.includes(one))
    if (left.length > 0) transactions = await lockTransactions(ctx, db, ids)
  }
}

function firstOfEach(all: Plain[]): Plain[] {
  const seen = new Set<bigint>()
  return all.filter(({ plan: { transaction_id: id } }) => {
    const isFirst = id === null || !seen.has(id)
    if (id !== null) seen.add(id)
    return isFirst
  })
}

async function endRound(ctx: Ctx, db: Atomic, round: Plain[], transactions: Map<bigint, Transaction>): Promise<void> {
  const done = round.filter((one): one is Done => one.outcome.state === 'done')
  const never = round.filter((one) => one.outcome.state === 'never')
  writeEnds(ctx, db, done, never)
  const outcome = emptyOutcome()
  const settlements: SettledClaim[] = []
  const released: Claim[] = []
  for (const one of round) {
    const { plan } = one
    const transaction = plan.transaction_id === null ? undefined : transactions.get(plan.transaction_id)
    if (plan.transaction_id !== null && !transaction) throw new Error(`Plan ${plan.id} pays for no transaction.`)
    if (one.outcome.state === 'done') settlements.push(...settlementsOf(plan, one.outcome.evidence))
    else released.push(plan)
    const booked = entryOf(plan, one.outcome, transaction, ctx.clock.now())
    if (transaction && isPlainRoad(transaction, one)) {
      outcome.entries.push(booked)
      outcome.steps.push(finished(transaction, one))
    } else {
      await post(db, ctx, [booked])
      const refused = one.outcome.state === 'never' ? plan.refund_id : null
      if (refused !== null) await forgetRefund(ctx, db, transaction, refused)
      if (transaction) await goOn(ctx, db, outcome, await happened(ctx, transaction, one))
    }
  }
  await writeOutcome(ctx, db, outcome)
  if (settlements.length > 0) settleReserves(db, settlements)
  if (released.length > 0) releaseReserves(db, released)
}

/** Writes down what became of plans, of their payouts, and of the refunds that those pay. */
function writeEnds(ctx: Ctx, db: Atomic, done: Done[], never: Plain[]): void {
  const at = ctx.clock.now()
  // Refunds before their payouts: the order in which whoever undoes them locks them.
  const refunds = (of: Plain[]): bigint[] => of.flatMap(({ plan }) => plan.refund_id ?? [])
  if (refunds(done).length > 0) markRefunds(db, refunds(done), 'paid')
  if (refunds(never).length > 0) markRefunds(db, refunds(never), 'failed')
  const paid = done.map(({ plan, outcome: { evidence } }) => ({
    planId: plan.id,
    payoutId: plan.payout_id,
    evidence: JSON.stringify({
      hash: evidence.hash,
      fee: evidence.fee && { ...evidence.fee, amount: String(evidence.fee.amount) },
    }),
    at,
  }))
  if (paid.length > 0) endPlans(db, paid)
  const failed = never.map(({ plan }) => ({ planId: plan.id, payoutId: plan.payout_id, at }))
  if (failed.length > 0) failPlans(db, failed)
}

function settlementsOf(plan: Sent['plan'], { fee }: Evidence): SettledClaim[] {
  const { place, asset } = plan
  const charged = fee ?? { asset, amount: 0n }
  return [
    { ...plan, fee: 0n },
    { place, asset: charged.asset, amount: 0n, fee: charged.amount },
  ]
}

function entryOf(plan: Sent['plan'], outcome: Plain['outcome'], transaction: Transaction | undefined, at: Date): Entry {
  const { rail, place, asset, amount, payout_id: ref, transaction_id: transactionId } = plan
  if (outcome.state === 'never') {
    const owner = transaction ? customer(transaction.publicId) : suspense
    return failureEntry(owner, { id: ref, transactionId, rail, asset, amount }, at)
  }
  const fee = outcome.evidence.fee ?? { asset, amount: 0n }
  return entry({ transactionId, kind: 'payout_settled', ref, at }, [
    { debit: clearing(rail), credit: held(place), asset, amount },
    { debit: networkFees, credit: held(place), asset: fee.asset, amount: fee.amount },
  ])
}

/** A payout was made, and nothing else happened that anybody could be owed for. */
function isPlainRoad({ history }: Transaction, { plan, outcome }: Plain): boolean {
  if (outcome.state === 'never' || plan.refund_id !== null) return false
  return (
    history.length <= plainKinds.size &&
    history.filter(({ kind }) => kind === 'deposit_final').length === 1 &&
    history.every(({ kind }) => plainKinds.has(kind))
  )
}

/** What happens to a transaction with which nothing is the matter, before its payout is made. */
const plainKinds: ReadonlySet<ChangeKind> = new Set([
  'created',
  'opened',
  'completed',
  'deposit_final',
  'payout_prepared',
] as const)

function finished(transaction: Transaction, { plan, outcome }: Plain): Step {
  const outputHash = outcome.state === 'done' ? outcome.evidence.hash : null
  const change = { toAmount: plan.amount, outputHash }
  return { transaction, cause: { kind: 'payout_paid', id: plan.payout_id }, to: 'finished', change }
}

/** The same to be decided, where there is more to it. */
async function happened(ctx: Ctx, transaction: Transaction, { plan, outcome }: Plain): Promise<Happened> {
  const [paid, failed] =
    plan.refund_id === null ? (['payout_paid', 'payout_failed'] as const) : (['refund_paid', 'refund_failed'] as const)
  const partner = await partnerOf(ctx, transaction)
  if (outcome.state === 'done') return { transaction, partner, cause: { kind: paid, id: plan.payout_id } }
  const reason = 'The rail will never carry it out.'
  return { transaction, partner, cause: { kind: failed, id: plan.payout_id }, reason }
}

async function mark(ctx: Ctx, db: Atomic, sent: Sent[]): Promise<void> {
  for (const [state, word] of [
    ['pending', 'submitted'],
    ['unclear', 'unknown'],
  ] as const) {
    const ids = sent.filter(({ outcome }) => outcome.state === state).map(({ plan }) => plan.id)
    if (ids.length > 0) await markPlans(db, ids, word, ctx.clock.realNow())
  }
}

function lookAgain(ctx: Ctx, jobs: Job[], sent: Sent[]): Map<bigint, Again> {
  const now = ctx.clock.realNow()
  const again = new Map<bigint, Again>()
  for (const job of jobs) {
    const one = sent.find(({ plan }) => String(plan.id) === job.key)
    if (!one || one.outcome.state === 'done' || one.outcome.state === 'never') continue
    const payout = ctx.rails.payout(one.plan.rail)?.payout
    const wait =
      one.outcome.state === 'pending' ? (one.outcome.lookAgainInMs ?? payout?.lookAfterMs ?? askAgainMs) : askAgainMs
    again.set(job.id, { at: after(now, wait), timebase: 'real' })
  }
  return again
}
