import type { Ctx } from '../context.ts'
import type { Atomic } from '../../platform/db/sql.ts'
import { cameOf, isOf, lockDepositOfPayment, lossOf, ownerOf } from './deposit.ts'
import { depositEntry, recoveryEntry } from './entries.ts'
import type { EventContext } from './rail-event.ts'
import { type Batch, settle } from './settle.ts'

/**
 * A payment has come to more than was booked of it: it was captured in part, and then more of it. Only what came since is booked; the
 * deposit grows by it, so that it can be disputed, reversed and sent back as one payment. It belongs where the payment does, to its
 * transaction or in suspense, even if all that came before has ended there. What was lost of the payment is covered first.
 */
export async function settleRest(ctx: Ctx, db: Atomic, batch: Batch, context: EventContext): Promise<void> {
  const { event, transaction, partner } = context
  const deposit = await lockDepositOfPayment(db, event.rail, event.payment)
  const owner = deposit && ownerOf(deposit, context)
  if (!deposit || !isOf(deposit, owner))
    throw new Error(`The deposit of rail event ${event.id} changed: it is read again.`)
  const amount = event.amount - cameOf(deposit)
  if (amount <= 0n) return
  const rail = ctx.rails.deposit(event.rail)
  if (!rail) throw new Error(`There is no rail ${event.rail} in this process.`)
  const id = await ctx.rowIds.next()
  db.send`
    insert into deposit_rests (id, deposit_id, event_id, transaction_id, amount)
    values (${id}, ${deposit.id}, ${event.id}, ${deposit.transaction_id}, ${amount})`
  const { asset } = deposit
  const at = ctx.clock.now()
  batch.entries.push(depositEntry(owner, { id, asset, amount }, rail.custodyAccount, at))
  const recovered = lossOf(deposit) - lossOf({ ...deposit, amount: deposit.amount + amount })
  if (recovered > 0n) batch.entries.push(recoveryEntry(owner, { ref: id, asset, amount: recovered }, at))
  if (!transaction || !owner || !partner) return
  const method = event.method ?? transaction.depositMethod
  const arrival = { method, arrivedAt: event.arrived_at, finalAt: event.received_at }
  await settle(ctx, db, batch, { transaction, partner }, { kind: 'deposit_grown', id, arrival })
}
