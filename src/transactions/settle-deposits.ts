import { assetById } from '../catalog/asset.ts'
import type { Ctx } from '../context.ts'
import type { Atomic } from '../db/sql.ts'
import { type Deposit, keepDeposits } from '../deposits/deposit.ts'
import { matchFacts, type MatchedFact } from '../deposits/fact.ts'
import type { Handler, Job } from '../jobs/job.ts'
import type { Entry } from '../ledger/entry.ts'
import { post } from '../ledger/post.ts'
import type { Partner } from '../partners/partner.ts'
import { findPartners } from '../partners/known.ts'
import { orderPayouts, type PayoutOrder } from '../payouts/order.ts'
import { advance, amend, type Step } from './advance.ts'
import { depositEntry, exchangeEntry, payoutOrder, suspenseEntry } from './book.ts'
import { lockTransactions } from './load.ts'
import * as queries from './queries.ts'
import { quoteRow } from './create.ts'
import { requote } from './requote.ts'
import type { StatusDetails, Transaction } from './transaction.ts'

/** Settles what rails told: matches each fact, books the money, and lets the transaction go on or stop for a person. */
export const settleDeposits = (ctx: Ctx): Handler => ({
  batch: 64,
  concurrency: 1,
  run: (jobs) => ctx.queue.finish(jobs, (db, held) => settle(ctx, db, held)),
})

/** What a batch of facts adds up to: all of it is written together. */
type Outcome = {
  deposits: Deposit[]
  entries: Entry[]
  steps: Step[]
  quotes: Transaction[]
  payouts: PayoutOrder[]
}

async function settle(ctx: Ctx, db: Atomic, jobs: Job[]): Promise<void> {
  const facts = (
    await matchFacts(
      db,
      jobs.map(({ key }) => BigInt(key)),
    )
  ).filter(({ booked }) => !booked)
  const ids = facts.flatMap(({ transaction_id }) => transaction_id ?? [])
  const transactions = await lockTransactions(ctx, db, ids)
  const partners = await findPartners(
    ctx,
    [...transactions.values()].map(({ partnerId }) => partnerId),
  )

  const outcome: Outcome = { deposits: [], entries: [], steps: [], quotes: [], payouts: [] }
  for (const fact of facts) {
    const transaction = fact.transaction_id === null ? undefined : transactions.get(fact.transaction_id)
    if (fact.kind === 'deposit.declined' && transaction) {
      transactions.set(transaction.id, decline(ctx, db, transaction, fact))
    } else if (fact.kind === 'deposit.final') {
      const moved = await settleMoney(
        ctx,
        outcome,
        fact,
        transaction,
        transaction && partners.get(transaction.partnerId),
      )
      if (moved) transactions.set(moved.id, moved)
    } else {
      // What is not a plain yes or no moves no money; the fact stays for people to read.
      ctx.log.warn({ fact: String(fact.id), rail: fact.rail, kind: fact.kind }, 'A fact was kept and nothing was done.')
    }
  }
  keepDeposits(db, outcome.deposits)
  if (outcome.quotes.length > 0) queries.insertQuotes(db, outcome.quotes.map(quoteRow))
  await advance(ctx, db, outcome.steps)
  await post(db, ctx, outcome.entries)
  await orderPayouts(ctx, db, outcome.payouts)
}

/** A payment that did not come about: the customer may try again until the deadline, and the record says so. */
function decline(ctx: Ctx, db: Atomic, transaction: Transaction, { body }: MatchedFact): Transaction {
  if (transaction.status !== 'waiting_for_deposit') return transaction
  const reason = body.reason ?? 'The card was declined.'
  return amend(ctx, db, transaction, { errors: [...transaction.errors, { code: 'card_declined', reason }].slice(-10) })
}

/**
 * Money is there for good. It is booked, whatever else: then the exchange goes on if amount, asset, time and price are as
 * agreed, and stops for a person if not. Gives the transaction as later facts of the same batch must see it.
 */
async function settleMoney(
  ctx: Ctx,
  outcome: Outcome,
  fact: MatchedFact,
  transaction: Transaction | undefined,
  partner: Partner | undefined,
): Promise<Transaction | undefined> {
  const at = ctx.clock.now()
  const asset = assetById(fact.body.asset)
  const amount = BigInt(fact.body.amount)
  if (!asset || amount <= 0n) throw new Error(`Fact ${fact.id} tells of money that is none.`)

  const deposit: Deposit = {
    id: await ctx.rowIds.next(),
    transactionId: transaction?.id ?? null,
    factId: fact.id,
    rail: fact.rail,
    asset: asset.id,
    amount,
    state: 'final',
    at,
  }
  const place = placeOf(ctx, fact.rail)
  outcome.deposits.push(deposit)
  if (!transaction || !partner) {
    outcome.entries.push(suspenseEntry(deposit, place, at))
    return undefined
  }
  outcome.entries.push(depositEntry(transaction, deposit, place, at))

  const arrived = asset.id === transaction.from.asset.id ? transaction.fromAmount + amount : transaction.fromAmount
  const doubt = doubtAbout(transaction, fact, asset.id, amount)
  const priced = doubt ? undefined : pricedFor(ctx, partner, transaction, fact.received_at)
  if (!priced) return stop(outcome, transaction, deposit, arrived, doubt ?? 'late')

  const exchanging = { ...priced, fromAmount: arrived, errors: [], statusDetails: null }
  const { quote, quoteNumber, quoteExpiresAt, expectedTo } = exchanging
  outcome.steps.push({
    transaction,
    fact: `deposit:${deposit.id}`,
    to: 'exchanging',
    change: { fromAmount: arrived, errors: [], quote, quoteNumber, quoteExpiresAt, expectedTo },
  })
  if (quoteNumber !== transaction.quoteNumber) outcome.quotes.push(exchanging)
  outcome.entries.push(exchangeEntry(exchanging, at))
  outcome.payouts.push(payoutOrder(ctx, exchanging))
  return { ...exchanging, status: 'exchanging' }
}

/** Why money cannot simply be exchanged; undefined when it is what was agreed. */
function doubtAbout(
  transaction: Transaction,
  fact: MatchedFact,
  asset: string,
  amount: bigint,
): StatusDetails | undefined {
  if (asset !== fact.asset || asset !== transaction.from.asset.id) return 'wrong_asset'
  if (transaction.fromAmount > 0n) return 'overpaid'
  if (transaction.status !== 'waiting_for_deposit') return 'late'
  if (amount < transaction.expectedFrom) return 'underpaid'
  if (amount > transaction.expectedFrom) return 'overpaid'
  return undefined
}

/** The transaction at the price that holds for money that came then; undefined when its customer has to be asked. */
function pricedFor(ctx: Ctx, partner: Partner, transaction: Transaction, arrivedAt: Date): Transaction | undefined {
  if (arrivedAt <= transaction.quoteExpiresAt) return transaction
  const again = requote(ctx, partner, transaction)
  return again?.withinSlippage ? again.transaction : undefined
}

/** Money that is not what was agreed stays the customer's, and the transaction waits for a decision. */
function stop(
  outcome: Outcome,
  transaction: Transaction,
  deposit: Deposit,
  arrived: bigint,
  doubt: StatusDetails,
): Transaction {
  const underWay = transaction.status === 'exchanging' || transaction.status === 'sending'
  const to = underWay ? transaction.status : 'on_hold'
  outcome.steps.push({
    transaction,
    fact: `deposit:${deposit.id}`,
    to,
    reason: reasons[doubt] ?? doubt,
    change: { fromAmount: arrived, statusDetails: doubt },
  })
  return { ...transaction, fromAmount: arrived, status: to }
}

const reasons: Partial<Record<StatusDetails, string>> = {
  wrong_asset: 'Money of another currency arrived.',
  overpaid: 'More money arrived than was agreed.',
  underpaid: 'Less money arrived than was agreed.',
  late: 'Money arrived when its price no longer held.',
}

function placeOf({ rails }: Ctx, name: string): string {
  const rail = rails.deposit.get(name)
  if (!rail) throw new Error(`There is no rail ${name} in this process.`)
  return rail.place
}
