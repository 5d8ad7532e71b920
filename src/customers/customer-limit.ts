import type { Ctx } from '../context.ts'
import type { Atomic, Db } from '../db/sql.ts'
import { after } from '../lib/clock.ts'
import { Refusal } from '../lib/refusal.ts'
import { customerLimits, periodMs } from './data/limits.ts'
import { openImport } from './imported.ts'
import * as queries from './limit/queries.ts'
import { levelThatHolds } from './standing.ts'

/**
 * What is left of a customer's own limits at a moment of business time, in euro cents: the least that any period leaves, by the
 * level of verification that holds then, at this operator as a whole. What came in and what open transactions expect is used;
 * `besides` (a transaction's own row) is not counted, so that a transaction can be held against what the others leave. Never
 * below zero; undefined for nobody: who has not proven an address has no limits of their own yet.
 */
export async function customerLimit(
  ctx: Pick<Ctx, 'keyring'>,
  db: Db,
  customerId: bigint | null,
  at: Date,
  { besides = null }: { besides?: bigint | null } = {},
): Promise<bigint | undefined> {
  if (customerId === null) return undefined
  const since = { dayAgo: after(at, -periodMs.day), monthAgo: after(at, -periodMs.month) }
  const [[used], rows] = await Promise.all([
    queries.used(db, customerId, { ...since, besides }),
    queries.importsOf(db, customerId),
  ])
  if (!used) throw new Error('What a customer has used is missing.')
  const imports = rows.flatMap(({ wrapped, ...row }) =>
    wrapped === null ? [] : [openImport(ctx.keyring.unwrap(row.dataKeyId, wrapped), row)],
  )
  const left = customerLimits.levels[levelThatHolds(imports, at)].map(({ period, max }) => max - used[period])
  const least = left.reduce((one, other) => (other < one ? other : one))
  return least > 0n ? least : 0n
}

/** What a transaction would add to what its customer has used, in euro cents; null where its worth is not known. */
export type Weighed = { id: bigint; customerId: bigint | null; fromAmountInEur: bigint | null }

/**
 * Refuses, at the checkout, an order beyond what is left of its customer's limits (FORBIDDEN): such an order is never told how to
 * pay. Until the block ends nobody else counts what this customer has, so that two orders at once cannot both take what is left.
 */
export async function refuseOverLimit(ctx: Pick<Ctx, 'keyring' | 'clock'>, db: Atomic, order: Weighed): Promise<void> {
  const { id, customerId, fromAmountInEur } = order
  if (customerId === null || fromAmountInEur === null) return
  queries.lockLimit(db, customerId)
  const left = await customerLimit(ctx, db, customerId, ctx.clock.now(), { besides: id })
  if (left === undefined || fromAmountInEur <= left) return
  const message =
    'This order is above what you may exchange at present. Please choose a smaller amount or come back later.'
  throw new Refusal('FORBIDDEN', message, [{ path: 'from_amount', code: 'CUSTOMER_LIMIT', message }])
}
