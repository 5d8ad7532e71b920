import type { Ctx } from '../context.ts'
import type { Atomic, Db } from '../../platform/db/sql.ts'
import { after } from '../../platform/lib/clock.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import { customerLimits, periodMs } from './data/limits.ts'
import { type Import, openImport } from './imported.ts'
import * as queries from './customer-limit.sql.ts'
import { kycLevelAt, reviewStatusAt } from './profile.ts'
import type { KycLevel } from './kyc-levels.ts'

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
  const { used, imports } = await usageOf(ctx, db, customerId, at, besides)
  return leftOf(used, kycLevelAt(imports, at))
}

/** What a customer has used, and their verifications. */
async function usageOf(
  { keyring }: Pick<Ctx, 'keyring'>,
  db: Db,
  customerId: bigint,
  at: Date,
  besides: bigint | null,
): Promise<{ used: queries.Used; imports: Import[] }> {
  const since = { dayAgo: after(at, -periodMs.day), monthAgo: after(at, -periodMs.month) }
  const [[used], rows] = await Promise.all([
    queries.used(db, customerId, { ...since, besides }),
    queries.importsOf(db, customerId),
  ])
  if (!used) throw new Error('A customer’s usage is missing.')
  const imports = rows.flatMap(({ wrapped, ...row }) =>
    wrapped === null ? [] : [openImport(keyring.unwrap(row.dataKeyId, wrapped), row)],
  )
  return { used, imports }
}

/** The least that any period leaves at a level; never below zero. */
function leftOf(used: queries.Used, level: KycLevel): bigint {
  const left = customerLimits.levels[level].map(({ period, max }) => max - used[period])
  const least = left.reduce((one, other) => (other < one ? other : one))
  return least > 0n ? least : 0n
}

/** What a transaction would add to what its customer has used, in euro cents; null where its worth is not known. */
export type Weighed = { id: bigint; customerId: bigint | null; fromAmountInEur: bigint | null }

/**
 * Checks an order at the checkout against its customer's limits. `within`: it may continue. `check`: it may continue after an
 * identity check, which a provider can do. Refuses what exceeds that limit too, and rejected customers (FORBIDDEN): such an order
 * never gets payment instructions. Locks the limit until the block ends, so that two concurrent orders cannot both use the rest.
 */
export async function judgeLimit(
  ctx: Pick<Ctx, 'keyring' | 'clock' | 'identity'>,
  db: Atomic,
  { id, customerId, fromAmountInEur }: Weighed,
): Promise<'within' | 'check'> {
  if (customerId === null || fromAmountInEur === null) return 'within'
  const now = ctx.clock.now()
  queries.lockCustomerLimit(db, customerId)
  const { used, imports } = await usageOf(ctx, db, customerId, now, id)
  const level = kycLevelAt(imports, now)
  if (fromAmountInEur <= leftOf(used, level)) return 'within'
  const canCheck = level === 'none' && reviewStatusAt(imports, now) !== 'rejected' && ctx.identity.forChecks()
  if (canCheck && fromAmountInEur <= leftOf(used, 'basic')) return 'check'
  const message =
    'This order is above what you may exchange at present. Please choose a smaller amount or come back later.'
  throw new Refusal('FORBIDDEN', message, [{ path: 'from_amount', code: 'CUSTOMER_LIMIT', message }])
}
