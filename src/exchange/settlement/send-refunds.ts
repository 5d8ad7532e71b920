import type { Ctx } from '../context.ts'
import { sentBy } from '../ledger/transaction-entries.ts'
import type { Atomic, Db } from '../../platform/db/sql.ts'
import type { Handler, Job } from '../../platform/jobs/job.ts'
import type { Again } from '../../platform/jobs/queue.ts'
import { after } from '../../platform/lib/clock.ts'
import type { DataKey } from '../../platform/privacy/data-key.ts'
import { stopsPayout } from '../../rails/halts.ts'
import type { Origin } from '../../rails/rail.ts'
import { lockTransactions } from '../transactions/load.ts'
import { partnerOf } from '../transactions/partner-of.ts'
import type { Transaction } from '../transactions/transaction.ts'
import { needsApproval } from './approval.ts'
import { paymentOf } from './deposit.ts'
import { payoutEntry, refundCostEntry } from './entries.ts'
import { coverWaiting, isUnprepared, orderPayouts, type PayablePayout } from './payout.ts'
import { preparePayments } from './prepared-payment.ts'
import {
  isOnChain,
  lastRefundNumber,
  lockRefundPayouts,
  lockRefunds,
  readRefunds,
  type Refund,
  refundPayoutsOf,
  refunds,
} from './refund.ts'
import { newBatch, settleNow, writeBatch } from './settle.ts'
import { transition } from './transition.ts'

/** How long a refund that is not covered waits before it is looked at again, in real milliseconds. */
const coverAgainMs = 5_000

/**
 * Sends refunds: asks the rail of the deposit for the address that it came from, orders the payout to it, and prepares the payment
 * once it is covered, and approved if it is worth more than the limit. If the address is not known, the customer is asked for it.
 * The status of the transaction does not matter: only staff can hold a refund.
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
  const due = (await readRefunds(ctx.db, ids)).filter(isToBeSent)
  const payouts = await refundPayoutsOf(
    ctx.db,
    due.map(({ id }) => id),
  )
  const ordered = due.filter(({ id }) => !payouts.some((one) => one.refund_id === id && isUnprepared(one)))
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

/** A refund that this block has locked, with its transaction; undefined for money from suspense. */
type Own = { refund: Refund; transaction: Transaction | undefined }

async function send(ctx: Ctx, db: Atomic, jobs: Job[], origins: Origins): Promise<Map<bigint, Again>> {
  const ids = jobs.map(({ key }) => BigInt(key))
  const owners = (await readRefunds(db, ids)).flatMap(({ transaction_id: id }) => id ?? [])
  const transactions = await lockTransactions(ctx, db, owners)
  lockRefunds(db, ids)
  const due = (await readRefunds(db, ids)).filter(isToBeSent)
  const begun = new Set<bigint>()
  const waits = new Map<string, number>()
  for (const refund of due) {
    const { id, transaction_id: owner } = refund
    // Two refunds of one transaction are sent one after the other: each on the result of the one before.
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

/** Nothing of it has left, and staff do not hold it. */
const isToBeSent = ({ state, held_at: heldAt }: Refund): boolean => state === 'ordered' && heldAt === null

/** Sends one refund as far as it goes now. False: it has to be looked at again. */
async function sendOne(ctx: Ctx, db: Atomic, own: Own, origins: Origins): Promise<boolean> {
  const { refund } = own
  let payouts = await lockRefundPayouts(db, [refund.id])
  if (!payouts.some(isUnprepared)) {
    const origin = origins.get(refund.id)
    if (origin === undefined) return false
    if (origin === 'unknown') {
      await askWhere(ctx, db, own)
      return true
    }
    await orderRefundPayout(ctx, db, own, origin)
    payouts = await lockRefundPayouts(db, [refund.id])
  }
  const payout = payouts.find(isUnprepared)
  if (!payout) throw new Error(`The refund ${refund.id} has no payout.`)
  if (stopsPayout(ctx.halts.now(), payout.rail, payout.asset)) return false
  const payable = { ...payout, dataKey: await keyOf(ctx, db, own, payout.data_key_id) }
  // Its approval has it looked at again.
  if (await needsApproval(ctx, db, own, payable)) return true
  const covered = await coverWaiting(db, [payable])
  if (covered.length === 0) return false
  const isFirst = payouts.every(({ id, state }) => id === payout.id || isUnprepared({ state }) || state === 'cancelled')
  await prepare(ctx, db, own, covered, isFirst)
  return true
}

async function keyOf(ctx: Ctx, db: Atomic, { transaction }: Own, id: bigint): Promise<DataKey> {
  if (transaction) return transaction.dataKey
  const key = (await ctx.keyring.getMany(db, [id])).get(id)
  if (!key) throw new Error('A data key is missing.')
  return key
}

/** Orders the payout of a refund, less what is out already, to where the money came from or to where its customer says. */
export async function orderRefundPayout(
  ctx: Ctx,
  db: Atomic,
  { refund, transaction }: Own,
  { rail, destination }: Origin,
): Promise<void> {
  const [made] = transaction ? [transaction.dataKey] : await ctx.keyring.makeMany(db, 1)
  if (!made) throw new Error('A data key is missing.')
  const earlier = await lockRefundPayouts(db, [refund.id])
  const before = transaction ? await lastRefundNumber(db, transaction.id) : earlier.length
  const unsent = await unsentOf(db, refund)
  await orderPayouts(ctx, db, [
    {
      transactionId: refund.transaction_id,
      refundId: refund.id,
      purpose: 'refund',
      number: before + 1,
      rail,
      asset: refund.asset,
      amount: unsent.amount - unsent.cost,
      destination,
      dataKey: made,
    },
  ])
}

/** What is left to be sent of a refund, with what is kept for sending it: what has been paid, and did not come back, is not. */
export async function unsentOf(
  db: Db,
  { id, transaction_id: owner, asset, amount, cost }: Refund,
): Promise<Pick<Refund, 'asset' | 'amount' | 'cost'>> {
  const payouts = await refundPayoutsOf(db, [id])
  const payoutIds = payouts.map((one) => one.id)
  const [sent] = payouts.length > 0 ? await sentBy(db, owner, payoutIds) : []
  return { asset, amount: amount - (sent?.amount ?? 0n), cost }
}

/** No sender is certain: its customer is asked for an address, where there can be one; else staff decide. */
async function askWhere(ctx: Ctx, db: Atomic, { refund, transaction }: Own): Promise<void> {
  const isAsked = transaction !== undefined && isOnChain(refund.asset)
  transition(db, refunds, [{ id: refund.id }], 'ordered', isAsked ? 'address_needed' : 'failed')
  if (!transaction) return
  const subject = { transaction, partner: await partnerOf(ctx, transaction) }
  await settleNow(ctx, db, subject, { kind: 'refund_origin_unknown', id: refund.id })
}

async function prepare(ctx: Ctx, db: Atomic, own: Own, payouts: PayablePayout[], isFirst: boolean): Promise<void> {
  const { refund, transaction } = own
  await preparePayments(ctx, db, payouts)
  transition(db, refunds, [{ id: refund.id }], 'ordered', 'sent')
  const at = ctx.clock.now()
  const batch = newBatch()
  batch.entries.push(...payouts.map((payout) => payoutEntry(transaction, payout, at)))
  if (isFirst && refund.cost > 0n) batch.entries.push(refundCostEntry(transaction, refund, at))
  if (transaction) {
    const step = sentStep(own, transaction)
    batch.steps.push(...payouts.map(({ id }) => ({ ...step, cause: { kind: 'refund_prepared', id } as const })))
  }
  await writeBatch(ctx, db, batch)
}

/** The status of a transaction does not change with the sending of its refund. */
function sentStep({ refund }: Own, transaction: Transaction) {
  const { status: to, statusDetails } = transaction
  const sent = transaction.refunds.map((one) =>
    one.publicId === refund.public_id ? { ...one, state: 'sent' as const } : one,
  )
  return { transaction, to, change: { statusDetails, refunds: sent } }
}
