import { type AuditValue, recordAudit } from '../audit/audit.ts'
import type { AuditAction } from '../audit/nouns.ts'
import { raiseVersion } from '../audit/version.ts'
import type { Ctx } from '../context.ts'
import { planByIndex } from '../../platform/db/plan.ts'
import { type Atomic, one } from '../../platform/db/sql.ts'
import { eventId, type EventType, isEventType } from '../events/event.ts'
import { recordEvents } from '../events/record.ts'
import { after } from '../../platform/lib/clock.ts'
import { randomId } from '../../platform/lib/ids.ts'
import { badField, Refusal, refuseNow } from '../../platform/lib/refusal.ts'
import { showPartner } from '../partners/find.ts'
import { readPartnerSecrets } from '../partners/secrets.ts'
import { seal, unseal } from '../../platform/privacy/seal.ts'
import { checkUrl } from './check-url.ts'
import { endedJobs } from './drop-queue.ts'
import {
  defaultTypes,
  type Endpoint,
  type EndpointKey,
  isStopped,
  listEndpoints,
  lockEndpoint,
  previousSecretPlace,
  secretPlace,
  whyNotPaused,
} from './endpoint.ts'
import { wakeWaiting } from './queue.ts'
import { makeSecret } from './sign.ts'

/** The preferences of an endpoint; what is left out has its default, or stays as it is. */
export type Preferences = {
  types?: readonly string[] | undefined
  perSecond?: number | null | undefined
  isOrdered?: boolean | undefined
}

export type NewEndpoint = Preferences & { partnerId: bigint; url: string }

/** A valid new endpoint, with the secret that it gets if it is its partner's only one. */
export type PreparedEndpoint = { endpoint: Endpoint; firstSecret: string }

/** The most endpoints of a partner. */
export const maxEndpoints = 20
export const maxPerSecond = 1_000
const maxOverlapMs = 30 * 86_400_000

/**
 * Validates a new endpoint, outside of any atomic block because its name is looked up. Refuses an unknown partner (NOT_FOUND), a
 * URL that `checkUrl` refuses, and preferences that are not valid (BAD_REQUEST).
 */
export async function prepareEndpoint(
  ctx: Ctx,
  { partnerId, url, types = defaultTypes, perSecond = null, isOrdered = true }: NewEndpoint,
): Promise<PreparedEndpoint> {
  const preferences = { types: readTypes(types), perSecond: readPerSecond(perSecond), isOrdered }
  const [normalUrl] = await Promise.all([checkUrl(ctx, url), showPartner(ctx, partnerId)])
  const { webhookSecret } = await readPartnerSecrets(ctx, partnerId)
  const fresh = { status: 'active' as const, previousUntil: null, failingSince: null, createdAt: ctx.clock.now() }
  return {
    endpoint: { id: randomId(), partnerId, url: normalUrl, ...preferences, ...fresh },
    firstSecret: webhookSecret,
  }
}

/**
 * Adds a prepared endpoint; `secret` is shown this once. A partner's only endpoint gets the secret that came with the partner's
 * keys, until any of its secrets was rotated: a replaced secret may be known to others, and never comes back. Every other one gets
 * a new secret. Refuses a twenty-first endpoint (CONFLICT).
 */
export async function addPrepared(
  ctx: Ctx,
  db: Atomic,
  { endpoint, firstSecret }: PreparedEndpoint,
  actor: string,
): Promise<{ endpoint: Endpoint; secret: string }> {
  const { id, partnerId, url, types, status, perSecond, isOrdered, createdAt } = endpoint
  await db.sql`select from partners where id = ${partnerId} for no key update`
  const others = await listEndpoints({ db }, partnerId)
  if (others.length >= maxEndpoints) {
    throw new Refusal('CONFLICT', `A partner has at most ${maxEndpoints} webhook endpoints.`)
  }
  const rotated = await db.sql`
    select from webhook_endpoints where partner_id = ${partnerId} and previous_secret is not null limit 1`
  const secret = others.length === 0 && rotated.length === 0 ? firstSecret : makeSecret()
  const sealed = seal(ctx.secrets.sealing, secret, secretPlace(id))
  db.send`
    insert into webhook_endpoints (id, partner_id, url, types, secret, status, rate_per_second, is_ordered, created_at)
    values (${id}, ${partnerId}, ${url}, ${types}, ${sealed}, ${status}, ${perSecond}, ${isOrdered}, ${createdAt})`
  recordChange(ctx, db, { actor, action: 'endpoint.added', id, before: null, after: audited(endpoint) })
  return { endpoint, secret }
}

/** Validates and adds an endpoint. */
export async function addEndpoint(
  ctx: Ctx,
  wanted: NewEndpoint,
  actor: string,
): Promise<{ endpoint: Endpoint; secret: string }> {
  const prepared = await prepareEndpoint(ctx, wanted)
  return ctx.db.atomic((db) => addPrepared(ctx, db, prepared, actor))
}

/** What changes of an endpoint. */
export type EndpointChange = Preferences & {
  url?: string | undefined
  /** `paused` keeps events for later; `active` ends any other status and resets the health. */
  status?: 'active' | 'paused' | undefined
}

/**
 * Changes an endpoint, in every process within two seconds; what is in flight ends as it began. A new URL, or making it active again,
 * resets its health, and what waits for a later time is due now. Refuses what `addEndpoint` refuses, an empty change, and to
 * pause a disabled endpoint (CONFLICT), which would say that its events are kept. One that has the status already keeps it.
 */
export async function changeEndpoint(
  ctx: Ctx,
  key: EndpointKey,
  { types, perSecond, isOrdered, status, url }: EndpointChange,
  actor: string,
): Promise<Endpoint> {
  const changes = {
    ...(types === undefined ? {} : { types: readTypes(types) }),
    ...(perSecond === undefined ? {} : { perSecond: readPerSecond(perSecond) }),
    ...(isOrdered === undefined ? {} : { isOrdered }),
    ...(status === undefined ? {} : { status }),
    ...(url === undefined ? {} : { url: await checkUrl(ctx, url) }),
  }
  if (Object.keys(changes).length === 0) throw new Refusal('BAD_REQUEST', 'No changes were given.')
  return ctx.db.atomic(async (db) => {
    const { secret: _secret, ...before } = await lockEndpoint(db, key)
    if (status === 'paused' && before.status !== status) refuseNow(whyNotPaused(before))
    const hasMoved = changes.url !== undefined && changes.url !== before.url
    const keptStatus = hasMoved && before.status === 'failing' ? 'active' : before.status
    const health = hasMoved || status !== undefined ? { failingSince: null } : {}
    const changed: Endpoint = { ...before, status: keptStatus, ...changes, ...health }
    if (hasMoved || status === 'active') {
      planByIndex(db)
      await wakeWaiting(db, [before.id], ctx.clock.now())
    }
    saveEndpoint(db, changed)
    const { partner_id: _same, ...rest } = audited(before)
    recordChange(ctx, db, { actor, action: 'endpoint.changed', id: before.id, before: rest, after: audited(changed) })
    return changed
  })
}

/** Removes an endpoint and what waits for it, in every process within two seconds. Its attempts stay on record. */
export async function removeEndpoint(ctx: Ctx, key: EndpointKey, actor: string): Promise<Endpoint> {
  return ctx.db.atomic(async (db) => {
    const { secret: _secret, ...endpoint } = await lockEndpoint(db, key)
    saveEndpoint(db, { ...endpoint, status: 'removed' })
    ctx.queue.enqueue(db, endedJobs([key.id], ctx.clock.now()))
    recordChange(ctx, db, { actor, action: 'endpoint.removed', id: key.id, before: audited(endpoint), after: null })
    return { ...endpoint, status: 'removed' }
  })
}

function saveEndpoint(db: Atomic, { id, url, types, status, perSecond, isOrdered, failingSince }: Endpoint): void {
  db.send`
    update webhook_endpoints set url = ${url}, types = ${types}, status = ${status}, rate_per_second = ${perSecond},
      is_ordered = ${isOrdered}, failing_since = ${failingSince},
      announced_at = case when ${failingSince}::timestamptz is null then null else announced_at end,
      paced_until = case when rate_per_second is distinct from ${perSecond} then null else paced_until end
    where id = ${id}`
}

/** A new secret, shown this once, and until when (business time) the previous one signs too. */
export type RotatedSecret = { secret: string; previousUntil: Date }

/**
 * Gives an endpoint a new secret. For `overlapMs` every delivery is signed with both; another rotation within that time ends the
 * oldest secret at once. Refuses an overlap over 30 days.
 */
export async function rotateSecret(
  ctx: Ctx,
  db: Atomic,
  { overlapMs = ctx.config.webhooks.rotationOverlapMs, ...key }: EndpointKey & { overlapMs?: number | undefined },
  actor: string,
): Promise<RotatedSecret> {
  if (overlapMs < 0 || overlapMs > maxOverlapMs) throw badField('overlap', 'This must be at most 30 days.')
  const { id, secret: sealed } = await lockEndpoint(db, key)
  const { sealing } = ctx.secrets
  const secret = makeSecret()
  const previous = seal(sealing, unseal(sealing, sealed, secretPlace(id)), previousSecretPlace(id))
  const previousUntil = after(ctx.clock.now(), overlapMs)
  db.send`
    update webhook_endpoints
    set secret = ${seal(sealing, secret, secretPlace(id))}, previous_secret = ${previous}, previous_until = ${previousUntil}
    where id = ${id}`
  const shown = { previous_secret_until: previousUntil.toISOString() }
  recordChange(ctx, db, { actor, action: 'endpoint.secret_rotated', id, before: {}, after: shown })
  return { secret, previousUntil }
}

/**
 * Sends an endpoint a test event, `endpoint.test`, whatever types it subscribes to, and returns the event's id. Refuses a paused or
 * disabled endpoint (CONFLICT).
 */
export async function testEndpoint(ctx: Ctx, db: Atomic, key: EndpointKey): Promise<string> {
  const endpoint = await lockEndpoint(db, key)
  refuseNow(whyNotTested(endpoint))
  const { id, partnerId, url, status } = endpoint
  const { events } = one(
    await db.sql<{
      events: number
    }>`update webhook_endpoints set events = events + 1 where id = ${id} returning events`,
  )
  const event = { stream: id, sequence: events, partnerId, type: 'endpoint.test' as const, at: ctx.clock.now() }
  recordEvents(ctx, db, [{ ...event, dataKey: await ctx.keyring.make(db), payload: { id: String(id), url, status } }])
  return eventId(event)
}

/** Why an endpoint can not be sent a test event; undefined: it can. */
export const whyNotTested = (endpoint: Pick<Endpoint, 'status'>): string | undefined =>
  isStopped(endpoint) ? `This endpoint is ${endpoint.status}: make it active first.` : undefined

function readTypes(names: readonly string[]): EventType[] {
  const types = names.filter(isEventType)
  if (types.length < names.length) throw badField('types', 'One of these event types is unknown.')
  if (types.length === 0) throw badField('types', 'An endpoint needs at least one event type.')
  return [...new Set(types)]
}

/** Reads a rate limit in deliveries a second; 0 and null mean no limit. */
function readPerSecond(rate: number | null): number | null {
  if (rate === null || rate === 0) return null
  if (Number.isSafeInteger(rate) && rate >= 1 && rate <= maxPerSecond) return rate
  throw badField('rate_limit', `This must be a whole number from 0 (no limit) to ${maxPerSecond}.`)
}

/** An endpoint as the audit log has it, without secrets. */
const audited = ({ partnerId, url, types, status, perSecond, isOrdered }: Endpoint) => ({
  partner_id: String(partnerId),
  url,
  types,
  status,
  rate_limit: perSecond,
  ordered: isOrdered,
})

type AuditedChange = { actor: string; action: AuditAction; id: bigint; before: AuditValue; after: AuditValue }

/** Records a change in the audit log, and has every process read its endpoints again. */
function recordChange(ctx: Pick<Ctx, 'clock'>, db: Atomic, { id, ...change }: AuditedChange): void {
  recordAudit(db, { at: ctx.clock.now(), subject: `endpoint:${id}`, ...change })
  raiseVersion(db)
}
