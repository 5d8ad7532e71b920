import type { Ctx } from '../context.ts'
import type { Policy } from '../policies/policies.ts'
import { type Condition, readsPayments, type RiskRule } from '../policies/risk.ts'
import type { WatchedFrom } from './rail-event.ts'

/** Nobody who is less than this has been held by any rules so far. */
const most = { transactions: 20, cents: 500_000n }

const known = new WeakMap<Policy<'risk'>, WatchedFrom>()

/**
 * From which transactions of a customer on the rules that hold a payment may apply, so that the payments of all others need no look
 * at their customers. A customer with fewer than `transactions`, each worth less than `cents`, breaks no rule that counts. Customers
 * with a verification, a block or a chargeback are always looked at.
 */
export function watchedFrom(policy: Policy<'risk'>): WatchedFrom {
  const before = known.get(policy)
  if (before) return before
  const holding = policy.rules.filter(({ level }) => level === 'high' || level === 'prohibited')
  const found = holding.some(mayHoldAnybody) ? { transactions: 0, cents: 0n, atAddress: null } : countedFrom(holding)
  known.set(policy, found)
  return found
}

function countedFrom(rules: readonly RiskRule[]): WatchedFrom {
  const bounds = (facts: readonly string[]) =>
    rules.flatMap(({ when }) =>
      when.flatMap((one) => ('atLeast' in one && facts.includes(one.fact) ? [one.atLeast] : [])),
    )
  const countsOf = (...facts: string[]) => bounds(facts).map((bound) => Number.parseInt(String(bound), 10))
  const counts = countsOf('transactions_in_day', 'transactions_in_month')
  const atAddresses = countsOf('customers_at_address')
  const transactions = Math.min(most.transactions, ...counts)
  const each = bounds(['eur_in_month']).map((euros) => (euros * 100n) / BigInt(Math.max(transactions, 1)))
  return {
    transactions,
    cents: each.reduce((least, one) => (one < least ? one : least), most.cents),
    atAddress: atAddresses.length > 0 ? Math.min(...atAddresses) : null,
  }
}

/** Whether a rule may hold somebody of whom nothing is known, who has paid little, and whose country is served. */
const mayHoldAnybody = ({ when }: RiskRule): boolean => when.every(holdsAnybody)

function holdsAnybody(condition: Condition): boolean {
  // What a payment itself says is known when it comes, of anybody.
  if (readsPayments(condition)) return true
  if ('atLeast' in condition) return false
  const { fact, oneOf } = condition
  if (fact === 'country') return oneOf.some((tag) => tag !== 'blocked')
  if (fact === 'kyc_status') return oneOf.includes('not_started')
  return oneOf.includes(fact === 'kyc_level' ? 'none' : 'no')
}

/** Whether every payment is looked at: where the partner has separate rules, or the country has been blocked since. */
export function watchesAll(
  { policies }: Pick<Ctx, 'policies'>,
  { partnerId, country }: { partnerId: bigint; country: string | null },
  now: Date,
): boolean {
  if (policies.at(now, 'risk', partnerId).partnerId !== null) return true
  if (policies.at(now, 'screening', partnerId).partnerId !== null) return true
  return country !== null && policies.at(now, 'countries', partnerId).rules.blocked.has(country)
}
