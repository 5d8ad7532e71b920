import { after } from '../../platform/lib/clock.ts'
import { formatAmount } from '../../platform/money/amount.ts'
import { listingById } from '../../reference/catalog/asset.ts'
import type { Side } from '../../reference/catalog/payment-method.ts'
import { riskOf } from '../compliance/risk.ts'
import type { Ctx } from '../context.ts'
import { type CustomerProfile, profilesOf } from '../customers/profile.ts'
import { findPartners } from '../partners/known.ts'
import type { Partner } from '../partners/partner.ts'
import type { Kind } from '../policies/kinds.ts'
import type { Policies, Policy } from '../policies/policies.ts'
import { type FeeSchedule, scheduleOf } from '../pricing/fees.ts'
import { partsOf, wholeParts } from '../pricing/price.ts'
import { methodOf } from '../transactions/method.ts'
import { priceValidityMs } from '../transactions/policy.ts'
import { replayed, type ReplayRow, requotes } from './dry-run.sql.ts'

/** A count as it was under the policies of then, and as it would have been. */
type Compared = { before: number; after: number }

/** What the past would have been under a policy. Amounts are euros. */
export type DryRun = {
  days: number
  since: Date
  until: Date
  /** How many transactions it rests on. */
  transactions: number
  /** What the house's fees and spread came to on what was exchanged. */
  revenue: { currency: 'EUR'; before: string; after: string; change: string }
  /** Creates that would not have been taken. */
  refusals: Compared
  /** Orders that staff, or the customer, would have had to decide about. */
  holds: Compared
  /** Orders above what their customers may exchange. */
  limits: Compared
  /** Money that came after its price had ended. */
  repriced: Compared
}

const dayMs = 86_400_000
const cent = { decimals: 2 }
/** Revenue is counted in hundredths of a hundredth of a cent. */
const exact = 10_000n

type Replay = {
  policies: Pick<Policies, 'at'>
  profiles: ReadonlyMap<bigint, CustomerProfile>
  partners: ReadonlyMap<bigint, Partner>
}

/**
 * Replays the transactions of the last days under the policies that held then, and with a candidate among them. Writes nothing.
 * Customers and accounts are judged as they are known now; prices of then are taken as they were, and nobody behaves otherwise.
 */
export async function dryRun(ctx: Ctx, { candidate, days }: { candidate: Policy; days: number }): Promise<DryRun> {
  const until = ctx.clock.now()
  const since = after(until, -days * dayMs)
  const isOfKind = ({ kind, partnerId }: ReplayRow) =>
    (candidate.partnerId === null || candidate.partnerId === partnerId) &&
    (candidate.kind === 'b2b' ? kind === 'b2b' : candidate.kind !== 'fees' || kind === 'retail')
  const all = await replayed(ctx.db, after(since, -longestPeriodMs(ctx, candidate)))
  const rows = all.filter((row) => row.createdAt >= since && isOfKind(row))
  const profiles = personal.has(candidate.kind) ? await profilesBy(ctx, rows) : new Map<bigint, CustomerProfile>()
  const partners = await findPartners(ctx, [...new Set(rows.map(({ partnerId }) => partnerId))])
  const [was, is] = [
    { policies: ctx.policies, profiles, partners },
    { policies: withCandidate(ctx.policies, candidate), profiles, partners },
  ]
  const compared = (count: (replay: Replay) => number): Compared => ({ before: count(was), after: count(is) })
  const late =
    candidate.kind === 'slippage'
      ? await requotes(
          ctx.db,
          rows.map(({ id }) => id),
        )
      : []

  const [revenueWas, revenueIs] = [was, is].map((replay) => sumOf(rows, (row) => revenueOf(replay, row)))
  const euros = (value = 0n) => formatAmount(value / exact, cent)
  return {
    days,
    since,
    until,
    transactions: rows.length,
    revenue: {
      currency: 'EUR',
      before: euros(revenueWas),
      after: euros(revenueIs),
      change: euros((revenueIs ?? 0n) - (revenueWas ?? 0n)),
    },
    refusals: compared((replay) => rows.filter((row) => isRefused(replay, row)).length),
    holds: compared((replay) => rows.filter((row) => isHeld(replay, row)).length + lateUnder(replay, late)),
    limits: compared((replay) => overLimit(replay, all, new Set(rows))),
    repriced: compared((replay) => rows.filter((row) => isRepriced(replay, row)).length),
  }
}

/** Kinds that look at who a customer is. */
const personal: ReadonlySet<Kind> = new Set(['limits', 'risk', 'screening', 'countries'])

const longestPeriodMs = ({ policies, clock }: Ctx, candidate: Policy): number => {
  if (candidate.kind !== 'limits') return 0
  const rules = [policies.at(clock.now(), 'limits').rules, (candidate as Policy<'limits'>).rules]
  return Math.max(0, ...rules.flatMap((one) => Object.values(one).flat()).map(({ periodMs }) => periodMs))
}

async function profilesBy(ctx: Ctx, rows: readonly ReplayRow[]): Promise<Map<bigint, CustomerProfile>> {
  const ids = [...new Set(rows.flatMap(({ partnerCustomerId }) => partnerCustomerId ?? []))]
  const profiles = new Map<bigint, CustomerProfile>()
  for (let at = 0; at < ids.length; at += 500) {
    for (const one of await profilesOf(ctx, ctx.db, ids.slice(at, at + 500))) profiles.set(one.id, one)
  }
  return profiles
}

const sumOf = (rows: readonly ReplayRow[], of: (row: ReplayRow) => bigint): bigint =>
  rows.reduce((sum, row) => sum + of(row), 0n)

/** Fees and spread on what was exchanged, in hundredths of a hundredth of a cent. A commission is the partner's. */
function revenueOf({ policies, partners }: Replay, row: ReplayRow): bigint {
  const { exchangedCents: cents, commissionBasisPoints, side, createdAt, partnerId } = row
  const [from, to] = [listingById(row.fromAsset), listingById(row.toAsset)]
  if (cents === null || cents === 0n || !from || !to) return 0n
  const policy = policies.at(createdAt, row.kind === 'b2b' ? 'b2b' : 'fees', partnerId)
  const volume = partners.get(partnerId)?.volumeCents
  const schedule = scheduleOf(policy, from.asset.ticker, to.asset.ticker, volume)
  const part = (basisPoints: number, of = cents) => of * partsOf(basisPoints)
  const [least, service] = [centsIn(schedule.serviceMinimum) * wholeParts, servicePart(schedule, side, cents)]
  const { methods, fixed } = policy.rules
  const [wayIn, wayOut] = [methodOf(from, row.depositMethod).category, methodOf(to, row.payoutMethod).category]
  const fees =
    (service > least ? service : least) +
    part(methods.get(wayIn)?.deposit ?? 0) +
    part(methods.get(wayOut)?.payout ?? 0) +
    (centsIn(fixed.get(wayIn)?.deposit ?? '0') + centsIn(fixed.get(wayOut)?.payout ?? '0')) * wholeParts
  const converted = cents * wholeParts - fees - part(commissionBasisPoints)
  if (converted <= 0n) return 0n
  const revenue = fees + (converted * partsOf(schedule.spreadBasisPoints[side])) / wholeParts
  return (revenue * exact) / wholeParts
}

/** The service fee of an amount in cents, times `wholeParts`: each part of it has the share of its tier. */
function servicePart({ serviceBasisPoints, serviceTiers }: FeeSchedule, side: Side, cents: bigint): bigint {
  let share = partsOf(serviceBasisPoints[side])
  let sum = cents * share
  for (const { above, basisPoints } of serviceTiers) {
    const beyond = cents - centsIn(above)
    if (beyond <= 0n) break
    sum += beyond * (partsOf(basisPoints[side]) - share)
    share = partsOf(basisPoints[side])
  }
  return sum
}

function isRefused({ policies }: Replay, { country, createdAt, partnerId, kind }: ReplayRow): boolean {
  if (country === null || kind === 'b2b') return false
  return policies.at(createdAt, 'countries', partnerId).rules.blocked.has(country)
}

function isHeld({ policies, profiles }: Replay, row: ReplayRow): boolean {
  const { createdAt, partnerId, partnerCustomerId, paidCents } = row
  const above = policies.at(createdAt, 'approvals', partnerId).rules.payoutsAboveEurCents
  if (above !== undefined && paidCents !== null && paidCents > above) return true
  const profile = partnerCustomerId === null ? undefined : profiles.get(partnerCustomerId)
  if (!profile) return false
  const { level } = riskOf(profile.facts, {
    rules: policies.at(createdAt, 'risk', partnerId).rules,
    countries: policies.at(createdAt, 'countries', partnerId).rules,
    hits: policies.at(createdAt, 'screening', partnerId).rules.hits,
  })
  return level === 'high' || level === 'prohibited'
}

function lateUnder({ policies }: Replay, late: Awaited<ReturnType<typeof requotes>>): number {
  return late.filter(({ at, partnerId, was, is }) => {
    const { boundBasisPoints } = policies.at(at, 'slippage', partnerId).rules
    return is * exact < was * (exact - BigInt(boundBasisPoints))
  }).length
}

/** Orders in the order in which they were to be paid; what fits is used up, what does not is counted. */
function overLimit({ policies, profiles }: Replay, all: readonly ReplayRow[], counted: ReadonlySet<ReplayRow>): number {
  const used = new Map<bigint, { at: number; cents: bigint }[]>()
  let over = 0
  for (const row of all) {
    const { customerId, awaitedAt, cents, partnerId, partnerCustomerId } = row
    if (row.kind === 'b2b' || customerId === null || awaitedAt === null || cents === null) continue
    const { level } = (partnerCustomerId === null ? undefined : profiles.get(partnerCustomerId))?.kyc ?? {
      level: 'none',
    }
    const limits = policies.at(awaitedAt, 'limits', partnerId).rules[level === 'none' ? 'unverified' : level]
    const earlier = used.get(customerId) ?? []
    const fits = limits.every(({ periodMs, max }) => {
      const recent = earlier.filter(({ at }) => at > awaitedAt.getTime() - periodMs)
      return recent.reduce((sum, one) => sum + one.cents, cents) <= max
    })
    if (!fits && counted.has(row)) over += 1
    if (fits) used.set(customerId, [...earlier, { at: awaitedAt.getTime(), cents: row.exchangedCents ?? 0n }])
  }
  return over
}

function isRepriced({ policies }: Replay, row: ReplayRow): boolean {
  const from = listingById(row.fromAsset)
  if (row.arrivedAt === null || row.awaitedAt === null || !from) return false
  const { category } = methodOf(from, row.depositMethod)
  const { rules } = policies.at(row.createdAt, 'validity', row.partnerId)
  return row.arrivedAt.getTime() > row.pricedAt.getTime() + priceValidityMs(rules, { category, kind: row.kind })
}

/** Euros as the schedules have them, at most two decimals. */
function centsIn(text: string): bigint {
  const [whole = '', fraction = ''] = text.split('.')
  return BigInt(whole + fraction.padEnd(2, '0'))
}

/** The policies with a candidate in its place, at any time. */
export const withCandidate = (policies: Pick<Policies, 'at'>, candidate: Policy): Pick<Policies, 'at'> => ({
  at: (time, kind, partnerId) => {
    const held = policies.at(time, kind, partnerId)
    if (kind !== candidate.kind) return held
    const isFor = candidate.partnerId === null ? held.partnerId === null : partnerId === candidate.partnerId
    return isFor ? (candidate as never) : held
  },
})
