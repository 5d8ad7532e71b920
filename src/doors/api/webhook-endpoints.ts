import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

import type { Ctx } from '../../exchange/context.ts'
import type { Atomic } from '../../platform/db/sql.ts'
import { parseDuration } from '../../platform/lib/duration.ts'
import { readId } from '../../platform/lib/ids.ts'
import { isExactNumber } from '../../platform/lib/json.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import { type EndpointHealth, readHealth } from '../../exchange/webhooks/attempts.ts'
import { type Endpoint, type EndpointKey, listEndpoints, showEndpoint } from '../../exchange/webhooks/endpoint.ts'
import {
  addPrepared,
  changeEndpoint,
  type EndpointChange,
  type NewEndpoint,
  prepareEndpoint,
  removeEndpoint,
  rotateSecret,
  testEndpoint,
} from '../../exchange/webhooks/manage-endpoints.ts'
import { replayEvent, replaySince } from '../../exchange/webhooks/replay.ts'
import { callerOf } from './authenticate.ts'
import { type FieldReader, fieldReader, type Fields, isAbsent } from './fields.ts'
import { answerOnce } from './idempotency.ts'
import { bodyObject } from './json-body.ts'
import { readSpan } from './list-dates.ts'
import { nothing, type ShapeProvider } from './shape.ts'
import * as shapes from './webhook-endpoint-shape.ts'

/** `/v1/webhook-endpoints` and below, for secret keys: a partner's own endpoints only. */
export function webhookEndpoints(app: FastifyInstance, ctx: Ctx): void {
  addAndRead(app, ctx)
  changeAndRemove(app, ctx)
  testAndReplay(app, ctx)
}

function addAndRead(app: FastifyInstance, ctx: Ctx): void {
  const typed = app.withTypeProvider<ShapeProvider>()
  typed.post(
    '/webhook-endpoints',
    {
      config: { access: 'secret-key', creates: true, once: 'with-its-work', operation: shapes.adding },
      schema: { response: { 201: shapes.newWebhookEndpoint } },
    },
    async (request, reply) => {
      const { partner } = callerOf(request)
      // The name is looked up before the block begins; a refusal is thrown within it.
      const preparing = (async () =>
        prepareEndpoint(ctx, { partnerId: partner.id, ...readNewEndpoint(bodyObject(request)) }))()
      await preparing.catch(() => undefined)
      return createOnce(ctx, request, reply, async (db) => {
        const { endpoint, secret } = await addPrepared(ctx, db, await preparing, actorOf(request))
        request.securityEvent = 'endpoint_added'
        return { ...endpointRecord(endpoint), secret }
      })
    },
  )
  typed.get(
    '/webhook-endpoints',
    {
      config: { access: 'secret-key', operation: shapes.listing },
      schema: { response: { 200: shapes.webhookEndpointList } },
    },
    async (request) => ({ data: (await listEndpoints(ctx, callerOf(request).partner.id)).map(endpointRecord) }),
  )
  typed.get(
    '/webhook-endpoints/:id',
    {
      config: { access: 'secret-key', operation: shapes.reading },
      schema: { response: { 200: shapes.webhookEndpointWithHealth } },
    },
    async (request) => {
      const endpoint = await showEndpoint(ctx, keyIn(request))
      return { ...endpointRecord(endpoint), ...healthRecord(await readHealth(ctx, endpoint)) }
    },
  )
}

function changeAndRemove(app: FastifyInstance, ctx: Ctx): void {
  const typed = app.withTypeProvider<ShapeProvider>()
  typed.patch(
    '/webhook-endpoints/:id',
    {
      config: { access: 'secret-key', operation: shapes.changing },
      schema: { response: { 200: shapes.webhookEndpoint } },
    },
    async (request) => {
      const key = keyIn(request)
      const change = readEndpointChange(bodyObject(request))
      await showEndpoint(ctx, key)
      return endpointRecord(await changeEndpoint(ctx, key, change, actorOf(request)))
    },
  )
  typed.delete(
    '/webhook-endpoints/:id',
    { config: { access: 'secret-key', operation: shapes.removing }, schema: { response: { 204: nothing } } },
    async (request, reply) => {
      await removeEndpoint(ctx, keyIn(request), actorOf(request))
      return reply.code(204).send(null)
    },
  )
  typed.post(
    '/webhook-endpoints/:id/rotate-secret',
    {
      config: { access: 'secret-key', once: 'with-its-work', operation: shapes.rotating },
      schema: { response: { 201: shapes.rotatedSecret } },
    },
    async (request, reply) =>
      createOnce(ctx, request, reply, async (db) => {
        const rotation = { ...keyIn(request), overlapMs: readOverlap(bodyObject(request)) }
        const { secret, previousUntil } = await rotateSecret(ctx, db, rotation, actorOf(request))
        return { secret, previous_secret_until: previousUntil.toISOString() }
      }),
  )
}

function testAndReplay(app: FastifyInstance, ctx: Ctx): void {
  const typed = app.withTypeProvider<ShapeProvider>()
  typed.post(
    '/webhook-endpoints/:id/test',
    {
      config: { access: 'secret-key', once: 'with-its-work', operation: shapes.testing },
      schema: { response: { 201: shapes.testSent } },
    },
    async (request, reply) =>
      createOnce(ctx, request, reply, async (db) => ({ event_id: await testEndpoint(ctx, db, keyIn(request)) })),
  )
  typed.post(
    '/webhook-endpoints/:id/replay',
    {
      config: { access: 'secret-key', once: 'with-its-work', operation: shapes.replaying },
      schema: { response: { 201: shapes.replayRequested } },
    },
    async (request, reply) =>
      createOnce(ctx, request, reply, async (db) => {
        const key = keyIn(request)
        const { eventId, since } = readReplay(bodyObject(request))
        if (since) await replaySince(ctx, db, key, since)
        else await replayEvent(ctx, db, key, eventId ?? '')
        return { event_id: since ? null : (eventId ?? null), since: since?.toISOString() ?? null }
      }),
  )
}

/** Answers 201, once for an idempotency key: in the block of the stored answer, if there is one. */
const createOnce = <Body>(
  ctx: Ctx,
  request: FastifyRequest,
  reply: FastifyReply,
  work: (db: Atomic) => Promise<Body>,
): Promise<Body> =>
  answerOnce(ctx, request, reply, async (db) => {
    const body = await (db ? work(db) : ctx.db.atomic(work))
    return { status: 201, body, dataKey: undefined }
  })

const actorOf = (request: FastifyRequest): string => `key:${callerOf(request).key.id}`

/** The endpoint of the caller's own that a path identifies. */
export function keyIn(request: FastifyRequest): EndpointKey & { partnerId: bigint } {
  const id = readId((request.params as { id: string }).id)
  if (id === undefined) throw new Refusal('NOT_FOUND', 'There is no such webhook endpoint.')
  return { id, partnerId: callerOf(request).partner.id }
}

function readNewEndpoint(body: Fields): Omit<NewEndpoint, 'partnerId'> {
  const read = fieldReader()
  const url =
    read.text('url', body.url, { longest: 2_048, place: 'identifier' }) ??
    read.tell('url', 'A URL is required.', 'REQUIRED')
  const preferences = readPreferences(read, body)
  refuseProblems(read)
  return { url: url ?? '', ...preferences }
}

function readEndpointChange(body: Fields): EndpointChange {
  const read = fieldReader()
  const url = read.text('url', body.url, { longest: 2_048, place: 'identifier' })
  const text = read.text('status', body.status)
  const status = text === 'active' || text === 'paused' ? text : undefined
  if (text !== undefined && !status) read.tell('status', 'This must be one of active, paused.')
  const preferences = readPreferences(read, body)
  refuseProblems(read)
  return { url, status, ...preferences }
}

/** Reads which events to send again: one by its id, or all since a time. */
function readReplay(body: Fields): { eventId?: string | undefined; since?: Date | undefined } {
  const read = fieldReader()
  const eventId = read.text('event_id', body.event_id)
  const text = read.text('since', body.since)
  if ((eventId === undefined) === (text === undefined)) {
    read.tell('since', 'Either since or event_id is required, and not both.', 'REQUIRED')
  }
  const since = readSpan(read, ['since', 'since'], [text, undefined]).from
  refuseProblems(read)
  return { eventId, since }
}

/** Reads how long a replaced secret signs too, in milliseconds. */
function readOverlap(body: Fields): number | undefined {
  const read = fieldReader()
  const text = read.text('overlap', body.overlap)
  let overlapMs: number | undefined
  try {
    overlapMs = text === undefined ? undefined : parseDuration(text)
  } catch {
    read.tell('overlap', 'This must be an ISO 8601 duration, such as PT24H.')
  }
  refuseProblems(read)
  return overlapMs
}

function readPreferences(read: FieldReader, body: Fields) {
  return {
    types: readTexts(read, 'types', body.types),
    perSecond: readCount(read, 'rate_limit', body.rate_limit),
    isOrdered: isAbsent(body.ordered) ? undefined : read.flag('ordered', body.ordered),
  }
}

function readTexts(read: FieldReader, path: string, value: unknown): string[] | undefined {
  if (isAbsent(value)) return undefined
  if (Array.isArray(value) && value.length <= 100 && value.every((one) => typeof one === 'string')) return value
  return read.tell(path, 'This must be a list of texts.')
}

function readCount(read: FieldReader, path: string, value: unknown): number | undefined {
  if (isAbsent(value)) return undefined
  if (isExactNumber(value) && /^\d{1,6}$/.test(value.text)) return Number.parseInt(value.text, 10)
  return read.tell(path, 'This must be a whole number.')
}

function refuseProblems({ problems }: FieldReader): void {
  const [first] = problems
  if (first) throw new Refusal('BAD_REQUEST', first.message, [...problems])
}

function endpointRecord(endpoint: Endpoint) {
  const { id, url, types, status, perSecond, isOrdered, failingSince, previousUntil, createdAt } = endpoint
  if (status === 'removed') throw new Error(`The removed endpoint ${id} must not be shown.`)
  return {
    id: String(id),
    url,
    types,
    status,
    rate_limit: perSecond,
    ordered: isOrdered,
    failing_since: failingSince?.toISOString() ?? null,
    previous_secret_until: previousUntil?.toISOString() ?? null,
    created_at: createdAt.toISOString(),
  }
}

const healthRecord = ({ waiting, lastAttempt }: EndpointHealth) => ({
  waiting,
  last_attempt: lastAttempt && {
    at: lastAttempt.at.toISOString(),
    outcome: lastAttempt.outcome,
    status: lastAttempt.status,
    took_ms: lastAttempt.tookMs,
  },
})
