import type { Ctx } from '../context.ts'
import { type Claim, releaseReserves, settleReserves, type SettledClaim } from '../ledger/balance.ts'
import { post } from '../ledger/post.ts'
import type { Atomic } from '../../platform/db/sql.ts'
import type { Handler, Job } from '../../platform/jobs/job.ts'
import type { Again } from '../../platform/jobs/queue.ts'
import { after } from '../../platform/lib/clock.ts'
import { gather } from '../../platform/lib/gather.ts'
import type { Evidence } from '../../rails/evidence.ts'
import { lockTransactions } from '../transactions/load.ts'
import { partnerOf } from '../transactions/partner-of.ts'
import type { Transaction } from '../transactions/transaction.ts'
import { cancelReversedRefund } from './cancel-refunds.ts'
import { payoutFailedEntry, payoutPaidEntry } from './entries.ts'
import type { FundsChange } from './funds-change.ts'
import { payouts } from './payout.ts'
import {
  lockOpenPayments,
  openStates,
  type PreparedPayment,
  preparedPayments,
  type PreparedState,
  type Submitted,
  submitPayments,
} from './prepared-payment.ts'
import { refunds } from './refund.ts'
import { reportUnknown } from './report-unknown.ts'
import { newBatch, settle, writeBatch } from './settle.ts'
import { transition } from './transition.ts'

/** How long to wait before a rail that gave no clear answer is asked again, in real milliseconds. */
const askAgainMs = 2_000

/** Payments that have ended, by the rail's clear answer: carried out, with evidence, or never. */
type ConfirmedPayment = Submitted & { outcome: { state: 'done'; evidence: Evidence } }
type EndedPayment = ConfirmedPayment | (Submitted & { outcome: { state: 'never' } })

/**
 * Brings prepared payments to their rails and waits for evidence. Nothing is decided on a guess: what a rail has not answered clearly
 * is asked again, for as long as it takes.
 */
export const finishPayouts = (ctx: Ctx): Handler => {
  // Rails are asked in parallel, and one that is slow keeps back no other; what they answered is booked together.
  const settleTogether = gather(async (answers: Answer[]) => {
    await settleAnswers(ctx, answers)
    return answers.map(() => undefined)
  })
  return {
    batch: 64,
    concurrency: 4,
    run: async (jobs) => {
      const submitted = await submitPayments(
        ctx,
        jobs.map(({ key }) => BigInt(key)),
      )
      await settleTogether({ jobs, submitted })
    },
  }
}

/** Jobs, and what the rails said of their payments. */
type Answer = { jobs: Job[]; submitted: Submitted[] }

async function settleAnswers(ctx: Ctx, answers: Answer[]): Promise<void> {
  const jobs = answers.flatMap((answer) => answer.jobs)
  await ctx.queue.revisit(jobs, async (db, mine) => {
    // What was submitted for a job that another process has claimed since is for that process to write down.
    const keys = new Set(mine.map(({ key }) => key))
    const ours = answers.flatMap(({ submitted }) => submitted).filter(({ payment }) => keys.has(String(payment.id)))
    const ended = ours.filter(
      (one): one is EndedPayment => one.outcome.state === 'done' || one.outcome.state === 'never',
    )
    await reportUnknown(ctx, db, ours)
    const transactions = await lockTransactions(ctx, db, transactionsOf(ended))
    const ids = ours.map(({ payment }) => payment.id)
    const open = await lockOpenPayments(db, ids)
    await end(
      ctx,
      db,
      ended.filter(({ payment }) => open.has(payment.id)),
      { transactions, open },
    )
    mark(ctx, db, ours, open)
    return lookAgain(ctx, mine, ours)
  })
}

const transactionsOf = (ended: EndedPayment[]): bigint[] => ended.flatMap(({ payment }) => payment.transaction_id ?? [])

type Locked = { transactions: Map<bigint, Transaction>; open: Map<bigint, PreparedState> }

/** Ends payments in rounds, one of each transaction in a round: each is decided on the result of the one before. */
async function end(ctx: Ctx, db: Atomic, ended: EndedPayment[], { transactions, open }: Locked): Promise<void> {
  let left = ended
  let latest = transactions
  while (left.length > 0) {
    const round = firstOfEach(left)
    await endRound(ctx, db, round, { transactions: latest, open })
    left = left.filter((one) => !round.includes(one))
    if (left.length > 0) latest = await lockTransactions(ctx, db, transactionsOf(left))
  }
}

function firstOfEach(all: EndedPayment[]): EndedPayment[] {
  const seen = new Set<bigint>()
  return all.filter(({ payment: { transaction_id: id } }) => {
    const isFirst = id === null || !seen.has(id)
    if (id !== null) seen.add(id)
    return isFirst
  })
}

async function endRound(ctx: Ctx, db: Atomic, round: EndedPayment[], { transactions }: Locked): Promise<void> {
  const at = ctx.clock.now()
  writeEnds(db, round, at)
  const batch = newBatch()
  const settlements: SettledClaim[] = []
  const released: Claim[] = []
  for (const { payment, outcome } of round) {
    const { transaction_id: transactionId, refund_id: refundId, payout_id: id, rail, place, asset, amount } = payment
    const transaction = transactionId === null ? undefined : transactions.get(transactionId)
    if (transactionId !== null && !transaction) throw new Error(`Payment ${payment.id} has lost its transaction.`)
    const paid = { id, rail, asset, amount }
    if (outcome.state === 'done') {
      const { fee, taken } = outcome.evidence
      settlements.push(...settlementsOf(payment, outcome.evidence))
      batch.entries.push(payoutPaidEntry(transaction, paid, { place, fee, taken }, at))
    } else {
      released.push(payment)
      await post(db, ctx, [payoutFailedEntry(transaction, paid, at)])
      if (refundId !== null) await cancelReversedRefund(ctx, db, transaction, refundId)
    }
    if (!transaction) continue
    const partner = await partnerOf(ctx, transaction)
    await settle(ctx, db, batch, { transaction, partner }, changeOf(payment, outcome))
  }
  await writeBatch(ctx, db, batch)
  if (settlements.length > 0) settleReserves(db, settlements)
  if (released.length > 0) releaseReserves(db, released)
}

function changeOf(
  { payout_id: id, refund_id: refundId, amount }: PreparedPayment,
  outcome: EndedPayment['outcome'],
): FundsChange {
  if (outcome.state === 'never') return { kind: refundId === null ? 'payout_failed' : 'refund_failed', id }
  if (refundId !== null) return { kind: 'refund_paid', id }
  return { kind: 'payout_paid', id, amount, hash: outcome.evidence.hash }
}

/** Writes down what became of payments, of their payouts, and of the refunds that those pay. */
function writeEnds(db: Atomic, round: EndedPayment[], endedAt: Date): void {
  const done = round.filter((one): one is ConfirmedPayment => one.outcome.state === 'done')
  const never = round.filter(({ outcome }) => outcome.state === 'never')
  // Refunds before their payouts: the order in which they are locked where they are cancelled.
  const refundsOf = (ended: EndedPayment[]) =>
    ended.flatMap(({ payment: { refund_id: id } }) => (id === null ? [] : [{ id }]))
  transition(db, refunds, refundsOf(done), 'sent', 'paid')
  transition(db, refunds, refundsOf(never), 'sent', 'failed')
  const paid = done.map(({ payment: { id }, outcome: { evidence } }) => ({ id, evidence: jsonOf(evidence), endedAt }))
  transition(db, preparedPayments, paid, openStates, 'done')
  transition(db, payouts, payoutsOf(done), 'planned', 'paid')
  const failed = never.map(({ payment: { id } }) => ({ id, endedAt }))
  transition(db, preparedPayments, failed, openStates, 'never')
  const refused = payoutsOf(never).map((row) => ({ ...row, reason: 'never' }))
  transition(db, payouts, refused, 'planned', 'failed')
}

const payoutsOf = (ended: EndedPayment[]): { id: bigint }[] => ended.map(({ payment }) => ({ id: payment.payout_id }))

const jsonOf = ({ hash, fee, arrived, taken }: Evidence): string =>
  JSON.stringify({
    hash,
    fee: fee && { ...fee, amount: String(fee.amount) },
    ...(arrived === undefined ? {} : { arrived: String(arrived) }),
    ...(taken === undefined ? {} : { taken: String(taken) }),
  })

function settlementsOf(payment: PreparedPayment, { fee, taken = 0n }: Evidence): SettledClaim[] {
  const { place, asset } = payment
  const charged = fee ?? { asset, amount: 0n }
  return [
    { ...payment, fee: taken },
    { place, asset: charged.asset, amount: 0n, fee: charged.amount },
  ]
}

/** Writes down that rails took payments and have no answer yet (`submitted`), or none that is clear (`unknown`): since when, if it is new. */
function mark(ctx: Ctx, db: Atomic, submitted: Submitted[], open: Map<bigint, PreparedState>): void {
  for (const [state, to, since] of [
    ['pending', 'submitted', null],
    ['unclear', 'unknown', ctx.clock.realNow()],
  ] as const) {
    for (const from of openStates) {
      if (from === to) continue
      const rows = submitted
        .filter(({ payment, outcome }) => outcome.state === state && open.get(payment.id) === from)
        .map(({ payment }) => ({ id: payment.id, unknownSince: since }))
      transition(db, preparedPayments, rows, from, to)
    }
  }
}

function lookAgain(ctx: Ctx, jobs: Job[], submitted: Submitted[]): Map<bigint, Again> {
  const now = ctx.clock.realNow()
  const again = new Map<bigint, Again>()
  for (const job of jobs) {
    const one = submitted.find(({ payment }) => String(payment.id) === job.key)
    if (!one || one.outcome.state === 'done' || one.outcome.state === 'never') continue
    const payout = ctx.rails.payout(one.payment.rail)?.payout
    const own = 'lookAgainInMs' in one.outcome ? one.outcome.lookAgainInMs : undefined
    const wait = own ?? (one.outcome.state === 'pending' ? payout?.lookAfterMs : undefined) ?? askAgainMs
    again.set(job.id, { at: after(now, wait), timebase: 'real' })
  }
  return again
}
