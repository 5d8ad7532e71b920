import type { Ctx } from '../context.ts'
import type { Atomic } from '../../platform/db/sql.ts'
import { paymentOf } from './deposit.ts'
import type { Handler, Job } from '../../platform/jobs/job.ts'
import type { Again } from '../../platform/jobs/queue.ts'
import { clearing, customer, suspense } from '../ledger/account.ts'
import { sentBy } from '../ledger/transaction-entries.ts'
import { type Entry, entry } from '../ledger/entry.ts'
import { after } from '../../platform/lib/clock.ts'
import { orderPayouts } from './order.ts'
import { coverWaiting, type Plannable, planPayouts } from './plan.ts'
import {
  lastRefundNumber,
  lockRefundPayouts,
  lockRefunds,
  markRefunds,
  readRefunds,
  type Refund,
  refundPayoutsOf,
} from './refund.ts'
import type { DataKey } from '../../platform/privacy/data-key.ts'
import type { Origin } from '../../rails/rail.ts'
import { refundCostEntry } from './book.ts'
import { isUnapproved } from './approve.ts'
import { partnerOf } from '../transactions/partner-of.ts'
import { goOn } from './go-on.ts'
import { lockTransactions } from '../transactions/load.ts'
import { isUnplanned } from './money-of.ts'
import { emptyOutcome, type Outcome, writeOutcome } from './outcome.ts'
import { isOnChain } from './refund-cost.ts'
import type { Transaction } from '../transactions/transaction.ts'

/** How long a refund that is not covered waits before it is looked at again, in real milliseconds. */
const coverAgainMs = 5_000

/**
 * Sends refunds: asks the rail of the deposit where it came from, orders the payout that goes back there, and plans it once it is
 * covered, and approved where it is worth more than the limit. Where nobody knows where to, somebody is asked. Whatever the
 * transaction does meanwhile: money that is to go back is not held by what happens to the rest, but by a person alone.
 */
export const sendRefunds = (ctx: Ctx): Handler => ({
  batch: 32,
  concurrency: 1,
  run: async (jobs) => {
    const origins = await originsOf(
      ctx,
      jobs.map(({ key }) => BigInt(key)),
    )
    await ctx.queue.revisit(jobs, (db, held) => send(ctx, db, held, origins))
  },
})

type Origins = Map<bigint, Origin | 'unknown'>

/** Asks the rails, outside of any block, where refunds go that have no payout yet. */
async function originsOf(ctx: Ctx, ids: bigint[]): Promise<Origins> {
  const refunds = (await readRefunds(ctx.db, ids)).filter(isToBeSent)
  const payouts = await refundPayoutsOf(
    ctx.db,
    refunds.map(({ id }) => id),
  )
  const ordered = refunds.filter(({ id }) => !payouts.some((one) => one.refund_id === id && isUnplanned(one)))
  const origins: Origins = new Map()
  await Promise.all(
    ordered.map(async ({ id, deposit_id: depositId }) => {
      const [came] = await paymentOf(ctx.db, depositId)
      origins.set(id, came ? await originOf(ctx, came) : 'unknown')
    }),
  )
  return origins
}

/** Where a payment goes back to; nowhere by a rail that makes no payouts. */
async function originOf(
  { rails }: Ctx,
  { rail: name, payment }: { rail: string; payment: string | null },
): Promise<Origin | 'unknown'> {
  const rail = rails.deposit(name)
  if (!rail) throw new Error(`There is no rail ${name} in this process.`)
  if (payment === null) return 'unknown'
  const destination = await rail.deposit.origin(payment)
  const payer = rails.payout(name)
  return destination === 'unknown' || !payer ? 'unknown' : { rail: payer, destination }
}

/** A refund that this block has locked, with the transaction that it belongs to; undefined for nobody's. */
type Own = { refund: Refund; transaction: Transaction | undefined }

async function send(ctx: Ctx, db: Atomic, jobs: Job[], origins: Origins): Promise<Map<bigint, Again>> {
  const ids = jobs.map(({ key }) => BigInt(key))
  const owners = (await readRefunds(db, ids)).flatMap(({ transaction_id: id }) => id ?? [])
  const transactions = await lockTransactions(ctx, db, owners)
  lockRefunds(db, ids)
  const refunds = (await readRefunds(db, ids)).filter(isToBeSent)
  const begun = new Set<bigint>()
  const waits = new Map<string, number>()
  for (const refund of refunds) {
    const { id, transaction_id: owner } = refund
    // Two refunds of one transaction are sent one after the other: each by what the one before has left.
    if (owner !== null && begun.has(owner)) {
      waits.set(String(id), 0)
      continue
    }
    if (owner !== null) begun.add(owner)
    const transaction = owner === null ? undefined : transactions.get(owner)
    if (!(await sendOne(ctx, db, { refund, transaction }, origins))) waits.set(String(id), coverAgainMs)
  }
  const now = ctx.clock.realNow()
  return new Map(
    jobs.flatMap(({ id, key }) => {
      const wait = waits.get(key)
      return wait === undefined ? [] : [[id, { at: after(now, wait), timebase: 'real' as const }]]
    }),
  )
}

/** Nothing of it has left, and nobody keeps it. */
const isToBeSent = ({ state, held_at: heldAt }: Refund): boolean => state === 'ordered' && heldAt === null

/** Sends one refund as far as it goes now. False: it has to be looked at again. */
async function sendOne(ctx: Ctx, db: Atomic, own: Own, origins: Origins): Promise<boolean> {
  const { refund } = own
  let payouts = await lockRefundPayouts(db, [refund.id])
  if (!payouts.some(isUnplanned)) {
    const origin = origins.get(refund.id)
    if (origin === undefined) return false
    if (origin === 'unknown') {
      await askWhere(ctx, db, own)
      return true
    }
    await orderRefund(ctx, db, own, origin)
    payouts = await lockRefundPayouts(db, [refund.id])
  }
  const payout = payouts.find(isUnplanned)
  if (!payout) throw new Error(`The refund ${refund.id} has no payout.`)
  // Whoever approves it has it looked at again.
  if (await isUnapproved(ctx, db, own, payout.id)) return true
  const key = await keyOf(ctx, db, own, payout.data_key_id)
  const covered = await coverWaiting(db, [{ ...payout, dataKey: key }])
  if (covered.length === 0) return false
  const isFirst = payouts.every(({ id, state }) => id === payout.id || isUnplanned({ state }) || state === 'cancelled')
  await plan(ctx, db, own, covered, isFirst)
  return true
}

async function keyOf(ctx: Ctx, db: Atomic, { transaction }: Own, id: bigint): Promise<DataKey> {
  if (transaction) return transaction.dataKey
  const key = (await ctx.keyring.getMany(db, [id])).get(id)
  if (!key) throw new Error('A data key is missing.')
  return key
}

/** Orders the payout of a refund, less what is out already, to where the money came from or to where its customer says. */
export async function orderRefund(
  ctx: Ctx,
  db: Atomic,
  { refund, transaction }: Own,
  { rail, destination }: Origin,
): Promise<void> {
  const [made] = transaction ? [transaction.dataKey] : await ctx.keyring.makeMany(db, 1)
  if (!made) throw new Error('A data key is missing.')
  const earlier = await lockRefundPayouts(db, [refund.id])
  const before = transaction ? ((await lastRefundNumber(db, transaction.id))[0]?.number ?? 0) : earlier.length
  const payoutIds = earlier.map(({ id }) => id)
  const [sent] = earlier.length > 0 ? await sentBy(db, refund.transaction_id, payoutIds) : []
  await orderPayouts(ctx, db, [
    {
      transactionId: refund.transaction_id,
      refundId: refund.id,
      purpose: 'refund',
      number: before + 1,
      rail,
      asset: refund.asset,
      amount: refund.amount - refund.cost - (sent?.amount ?? 0n),
      destination,
      dataKey: made,
    },
  ])
}

/** Nobody may be paid back for sure: its customer is asked for an address, where there can be one; else a person decides. */
async function askWhere(ctx: Ctx, db: Atomic, { refund, transaction }: Own): Promise<void> {
  const isAsked = transaction !== undefined && isOnChain(refund.asset)
  markRefunds(db, [refund.id], isAsked ? 'address_needed' : 'failed')
  if (!transaction) return
  const outcome = emptyOutcome()
  const cause = { kind: 'refund_origin_unknown', id: refund.id } as const
  const reason = 'Where the money came from is not known.'
  await goOn(ctx, db, outcome, { transaction, partner: await partnerOf(ctx, transaction), cause, reason })
  await writeOutcome(ctx, db, outcome)
}

async function plan(ctx: Ctx, db: Atomic, own: Own, payouts: Plannable[], isFirst: boolean): Promise<void> {
  const { refund, transaction } = own
  await planPayouts(ctx, db, payouts)
  markRefunds(db, [refund.id], 'sent')
  const at = ctx.clock.now()
  const owner = transaction ? customer(transaction.publicId) : suspense
  const { transaction_id: transactionId, cost, asset } = refund
  const entries: Entry[] = payouts.map(({ id, rail, amount }) =>
    entry({ transactionId, kind: 'payout_sent', ref: id, at }, [
      { debit: owner, credit: clearing(rail), asset, amount },
    ]),
  )
  if (isFirst && cost > 0n) entries.push(refundCostEntry(owner, { id: refund.id, transactionId, asset, cost }, at))
  const outcome: Outcome = { ...emptyOutcome(), entries }
  if (transaction)
    outcome.steps = payouts.map(({ id }) => ({ ...sentStep(own, transaction), cause: { kind: 'refund_prepared', id } }))
  await writeOutcome(ctx, db, outcome)
}

/** Where a transaction is does not change by its refund's being sent. */
function sentStep({ refund }: Own, transaction: Transaction) {
  const { status: to, statusDetails, refunds } = transaction
  const sent = refunds.map((one) => (one.publicId === refund.public_id ? { ...one, state: 'sent' as const } : one))
  return { transaction, to, change: { statusDetails, refunds: sent } }
}
