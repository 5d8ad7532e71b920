import type { Ctx } from '../context.ts'
import type { Atomic } from '../../platform/db/sql.ts'
import { type Deposit, deposits, isOf, lockDepositOfPayment, lossOf, ownerOf } from './deposit.ts'
import { reinstatementEntry } from './entries.ts'
import type { EventContext, MatchedEvent } from './rail-event.ts'
import { type Batch, settle } from './settle.ts'
import { stateMachine, transition } from './transition.ts'

/** The state of a dispute about a deposit: the payer's bank contests it, and it ends in our favor or the payer's. */
export type DisputeState = 'opened' | 'won' | 'lost'

/** The lifecycle of disputes. One that was lost can be won late, in arbitration. */
export const disputes = stateMachine<DisputeState, 'endedAt'>(
  'disputes',
  { opened: ['won', 'lost'], won: [], lost: ['won'] },
  { endedAt: 'timestamptz' },
)

const stateAfter: Partial<Record<MatchedEvent['kind'], DisputeState>> = {
  dispute_opened: 'opened',
  dispute_won: 'won',
  dispute_lost: 'lost',
}

/** Writes down the state of a dispute. Events come in any order: one that is out of date changes nothing. */
export async function recordDispute(
  ctx: Ctx,
  db: Atomic,
  { kind, rail, dispute, amount, respond_by: respondBy }: MatchedEvent,
  deposit: Deposit,
): Promise<void> {
  const to = stateAfter[kind]
  if (to === undefined) return
  const now = ctx.clock.now()
  const endedAt = to === 'opened' ? null : now
  const [known] = await db.sql<{ id: bigint; state: DisputeState }>`
    select id, state from disputes where rail = ${rail} and dispute = ${dispute} for update`
  if (!known) {
    db.send`
      insert into disputes (id, rail, dispute, deposit_id, state, amount, respond_by, opened_at, ended_at)
      values (${await ctx.rowIds.next()}, ${rail}, ${dispute}, ${deposit.id}, ${to}, ${amount}, ${respondBy}, ${now}, ${endedAt})`
  } else if (disputes.lifecycle[known.state].includes(to)) {
    transition(db, disputes, [{ id: known.id, endedAt }], known.state, to)
  }
}

/**
 * A dispute was opened or ended. Where the rail withdrew money with it, that is a reversal, and settled as one; where it gave money
 * back, that is booked the other way round, and what follows is decided. More than was reversed is not given back: such an event is
 * looked at again once the reversal is booked.
 */
export async function settleDispute(ctx: Ctx, db: Atomic, batch: Batch, context: EventContext): Promise<void> {
  const { event, partner } = context
  const deposit = await lockDepositOfPayment(db, event.rail, event.payment)
  const transaction = deposit && ownerOf(deposit, context)
  if (!deposit || !isOf(deposit, transaction) || deposit.asset !== event.asset) {
    ctx.log.warn({ event: String(event.id), rail: event.rail }, 'A dispute does not match a deposit.')
    return
  }
  await recordDispute(ctx, db, event, deposit)
  if (event.kind !== 'dispute_won' || event.funds_moved !== true) return
  if (event.amount > deposit.taken_back) {
    ctx.log.warn({ event: String(event.id), rail: event.rail }, 'The amount given back exceeds the amount reversed.')
    return
  }
  const rail = ctx.rails.deposit(deposit.rail)
  if (!rail) throw new Error(`There is no rail ${deposit.rail} in this process.`)
  const id = await ctx.rowIds.next()
  const { asset } = deposit
  const after = { ...deposit, taken_back: deposit.taken_back - event.amount }
  const recovered = lossOf(deposit) - lossOf(after)
  await reinstate(db, { id, eventId: event.id, deposit, amount: event.amount, recovered })
  const amounts = { ref: id, asset, theirs: event.amount - recovered, loss: recovered }
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
