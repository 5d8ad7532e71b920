import type { Ctx } from '../context.ts'
import { exchangesOf } from '../ledger/transaction-entries.ts'
import type { Entry } from '../ledger/entry.ts'
import { post } from '../ledger/post.ts'
import type { Atomic, Db } from '../../platform/db/sql.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import { parseAmount } from '../../platform/money/amount.ts'
import { atSamePrice, withExcess } from '../pricing/explain.ts'
import { eurCentsOf, type Quote, type StoredQuote } from '../pricing/quote.ts'
import type { Change } from '../transactions/advance.ts'
import type { Transaction } from '../transactions/transaction.ts'
import { quotesOf } from '../transactions/transactions.sql.ts'
import type { Decision } from './decide.ts'
import { type Deposit, type DepositUse, lossOf, useDeposits } from './deposit.ts'
import { exchangeReversalEntry, recoveryEntry } from './entries.ts'
import type { PricedLimits } from './limits.ts'
import { cancelUnprepared, isOpen, isUnprepared } from './payout.ts'
import { type Funds, isOfExchange } from './position.ts'

/** The transaction at the price that an exchange is made at, and what changes of it. */
export type Exchange = { transaction: Transaction; isNewQuote: boolean; change: Change }

/** The exchange that was decided: at the agreed price as it is, or for another amount; at the price of this moment; or a part at each. */
export function exchangeAt(
  transaction: Transaction,
  exchange: Pick<NonNullable<Decision['exchange']>, 'amount' | 'atAgreedPrice'>,
  limits: Pick<PricedLimits, 'repriced'>,
): Exchange {
  const priced = pricedFor(transaction, exchange, limits)
  const { quote, quoteNumber, quoteExpiresAt, expectedFrom, expectedTo, depositMethod } = priced
  const isOther = expectedFrom !== transaction.expectedFrom
  return {
    transaction: priced,
    isNewQuote: quoteNumber !== transaction.quoteNumber,
    change: {
      quote,
      quoteNumber,
      quoteExpiresAt,
      expectedFrom,
      expectedTo,
      depositMethod,
      initialExpectedFrom: transaction.initialExpectedFrom ?? (isOther ? transaction.expectedFrom : null),
      fromAmountInEur: isOther ? eurCentsOf(quote, expectedFrom) : transaction.fromAmountInEur,
      errors: [],
    },
  }
}

function pricedFor(
  transaction: Transaction,
  { amount, atAgreedPrice: covered }: Parameters<typeof exchangeAt>[1],
  limits: Pick<PricedLimits, 'repriced'>,
): Transaction {
  if (covered === amount) return agreedFor(transaction, amount)
  const arrival = limits.repriced(amount)?.transaction
  if (!arrival) throw new Error('The price of a decided exchange is gone.')
  if (covered === 0n) return arrival
  return requoted(transaction, amount, withExcess(transaction.quote, { amount, covered, arrival: arrival.quote }))
}

function agreedFor(transaction: Transaction, amount: bigint): Transaction {
  const wasExchanged = transaction.history.some(({ status }) => status === 'exchanging')
  if (amount === transaction.expectedFrom && !wasExchanged) return transaction
  return requoted(transaction, amount, atSamePrice(transaction.quote, amount))
}

function requoted(transaction: Transaction, amount: bigint, priced: StoredQuote | undefined): Transaction {
  const quote = priced as Quote | undefined
  if (!quote) throw new Refusal('CONFLICT', 'Costs would consume the entire amount, so there is nothing to exchange.')
  return {
    ...transaction,
    quote,
    quoteNumber: transaction.quoteNumber + 1,
    expectedFrom: amount,
    expectedTo: parseAmount(quote.toAmount, transaction.to.asset),
  }
}

/**
 * Reverses the exchanges that were not paid out, the newest first: their payouts are cancelled if no payment is prepared, and what was
 * exchanged is free again, at the same price. A loss that it covers is recovered. Gives how many were reversed; none where a payout is
 * on its way.
 */
export async function reverseExchanges(ctx: Ctx, db: Atomic, transaction: Transaction, funds: Funds): Promise<number> {
  const unpaid = await reversibleExchanges(db, transaction, funds)
  if (unpaid.length === 0) return 0

  cancelUnprepared(db, funds.payouts.filter(isOfExchange))
  const at = ctx.clock.now()
  const asset = transaction.from.asset.id
  const entries: Entry[] = []
  const uses: DepositUse[] = []
  let deposits = funds.deposits
  for (const one of unpaid) {
    entries.push(exchangeReversalEntry(one, at))
    const given = giveBack(deposits, asset, parseAmount(one.quote.fromAmount, transaction.from.asset))
    const recovered = lossesOf(deposits) - lossesOf(given.deposits)
    const ref = BigInt(one.quoteNumber)
    if (recovered > 0n) entries.push(recoveryEntry(transaction, { ref, asset, amount: recovered }, at))
    uses.push(...given.uses)
    deposits = given.deposits
  }
  useDeposits(db, uses)
  await post(db, ctx, entries)
  return unpaid.length
}

const lossesOf = (deposits: Deposit[]): bigint => deposits.reduce((sum, deposit) => sum + lossOf(deposit), 0n)

/** The exchanges that can be reversed, the newest first; none where a payout is on its way. */
async function reversibleExchanges(db: Db, transaction: Transaction, funds: Funds): Promise<Transaction[]> {
  const isOnItsWay = funds.payouts.some((one) => isOfExchange(one) && isOpen(one) && !isUnprepared(one))
  return isOnItsWay ? [] : unpaidExchanges(db, transaction, funds)
}

/** The deposits as they would be once every exchange that was not paid out is reversed, and whether there is one. */
export async function depositsIfReversed(
  db: Db,
  transaction: Transaction,
  funds: Funds,
): Promise<{ deposits: Deposit[]; isReversing: boolean }> {
  const unpaid = await reversibleExchanges(db, transaction, funds)
  const amounts = unpaid.map(({ quote }) => parseAmount(quote.fromAmount, transaction.from.asset))
  const asset = transaction.from.asset.id
  const deposits = amounts.reduce((before, amount) => giveBack(before, asset, amount).deposits, funds.deposits)
  return { deposits, isReversing: unpaid.length > 0 }
}

/** The exchanges whose payouts were not made, or came back whole, the newest first: together they owe no more than is owed. */
async function unpaidExchanges(
  db: Db,
  transaction: Transaction,
  { owedForExchanges: owed, payouts }: Funds,
): Promise<Transaction[]> {
  const [numbers, quotes] = await Promise.all([exchangesOf(db, transaction.id), quotesOf(db, transaction.publicId)])
  const paid = payouts.filter((payout) => isOfExchange(payout) && payout.state === 'paid').map((one) => one.amount)
  const unpaid: Transaction[] = []
  let left = owed
  for (const { number } of numbers) {
    const quote = quotes.find((one) => BigInt(one.number) === number)?.quote as Quote | undefined
    if (!quote) throw new Error(`The quote ${number} of an exchange is missing.`)
    const promised = parseAmount(quote.toAmount, transaction.to.asset)
    const payout = paid.indexOf(promised)
    if (payout >= 0) paid.splice(payout, 1)
    else if (promised <= left) {
      left -= promised
      unpaid.push({ ...transaction, quote, quoteNumber: Number.parseInt(String(number), 10) })
    }
  }
  return unpaid
}

/**
 * Takes an exchanged amount off deposits again: off the one with exactly that exchanged, else the newest first, as they were
 * used oldest first.
 */
function giveBack(deposits: Deposit[], asset: string, amount: bigint): { uses: DepositUse[]; deposits: Deposit[] } {
  const uses: DepositUse[] = []
  let left = amount
  const own = deposits.findLast((deposit) => deposit.asset === asset && deposit.exchanged === amount)
  const changed = deposits.toReversed().map((deposit) => {
    if (deposit.asset !== asset || (own && deposit !== own)) return deposit
    const given = deposit.exchanged < left ? deposit.exchanged : left
    if (given === 0n) return deposit
    left -= given
    uses.push({ id: deposit.id, exchanged: -given, refunded: 0n })
    return { ...deposit, exchanged: deposit.exchanged - given }
  })
  if (left > 0n) throw new Error('The amount to give back exceeds what was exchanged from the deposits.')
  return { uses, deposits: changed.toReversed() }
}
