import type { FastifyInstance, FastifyRequest } from 'fastify'

import type { Ctx } from '../../exchange/context.ts'
import type { Atomic } from '../../platform/db/sql.ts'
import { readId } from '../../platform/lib/ids.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import { readHealth } from '../../exchange/webhooks/attempts.ts'
import { changeEndpoint } from '../../exchange/webhooks/change-endpoint.ts'
import {
  addPrepared,
  listEndpoints,
  type Named,
  prepareEndpoint,
  removeEndpoint,
  showEndpoint,
} from '../../exchange/webhooks/manage-endpoints.ts'
import { replayEvent, replaySince } from '../../exchange/webhooks/replay.ts'
import { rotateSecret } from '../../exchange/webhooks/rotate-secret.ts'
import { tryEndpoint } from '../../exchange/webhooks/try-endpoint.ts'
import { callerOf } from './authenticate.ts'
import { answerOnce } from './idempotency.ts'
import { bodyObject } from './json-body.ts'
import { list, nothing, object, type ShapeProvider, titled } from './shape.ts'
import { readEndpointChange, readNewEndpoint, readOverlap, readReplay } from './webhook-endpoint-body.ts'
import * as operations from './webhook-endpoint-operations.ts'
import {
  endpointRecord,
  endpointWithHealth,
  newWebhookEndpoint,
  webhookEndpoint,
  webhookEndpointWithHealth,
} from './webhook-endpoint-shape.ts'
import { replayAsked, rotatedSecret, testSent } from './webhook-endpoint-answers.ts'

const mostEndpoints = 20
const endpointList = titled('WebhookEndpoints', object({ data: list(webhookEndpoint, mostEndpoints) }))

/** `/v1/webhook-endpoints` and below, for secret keys: a partner's own endpoints only. */
export function webhookEndpoints(app: FastifyInstance, ctx: Ctx): void {
  addAndRead(app, ctx)
  changeAndRemove(app, ctx)
  tryAndReplay(app, ctx)
}

function addAndRead(app: FastifyInstance, ctx: Ctx): void {
  const typed = app.withTypeProvider<ShapeProvider>()
  typed.post(
    '/webhook-endpoints',
    {
      config: { access: 'secret-key', creates: true, once: 'with-its-work', operation: operations.adding },
      schema: { response: { 201: newWebhookEndpoint } },
    },
    async (request, reply) => {
      const { partner } = callerOf(request)
      // The name is looked up before the block begins; what is wrong is told where it is due.
      const preparing = (async () =>
        prepareEndpoint(ctx, { partnerId: partner.id, ...readNewEndpoint(bodyObject(request)) }))()
      await preparing.catch(() => undefined)
      return answerOnce(ctx, request, reply, async (db) => {
        const prepared = await preparing
        const { endpoint, secret } = await within(ctx, db, (block) =>
          addPrepared(ctx, block, prepared, actorOf(request)),
        )
        return { status: 201, body: { ...endpointRecord(endpoint), secret }, dataKey: undefined }
      })
    },
  )
  typed.get(
    '/webhook-endpoints',
    {
      config: { access: 'secret-key', operation: operations.listing },
      schema: { response: { 200: endpointList } },
    },
    async (request) => ({ data: (await listEndpoints(ctx, callerOf(request).partner.id)).map(endpointRecord) }),
  )
  typed.get(
    '/webhook-endpoints/:id',
    {
      config: { access: 'secret-key', operation: operations.reading },
      schema: { response: { 200: webhookEndpointWithHealth } },
    },
    async (request) => {
      const endpoint = await showEndpoint(ctx, namedIn(request))
      return endpointWithHealth(endpoint, await readHealth(ctx, endpoint))
    },
  )
}

function changeAndRemove(app: FastifyInstance, ctx: Ctx): void {
  const typed = app.withTypeProvider<ShapeProvider>()
  typed.patch(
    '/webhook-endpoints/:id',
    {
      config: { access: 'secret-key', operation: operations.changing },
      schema: { response: { 200: webhookEndpoint } },
    },
    async (request) => {
      const named = namedIn(request)
      const change = readEndpointChange(bodyObject(request))
      await showEndpoint(ctx, named)
      return endpointRecord(await changeEndpoint(ctx, named, change, actorOf(request)))
    },
  )
  typed.delete(
    '/webhook-endpoints/:id',
    {
      config: { access: 'secret-key', operation: operations.removing },
      schema: { response: { 204: nothing } },
    },
    async (request, reply) => {
      const { id, partnerId } = namedIn(request)
      await removeEndpoint(ctx, id, actorOf(request), partnerId)
      return reply.code(204).send(null)
    },
  )
  typed.post(
    '/webhook-endpoints/:id/rotate-secret',
    {
      config: { access: 'secret-key', once: 'with-its-work', operation: operations.rotating },
      schema: { response: { 201: rotatedSecret } },
    },
    async (request, reply) =>
      answerOnce(ctx, request, reply, async (db) => {
        const asked = { ...namedIn(request), overlapMs: readOverlap(bodyObject(request)) }
        const rotated = await within(ctx, db, (block) => rotateSecret(ctx, block, asked, actorOf(request)))
        const body = { secret: rotated.secret, previous_secret_until: rotated.previousUntil.toISOString() }
        return { status: 201, body, dataKey: undefined }
      }),
  )
}

function tryAndReplay(app: FastifyInstance, ctx: Ctx): void {
  const typed = app.withTypeProvider<ShapeProvider>()
  typed.post(
    '/webhook-endpoints/:id/test',
    {
      config: { access: 'secret-key', once: 'with-its-work', operation: operations.trying },
      schema: { response: { 201: testSent } },
    },
    async (request, reply) =>
      answerOnce(ctx, request, reply, async (db) => {
        const named = namedIn(request)
        const eventId = await within(ctx, db, (block) => tryEndpoint(ctx, block, named))
        return { status: 201, body: { event_id: eventId }, dataKey: undefined }
      }),
  )
  typed.post(
    '/webhook-endpoints/:id/replay',
    {
      config: { access: 'secret-key', once: 'with-its-work', operation: operations.replaying },
      schema: { response: { 201: replayAsked } },
    },
    async (request, reply) =>
      answerOnce(ctx, request, reply, async (db) => {
        const named = namedIn(request)
        const asked = readReplay(bodyObject(request))
        await within(ctx, db, async (block) =>
          'since' in asked
            ? replaySince(ctx, block, named, asked.since)
            : replayEvent(ctx, block, named, asked.eventId),
        )
        const body = {
          event_id: 'since' in asked ? null : asked.eventId,
          since: 'since' in asked ? asked.since.toISOString() : null,
        }
        return { status: 201, body, dataKey: undefined }
      }),
  )
}

/** Runs in the block of the stored answer, or in one of its own. */
const within = <T>(ctx: Ctx, db: Atomic | undefined, work: (block: Atomic) => Promise<T>): Promise<T> =>
  db ? work(db) : ctx.db.atomic(work)

const actorOf = (request: FastifyRequest): string => `key:${callerOf(request).key.id}`

/** Which endpoint of the caller's own a path names. */
export function namedIn(request: FastifyRequest): Named & { partnerId: bigint } {
  const id = readId((request.params as { id: string }).id)
  if (id === undefined) throw new Refusal('NOT_FOUND', 'There is no such webhook endpoint.')
  return { id, partnerId: callerOf(request).partner.id }
}
