import { type AuditValue, recordAudit } from '../audit/audit.ts'
import { raiseVersion } from '../audit/version.ts'
import type { Ctx } from '../context.ts'
import type { Atomic, Db } from '../../platform/db/sql.ts'
import { randomId } from '../../platform/lib/ids.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import { showPartner } from '../partners/find.ts'
import { readPartnerSecrets } from '../partners/secrets.ts'
import { seal } from '../../platform/privacy/seal.ts'
import { checkUrl } from './check-url.ts'
import { endedJobs } from './drop-queue.ts'
import { defaultTypes, type Endpoint, secretPlace } from './endpoint.ts'
import * as queries from './queries.ts'
import { makeSecret } from './sign.ts'
import { readPerSecond, readTypes } from './wishes.ts'

/** What a new endpoint is to be; without `types` it gets those of transactions, in order and as fast as it answers. */
export type NewEndpoint = {
  partnerId: bigint
  url: string
  types?: readonly string[] | undefined
  perSecond?: number | null | undefined
  isOrdered?: boolean | undefined
}

/** A new endpoint that may be added, with the secret that it gets if it is its partner's only one. */
export type Prepared = { endpoint: Endpoint; firstSecret: string }

const mostPerPartner = 20

/**
 * Judges a new endpoint, outside of any atomic block because its name is looked up. Refuses an unknown partner (NOT_FOUND), a
 * URL that `checkUrl` refuses, an unknown or empty list of types, and a rate that is none (BAD_REQUEST).
 */
export async function prepareEndpoint(ctx: Ctx, wanted: NewEndpoint): Promise<Prepared> {
  const { partnerId, url, types = defaultTypes, perSecond = null, isOrdered = true } = wanted
  const read = { types: readTypes(types), perSecond: readPerSecond(perSecond), isOrdered }
  const [normalUrl] = await Promise.all([checkUrl(ctx, url), showPartner(ctx, partnerId)])
  const { webhookSecret } = await readPartnerSecrets(ctx, partnerId)
  const fresh = { status: 'active' as const, previousUntil: null, failingSince: null, createdAt: ctx.clock.now() }
  return { endpoint: { id: randomId(), partnerId, url: normalUrl, ...read, ...fresh }, firstSecret: webhookSecret }
}

/**
 * Adds an endpoint that was prepared; `secret` is shown this once. A partner's only endpoint gets the secret that the partner
 * was given with its keys, until a secret of that partner has been rotated: what was replaced may be known to others, and never
 * comes back. Each further one gets a secret of its own. Refuses a twenty-first endpoint (CONFLICT).
 */
export async function addPrepared(
  ctx: Ctx,
  db: Atomic,
  { endpoint, firstSecret }: Prepared,
  actor: string,
): Promise<{ endpoint: Endpoint; secret: string }> {
  await queries.lockPartner(db, endpoint.partnerId)
  const others = await queries.endpointsOf(db, endpoint.partnerId)
  if (others.length >= mostPerPartner) {
    throw new Refusal('CONFLICT', `A partner has at most ${mostPerPartner} webhook endpoints.`)
  }
  const isFirst = others.length === 0 && !(await queries.hasRotated(db, endpoint.partnerId))
  const secret = isFirst ? firstSecret : makeSecret()
  queries.insertEndpoint(db, endpoint, seal(ctx.secrets.sealing, secret, secretPlace(endpoint.id)))
  recordChange(ctx, db, { actor, action: 'endpoint.added', id: endpoint.id, before: null, after: audited(endpoint) })
  return { endpoint, secret }
}

/** Both at once. */
export async function addEndpoint(
  ctx: Ctx,
  wanted: NewEndpoint,
  actor: string,
): Promise<{ endpoint: Endpoint; secret: string }> {
  const prepared = await prepareEndpoint(ctx, wanted)
  return ctx.db.atomic((db) => addPrepared(ctx, db, prepared, actor))
}

/** A partner's endpoints, oldest first; removed ones are gone. */
export const listEndpoints = ({ db }: Pick<Ctx, 'db'>, partnerId: bigint): Promise<Endpoint[]> =>
  queries.endpointsOf(db, partnerId)

/** Which endpoint: by its id alone, or this partner's only. */
export type Named = { id: bigint; partnerId?: bigint | undefined }

/** One endpoint. Refuses one that is not there, or not this partner's where one is named, with NOT_FOUND. */
export async function showEndpoint({ db }: { db: Db }, { id, partnerId }: Named): Promise<Endpoint> {
  return owned(await queries.endpoint(db, id), partnerId)
}

/** The same, locked until the block ends, with its sealed secret. */
export async function lockEndpoint(db: Atomic, { id, partnerId }: Named): Promise<Endpoint & { secret: Buffer }> {
  return owned(await queries.lockEndpoint(db, id), partnerId)
}

function owned<Found extends Endpoint>(endpoint: Found | undefined, partnerId: bigint | undefined): Found {
  if (!endpoint || (partnerId !== undefined && endpoint.partnerId !== partnerId)) {
    throw new Refusal('NOT_FOUND', 'There is no such webhook endpoint.')
  }
  return endpoint
}

/**
 * Removes an endpoint and what still waits for it; in every process within two seconds. Its attempts stay on record. Refuses
 * one that is not there, or not this partner's where one is named, with NOT_FOUND.
 */
export async function removeEndpoint(ctx: Ctx, id: bigint, actor: string, partnerId?: bigint): Promise<Endpoint> {
  return ctx.db.atomic(async (db) => {
    const { secret: _secret, ...endpoint } = await lockEndpoint(db, { id, partnerId })
    queries.saveEndpoint(db, { ...endpoint, status: 'removed' })
    ctx.queue.enqueue(db, endedJobs([id], ctx.clock.now()))
    recordChange(ctx, db, { actor, action: 'endpoint.removed', id, before: audited(endpoint), after: null })
    return { ...endpoint, status: 'removed' }
  })
}

/** What the audit has of an endpoint: no secret is among it. */
export const audited = ({ partnerId, url, types, status, perSecond, isOrdered }: Endpoint) => ({
  partner_id: String(partnerId),
  url,
  types,
  status,
  rate_limit: perSecond,
  ordered: isOrdered,
})

/** A change of an endpoint, as the audit has it. */
export type EndpointChange = { actor: string; action: string; id: bigint; before: AuditValue; after: AuditValue }

/** Writes a change down, and tells every process that sends. */
export function recordChange(ctx: Pick<Ctx, 'clock'>, db: Atomic, { id, ...change }: EndpointChange): void {
  recordAudit(db, { at: ctx.clock.now(), subject: `endpoint:${id}`, ...change })
  raiseVersion(db)
}
