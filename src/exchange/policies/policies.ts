import assert from 'node:assert/strict'

import type { Atomic, Database, Db } from '../../platform/db/sql.ts'
import { newestRead } from '../../platform/lib/newest-read.ts'
import { vouch } from '../approvals/approve.ts'
import type { ApprovalDeps } from '../approvals/deps.ts'
import type { Environment } from '../settings.ts'
import { decidedPolicies, inForceContent, shippedBy } from './in-force.ts'
import { type Kind, kindNames, policyKinds, type Rules, rulesOf } from './kinds.ts'
import * as queries from './policies.sql.ts'

/** One version of a policy. The same object for as long as the process lives, so what follows from it can be cached by it. */
export type Policy<K extends Kind = Kind> = {
  kind: K
  /** Counted by kind, over the house's documents and those of partners: it names exactly one document. */
  version: number
  /** Whose exchanges it is for; null: everybody's without their own. */
  partnerId: bigint | null
  /** Business time from which it holds, until a later one does. */
  effectiveAt: Date
  document: unknown
  rules: Rules[K]
}

/** Kinds and their versions: `{"fees": 3, "validity": 1}`. */
export type PolicyVersions = Readonly<Partial<Record<Kind, number>>>

/** The policies of an exchange, in memory. */
export type Policies = {
  /** What holds at a business time: the partner's own, or else the house's. Costs no more than two look-ups. */
  at<K extends Kind>(time: Date, kind: K, partnerId?: bigint): Policy<K>
  /** The first approved version of the house (a partner of null) or of a partner that takes effect after a business time. */
  next(time: Date, kind: Kind, partnerId: bigint | null): Scheduled | undefined
  /** Reads what was approved since, here or elsewhere. */
  reload(db: Db): Promise<void>
}

/** The versions of one kind, in the order of effect. A document of null gives the house's again. */
type Timeline = { house: Policy[]; partners: Map<bigint, (Policy | Ended)[]> }
type Ended = Scheduled & { document: null }
type Scheduled = Pick<Policy, 'version' | 'effectiveAt'>

/** Opens the policies. Version 1 of a kind that has none yet is what ships with this release; it stays that way from then on. */
export async function openPolicies(db: Database, deps: ApprovalDeps): Promise<Policies> {
  await db.atomic((block) => ship(deps, block))
  const known = new Map<bigint, Policy>()
  let timelines = timelinesOf([], known)
  const policies: Policies = {
    at: (time, kind, partnerId) => inForce(timelines.get(kind), time, partnerId) as never,
    next: (time, kind, partnerId) => nextOf(timelines.get(kind), time, partnerId),
    reload: newestRead(
      (from: Db) => decidedPolicies(deps, from),
      ({ inForce: versions }) => {
        timelines = timelinesOf(versions, known)
      },
    ),
  }
  await policies.reload(db)
  return policies
}

async function ship(deps: ApprovalDeps, db: Atomic): Promise<void> {
  queries.lockPolicies(db)
  const { inForce } = await decidedPolicies(deps, db)
  const missing = kindNames.filter((kind) => !inForce.some((one) => one.kind === kind && one.partnerId === null))
  if (missing.length === 0) return
  const { environment } = deps.config
  const shipped = missing.map((kind) => ({ kind, document: policyKinds[kind].shipped(environment) }))
  for (const row of await queries.insertShipped(db, shipped))
    vouch(deps, db, inForceContent(row), shippedBy, new Date(0))
}

/** What Cambio ships with, without a database; `added` are further versions, in the order of effect. */
export function shippedPolicies(environment: Environment, added: readonly queries.ApprovedRow[] = []): Policies {
  const shipped = kindNames.map((kind, at) => {
    const document = policyKinds[kind].shipped(environment)
    return { id: BigInt(at), kind, version: 1, partnerId: null, effectiveAt: new Date(0), document }
  })
  const timelines = timelinesOf([...shipped, ...added], new Map())
  return {
    at: (time, kind, partnerId) => inForce(timelines.get(kind), time, partnerId) as never,
    next: (time, kind, partnerId) => nextOf(timelines.get(kind), time, partnerId),
    reload: () => Promise.resolve(),
  }
}

function inForce(timeline: Timeline | undefined, time: Date, partnerId: bigint | undefined): Policy {
  const own = partnerId === undefined ? undefined : timeline?.partners.get(partnerId)
  const last = own && latest(own, time)
  if (last && 'rules' in last) return last
  return latest(timeline?.house ?? [], time) ?? assert.fail(`no policy holds at ${time.toISOString()}`)
}

function nextOf(timeline: Timeline | undefined, time: Date, partnerId: bigint | null): Scheduled | undefined {
  const versions = partnerId === null ? timeline?.house : timeline?.partners.get(partnerId)
  return versions?.find(({ effectiveAt }) => effectiveAt > time)
}

function latest<T extends { effectiveAt: Date }>(versions: readonly T[], time: Date): T | undefined {
  const ms = time.getTime()
  for (let at = versions.length - 1; at >= 0; at -= 1) {
    const version = versions[at]
    if (version && version.effectiveAt.getTime() <= ms) return version
  }
  return undefined
}

/** `rows` are in the order of effect. What is known is not parsed again. */
function timelinesOf(rows: readonly queries.ApprovedRow[], known: Map<bigint, Policy>): Map<Kind, Timeline> {
  const timelines = new Map(kindNames.map((kind) => [kind, emptyTimeline()]))
  for (const row of rows) {
    const timeline = timelines.get(row.kind)
    // A newer version of the service, which shares this database, has kinds that this one does not know.
    if (!timeline) continue
    const { house, partners } = timeline
    if (row.partnerId !== null) {
      const own = partners.get(row.partnerId) ?? []
      const { version, effectiveAt, document } = row
      own.push(document === null ? { version, effectiveAt, document } : policyOf(row, known))
      partners.set(row.partnerId, own)
    } else house.push(policyOf(row, known))
  }
  return timelines
}

const emptyTimeline = (): Timeline => ({ house: [], partners: new Map() })

function policyOf(row: queries.ApprovedRow, known: Map<bigint, Policy>): Policy {
  const { id, kind, version, partnerId, effectiveAt, document } = row
  const before = known.get(id)
  if (before && before.effectiveAt.getTime() === effectiveAt.getTime()) return before
  const policy: Policy = { kind, version, partnerId, effectiveAt, document, rules: rulesOf(kind, document) }
  known.set(id, policy)
  return policy
}
