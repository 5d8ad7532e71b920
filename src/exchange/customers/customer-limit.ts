import type { Ctx } from '../context.ts'
import type { Atomic, Db } from '../../platform/db/sql.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import type { PeriodLimit } from '../policies/limits.ts'
import * as queries from './customer-limit.sql.ts'
import { type Import, openImport } from './imported.ts'
import { kycLevelAt, reviewStatusAt } from './profile.ts'
import { limitsAt, type Usage, usedOf } from './usage.ts'
import { traitsOf } from './traits.ts'
import { addTraits, lockPerson } from './traits.sql.ts'
import { logRefused } from '../policies/refused.ts'
import type { RiskRule } from '../policies/risk.ts'

/**
 * What is left of a person's limits at a moment of business time, in euro cents: the least that any period leaves, by the level of
 * verification that holds then, at this operator as a whole, over everything that is known to belong to the person. What came in
 * and what open transactions expect is used; `besides` (a transaction's own row) is not counted, so that a transaction can be held
 * against what the others leave. Never below zero; undefined where there is no limit, and for who has not proven an address yet.
 */
export async function customerLimit(
  ctx: Pick<Ctx, 'keyring' | 'policies'>,
  db: Db,
  { customerId, partnerId }: { customerId: bigint | null; partnerId: bigint },
  at: Date,
  { besides = null }: { besides?: bigint | null } = {},
): Promise<bigint | undefined> {
  if (customerId === null) return undefined
  const imports = await readImports(ctx, db, customerId)
  const { rules } = ctx.policies.at(at, 'limits', partnerId)
  return leftOf(db, limitsAt(rules, kycLevelAt(imports, at)), { customerId, at, besides })
}

async function readImports({ keyring }: Pick<Ctx, 'keyring'>, db: Db, customerId: bigint): Promise<Import[]> {
  const rows = await queries.importsOf(db, customerId)
  return rows.flatMap(({ wrapped, ...row }) =>
    wrapped === null ? [] : [openImport(keyring.unwrap(row.dataKeyId, wrapped), row)],
  )
}

/** Whether a rule counts the customers of an address. Where none does, no address is kept. */
const countsAddresses = (rules: readonly RiskRule[]): boolean =>
  rules.some(({ when }) => when.some(({ fact }) => fact === 'customers_at_address'))

/** The least that any limit leaves, never below zero; undefined without limits. */
async function leftOf(db: Db, limits: readonly PeriodLimit[], usage: Usage): Promise<bigint | undefined> {
  const used = await usedOf(db, limits, usage)
  const least = limits.map(({ max }, at) => max - (used[at] ?? 0n)).toSorted((one, other) => (one < other ? -1 : 1))[0]
  return least !== undefined && least < 0n ? 0n : least
}

/**
 * What a transaction would add to what its customer has used, in euro cents; null where its worth is not known. `email` and
 * `account` (where a bank pays out to) say who the person is; `address` is where coins are paid out to, with the memo.
 */
export type Weighed = {
  id: bigint
  partnerId: bigint
  customerId: bigint | null
  fromAmountInEur: bigint | null
  email: string | null
  account: string | null
  address: string | null
}

/**
 * Checks an order at the checkout against its customer's limits. `within`: it may continue. `check`: it may continue after an
 * identity check, which a provider can do. Refuses what exceeds that limit too, and rejected customers (FORBIDDEN): such an order
 * never gets payment instructions. Locks the person's limits until the block ends, so that two orders at once, also of two
 * addresses, cannot both use the rest.
 */
export async function judgeLimit(
  ctx: Pick<Ctx, 'keyring' | 'clock' | 'identity' | 'log' | 'policies' | 'secrets'>,
  db: Atomic,
  { id, partnerId, customerId, fromAmountInEur, email, account, address }: Weighed,
): Promise<'within' | 'check'> {
  if (customerId === null || fromAmountInEur === null) return 'within'
  const now = ctx.clock.now()
  const imports = await readImports(ctx, db, customerId)
  const documents = imports.flatMap(({ documents: known = [] }) => known)
  const isCounted = countsAddresses(ctx.policies.at(now, 'risk', partnerId).rules)
  const traits = traitsOf(ctx, { email, account, address: isCounted ? address : null, documents })
  addTraits(
    db,
    traits.map((trait) => ({ ...trait, customerId })),
    now,
  )
  lockPerson(db, customerId)
  const { rules } = ctx.policies.at(now, 'limits', partnerId)
  const level = kycLevelAt(imports, now)
  const usage = { customerId, at: now, besides: id }
  const left = await leftOf(db, limitsAt(rules, level), usage)
  if (left === undefined || fromAmountInEur <= left) return 'within'
  const canCheck = level === 'none' && reviewStatusAt(imports, now) !== 'rejected' && ctx.identity.forChecks()
  if (canCheck) {
    const verified = await leftOf(db, rules.basic, usage)
    if (verified === undefined || fromAmountInEur <= verified) return 'check'
  }
  const message =
    'This order is above what you may exchange at present. Please choose a smaller amount or come back later.'
  const refusal = new Refusal('FORBIDDEN', message, [{ path: 'from_amount', code: 'CUSTOMER_LIMIT', message }])
  logRefused(ctx, refusal, { partnerId, kinds: ['limits'] })
  throw refusal
}
