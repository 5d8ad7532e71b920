import { formatAmount } from '../../platform/money/amount.ts'
import type { FeeRules } from '../policies/fees.ts'
import type { Policy } from '../policies/policies.ts'
import { partsOf } from './price.ts'

/** Whom a fee is for. The ledger has an account for each. */
export type FeeKind = 'service' | 'deposit' | 'payout' | 'partner'

/** The names under which partners and customers read the fees. */
export const feeNames: Readonly<Record<FeeKind, string>> = {
  service: 'Service fee',
  deposit: 'Payment method fee',
  payout: 'Payout method fee',
  partner: 'Partner fee',
}

/** A price list as it applies to one pair. */
export type FeeSchedule = Pick<
  FeeRules,
  'serviceBasisPoints' | 'serviceTiers' | 'serviceMinimum' | 'spreadBasisPoints'
> & {
  /** The policy that it is of. */
  kind: 'fees' | 'b2b'
  version: number
}

/** What a policy asks for a pair of tickers, of an account whose orders came to so much in 30 days. */
export function scheduleOf(
  { kind, version, rules }: Policy<'fees' | 'b2b'>,
  from: string,
  to: string,
  volumeCents = 0n,
): FeeSchedule {
  const { service, spread } = rules.pairs.get(`${from}/${to}`) ?? {}
  const reached = rules.volumes.findLast(({ fromCents }) => volumeCents >= fromCents)?.basisPoints
  // No tier asks more than the volume does.
  const tiers = rules.serviceTiers.map((tier) =>
    reached ? { ...tier, basisPoints: least(tier.basisPoints, reached) } : tier,
  )
  return {
    kind,
    version,
    serviceMinimum: rules.serviceMinimum,
    serviceTiers: service === undefined ? tiers : [],
    serviceBasisPoints: service === undefined ? (reached ?? rules.serviceBasisPoints) : everySide(service),
    spreadBasisPoints: spread === undefined ? rules.spreadBasisPoints : everySide(spread),
  }
}

type BySide = FeeRules['serviceBasisPoints']

const least = (one: BySide, other: BySide): BySide => ({
  buy: Math.min(one.buy, other.buy),
  sell: Math.min(one.sell, other.sell),
  swap: Math.min(one.swap, other.swap),
})

const everySide = (basisPoints: number) => ({ buy: basisPoints, sell: basisPoints, swap: basisPoints })

/** Basis points as partners read them: 50 is `0.5%`. */
export const percentText = (basisPoints: number): string =>
  // Each estimate says several: a number of at most two decimals prints as it is, and no other way is as quick.
  Number.isInteger(basisPoints) ? `${basisPoints / 100}%` : `${formatAmount(partsOf(basisPoints), { decimals: 8 })}%`

/** What a fee charges. */
type Charging = { basisPoints: number; tiers?: unknown; fixed?: unknown }

/**
 * The share that a fee took of what was paid: its rule's, where that is one share of any amount; else what it came to, rounded to a
 * hundredth of a percent.
 */
export function sharePaid(rule: Charging, amount: bigint, paid: bigint): number {
  if ((rule.tiers === undefined && rule.fixed === undefined) || paid === 0n) return rule.basisPoints
  const twice = (amount * 20_000n) / paid
  return Number.parseInt(String((twice + 1n) / 2n), 10)
}
