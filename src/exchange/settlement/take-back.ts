import type { Ctx } from '../context.ts'
import { markChargeback } from '../customers/customers.sql.ts'
import type { Atomic } from '../../platform/db/sql.ts'
import { type BookedDeposit, freeOf, lockBookedDeposit, takeBack } from './deposit.ts'
import { type MatchedEvent, reportedMoney } from './rail-event.ts'
import { haltRail } from './halted.ts'
import { customer, suspense } from '../ledger/account.ts'
import { post } from '../ledger/post.ts'
import type { Partner } from '../partners/partner.ts'
import { lockRefundPayouts, lockRefundsOf, markRefunds } from './refund.ts'
import { type KeyedPayout, markReturned } from './returned.ts'
import { amend } from '../transactions/advance.ts'
import { returnEntry, reversalEntry, suspenseReversalEntry } from './book.ts'
import { quoteRow } from '../transactions/create.ts'
import { goOn } from './go-on.ts'
import { moneyOf } from './money-of.ts'
import type { Outcome } from './outcome.ts'
import * as queries from '../transactions/transactions.sql.ts'
import { isOnChain } from './refund-cost.ts'
import { requote } from './requote.ts'
import type { Transaction } from '../transactions/transaction.ts'
import { cancelRefunds, forgetRefund, undoExchanges } from './undo.ts'

/** A fact and the transaction that it is about, locked. */
type Told = { fact: MatchedEvent; transaction: Transaction }

/**
 * Shows that money is on its way and not yet for good, or no longer. Derived from all facts, in whatever order they came. Money
 * that is seen when its price is over is priced now, as it arrives: what it is worth does not wait until it is final.
 */
export async function showConfirming(
  ctx: Ctx,
  db: Atomic,
  { fact, transaction, partner }: Told & { partner: Partner | undefined },
): Promise<void> {
  const { status, statusDetails } = transaction
  if (status !== 'waiting_for_deposit') return
  const { arriving } = await reportedMoney(db, transaction.id)
  const details = arriving ? 'confirming' : null
  const isLate = fact.kind === 'deposit_seen' && arriving && fact.arrived_at > transaction.quoteExpiresAt
  const again =
    isLate && partner
      ? requote(ctx, partner, transaction, fact.method === null ? {} : { method: fact.method })
      : undefined
  if (again?.withinSlippage) {
    queries.insertQuotes(db, [quoteRow(again.transaction)])
    const { quote, quoteNumber, quoteExpiresAt, expectedTo, depositMethod } = again.transaction
    amend(ctx, db, transaction, {
      statusDetails: details,
      quote,
      quoteNumber,
      quoteExpiresAt,
      expectedTo,
      depositMethod,
    })
  } else if (details !== statusDetails) amend(ctx, db, transaction, { statusDetails: details })
}

/**
 * Money was taken back: by a reorganization, a chargeback, a recall. What was only seen is forgotten. What was booked is no longer
 * owed, as far as it is still there: a refund that has not been sent and an exchange of which nothing was paid out are undone for
 * it. The rest is our loss, and marks the customer, once a payment. A payment may be taken back in parts, each told by a fact of its
 * own: together never more than it was. A chain that takes back what was final is believed no more, until an operator says so.
 */
export async function settleReversal(
  ctx: Ctx,
  db: Atomic,
  outcome: Outcome,
  { fact, transaction: named, partner }: Maybe,
): Promise<void> {
  const [deposit] = await lockBookedDeposit(db, fact.rail, fact.payment)
  if (!deposit) {
    if (named && !named.isErased) await showConfirming(ctx, db, { fact, transaction: named, partner })
    return
  }
  // What came for somebody who was erased by then lies in suspense.
  const transaction = named?.isErased && deposit.transaction_id === null ? undefined : named
  if (fact.transaction_id === null && deposit.transaction_id !== null && deposit.matched_at !== null) {
    throw new Error(`Deposit ${deposit.id} was found to be somebody's while its recall was read: it is read again.`)
  }
  const isTheirs = deposit.transaction_id === (transaction?.id ?? null)
  const amount = fact.amount
  const left = deposit.amount - deposit.taken_back
  if (!isTheirs || deposit.asset !== fact.asset || amount > left) {
    ctx.log.warn({ fact: String(fact.id), rail: fact.rail }, 'What is said to be taken back is not what was booked.')
    return
  }
  const rail = ctx.rails.deposit(deposit.rail)
  if (rail === undefined) throw new Error(`There is no rail ${deposit.rail} in this process.`)
  const at = ctx.clock.now()
  if (rail.deposit.confirmations !== undefined)
    haltRail(db, { rail: rail.name, since: at, reason: 'A final deposit was undone.' })
  // The first has its deposit's id, as all had before there were others.
  const ref = deposit.taken_back === 0n ? deposit.id : await ctx.rowIds.next()
  const taken = { deposit, eventId: fact.id, ref, amount, place: rail.custodyAccount, at }
  if (transaction && partner) await takeFrom(ctx, db, outcome, { ...taken, transaction, partner })
  else await takeFromNobody(ctx, db, outcome, taken)
}

type Maybe = { fact: MatchedEvent; transaction: Transaction | undefined; partner: Partner | undefined }

type Taken = { deposit: BookedDeposit; eventId: bigint; ref: bigint; amount: bigint; place: string; at: Date }

type TakenFrom = Taken & { transaction: Transaction; partner: Partner }

async function takeFromNobody(ctx: Ctx, db: Atomic, outcome: Outcome, taken: Taken): Promise<void> {
  const { deposit, amount, place, at, ref, eventId } = taken
  const refunds = await lockRefundsOf(db, deposit.id)
  const payouts = await lockRefundPayouts(
    db,
    refunds.map(({ id }) => id),
  )
  const back = await cancelRefunds(ctx, db, { depositId: deposit.id, owner: suspense }, { refunds, payouts })
  const [theirs, loss] = shared({ ...deposit, refunded: deposit.refunded - back }, amount)
  takeBack(db, { id: ref, depositId: deposit.id, eventId, amount, lost: loss })
  outcome.entries.push(suspenseReversalEntry({ ref, asset: deposit.asset, theirs, loss }, place, at))
}

/** What of an amount that is taken back is still the customer's, and what is our loss. */
function shared(deposit: BookedDeposit, amount: bigint): [theirs: bigint, loss: bigint] {
  const free = freeOf(deposit)
  return free < amount ? [free, amount - free] : [amount, 0n]
}

async function takeFrom(ctx: Ctx, db: Atomic, outcome: Outcome, taken: TakenFrom): Promise<void> {
  const { transaction, partner, amount, place, at, ref, eventId } = taken
  const deposit = await freed(ctx, db, taken)
  const [theirs, loss] = shared(deposit, amount)
  takeBack(db, { id: ref, depositId: deposit.id, eventId, amount, lost: loss })
  outcome.entries.push(reversalEntry(transaction, { ref, asset: deposit.asset, theirs, loss }, place, at))
  // That a chain undid its blocks is nobody's doing.
  const isChain = ctx.rails.deposit(deposit.rail)?.deposit.confirmations !== undefined
  const isTheirDoing = loss > 0n && deposit.state !== 'lost' && !isChain
  if (isTheirDoing && transaction.customerId !== null) markChargeback(db, transaction.customerId)
  const reason = loss > 0n ? lostReason : 'The payment was taken back.'
  const errors = [...transaction.errors, { code: 'payment_reversed', reason }].slice(-10)
  await goOn(ctx, db, outcome, {
    transaction,
    partner,
    cause: { kind: 'deposit_reversed', id: ref },
    reason,
    ...(loss > 0n ? { change: { errors }, isReported: true } : {}),
  })
}

const lostReason = 'The payment was taken back after it had been exchanged.'

/** The deposit once what can still be undone is undone: refunds first, then exchanges, as far as the amount needs them. */
async function freed(ctx: Ctx, db: Atomic, { deposit, amount, transaction }: TakenFrom): Promise<BookedDeposit> {
  if (freeOf(deposit) >= amount) return deposit
  const money = await moneyOf(db, transaction)
  const owner = customer(transaction.publicId)
  const back = await cancelRefunds(ctx, db, { depositId: deposit.id, owner }, money)
  const less = { ...deposit, refunded: deposit.refunded - back }
  if (freeOf(less) >= amount || deposit.exchanged === 0n) return less
  if ((await undoExchanges(ctx, db, transaction, money)) === 0) return less
  const { deposits } = await moneyOf(db, transaction)
  return deposits.find(({ id }) => id === deposit.id) ?? less
}

/**
 * A payout came back: we hold the money again and owe it to the customer again, who is asked for another address; where the money
 * that paid for it was taken back meanwhile, a person decides. A refund that came back is asked for another address too, if it
 * went to one. Tells whether it was done: not where it belongs to no payout that was made, or is not what was paid.
 */
export async function settleReturn(
  ctx: Ctx,
  db: Atomic,
  outcome: Outcome,
  { fact, transaction, partner, payout }: Maybe & { payout: KeyedPayout | undefined },
): Promise<boolean> {
  if (!payout || (payout.transaction_id !== null && !transaction)) return false
  const amount = fact.amount
  const isWhatWasPaid = fact.asset === payout.asset && amount <= payout.amount
  if (!isWhatWasPaid || (await markReturned(db, payout.id)).length === 0) return false

  if (payout.refund_id !== null) {
    const mayAsk = payout.transaction_id !== null && isOnChain(payout.asset)
    markRefunds(db, [payout.refund_id], mayAsk ? 'address_needed' : 'failed')
  }
  const returned = { id: payout.id, transactionId: payout.transaction_id, asset: payout.asset, amount }
  const owner = transaction ? customer(transaction.publicId) : suspense
  await post(db, ctx, [returnEntry(owner, returned, payout.place, ctx.clock.now())])
  if (payout.refund_id !== null) await forgetRefund(ctx, db, transaction, payout.refund_id)
  if (!transaction || !partner) return true
  await goOn(ctx, db, outcome, {
    transaction,
    partner,
    cause: { kind: payout.refund_id === null ? 'payout_returned' : 'refund_returned', id: payout.id },
    reason: payout.refund_id === null ? 'The payout came back.' : 'The refund came back.',
  })
  return true
}
