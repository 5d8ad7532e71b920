import type { Ctx } from '../context.ts'
import type { Db } from '../../platform/db/sql.ts'
import { missingFieldsOf, type Person as VerifiedPerson, type ReviewStatus } from '../../identity/provider.ts'
import { type PaymentFacts, type Risk, type RiskFacts, riskOf, type RiskPolicies } from '../compliance/risk.ts'
import { after } from '../../platform/lib/clock.ts'
import { type DataKey, ErasedPerson } from '../../platform/privacy/data-key.ts'
import { fullLevels, type KycLevel } from './kyc-levels.ts'
import { readsPayments } from '../policies/risk.ts'
import { paymentFactsOf } from './payment-facts.ts'
import type { PeriodLimit } from '../policies/limits.ts'
import { limitsAt, usedOf } from './usage.ts'
import { type Import, openImport } from './imported.ts'
import { partnerCustomerPlace, type Person } from './person.ts'
import * as queries from './profile.sql.ts'

/** A customer's status in the API. */
export const customerStatuses = ['not_started', 'needs_info', 'in_review', 'approved', 'rejected', 'blocked'] as const

export type CustomerStatus = (typeof customerStatuses)[number]

/** The decisive verification. `provider` is null without one. */
export type CustomerKyc = {
  level: KycLevel
  provider: string | null
  verifiedAt: Date | null
  expiresAt: Date | null
  missingFields: string[]
}

/**
 * What one partner may know of a customer. If the address was proven for one of its transactions, everything that the operator
 * knows; else only what the partner passed and imported.
 */
export type CustomerProfile = {
  id: bigint
  partnerId: bigint
  /** Whether the e-mail address has been proven for a transaction of this partner. */
  isProven: boolean
  status: CustomerStatus
  /** The rules are for the operator; the level alone is for partners. */
  risk: Risk
  facts: RiskFacts
  kyc: CustomerKyc
  /** `max` and `used` in euro cents. */
  limits: (PeriodLimit & { used: bigint })[]
  updatedAt: Date
  email: string
  dataKey: DataKey
  imports: Import[]
  /** The status that was last reported to the partner, and the number of events so far. */
  reportedStatus: string
  events: number
}

const dayMs = 86_400_000

/**
 * Reads profiles by the partners' ids, in order of id, without unknown ones. With `orderId` they are assessed by the payments of that
 * order, else by the latest ones.
 */
export async function profilesOf(ctx: Ctx, db: Db, ids: bigint[], orderId?: bigint): Promise<CustomerProfile[]> {
  const now = ctx.clock.now()
  const [dayAgo, monthAgo] = [after(now, -dayMs), after(now, -30 * dayMs)]
  const [heads, imports, activity] = await Promise.all([
    queries.heads(db, ids),
    queries.importsFor(db, ids),
    queries.activity(db, ids, { dayAgo, monthAgo }),
  ])
  const keyIds = [...heads, ...imports].map(({ dataKeyId }) => dataKeyId)
  const keys = await ctx.keyring.getMany(db, [...new Set(keyIds)])
  const keyOf = (id: bigint): DataKey => {
    const key = keys.get(id)
    if (!key) throw new Error('A data key is missing.')
    return key
  }
  const profiles = heads.map(async (head) => {
    const done = activity.find(({ id }) => id === head.id)
    if (!done) throw new Error('The activity of a customer is missing.')
    const own = imports.filter(({ ofId }) => ofId === head.id).map((row) => openImport(keyOf(row.dataKeyId), row))
    const { rules } = ctx.policies.at(now, 'limits', head.partnerId)
    const limits = limitsAt(rules, kycLevelAt(own, now))
    const usage = { customerId: head.customerId, at: now, besides: null }
    const policies = riskPolicies(ctx, now, head)
    const isRead = policies.rules.some(({ when }) => when.some(readsPayments))
    const payments =
      isRead && head.customerId !== null
        ? await paymentFactsOf(db, head.customerId, { dayAgo, monthAgo, orderId })
        : undefined
    const used = usage.customerId === null ? [] : await usedOf(db, limits, { ...usage, customerId: usage.customerId })
    return judge({
      head,
      imports: own,
      done,
      now,
      dataKey: keyOf(head.dataKeyId),
      policies,
      payments,
      limits: limits.map((limit, at) => ({ ...limit, used: used[at] ?? 0n })),
    })
  })
  return Promise.all(profiles)
}

/**
 * The same for one partner's customer; undefined for an unknown id and for another partner's alike, and for one who has been
 * erased.
 */
export async function profileOf(ctx: Ctx, partnerId: bigint, id: bigint): Promise<CustomerProfile | undefined> {
  const [own] = await queries.own(ctx.db, partnerId, id)
  if (!own) return undefined
  try {
    const [profile] = await profilesOf(ctx, ctx.db, [own.id])
    return profile
  } catch (error) {
    if (error instanceof ErasedPerson) return undefined
    throw error
  }
}

/** What a customer of this partner is assessed by. */
const riskPolicies = ({ policies }: Ctx, now: Date, { partnerId }: queries.Head): RiskPolicies => ({
  rules: policies.at(now, 'risk', partnerId).rules,
  countries: policies.at(now, 'countries', partnerId).rules,
  hits: policies.at(now, 'screening', partnerId).rules.hits,
})

type ProfileRows = {
  head: queries.Head
  imports: Import[]
  done: queries.Activity
  now: Date
  dataKey: DataKey
  policies: RiskPolicies
  payments: PaymentFacts | undefined
  limits: CustomerProfile['limits']
}

function judge({ head, imports, done, now, dataKey, policies, payments, limits }: ProfileRows): CustomerProfile {
  const best = decisiveImport(imports)
  const isExpired = best !== undefined && isExpiredAt(best, now)
  const level = kycLevelAt(imports, now)
  const facts: RiskFacts = {
    country: best?.person.country || done.country || '',
    kycStatus: best?.status ?? 'not_started',
    kycLevel: best ? levelOf(best) : 'none',
    kycExpired: isExpired,
    screening: [...new Set(imports.flatMap(({ screening }) => screening))].toSorted(),
    transactionsInDay: done.inDay,
    transactionsInMonth: done.inMonth,
    eurInMonth: done.eurCentsInMonth / 100n,
    chargebacks: BigInt(head.chargebacks),
    customersAtAddress: done.atAddress,
    ...(payments ? { payments } : {}),
  }
  const { email } = dataKey.open<Person>(head.personal, partnerCustomerPlace(head.id))
  return {
    id: head.id,
    partnerId: head.partnerId,
    isProven: head.customerId !== null,
    status: head.isBlocked === true ? 'blocked' : statusOf(facts),
    risk: riskOf(facts, policies),
    facts,
    kyc: kycOf(best, level),
    limits,
    updatedAt: lastChange(head, imports, isExpired ? best?.expiresAt : undefined),
    email,
    dataKey,
    imports,
    reportedStatus: head.reportedStatus,
    events: head.events,
  }
}

/** Expired documents must be shown again. */
const statusOf = ({ kycStatus, kycExpired }: RiskFacts): CustomerStatus =>
  kycStatus === 'approved' && kycExpired ? 'needs_info' : kycStatus

/** Which of several verifications counts: a rejection is outweighed by nothing, an approval by nothing that is open. */
const weight: readonly ReviewStatus[] = ['rejected', 'approved', 'in_review', 'needs_info', 'not_started']

/** The one that counts; among equals the one that changed last. */
const decisiveImport = (imports: Import[]): Import | undefined =>
  imports.toSorted(
    (one, other) =>
      weight.indexOf(one.status) - weight.indexOf(other.status) ||
      other.changedAt.getTime() - one.changedAt.getTime() ||
      (one.id < other.id ? 1 : -1),
  )[0]

/** The level at a moment, by all verifications. */
export function kycLevelAt(imports: Import[], at: Date): KycLevel {
  const best = decisiveImport(imports)
  return best === undefined || isExpiredAt(best, at) ? 'none' : levelOf(best)
}

/** The status at a moment by all verifications. An approval with expired documents has ended. */
export function reviewStatusAt(imports: Import[], at: Date): ReviewStatus {
  const best = decisiveImport(imports)
  if (best === undefined) return 'not_started'
  return isExpiredAt(best, at) ? 'needs_info' : best.status
}

const isExpiredAt = ({ status, expiresAt }: Import, now: Date): boolean =>
  status === 'approved' && expiresAt !== null && expiresAt <= now

function levelOf({ status, level }: Import): KycLevel {
  if (status !== 'approved') return 'none'
  return fullLevels.has(level) ? 'full' : 'basic'
}

const emptyPerson: VerifiedPerson = { firstName: '', lastName: '', birthDate: '', country: '', email: '' }

const kycOf = (best: Import | undefined, level: KycLevel): CustomerKyc => ({
  level,
  provider: best?.provider ?? null,
  verifiedAt: best?.verifiedAt ?? null,
  expiresAt: best?.expiresAt ?? null,
  missingFields: missingFieldsOf(best?.person ?? emptyPerson),
})

function lastChange(
  { createdAt, blockedAt }: queries.Head,
  imports: Import[],
  expiredAt: Date | null | undefined,
): Date {
  const changes = [createdAt, blockedAt, expiredAt, ...imports.map(({ changedAt }) => changedAt)]
  return changes.reduce<Date>((last, at) => (at && at > last ? at : last), createdAt)
}
