import type { Ctx } from '../context.ts'
import type { Atomic } from '../db/sql.ts'
import { standingDeposits } from '../deposits/deposit.ts'
import type { Handler, Job } from '../jobs/job.ts'
import type { Again } from '../jobs/queue.ts'
import { clearing, held, networkFees } from '../ledger/account.ts'
import { settleReserves, type Settlement } from '../ledger/balance.ts'
import { type Entry, entry } from '../ledger/entry.ts'
import { post } from '../ledger/post.ts'
import { after } from '../lib/clock.ts'
import { gather } from '../lib/gather.ts'
import { endPlans, lockOpenPlans, markPlans, type Sent, sendPlans } from '../payouts/send.ts'
import type { Evidence } from '../rails/rail.ts'
import { advance, type Change, type Step } from './advance.ts'
import { lockTransactions } from './load.ts'
import { exchangedDeposit } from './take-back.ts'
import type { Transaction } from './transaction.ts'

/** How long to wait before a rail that gave no clear answer is asked again, in real milliseconds. */
const askAgainMs = 2_000

type Proven = Sent & { outcome: { state: 'done'; evidence: Evidence } }

/**
 * Brings plans to their rails and waits for evidence: from `sending` to `finished`. Nothing is decided on a guess: what the
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
    const proven = ours.filter((one): one is Proven => one.outcome.state === 'done')
    if (proven.length > 0) await finish(ctx, db, proven)
    await mark(db, ours)
    return lookAgain(ctx, mine, ours)
  })
}

async function finish(ctx: Ctx, db: Atomic, proven: Proven[]): Promise<void> {
  const transactions = await lockTransactions(
    ctx,
    db,
    proven.map(({ plan }) => plan.transaction_id),
  )
  const open = new Set(
    (
      await lockOpenPlans(
        db,
        proven.map(({ plan }) => plan.id),
      )
    ).map(({ id }) => id),
  )
  const at = ctx.clock.now()
  const entries: Entry[] = []
  const steps: Step[] = []
  const settlements: Settlement[] = []
  const fresh = proven.filter(({ plan }) => open.has(plan.id))

  for (const {
    plan,
    outcome: { evidence },
  } of fresh) {
    const transaction = transactions.get(plan.transaction_id)
    if (!transaction) throw new Error(`Plan ${plan.id} pays for no transaction.`)
    const { rail, place, asset, amount, payout_id } = plan
    const fee = evidence.fee ?? { asset, amount: 0n }
    settlements.push({ place, asset, amount, fee: 0n }, { place, asset: fee.asset, amount: 0n, fee: fee.amount })
    entries.push(
      entry({ transactionId: transaction.id, kind: 'payout_settled', ref: payout_id, at }, [
        { debit: clearing(rail), credit: held(place), asset, amount },
        { debit: networkFees, credit: held(place), asset: fee.asset, amount: fee.amount },
      ]),
    )
    const paid = { toAmount: amount, outputHash: evidence.hash }
    steps.push({ transaction, fact: `payout_settled:${payout_id}`, ...(await finishedOrHeld(db, transaction, paid)) })
  }
  if (fresh.length === 0) return
  endPlans(
    db,
    fresh.map(({ plan, outcome: { evidence } }) => ({
      planId: plan.id,
      payoutId: plan.payout_id,
      evidence: JSON.stringify({
        hash: evidence.hash,
        fee: evidence.fee && { ...evidence.fee, amount: String(evidence.fee.amount) },
      }),
      at,
    })),
  )
  await advance(ctx, db, steps)
  await post(db, ctx, entries)
  settleReserves(db, settlements)
}

/**
 * An ended transaction owes nobody: money that came while the payout was under way, in whatever currency, and has not been taken
 * back, stops it for a person.
 */
async function finishedOrHeld(
  db: Atomic,
  transaction: Transaction,
  paid: Change,
): Promise<Omit<Step, 'transaction' | 'fact'>> {
  const { id, history, fromAmount, expectedFrom } = transaction
  const isPlain = history.filter(({ fact }) => fact.startsWith('deposit:')).length <= 1
  const exchanged = exchangedDeposit(transaction)
  const isOwed = !isPlain && (await standingDeposits(db, id)).some((deposit) => deposit.id !== exchanged)
  if (!isOwed) return { to: 'finished', change: paid }
  return {
    to: 'on_hold',
    reason: 'More money arrived than was agreed.',
    change: { ...paid, statusDetails: fromAmount > expectedFrom ? 'overpaid' : 'wrong_asset' },
  }
}

async function mark(db: Atomic, sent: Sent[]): Promise<void> {
  for (const [state, word] of [
    ['pending', 'submitted'],
    ['unclear', 'unknown'],
  ] as const) {
    const ids = sent.filter(({ outcome }) => outcome.state === state).map(({ plan }) => plan.id)
    if (ids.length > 0) await markPlans(db, ids, word)
  }
}

function lookAgain(ctx: Ctx, jobs: Job[], sent: Sent[]): Map<bigint, Again> {
  const now = ctx.clock.realNow()
  const again = new Map<bigint, Again>()
  for (const job of jobs) {
    const one = sent.find(({ plan }) => String(plan.id) === job.key)
    if (!one || one.outcome.state === 'done') continue
    const rail = ctx.rails.payout.get(one.plan.rail)
    const wait =
      one.outcome.state === 'pending' ? (one.outcome.lookAgainInMs ?? rail?.lookAfterMs ?? askAgainMs) : askAgainMs
    again.set(job.id, { at: after(now, wait), timebase: 'real' })
  }
  return again
}
