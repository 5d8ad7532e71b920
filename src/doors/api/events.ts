import type { FastifyInstance, FastifyReply } from 'fastify'

import type { Ctx } from '../../exchange/context.ts'
import { type EventType, eventTypes, isEventType } from '../../exchange/events/event.ts'
import type { FeedListeners } from '../../exchange/events/feed-listeners.ts'
import { type FeedPage, type FeedQuery, readFeed } from '../../exchange/events/feed.ts'
import { stopwatch } from '../../platform/lib/clock.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import type { Accounts } from '../../exchange/partners/accounts.ts'
import { callerOf, judgeAgain } from './authenticate.ts'
import { anyEvent, eventId } from './event-shape.ts'
import { fieldReader } from './fields.ts'
import { type Operation, optional, textIn } from './operation.ts'
import { readLimit } from './pagination.ts'
import { type Query, queryText } from './query.ts'
import { flag, list, object, orNull, titled } from './shape.ts'

const maxWaitSeconds = 30
const maxWaiting = 100

/** `GET /v1/events`: the feed of the key's own partner, for secret keys. */
export function eventFeed(
  app: FastifyInstance,
  ctx: Ctx,
  { listeners, accounts }: { listeners: FeedListeners; accounts: Accounts },
): void {
  app.addHook('preClose', (done) => {
    listeners.stop()
    done()
  })
  app.get('/events', { config: { access: 'secret-key', operation } }, async (request, reply) => {
    const { partner } = callerOf(request)
    const { waitMs, ...query } = readQuery(request.query as Query)
    const page = await (waitMs > 0
      ? awaitPage(ctx, { listeners, reply, waitMs, partnerId: partner.id }, query)
      : readFeed(ctx, partner.id, query))
    // What came while it waited is for a key that is still valid.
    if (waitMs > 0) await judgeAgain(accounts, request)
    // A kept connection would delay the end of the service.
    if (listeners.hasStopped()) reply.header('connection', 'close')
    // The exact texts that are stored, signed and sent.
    reply.type('application/json; charset=utf-8')
    return `{"data":[${page.bodies.join()}],"next_after":${JSON.stringify(page.nextAfter ?? null)},"has_more":${page.hasMore}}`
  })
}

type LongPoll = { listeners: FeedListeners; reply: FastifyReply; waitMs: number; partnerId: bigint }

/**
 * Reads the feed, and reads it again whenever it was notified, until there is something or the time is over. In between the
 * request holds a timer only, and no database connection.
 */
async function awaitPage(
  ctx: Ctx,
  { listeners, reply, waitMs, partnerId }: LongPoll,
  query: FeedQuery,
): Promise<FeedPage> {
  if (listeners.countOf(partnerId) >= maxWaiting) {
    throw new Refusal('RATE_LIMITED', `At most ${maxWaiting} requests of an account may wait at once.`, [], 1)
  }
  const elapsed = stopwatch()
  const listener = listeners.listen(partnerId)
  reply.raw.once('close', listener.close)
  try {
    for (let after = query.after; ;) {
      const page = await readFeed(ctx, partnerId, { ...query, after })
      if (page.bodies.length > 0 || page.hasMore) return page
      const leftMs = waitMs - elapsed()
      if (leftMs <= 0 || !(await listener.next(leftMs))) return page
      after = page.nextAfter
    }
  } finally {
    listener.close()
    reply.raw.off('close', listener.close)
  }
}

function readQuery(query: Query): FeedQuery & { waitMs: number } {
  const read = fieldReader()
  const limit = readLimit(read, queryText(query, 'limit'))
  const types = readTypes(queryText(query, 'types'))
  const unknown = types?.find((type) => !isEventType(type))
  if (unknown !== undefined) read.tell('types', 'One of these event types is unknown.')
  const wait = queryText(query, 'wait') ?? '0'
  const isSeconds = /^\d{1,2}$/.test(wait) && Number.parseInt(wait, 10) <= maxWaitSeconds
  if (!isSeconds) read.tell('wait', `This must be a whole number from 0 to ${maxWaitSeconds}.`)
  const [first] = read.problems
  if (first) throw new Refusal('BAD_REQUEST', first.message, [...read.problems])
  const waitMs = Number.parseInt(wait, 10) * 1_000
  return { after: queryText(query, 'after'), types: types?.filter(isEventType), limit, waitMs }
}

const readTypes = (text: string | undefined): string[] | undefined => text?.split(',').map((type) => type.trim())

const page = titled('EventPage', object({ data: list(anyEvent), next_after: orNull(eventId), has_more: flag }))

const someTypes: readonly EventType[] = eventTypes.slice(0, 2)

const operation: Operation = {
  id: 'listEvents',
  tag: 'Webhooks',
  summary: 'Read the feed of events',
  description:
    'Every event that webhooks send, in the same order for all readers, for 90 days unless the operator has set another ' +
    'time. Continue from `next_after` to get each event exactly once. With `wait`, a request that finds no event is answered as ' +
    'soon as there is one, or when the time is over.',
  query: {
    after: optional(
      textIn(29, { pattern: '^(evt_[1-9]\\d{6,24}|latest)$', examples: ['evt_4611686018427387904000001'] }),
      'Start after this event; `latest` starts after the newest one. By default the feed starts with the oldest.',
    ),
    limit: optional(
      textIn(10, { pattern: '^\\d+$', examples: ['50'] }),
      'How many events are read, from 1 to 100; 50 by default.',
    ),
    types: optional(
      textIn(512, { pattern: '^[a-z0-9_., ]+$', examples: [someTypes.join()] }),
      'Event types, separated by commas; all by default. `next_after` skips the others.',
    ),
    wait: optional(
      textIn(2, { pattern: '^([0-2]?\\d|30)$', examples: ['30'] }),
      'How many seconds to wait for an event when there is none, at most 30; 0 by default.',
    ),
  },
  answers: { 200: page },
  says: { 200: 'The next events, oldest first.' },
  refuses: ['BAD_REQUEST'],
}
