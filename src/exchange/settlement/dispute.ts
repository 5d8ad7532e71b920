import type { Ctx } from '../context.ts'
import type { Atomic } from '../../platform/db/sql.ts'
import { bookedAsset } from '../../reference/catalog/sync-assets.ts'
import { rateBetween } from '../pricing/rate.ts'
import { settlingMomentOf } from '../transactions/policy.ts'
import type { Transaction } from '../transactions/transaction.ts'
import { markChargeback, unmarkChargeback } from '../customers/customers.sql.ts'
import { showConfirming } from './confirming.ts'
import { cameOf, type Deposit, deposits, isOf, lockDepositOfPayment, lossOf, ownerOf } from './deposit.ts'
import { reinstatementEntry } from './entries.ts'
import type { EventContext, MatchedEvent } from './rail-event.ts'
import { hasMarked, takeBack } from './reversal.ts'
import { type Batch, settle } from './settle.ts'
import { stateMachine, transition } from './transition.ts'

/** The state of a dispute about a deposit: the payer's bank contests it, and it ends in our favor or the payer's. */
export type DisputeState = 'opened' | 'won' | 'lost'

/**
 * The lifecycle of disputes. One that has ended can be opened again, in pre-arbitration or arbitration: that is its next round. Within
 * one round nothing follows a win, and one that was lost can be won late.
 */
export const disputes = stateMachine<DisputeState, 'endedAt'>(
  'disputes',
  { opened: ['won', 'lost'], won: ['opened', 'lost'], lost: ['won', 'opened'] },
  { endedAt: 'timestamptz' },
)

const stateAfter: Partial<Record<MatchedEvent['kind'], DisputeState>> = {
  dispute_opened: 'opened',
  dispute_won: 'won',
  dispute_lost: 'lost',
}

/** Later states of one round, and later rounds, have a higher place. */
const placeOf = (round: number, state: DisputeState): number => round * 3 + { opened: 0, lost: 1, won: 2 }[state]

/** Writes down the state of a dispute. Events come in any order: one that is out of date changes nothing. */
async function recordDispute(ctx: Ctx, db: Atomic, event: MatchedEvent, deposit: Deposit): Promise<void> {
  const { kind, rail, dispute, dispute_round: round, amount, respond_by: respondBy } = event
  const to = stateAfter[kind]
  if (to === undefined) return
  const now = ctx.clock.now()
  const endedAt = to === 'opened' ? null : now
  const [known] = await db.sql<{ id: bigint; state: DisputeState; round: number }>`
    select id, state, round from disputes where rail = ${rail} and dispute = ${dispute} for update`
  if (!known) {
    db.send`
      insert into disputes (id, rail, dispute, deposit_id, state, round, amount, respond_by, opened_at, ended_at)
      values (${await ctx.rowIds.next()}, ${rail}, ${dispute}, ${deposit.id}, ${to}, ${round}, ${amount}, ${respondBy}, ${now},
        ${endedAt})`
    return
  }
  if (placeOf(round, to) < placeOf(known.round, known.state)) return
  if (to !== known.state) transition(db, disputes, [{ id: known.id, endedAt }], known.state, to)
  db.send`
    update disputes set round = ${round}, respond_by = coalesce(${respondBy}, respond_by)
    where id = ${known.id}`
}

/**
 * A dispute was opened or ended. What matters is what its rail holds back because of it now, by all that was reported of it in
 * whatever order: the difference to what is booked is reversed, or given back. So a dispute that goes through any number of rounds
 * takes its amount once, and one that was won gives it back.
 */
export async function settleDispute(ctx: Ctx, db: Atomic, batch: Batch, context: EventContext): Promise<void> {
  const { event, partner } = context
  const deposit = await lockDepositOfPayment(db, event.rail, event.payment)
  if (!deposit) {
    const { transaction } = context
    if (event.reverses && transaction && !transaction.isErased)
      await showConfirming(ctx, db, { event, transaction, partner })
    return
  }
  const transaction = ownerOf(deposit, context)
  if (!isOf(deposit, transaction)) {
    ctx.log.warn({ event: String(event.id), rail: event.rail }, 'A dispute does not match a deposit.')
    return
  }
  await recordDispute(ctx, db, event, deposit)
  const funds = await fundsOf(db, event)
  const { booked } = funds
  const left = cameOf(deposit) - deposit.taken_back
  const own = dueOf(ctx, deposit, funds, left)
  const wanted = own + (await dueOfOthers(db, event, deposit))
  const due = wanted < booked + left ? wanted : booked + left
  if (wanted > due) {
    ctx.log.warn({ event: String(event.id), rail: event.rail }, 'More is disputed than is left of the deposit.')
    if (mayGrow(ctx, deposit, transaction, wanted)) return
  }
  if (event.asset !== deposit.asset && event.dispute !== null)
    ctx.rails.deposit(deposit.rail)?.noteWithheld?.(db, {
      event: event.id,
      payment: event.payment,
      dispute: event.dispute,
      asset: deposit.asset,
      amount: own < due ? own : due,
      at: ctx.clock.now(),
    })
  if (due > booked) await takeBack(ctx, db, batch, context, { deposit, amount: due - booked })
  else if (due < booked) await giveBack(ctx, db, batch, context, { deposit, amount: booked - due })
  else if (wanted > due && event.reverses) await markWithdrawn(db, event, deposit, transaction)
}

/** Marks the customer of a disputed payment that its processor had withdrawn as a loss: that marked nobody, and left nothing to dispute. */
async function markWithdrawn(
  db: Atomic,
  { rail, dispute }: MatchedEvent,
  deposit: Deposit,
  transaction: Transaction | undefined,
): Promise<void> {
  const customerId = transaction?.customerId ?? null
  if (customerId === null || deposit.state !== 'lost' || (await hasMarked(db, deposit))) return
  db.send`update disputes set marks_customer = true where rail = ${rail} and dispute = ${dispute}`
  markChargeback(db, customerId)
}

/** Whether the rest of a payment may have come without our knowledge: once it is reported, the dispute is looked at again, and booked whole. */
const mayGrow = (ctx: Ctx, deposit: Deposit, transaction: Transaction | undefined, disputed: bigint): boolean =>
  ctx.rails.deposit(deposit.rail)?.deposit.grows === true &&
  transaction !== undefined &&
  cameOf(deposit) < disputed &&
  disputed <= transaction.expectedFrom

type Money = { asset: string; amount: bigint }

type Funds = { booked: bigint; withheld: Money | undefined; isBooked: boolean }

/**
 * What is booked because of a dispute, and what its rail withholds by the latest that it has said; undefined for nothing. `isBooked`:
 * the last booking was made for just that. So it was where that was the latest up to the event that was booked last, and nothing
 * else was said since.
 */
async function fundsOf(db: Atomic, { rail, dispute }: MatchedEvent): Promise<Funds> {
  const [funds] = await db.sql<{ booked: bigint; asset: string | null; amount: bigint | null; is_booked: boolean }>`
    with moved as (
      select event_id, reversal.amount from deposit_reversals as reversal join rail_events as event on event.id = event_id
      where event.rail = ${rail} and event.dispute = ${dispute}
      union all
      select event_id, -given.amount from deposit_reinstatements as given join rail_events as event on event.id = event_id
      where event.rail = ${rail} and event.dispute = ${dispute}
    ), made as (
      select coalesce(sum(amount), 0)::numeric(38, 0) as booked, max(event_id) as event_id from moved
    ), said as (
      select id, reverses, asset, amount, coalesce(dispute_round, 0) as round, kind = 'dispute_won' as is_won from rail_events
      where rail = ${rail} and dispute = ${dispute} and (reverses or kind = 'dispute_won' and funds_moved)
    ), latest as (
      select reverses, asset, amount from said order by round desc, is_won desc, id desc limit 1
    ), before as (
      select said.reverses, asset, amount from said, made where id <= made.event_id order by round desc, is_won desc, id desc limit 1
    )
    select made.booked, latest.asset, latest.amount,
      made.booked > 0 and coalesce(before.reverses and (before.asset, before.amount) = (latest.asset, latest.amount), false)
        and not exists (select from said where id > made.event_id and reverses
          and (said.asset, said.amount) <> (latest.asset, latest.amount)) as is_booked
    from made left join latest on latest.reverses left join before on true`
  const { booked = 0n, asset, amount, is_booked: isBooked = false } = funds ?? {}
  return { booked, withheld: asset && amount ? { asset, amount } : undefined, isBooked }
}

/**
 * How much more is withheld because of the other disputes of a payment than is booked for them; below zero for less. Together they may
 * exceed it: what was cut off is booked once another one gives something back, under the event that does.
 */
async function dueOfOthers(db: Atomic, { rail, dispute }: MatchedEvent, { id, asset }: Deposit): Promise<bigint> {
  const [others] = await db.sql<{ due: bigint }>`
    with other as (
      select dispute from disputes where deposit_id = ${id} and rail = ${rail} and dispute <> ${dispute}
    ), moved as (
      select dispute, reversal.amount from deposit_reversals as reversal join rail_events as event on event.id = event_id
      where deposit_id = ${id} and dispute is not null
      union all
      select dispute, -given.amount from deposit_reinstatements as given join rail_events as event on event.id = event_id
      where deposit_id = ${id} and dispute is not null
    ), said as (
      select distinct on (dispute) dispute, reverses, event.asset, event.amount from other join rail_events as event using (dispute)
      where event.rail = ${rail} and (reverses or kind = 'dispute_won' and funds_moved)
      order by dispute, coalesce(dispute_round, 0) desc, (kind = 'dispute_won') desc, event.id desc
    ), made as (
      select dispute, coalesce(sum(amount), 0) as booked from other left join moved using (dispute) group by dispute
    )
    select coalesce(sum(case when said.asset is null then 0 when not reverses then -booked when said.asset = ${asset} then said.amount - booked
      else 0 end), 0)::numeric(38, 0) as due
    from made left join said using (dispute)`
  return others?.due ?? 0n
}

/**
 * The amount of a deposit that should be booked because of a dispute. In another currency, what was booked for the same amount stays: its worth
 * moves with the market, and the processor moves nothing.
 */
function dueOf(ctx: Ctx, deposit: Deposit, { booked, withheld, isBooked }: Funds, left: bigint): bigint {
  if (withheld === undefined) return 0n
  if (isBooked && withheld.asset !== deposit.asset) return booked
  return inAssetOf(ctx, deposit, withheld, booked + left)
}

/** Below this part of a payment, a dispute in another currency is about a part of it. Banks' rates differ from ours by less. */
const partBasisPoints = 8_500n

/**
 * What is withheld in the asset of the deposit. In another currency, its worth at this moment, and no more than `most`: all of that
 * where it comes near it, or where there is no price.
 */
function inAssetOf(ctx: Ctx, deposit: Deposit, { asset: id, amount }: Money, most: bigint): bigint {
  if (id === deposit.asset) return amount
  const [asset, own] = [bookedAsset(id), bookedAsset(deposit.asset)]
  const rate = asset && own && rateBetween(settlingMomentOf(ctx, ctx.clock.now()), asset.ticker, own.ticker)
  if (!rate) return most
  const { numerator, denominator } = rate.price
  const worth = (amount * numerator * 10n ** BigInt(own.decimals)) / (denominator * 10n ** BigInt(asset.decimals))
  return worth * 10_000n > most * partBasisPoints ? most : worth
}

/** A reversal never was, although its rail had reported it: it is given back, and no mark of it stays with the customer. */
export async function settleWithdrawnReversal(
  ctx: Ctx,
  db: Atomic,
  batch: Batch,
  context: EventContext,
): Promise<void> {
  const { event } = context
  const deposit = await lockDepositOfPayment(db, event.rail, event.payment)
  const transaction = deposit && ownerOf(deposit, context)
  if (!deposit || !isOf(deposit, transaction) || event.amount > deposit.taken_back) {
    ctx.log.warn({ event: String(event.id), rail: event.rail }, 'A reversal that never was does not match a deposit.')
    return
  }
  await giveBack(ctx, db, batch, context, { deposit, amount: event.amount })
  const isLost = lossOf({ ...deposit, taken_back: deposit.taken_back - event.amount }) > 0n
  const customerId = transaction?.customerId ?? null
  if (deposit.state === 'lost' && !isLost && customerId !== null) unmarkChargeback(db, customerId)
}

/** Books that its rail gave an amount of a deposit back, the loss of it first, and settles what follows. */
async function giveBack(
  ctx: Ctx,
  db: Atomic,
  batch: Batch,
  context: EventContext,
  { deposit, amount }: { deposit: Deposit; amount: bigint },
): Promise<void> {
  const { event, partner } = context
  const transaction = ownerOf(deposit, context)
  const rail = ctx.rails.deposit(deposit.rail)
  if (!rail) throw new Error(`There is no rail ${deposit.rail} in this process.`)
  const id = await ctx.rowIds.next()
  const { asset } = deposit
  const recovered = lossOf(deposit) - lossOf({ ...deposit, taken_back: deposit.taken_back - amount })
  await reinstate(db, { id, eventId: event.id, deposit, amount, recovered })
  const amounts = { ref: id, asset, theirs: amount - recovered, loss: recovered }
  batch.entries.push(reinstatementEntry(transaction, amounts, rail.custodyAccount, ctx.clock.now()))
  if (!transaction || !partner) return
  await settle(ctx, db, batch, { transaction, partner }, { kind: 'deposit_reinstated', id })
}

type Reinstatement = { id: bigint; eventId: bigint; deposit: Deposit; amount: bigint; recovered: bigint }

/** Gives an amount of a deposit back. An event that has given something back before fails the block. */
async function reinstate(db: Atomic, { id, eventId, deposit, amount, recovered }: Reinstatement): Promise<void> {
  db.send`
    insert into deposit_reinstatements (id, deposit_id, event_id, amount, recovered)
    values (${id}, ${deposit.id}, ${eventId}, ${amount}, ${recovered})`
  db.send`update deposits set taken_back = taken_back - ${amount} where id = ${deposit.id}`
  const [left] = await db.sql<{ is_lost: boolean }>`
    select (select coalesce(sum(lost), 0) from deposit_reversals where deposit_id = ${deposit.id})
      > (select coalesce(sum(recovered), 0) from deposit_reinstatements where deposit_id = ${deposit.id}) as is_lost`
  const to = deposit.taken_back === amount ? 'final' : left?.is_lost ? 'lost' : 'reversed'
  if (to !== deposit.state) transition(db, deposits, [{ id: deposit.id }], deposit.state, to)
}
