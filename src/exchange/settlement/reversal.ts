import type { Ctx } from '../context.ts'
import { markChargeback } from '../customers/customers.sql.ts'
import type { Atomic, Db } from '../../platform/db/sql.ts'
import type { Transaction } from '../transactions/transaction.ts'
import { cancelRefunds } from './cancel-refunds.ts'
import { showConfirming } from './confirming.ts'
import { cameOf, type Deposit, deposits, freeOf, isOf, lockDepositOfPayment, ownerOf } from './deposit.ts'
import { reversalEntry } from './entries.ts'
import { reverseExchanges } from './exchange.ts'
import { haltCrediting } from './halts.ts'
import { readFunds } from './position.ts'
import type { EventContext } from './rail-event.ts'
import { lockRefundPayouts, lockRefundsOfDeposit } from './refund.ts'
import { reverseOwnMoney } from './reverse-own-money.ts'
import { type Batch, settle } from './settle.ts'
import { transition } from './transition.ts'

/**
 * Money was taken back: by a reorganization, a chargeback, a recall. What was only seen is forgotten. What was booked is no longer
 * owed, as far as it is still there: a refund that was not sent and an exchange that was not paid out are reversed for it. The rest is our loss, and marks the customer, once a payment. A payment may be reversed in parts, each by a separate event:
 * together never more than it was. A chain that reverses what was final is halted, until an operator resumes it.
 */
export async function settleReversal(ctx: Ctx, db: Atomic, batch: Batch, context: EventContext): Promise<void> {
  const { event, partner } = context
  const deposit = await lockDepositOfPayment(db, event.rail, event.payment)
  if (!deposit) {
    const { transaction } = context
    if (transaction && !transaction.isErased) await showConfirming(ctx, db, { event, transaction, partner })
    return
  }
  const transaction = ownerOf(deposit, context)
  const left = cameOf(deposit) - deposit.taken_back
  if (!isOf(deposit, transaction) || deposit.asset !== event.asset || event.amount > left) {
    ctx.log.warn({ event: String(event.id), rail: event.rail }, 'A reversal does not match the deposit.')
    return
  }
  const rail = ctx.rails.deposit(deposit.rail)
  if (!rail) throw new Error(`There is no rail ${deposit.rail} in this process.`)
  const isChain = ctx.rails.deposit(deposit.rail)?.deposit.confirmations !== undefined
  if (isChain) haltCrediting(db, { rail: deposit.rail, since: ctx.clock.now(), reason: 'A final deposit was undone.' })
  await takeBack(ctx, db, batch, context, { deposit, amount: event.amount })
}

/** Books that its rail took an amount of a deposit back, no more than there is left of it, and settles what follows. */
export async function takeBack(
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
  const freed = await freeFor(ctx, db, { deposit, transaction, amount })
  const free = freeOf(freed)
  const theirs = free < amount ? free : amount
  const loss = amount - theirs
  const id = await ctx.rowIds.next()
  const isMarked = await hasMarked(db, deposit)
  insertReversal(db, { id, eventId: event.id, deposit: freed, amount, loss })
  const booked = { ref: id, asset: deposit.asset, theirs, loss }
  batch.entries.push(reversalEntry(transaction, booked, rail.custodyAccount, ctx.clock.now()))
  if (!transaction || !partner) return
  // A customer has no part in what a chain does to its blocks, nor in what a bank reports by mistake.
  const isWithdrawn = event.kind === 'deposit_withdrawn'
  const isTheirDoing = loss > 0n && !isWithdrawn && rail.deposit.confirmations === undefined
  if (isTheirDoing && transaction.customerId !== null && !isMarked) markChargeback(db, transaction.customerId)
  const change = { kind: 'deposit_reversed', id, isLoss: loss > 0n, isWithdrawn } as const
  await settle(ctx, db, batch, { transaction, partner }, change)
}

/** Whether what is lost of a deposit has marked its customer. What its rail had reported by mistake, or has voided, does not. */
export async function hasMarked(db: Db, { id, state }: Pick<Deposit, 'id' | 'state'>): Promise<boolean> {
  if (state !== 'lost') return false
  const marks = await db.sql`
    select from disputes where deposit_id = ${id} and marks_customer
    union all
    select from deposit_reversals join rail_events as event on event.id = event_id
    where deposit_id = ${id} and lost > 0 and event.kind <> 'deposit_withdrawn'`
  return marks.length > 0
}

type ReversalContext = { deposit: Deposit; transaction: Transaction | undefined; amount: bigint }

/** The deposit once refunds, then exchanges, are reversed, as far as the amount needs it and nothing of them has left. */
async function freeFor(ctx: Ctx, db: Atomic, { deposit, transaction, amount }: ReversalContext): Promise<Deposit> {
  if (transaction && freeOf(deposit) >= amount) return deposit
  const funds = transaction && (await readFunds(db, transaction))
  const refunds = funds?.refunds ?? (await lockRefundsOfDeposit(db, deposit.id))
  const payouts =
    funds?.payouts ??
    (await lockRefundPayouts(
      db,
      refunds.map(({ id }) => id),
    ))
  const back = await cancelRefunds(ctx, db, { depositId: deposit.id, owner: transaction }, { refunds, payouts })
  const less = { ...deposit, refunded: deposit.refunded - back }
  if (!transaction) {
    const own = await reverseOwnMoney(ctx, db, deposit, amount - freeOf(less))
    return { ...less, refunded: less.refunded - own }
  }
  if (!funds || freeOf(less) >= amount || deposit.exchanged === 0n) return less
  if ((await reverseExchanges(ctx, db, transaction, funds)) === 0) return less
  const after = await readFunds(db, transaction)
  return after.deposits.find(({ id }) => id === deposit.id) ?? less
}

type Reversal = { id: bigint; eventId: bigint; deposit: Deposit; amount: bigint; loss: bigint }

/** Takes an amount of a deposit back. An event that has reversed something before fails the block, and so does more than there is. */
function insertReversal(db: Atomic, { id, eventId, deposit, amount, loss }: Reversal): void {
  db.send`
    insert into deposit_reversals (id, deposit_id, event_id, amount, lost)
    values (${id}, ${deposit.id}, ${eventId}, ${amount}, ${loss})`
  db.send`update deposits set taken_back = taken_back + ${amount} where id = ${deposit.id}`
  const to = loss > 0n || deposit.state === 'lost' ? 'lost' : 'reversed'
  if (to !== deposit.state) transition(db, deposits, [{ id: deposit.id }], deposit.state, to)
}
