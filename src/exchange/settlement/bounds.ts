import { resolve } from '../availability/resolve.ts'
import type { Ctx } from '../context.ts'
import { customerLimit } from '../customers/customer-limit.ts'
import { lockCustomerLimit } from '../customers/customer-limit.sql.ts'
import { type CustomerProfile as CustomerStanding, profilesOf } from '../customers/profile.ts'
import type { Atomic, Db } from '../../platform/db/sql.ts'
import { depositsOf } from './deposit.ts'
import type { Partner } from '../partners/partner.ts'
import { type Bounds, freeExpected, type PriceWord, type Standing } from './decide.ts'
import { ended } from '../transactions/lifecycle.ts'
import { flowOf, methodOf } from '../transactions/method.ts'
import { askOfTransaction, momentOf, termsOfPartner } from '../transactions/policy.ts'
import { requote } from './requote.ts'
import type { Transaction } from '../transactions/transaction.ts'

/** How and when money came: by which deposit method, when the rail first said that it is there, and when it told of it for good. */
export type Arrival = { cameBy: string; arrivedAt: Date; toldAt: Date }

/** Whose money it is, what stands of it, and how the last of it came; undefined where a person asks, now. */
export type Asked = {
  transaction: Transaction
  partner: Partner
  standing: Standing
  arrival: Arrival | undefined
}

/** The bounds of a transaction in which nothing of the agreed asset is free: nobody looks at them. */
const noBounds: Bounds = { tolerance: 0n, least: 0n, most: 0n, priceOf: () => 'none', isSuspect: false }

/** What of a transaction's money may be exchanged now, and at which price: by the pair, the account, the customer, the market. */
export async function boundsOf(ctx: Ctx, db: Db, asked: Asked): Promise<Bounds> {
  const { transaction, partner, standing, arrival } = asked
  if (freeExpected(standing) === 0n) return noBounds
  if (transaction.isErased) return { ...noBounds, isSuspect: true }
  const cameBy = arrival?.cameBy ?? transaction.depositMethod
  const outcome = resolve(
    momentOf(ctx, ctx.clock.now()),
    termsOfPartner(partner, transaction.kind),
    askOfTransaction({ ...transaction, depositMethod: cameBy }),
  )
  const range = outcome.available ? outcome.exchange.range : { min: 0n, max: standing.agreed }
  const customer = await customerOf(ctx, db, transaction)
  const room = await roomOf(ctx, db, transaction)
  return {
    tolerance: (standing.agreed * BigInt(partner.settings.underpaymentBasisPoints)) / 10_000n,
    least: range.min,
    most: room !== undefined && room < range.max ? room : range.max,
    priceOf: (amount) => priceWord(ctx, asked, amount),
    isSuspect: customer !== undefined && isSuspect(customer),
  }
}

/**
 * Lets nobody else count what a customer may still exchange until this block ends, which is about to use something of it: two of
 * theirs at once never take the same room. Before `boundsOf`, by whoever does what it allows.
 */
export function lockRoom(db: Atomic, { kind, customerId }: Transaction, standing: Standing): void {
  if (kind === 'retail' && customerId !== null && freeExpected(standing) > 0n) lockCustomerLimit(db, customerId)
}

async function customerOf(ctx: Ctx, db: Db, transaction: Transaction): Promise<CustomerStanding | undefined> {
  const { kind, partnerCustomerId } = transaction
  if (kind === 'b2b' || partnerCustomerId === null) return undefined
  return (await profilesOf(ctx, db, [partnerCustomerId]))[0]
}

const isSuspect = ({ status, risk }: CustomerStanding): boolean =>
  status === 'blocked' || risk.level === 'high' || risk.level === 'prohibited'

/**
 * What a customer may still exchange in a transaction, in units of what it takes, beside what everything else of theirs has used
 * and is about to, and less what it has exchanged itself; undefined where its worth is not known.
 */
async function roomOf(ctx: Ctx, db: Db, transaction: Transaction): Promise<bigint | undefined> {
  const { id, kind, customerId, fromAmountInEur: cents, expectedFrom } = transaction
  if (kind === 'b2b' || cents === null || cents === 0n) return undefined
  const left = await customerLimit(ctx, db, customerId, ctx.clock.now(), { besides: id })
  if (left === undefined) return undefined
  const own = (await depositsOf(db, id)).reduce((sum, { exchanged }) => sum + exchanged, 0n)
  const room = (left * expectedFrom) / cents - own
  return room > 0n ? room : 0n
}

/** What holds of a price for an amount. */
function priceWord(ctx: Ctx, { transaction, partner, standing, arrival }: Asked, amount: bigint): PriceWord {
  const cameBy = arrival?.cameBy ?? transaction.depositMethod
  const isFirst = !standing.isExchanged && !ended.has(transaction.status)
  const isPricedNow = flowOf(methodOf(transaction.from, cameBy).category) === 'transfer'
  if (isFirst && cameBy === transaction.depositMethod && !isPricedNow) {
    if ((arrival?.arrivedAt ?? ctx.clock.now()) <= transaction.quoteExpiresAt) return 'agreed'
    // It was seen before, and priced then: what was beyond the bound at its arrival is not tried again at a better moment.
    if (arrival && arrival.toldAt > arrival.arrivedAt) return 'far'
  }
  const again = requote(ctx, partner, transaction, { method: cameBy, amount })
  if (!again) return 'none'
  return again.withinSlippage ? 'near' : 'far'
}
