import type { Ctx } from '../context.ts'
import { markChargeback } from '../customers/mark.ts'
import type { Atomic } from '../db/sql.ts'
import { hasLost, lockBookedDeposit, markTaken, moneyTold, standingDeposits } from '../deposits/deposit.ts'
import type { MatchedFact } from '../deposits/fact.ts'
import type { Partner } from '../partners/partner.ts'
import { type KeyedPayout, markReturned } from '../payouts/returned.ts'
import { amend } from './advance.ts'
import { lossEntry, returnEntry, reversalEntry, suspenseReversalEntry } from './book.ts'
import { quoteRow } from './create.ts'
import { depositMethodOf, flowOf } from './method.ts'
import type { Outcome } from './outcome.ts'
import * as queries from './queries.ts'
import { requote } from './requote.ts'
import type { Transaction } from './transaction.ts'

/** A fact and the transaction that it is about, locked. */
type Told = { fact: MatchedFact; transaction: Transaction }

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
  const { arriving } = await moneyTold(db, transaction.id)
  const details = arriving ? 'confirming' : null
  const isLate = fact.kind === 'deposit.seen' && arriving && fact.arrived_at > transaction.quoteExpiresAt
  const again = isLate && partner ? requote(ctx, partner, transaction, fact.method ?? undefined) : undefined
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
 * Money was taken back: by a reorganisation, a chargeback, a recall. What was only seen is forgotten. What was booked and not
 * exchanged is no longer owed. What was exchanged is our loss, and marks the customer; a payout that has not been planned is
 * stopped for a person.
 */
export async function settleReversal(
  ctx: Ctx,
  db: Atomic,
  outcome: Outcome,
  { fact, transaction, partner }: Maybe,
): Promise<void> {
  const [deposit] = await lockBookedDeposit(db, fact.rail, fact.body.payment)
  if (!deposit) {
    if (transaction) await showConfirming(ctx, db, { fact, transaction, partner })
    return
  }
  const isTheirs = deposit.transaction_id === (transaction?.id ?? null)
  const amount = BigInt(fact.body.amount)
  if (!isTheirs || deposit.state !== 'final' || deposit.asset !== fact.body.asset || amount > deposit.amount) {
    ctx.log.warn({ fact: String(fact.id), rail: fact.rail }, 'What is said to be taken back is not what was booked.')
    return
  }
  const place = ctx.rails.deposit.get(deposit.rail)?.place
  if (place === undefined) throw new Error(`There is no rail ${deposit.rail} in this process.`)
  const taken = { deposit: { ...deposit, amount }, place, at: ctx.clock.now() }
  if (!transaction) {
    markTaken(db, deposit.id, 'reversed')
    outcome.entries.push(suspenseReversalEntry(taken.deposit, place, taken.at))
  } else if (deposit.id === exchangedDeposit(transaction)) bookLoss(db, outcome, transaction, taken)
  else await bookReversal(db, outcome, transaction, taken)
}

type Maybe = { fact: MatchedFact; transaction: Transaction | undefined; partner: Partner | undefined }

type Taken = { deposit: { id: bigint; asset: string; amount: bigint }; place: string; at: Date }

/** The deposit that was exchanged: the one that first moved its transaction to `exchanging`. */
export function exchangedDeposit({ history }: Transaction): bigint | undefined {
  const [kind, id] = history.find(({ status }) => status === 'exchanging')?.fact.split(':') ?? []
  return kind === 'deposit' && id !== undefined ? BigInt(id) : undefined
}

/** What was not exchanged is no longer owed. A transaction that was held for nothing else is as finished as it was. */
async function bookReversal(
  db: Atomic,
  outcome: Outcome,
  transaction: Transaction,
  { deposit, place, at }: Taken,
): Promise<void> {
  markTaken(db, deposit.id, 'reversed')
  const isExpected = deposit.asset === transaction.from.asset.id
  const fromAmount = transaction.fromAmount - (isExpected ? deposit.amount : 0n)
  const exchanged = exchangedDeposit(transaction)
  const others = (await standingDeposits(db, transaction.id)).filter(({ id }) => id !== deposit.id && id !== exchanged)
  const isUnderWay = transaction.status === 'exchanging' || transaction.status === 'sending'
  const isPaid = transaction.toAmount !== null && others.length === 0
  const to = isUnderWay ? transaction.status : isPaid ? 'finished' : 'on_hold'
  const waitsFor = transaction.statusDetails === 'address_needed' ? 'address_needed' : 'review'
  const statusDetails = to === 'on_hold' ? waitsFor : null
  const change = { fromAmount, statusDetails } as const
  outcome.entries.push(reversalEntry(transaction, deposit, place, at))
  const reason = 'The payment was taken back.'
  outcome.steps.push({ transaction, fact: `deposit_reversed:${deposit.id}`, to, reason, change })
}

/** What was exchanged is our loss. */
function bookLoss(db: Atomic, outcome: Outcome, transaction: Transaction, { deposit, place, at }: Taken): void {
  markTaken(db, deposit.id, 'lost')
  // That a chain undid its blocks is nobody's doing.
  const isTheirDoing = flowOf(depositMethodOf(transaction).category) !== 'coin'
  if (isTheirDoing && transaction.customerId !== null) markChargeback(db, transaction.customerId)
  const to = transaction.status === 'exchanging' ? 'on_hold' : transaction.status
  const statusDetails = to === 'on_hold' ? 'review' : transaction.statusDetails
  const reason = 'The payment was taken back after it had been exchanged.'
  const errors = [...transaction.errors, { code: 'payment_reversed', reason }].slice(-10)
  outcome.entries.push(lossEntry(transaction, deposit, place, at))
  outcome.steps.push({
    transaction,
    fact: `deposit_reversed:${deposit.id}`,
    to,
    reason,
    change: { statusDetails, errors },
  })
}

/**
 * A payout came back: we hold the money again and owe it to the customer again, who is asked for another address; where the money
 * that paid for it was taken back meanwhile, a person decides. Tells whether it was done: not where it belongs to no payout that
 * was made, or is not what was paid.
 */
export async function settleReturn(
  ctx: Ctx,
  db: Atomic,
  outcome: Outcome,
  { fact, transaction, payout }: Pick<Maybe, 'fact' | 'transaction'> & { payout: KeyedPayout | undefined },
): Promise<boolean> {
  if (!transaction || !payout) return false
  const amount = BigInt(fact.body.amount)
  const isWhatWasPaid = fact.body.asset === payout.asset && amount <= payout.amount
  if (!isWhatWasPaid || (await markReturned(db, payout.id)).length === 0) return false

  const returned = { id: payout.id, asset: payout.asset, amount }
  const statusDetails = (await hasLost(db, transaction.id)) ? 'review' : 'address_needed'
  outcome.entries.push(returnEntry(transaction, returned, payout.place, ctx.clock.now()))
  outcome.steps.push({
    transaction,
    fact: `payout_returned:${payout.id}`,
    to: 'on_hold',
    reason: 'The payout came back.',
    change: { toAmount: null, outputHash: null, statusDetails },
  })
  return true
}
