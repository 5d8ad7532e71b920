import { recordAudit } from '../audit/audit.ts'
import { raiseVersion } from '../audit/version.ts'
import type { Ctx } from '../context.ts'
import { type EventType, isEventType } from '../events/event.ts'
import { randomId } from '../lib/ids.ts'
import { badField, Refusal } from '../lib/refusal.ts'
import { showPartner } from '../partners/find.ts'
import { readPartnerSecrets } from '../partners/secrets.ts'
import { seal } from '../privacy/seal.ts'
import { checkUrl } from './check-url.ts'
import { endedJobs } from './drop-queue.ts'
import { defaultTypes, type Endpoint, secretPlace } from './endpoint.ts'
import * as queries from './queries.ts'
import { makeSecret } from './sign.ts'

/** What a new endpoint is to be; without `types` it gets those of transactions. */
export type NewEndpoint = { partnerId: bigint; url: string; types?: readonly string[] | undefined }

const mostPerPartner = 20

/**
 * Adds an endpoint; `secret` is shown this once. A partner's only endpoint gets the secret that the partner was given with
 * its keys, each further one a secret of its own. Refuses an unknown partner (NOT_FOUND), a URL that `checkUrl` refuses, an
 * unknown or empty list of types (BAD_REQUEST), and a twenty-first endpoint (CONFLICT).
 */
export async function addEndpoint(
  ctx: Ctx,
  { partnerId, url, types = defaultTypes }: NewEndpoint,
  actor: string,
): Promise<{ endpoint: Endpoint; secret: string }> {
  const wanted = readTypes(types)
  const [normalUrl] = await Promise.all([checkUrl(ctx, url), showPartner(ctx, partnerId)])
  const { webhookSecret } = await readPartnerSecrets(ctx, partnerId)

  return ctx.db.atomic(async (db) => {
    const others = await queries.endpointsOf(db, partnerId)
    if (others.length >= mostPerPartner) {
      throw new Refusal('CONFLICT', `A partner has at most ${mostPerPartner} webhook endpoints.`)
    }
    const endpoint: Endpoint = {
      id: randomId(),
      partnerId,
      url: normalUrl,
      types: wanted,
      status: 'active',
      createdAt: ctx.clock.now(),
    }
    const secret = others.length === 0 ? webhookSecret : makeSecret()
    queries.insertEndpoint(db, endpoint, seal(ctx.secrets.sealing, secret, secretPlace(endpoint.id)))
    const after = { partner_id: String(partnerId), url: normalUrl, types: wanted }
    const subject = `endpoint:${endpoint.id}`
    recordAudit(db, { at: endpoint.createdAt, actor, action: 'endpoint.added', subject, before: null, after })
    raiseVersion(db)
    return { endpoint, secret }
  })
}

function readTypes(words: readonly string[]): EventType[] {
  const types = words.filter(isEventType)
  const unknown = words.find((word) => !isEventType(word))
  if (unknown !== undefined) throw badField('types', `There are no events of type ${unknown}.`)
  if (types.length === 0) throw badField('types', 'An endpoint must want at least one type of events.')
  return [...new Set(types)]
}

/** A partner's endpoints, oldest first; removed ones are gone. */
export const listEndpoints = ({ db }: Pick<Ctx, 'db'>, partnerId: bigint): Promise<Endpoint[]> =>
  queries.endpointsOf(db, partnerId)

/**
 * Removes an endpoint and what still waits for it; in every process within two seconds. Its attempts stay on record. Refuses
 * one that is not there, or not this partner's where one is named, with NOT_FOUND.
 */
export async function removeEndpoint(ctx: Ctx, id: bigint, actor: string, partnerId?: bigint): Promise<Endpoint> {
  return ctx.db.atomic(async (db) => {
    const endpoint = await queries.lockEndpoint(db, id)
    if (!endpoint || (partnerId !== undefined && endpoint.partnerId !== partnerId)) {
      throw new Refusal('NOT_FOUND', 'There is no such webhook endpoint.')
    }
    queries.setStatus(db, id, 'removed')
    ctx.queue.enqueue(db, endedJobs([id], ctx.clock.now()))
    const before = { partner_id: String(endpoint.partnerId), url: endpoint.url, types: endpoint.types }
    recordAudit(db, {
      at: ctx.clock.now(),
      actor,
      action: 'endpoint.removed',
      subject: `endpoint:${id}`,
      before,
      after: null,
    })
    raiseVersion(db)
    return { ...endpoint, status: 'removed' }
  })
}
