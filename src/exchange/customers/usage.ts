import type { Db } from '../../platform/db/sql.ts'
import { after } from '../../platform/lib/clock.ts'
import type { LimitRules, PeriodLimit } from '../policies/limits.ts'
import * as queries from './customer-limit.sql.ts'
import type { KycLevel } from './kyc-levels.ts'

/** What a policy allows at a level of verification. */
export const limitsAt = (rules: LimitRules, level: KycLevel): readonly PeriodLimit[] =>
  rules[level === 'none' ? 'unverified' : level]

/** Whose usage, counted back from a moment of business time, without one transaction. */
export type Usage = { customerId: bigint; at: Date; besides: bigint | null }

/** What a person has used of each limit, in euro cents. */
export const usedOf = async (
  db: Db,
  limits: readonly PeriodLimit[],
  { customerId, at, besides }: Usage,
): Promise<bigint[]> => {
  if (limits.length === 0) return []
  return queries.used(db, customerId, { since: limits.map(({ periodMs }) => after(at, -periodMs)), besides })
}
