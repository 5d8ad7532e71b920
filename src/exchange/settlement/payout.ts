import type { Ctx } from '../context.ts'
import { type Claim, releaseReserves, reserve } from '../ledger/balance.ts'
import { rowWriter } from '../../platform/db/rows.ts'
import type { Atomic, Db } from '../../platform/db/sql.ts'
import type { DataKey } from '../../platform/privacy/data-key.ts'
import type { Destination, PayoutRail } from '../../rails/rail.ts'
import { payoutMethodOf, payoutRailOf } from '../transactions/method.ts'
import { checkDestination } from '../transactions/payout-destination.ts'
import type { Transaction } from '../transactions/transaction.ts'
import { stateMachine, transition } from './transition.ts'

/**
 * The state of a payout. `waiting`: the balance does not cover it yet. `reserved`: covered, and no payment is prepared. `planned`: a
 * prepared payment pays it. `failed`: it came back, or the rail will never pay it. `cancelled`: before a payment was prepared.
 */
export type PayoutState = 'waiting' | 'reserved' | 'planned' | 'paid' | 'failed' | 'cancelled'

/** The lifecycle of payouts, those of refunds included. One that came back is paid again where its bank was wrong. */
export const payouts = stateMachine<PayoutState, 'planId' | 'reason'>(
  'payouts',
  {
    waiting: ['reserved', 'cancelled'],
    reserved: ['planned', 'cancelled'],
    planned: ['paid', 'failed'],
    paid: ['failed'],
    failed: ['paid'],
    cancelled: [],
  },
  { planId: 'bigint', reason: 'text' },
)

/** The job that prepares the payment of an ordered payout, once it is covered. Its key is the payout's id. */
export const payoutDue = 'payout.due'

/** What we owe to the outside, and where it goes. */
export type PayoutOrder = {
  transactionId: bigint | null
  purpose: 'payout' | 'refund'
  /** The refund that it pays; null for a payout. */
  refundId: bigint | null
  number: number
  rail: PayoutRail
  asset: string
  amount: bigint
  destination: Destination
  dataKey: DataKey
}

/** A payout as it is ordered. `mostFee`: what sending it may cost its custody account at most; null where the rail takes nothing. */
type PayoutRow = Omit<PayoutOrder, 'rail' | 'destination' | 'dataKey'> & {
  id: bigint
  rail: string
  place: string
  feeAsset: string | null
  mostFee: bigint | null
  state: PayoutState
  dataKeyId: bigint
  destination: Buffer
  orderedAt: Date
}

const payoutRows = rowWriter<PayoutRow>('payouts', {
  id: 'bigint',
  transactionId: 'bigint',
  refundId: 'bigint',
  purpose: 'text',
  number: 'integer',
  rail: 'text',
  place: 'text',
  asset: 'text',
  amount: 'numeric',
  feeAsset: 'text',
  mostFee: 'numeric',
  state: 'text',
  dataKeyId: 'bigint',
  destination: 'bytea',
  orderedAt: 'timestamptz',
})

/**
 * Orders payouts inside the caller's block: the money, and what sending it may cost, is reserved now, or the payout waits, visibly,
 * until it is there. Nothing leaves here; a job prepares and sends the payment: for a refund its own, which exists already. The same
 * order of a transaction twice fails the block. Gives the payouts' ids.
 */
export async function orderPayouts(ctx: Ctx, db: Atomic, orders: PayoutOrder[]): Promise<bigint[]> {
  if (orders.length === 0) return []
  const rows: PayoutRow[] = []
  const covered = await reserve(db, orders.map(claimOf))
  const now = ctx.clock.now()
  for (const [index, { rail, dataKey, destination, ...order }] of orders.entries()) {
    const id = await ctx.rowIds.next()
    const fee = rail.payout.mostFee(order.asset)
    rows.push({
      ...order,
      id,
      rail: rail.name,
      place: rail.custodyAccount,
      feeAsset: fee?.asset ?? null,
      mostFee: fee?.amount ?? null,
      state: covered[index] ? 'reserved' : 'waiting',
      dataKeyId: dataKey.id,
      destination: dataKey.seal(destination, destinationPlace(id)),
      orderedAt: now,
    })
  }
  payoutRows.insert(db, rows)
  ctx.queue.enqueue(
    db,
    rows
      .filter(({ refundId }) => refundId === null)
      .map(({ id }) => ({ kind: payoutDue, key: String(id), runAt: now })),
  )
  return rows.map(({ id }) => id)
}

function claimOf({ rail, asset, amount }: PayoutOrder): Claim {
  const fee = rail.payout.mostFee(asset)
  return { place: rail.custodyAccount, asset, amount, fee_asset: fee?.asset ?? null, most_fee: fee?.amount ?? null }
}

/** Where a sealed destination belongs. */
export const destinationPlace = (payoutId: bigint): string => `payouts:${payoutId}`

/** The order of a payout to the customer of a transaction. */
export function payoutOrder(
  { rails }: Pick<Ctx, 'rails'>,
  transaction: Transaction,
  { number, amount }: { number: number; amount: bigint },
): PayoutOrder {
  const { id, to, personal, dataKey } = transaction
  if (personal.payoutAddress === null) throw new Error('A payout was ordered without an address.')
  const written = { address: personal.payoutAddress, extraId: personal.payoutExtraId ?? '' }
  const check = checkDestination({ rails }, { listing: to, method: payoutMethodOf(transaction) }, written)
  if (!check.ok) throw new Error(`A payout was ordered to an impossible destination: ${check.reason}`)
  return {
    transactionId: id,
    purpose: 'payout',
    refundId: null,
    number,
    rail: payoutRailOf({ rails }, transaction),
    asset: to.asset.id,
    amount,
    destination: {
      address: check.address,
      extraId: check.extraId,
      holder: personal.payoutHolder ?? '',
      ...(personal.payoutIntermediary === undefined ? {} : { intermediary: personal.payoutIntermediary }),
    },
    dataKey,
  }
}

/** A payout, or one of a refund, whose payment is to be prepared, with the key that its personal data is sealed with. */
export type PayablePayout = {
  id: bigint
  /** Null where money from suspense goes back. */
  transaction_id: bigint | null
  purpose: 'payout' | 'refund'
  /** Among the payouts of its transaction with the same purpose, from 1. */
  number: number
  rail: string
  place: string
  asset: string
  amount: bigint
  fee_asset: string | null
  most_fee: bigint | null
  state: PayoutState
  destination: Buffer
  dataKey: DataKey
}

/** A payout of a transaction that this block has locked. `was_asked`: it has waited for the approval of operators before. */
export type LockedPayout = PayablePayout & { transaction_id: bigint; was_asked: boolean }

/** Which transactions these payouts belong to; those of refunds are left out, they are sent by a job for themselves. */
export const transactionsOf = (db: Db, ids: bigint[]): Promise<{ id: bigint; transaction_id: bigint }[]> =>
  db.sql`select id, transaction_id from payouts where id = any(${ids}) and purpose = 'payout'`

/** Locks payouts and reads them, those of refunds left out. Their transactions are locked before. */
export const lockPayouts = (db: Db, ids: bigint[]): Promise<Omit<LockedPayout, 'dataKey'>[]> =>
  db.sql`
    select id, transaction_id, purpose, number, rail, place, asset, amount, fee_asset, most_fee, state, destination,
      exists (
        select from status_history as told
        where told.transaction_id = payouts.transaction_id and told.kind = 'payout_needs_approval' and told.subject_id = payouts.id
      ) as was_asked
    from payouts
    where id = any(${ids}) and purpose = 'payout' order by id for update`

/** Tries to cover payouts that wait. Gives those that are covered now; the others keep waiting. */
export async function coverWaiting<Payout extends PayablePayout>(db: Atomic, all: Payout[]): Promise<Payout[]> {
  const waiting = all.filter(({ state }) => state === 'waiting')
  if (waiting.length === 0) return all
  const granted = await reserve(db, waiting)
  const covered = waiting.filter((_, index) => granted[index])
  transition(db, payouts, idsOf(covered), 'waiting', 'reserved')
  return all.filter((payout) => payout.state === 'reserved' || covered.includes(payout))
}

/** What has to be known of a payout to cancel it. */
export type CancellablePayout = Pick<
  PayablePayout,
  'id' | 'state' | 'place' | 'asset' | 'amount' | 'fee_asset' | 'most_fee'
>

/** Cancels those payouts for which no payment is prepared: nothing of them will leave, and nothing stays reserved. */
export function cancelUnprepared(db: Atomic, all: CancellablePayout[]): void {
  const reserved = all.filter(({ state }) => state === 'reserved')
  if (reserved.length > 0) releaseReserves(db, reserved)
  transition(db, payouts, idsOf(reserved), 'reserved', 'cancelled')
  const waiting = all.filter(({ state }) => state === 'waiting')
  transition(db, payouts, idsOf(waiting), 'waiting', 'cancelled')
}

const idsOf = (rows: { id: bigint }[]): { id: bigint }[] => rows.map(({ id }) => ({ id }))

/** Whether a payout is ordered and no payment is prepared for it. */
export const isUnprepared = ({ state }: { state: PayoutState }): boolean => state === 'waiting' || state === 'reserved'

/** Whether a payout is ordered and has not ended. */
export const isOpen = ({ state }: { state: PayoutState }): boolean => isUnprepared({ state }) || state === 'planned'

/** A payout that a rail event is about: by the key of its prepared payment. */
export type KeyedPayout = {
  id: bigint
  transaction_id: bigint | null
  refund_id: bigint | null
  rail: string
  plan_key: string
  place: string
  asset: string
  amount: bigint
  state: PayoutState
}

/** Finds the payouts that rail events are about; by `{rail} {key}`. */
export async function payoutsByKey(
  db: Db,
  events: { rail: string; reference: string }[],
): Promise<Map<string, KeyedPayout>> {
  if (events.length === 0) return new Map()
  const rows = await db.sql<KeyedPayout>`
    select payouts.id, transaction_id, refund_id, plans.rail, plan_key, place, asset, amount, payouts.state
    from plans join payouts on payouts.plan_id = plans.id
    join unnest(${events.map(({ rail }) => rail)}::text[], ${events.map(({ reference }) => reference)}::text[])
      as event (rail, key) on plans.rail = event.rail and plan_key = event.key`
  return new Map(rows.map((row) => [`${row.rail} ${row.plan_key}`, row]))
}

/** Whether what left under a rail's key can still come back to what it was paid for: `markReturned` would take it, and whose it is is known. */
export const mayComeBack = async (db: Db, { rail, key }: { rail: string; key: string }): Promise<boolean> =>
  (
    await db.sql`
      select from plans join payouts on payouts.plan_id = plans.id join data_keys on data_keys.id = payouts.data_key_id
      where plans.rail = ${rail} and plan_key = ${key} and payouts.state in ('planned', 'paid')
        and (transaction_id is null or wrapped is not null) and not exists (
          select from entries where transaction_id is not distinct from payouts.transaction_id and kind = 'payout_returned' and ref = payouts.id)`
  ).length > 0

/** Marks a payout as come back. False if it is not paid, or was said to have come back before. */
export async function markReturned(db: Atomic, id: bigint): Promise<boolean> {
  const [payout] = await db.sql<{ state: PayoutState; was_returned: boolean }>`
    select state, exists (
      select from entries where transaction_id is not distinct from payouts.transaction_id and kind = 'payout_returned' and ref = payouts.id
    ) as was_returned from payouts where id = ${id} for update`
  if (payout?.state !== 'paid' || payout.was_returned) return false
  transition(db, payouts, [{ id, reason: 'returned' }], 'paid', 'failed')
  return true
}

/** A payout of a transaction, as far as it decides what follows. */
export type TransactionPayout = CancellablePayout & {
  purpose: 'payout' | 'refund'
  refund_id: bigint | null
  number: number
  reason: string | null
  hash: string | null
}

/** The payouts of a transaction, those of refunds too, in their order. */
export const payoutsOf = (db: Db, transactionId: bigint): Promise<TransactionPayout[]> =>
  db.sql`
    select payouts.id, purpose, refund_id, number, payouts.state, reason, place, asset, amount, fee_asset, most_fee,
      evidence ->> 'hash' as hash
    from payouts left join plans on plans.id = plan_id
    where transaction_id = ${transactionId} order by payouts.id`
