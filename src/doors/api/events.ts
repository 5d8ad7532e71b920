import type { FastifyInstance, FastifyReply } from 'fastify'

import type { Ctx } from '../../exchange/context.ts'
import type { Waiting } from '../../exchange/events/await.ts'
import { type EventType, eventTypes, isEventType } from '../../exchange/events/event.ts'
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

const longestWaitSeconds = 30
const mostWaiting = 100

/** `GET /v1/events`: the feed of the key's own partner, for secret keys. */
export function eventFeed(
  app: FastifyInstance,
  ctx: Ctx,
  { waiting, accounts }: { waiting: Waiting; accounts: Accounts },
): void {
  app.addHook('preClose', (done) => {
    waiting.end()
    done()
  })
  app.get('/events', { config: { access: 'secret-key', operation } }, async (request, reply) => {
    const { partner } = callerOf(request)
    const { waitMs, ...query } = readQuery(request.query as Query)
    const page = await (waitMs > 0
      ? awaitPage(ctx, { waiting, reply, waitMs, partnerId: partner.id }, query)
      : readFeed(ctx, partner.id, query))
    // What came while it waited is for whoever may read it now.
    if (waitMs > 0) await judgeAgain(accounts, request)
    // A connection that is kept would hold up the end of the service.
    if (waiting.hasEnded()) reply.header('connection', 'close')
    // The texts as they are stored, signed and sent: nothing is read and written again.
    reply.type('application/json; charset=utf-8')
    return `{"data":[${page.bodies.join()}],"next_after":${JSON.stringify(page.nextAfter ?? null)},"has_more":${page.hasMore}}`
  })
}

type Patience = { waiting: Waiting; reply: FastifyReply; waitMs: number; partnerId: bigint }

/**
 * Looks, and where there is nothing looks again each time that something was placed, until the time is over. Between two looks
 * the request holds a timer only: no connection to the database.
 */
async function awaitPage(
  ctx: Ctx,
  { waiting, reply, waitMs, partnerId }: Patience,
  query: FeedQuery,
): Promise<FeedPage> {
  if (waiting.countOf(partnerId) >= mostWaiting) {
    throw new Refusal('RATE_LIMITED', `At most ${mostWaiting} requests of an account may wait at once.`, [], 1)
  }
  const elapsed = stopwatch()
  const listener = waiting.listen(partnerId)
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
  const unknown = types?.find((word) => !isEventType(word))
  if (unknown !== undefined) read.tell('types', 'There are no events of one of these types.')
  const wait = queryText(query, 'wait') ?? '0'
  const isSeconds = /^\d{1,2}$/.test(wait) && Number.parseInt(wait, 10) <= longestWaitSeconds
  if (!isSeconds) read.tell('wait', `This must be a whole number from 0 to ${longestWaitSeconds}.`)
  const [first] = read.problems
  if (first) throw new Refusal('BAD_REQUEST', first.message, [...read.problems])
  const waitMs = Number.parseInt(wait, 10) * 1_000
  return { after: queryText(query, 'after'), types: types?.filter(isEventType), limit, waitMs }
}

const readTypes = (text: string | undefined): string[] | undefined => text?.split(',').map((word) => word.trim())

const page = titled('EventPage', object({ data: list(anyEvent), next_after: orNull(eventId), has_more: flag }))

const someTypes: readonly EventType[] = eventTypes.slice(0, 2)

const operation: Operation = {
  id: 'listEvents',
  tag: 'Webhooks',
  summary: 'Read the feed of events',
  description:
    'Everything that webhooks tell, in the one order that all readers see, for 90 days unless the operator has set another ' +
    'time. Whoever goes on from `next_after` meets each event exactly once. With `wait`, a request that finds nothing is ' +
    'answered as soon as there is something, or when the time is over.',
  query: {
    after: optional(
      textIn(29, { pattern: '^(evt_[1-9]\\d{6,24}|latest)$', examples: ['evt_4611686018427387904000001'] }),
      'Begin after this event; `latest` begins after the last one there is. From the oldest one unless said.',
    ),
    limit: optional(
      textIn(10, { pattern: '^\\d+$', examples: ['50'] }),
      'How many events are looked at, from 1; 50 unless said, 100 at most.',
    ),
    types: optional(
      textIn(512, { pattern: '^[a-z0-9_., ]+$', examples: [someTypes.join()] }),
      'Which types, with commas between them; all unless said. `next_after` leads past the others.',
    ),
    wait: optional(
      textIn(2, { pattern: '^([0-2]?\\d|30)$', examples: ['30'] }),
      'How many seconds to wait for an event when there is none, at most 30; 0 unless said.',
    ),
  },
  answers: { 200: page },
  says: { 200: 'The next events, oldest first.' },
  refuses: ['BAD_REQUEST'],
}
