import type { FastifyInstance } from 'fastify'

import type { Ctx } from '../../exchange/context.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import { type AttemptPosition, listAttempts, type SeenAttempt } from '../../exchange/webhooks/attempts.ts'
import { showEndpoint } from '../../exchange/webhooks/endpoint.ts'
import { fieldReader } from './fields.ts'
import { paged, type Question, readCursor, readLimit, writeCursor } from './pagination.ts'
import { type Query, queryText } from './query.ts'
import { type ShapeProvider, titled } from './shape.ts'
import { attempting, webhookAttempt } from './webhook-endpoint-shape.ts'
import { keyIn } from './webhook-endpoints.ts'

/** `GET /v1/webhook-endpoints/{id}/attempts`, for secret keys. */
export function webhookAttempts(app: FastifyInstance, ctx: Ctx): void {
  app.withTypeProvider<ShapeProvider>().get(
    '/webhook-endpoints/:id/attempts',
    {
      config: { access: 'secret-key', operation: attempting },
      schema: { response: { 200: titled('WebhookAttempts', paged(webhookAttempt)) } },
    },
    async (request) => {
      const key = keyIn(request)
      const query = request.query as Query
      const read = fieldReader()
      const limit = readLimit(read, queryText(query, 'limit'))
      const event = queryText(query, 'event_id')
      const text = queryText(query, 'outcome')
      const outcome = text === 'delivered' || text === 'failed' ? text : undefined
      if (text !== undefined && !outcome) read.tell('outcome', 'This must be one of delivered, failed.')
      const question: Question = ['webhook-attempts', `${key.partnerId}:${key.id}`, event ?? null, outcome ?? null]
      const cursor = readCursor(ctx, read, question, queryText(query, 'cursor'))
      const [first] = read.problems
      if (first) throw new Refusal('BAD_REQUEST', first.message, [...read.problems])

      const endpoint = await showEndpoint(ctx, key)
      const from = cursor === undefined ? undefined : positionOf(cursor)
      const { attempts, next } = await listAttempts(ctx, endpoint, { from, event, outcome, limit })
      const nextCursor = next ? writeCursor(ctx, question, textOfPosition(next)) : null
      return {
        data: attempts.map(attemptRecord),
        pagination: { limit, offset: 0, has_more: next !== undefined, next_cursor: nextCursor },
      }
    },
  )
}

const textOfPosition = ({ at, eventRow, number }: AttemptPosition): string =>
  `${at.toISOString()} ${eventRow} ${number}`

function positionOf(cursor: string): AttemptPosition {
  const [at = '', eventRow = '', number = ''] = cursor.split(' ')
  return { at: new Date(at), eventRow: BigInt(eventRow), number: Number.parseInt(number, 10) }
}

const attemptRecord = ({ eventId, type, number, at, outcome, status, tookMs, request, ...rest }: SeenAttempt) => ({
  event_id: eventId,
  type,
  attempt: number,
  at: at.toISOString(),
  outcome,
  status,
  took_ms: tookMs,
  request: {
    url: request.url,
    webhook_id: request.headers['webhook-id'] ?? null,
    webhook_timestamp: request.headers['webhook-timestamp'] ?? null,
    body: request.body,
  },
  response: rest.response,
  next_attempt_at: rest.nextAt?.toISOString() ?? null,
})
