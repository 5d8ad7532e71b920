import type { Ctx } from '../../exchange/context.ts'
import type { Atomic } from '../../platform/db/sql.ts'
import { parseDuration } from '../../platform/lib/duration.ts'
import { showPartner } from '../../exchange/partners/find.ts'
import { instant } from '../../exchange/partners/setting-value.ts'
import { listAttempts, readHealth, type SeenAttempt } from '../../exchange/webhooks/attempts.ts'
import { type Endpoint, listEndpoints, showEndpoint } from '../../exchange/webhooks/endpoint.ts'
import {
  addEndpoint,
  changeEndpoint,
  type EndpointChange,
  removeEndpoint,
  rotateSecret,
  testEndpoint,
} from '../../exchange/webhooks/manage-endpoints.ts'
import { replayEvent, replaySince } from '../../exchange/webhooks/replay.ts'
import { type Answer, type Given, WrongUsage } from './command.ts'
import { layOut } from './layout.ts'
import { idOf, partnerIdOf } from './read-id.ts'
import { withActor } from './who.ts'

/** Adds an endpoint, and shows its secret. */
export const add = (given: Given): Promise<Answer> => {
  const {
    words: [url = ''],
    flags: { types, rate, ordered },
  } = given
  const wanted = {
    partnerId: partnerIdOf(given),
    url,
    types: types === undefined ? undefined : listed(types),
    perSecond: rate === undefined ? undefined : wholeNumber(rate, '--rate'),
    isOrdered: ordered === undefined ? undefined : ordered === 'on',
  }
  return withActor(given, async (ctx, who) => {
    const { endpoint, secret } = await addEndpoint(ctx, wanted, who)
    return withSecret({ id: String(endpoint.id), url: endpoint.url, secret })
  })
}

/** Lists a partner's endpoints. */
export const list = (given: Given): Promise<Answer> => {
  const partnerId = partnerIdOf(given)
  return given.exchange(async (ctx) => {
    await showPartner(ctx, partnerId)
    return { json: (await listEndpoints(ctx, partnerId)).map(shown) }
  })
}

/** Shows one endpoint, and how it does. */
export const show = (given: Given): Promise<Answer> => {
  const id = idOf(given)
  return given.exchange(async (ctx) => {
    const endpoint = await showEndpoint(ctx, { id })
    const { waiting, lastAttempt } = await readHealth(ctx, endpoint)
    const last = lastAttempt && { ...lastAttempt, at: lastAttempt.at.toISOString() }
    const attempt = last && { at: last.at, outcome: last.outcome, status: last.status, took_ms: last.tookMs }
    return { json: { ...shown(endpoint), partner_id: String(endpoint.partnerId), waiting, last_attempt: attempt } }
  })
}

/** Changes an endpoint by `key=value`, and shows it. */
export const set = (given: Given): Promise<Answer> => {
  const id = idOf(given)
  const change = readChange(given.words.slice(1))
  return withActor(given, async (ctx, who) => ({ json: shown(await changeEndpoint(ctx, { id }, change, who)) }))
}

/** Pauses an endpoint, and shows it. */
export const pause = (given: Given): Promise<Answer> => changeStatus(given, 'paused')

/** Makes an endpoint active, and shows it. */
export const resume = (given: Given): Promise<Answer> => changeStatus(given, 'active')

function changeStatus(given: Given, status: 'active' | 'paused'): Promise<Answer> {
  const id = idOf(given)
  return withActor(given, async (ctx, who) => ({ json: shown(await changeEndpoint(ctx, { id }, { status }, who)) }))
}

/** Gives an endpoint a new secret, and shows it. */
export const rotate = (given: Given): Promise<Answer> => {
  const id = idOf(given)
  const { overlap } = given.flags
  const overlapMs = overlap === undefined ? undefined : durationOf(overlap)
  return withActor(given, async (ctx, who) => {
    const { secret, previousUntil } = await ctx.db.atomic((db) => rotateSecret(ctx, db, { id, overlapMs }, who))
    return withSecret({ id: String(id), secret, previous_secret_until: previousUntil.toISOString() })
  })
}

/** Removes an endpoint, and shows what it was. */
export const remove = (given: Given): Promise<Answer> => {
  const id = idOf(given)
  return withActor(given, async (ctx, who) => ({ json: shown(await removeEndpoint(ctx, { id }, who)) }))
}

/** Sends an endpoint a test. */
export const test = (given: Given): Promise<Answer> => {
  const id = idOf(given)
  return withBlock(given, async (ctx, db) => ({ json: { event_id: await testEndpoint(ctx, db, { id }) } }))
}

/** Sends an endpoint one event again, or all since a time. */
export const replay = (given: Given): Promise<Answer> => {
  const id = idOf(given)
  const { event, since } = given.flags
  if ((event === undefined) === (since === undefined))
    throw new WrongUsage('Either --event or --since says what to send.')
  const from = since === undefined ? undefined : instant(since, 'since')
  return withBlock(given, async (ctx, db) => {
    if (from === undefined) await replayEvent(ctx, db, { id }, event ?? '')
    else await replaySince(ctx, db, { id }, from)
    return { json: { id: String(id), event_id: event ?? null, since: from?.toISOString() ?? null } }
  })
}

const usualAttempts = 20
const mostAttempts = 1_000

/** Lists attempts at an endpoint. */
export const attempts = (given: Given): Promise<Answer> => {
  const id = idOf(given)
  const { event, outcome, limit, body } = given.flags
  const asked = {
    event,
    outcome: outcome === 'delivered' || outcome === 'failed' ? outcome : undefined,
    limit: Math.min(limit === undefined ? usualAttempts : wholeNumber(limit, '--limit'), mostAttempts),
  } as const
  return given.exchange(async (ctx) => {
    const seen = (await listAttempts(ctx, await showEndpoint(ctx, { id }), asked)).attempts
    return { json: seen.map((attempt) => shownAttempt(attempt, body !== 'off')) }
  })
}

const shownAttempt = (attempt: SeenAttempt, isWhole: boolean) => {
  const { eventId, type, number, at, outcome, status, tookMs, request, response, nextAt } = attempt
  return {
    event_id: eventId,
    type,
    attempt: number,
    at: at.toISOString(),
    outcome,
    status,
    took_ms: tookMs,
    next_attempt_at: nextAt?.toISOString() ?? null,
    ...(isWhole ? { request, response } : {}),
  }
}

const shown = ({ id, url, types, status, perSecond, isOrdered, failingSince, createdAt, ...rest }: Endpoint) => ({
  id: String(id),
  url,
  types,
  status,
  rate_limit: perSecond,
  ordered: isOrdered,
  failing_since: failingSince?.toISOString() ?? null,
  previous_secret_until: rest.previousUntil?.toISOString() ?? null,
  created_at: createdAt.toISOString(),
})

const withSecret = (json: { id: string; secret: string; [name: string]: string }): Answer => ({
  json,
  text: `${layOut(json)}\n\nKeep the secret: it is not shown again.`,
})

const withBlock = (given: Given, work: (ctx: Ctx, db: Atomic) => Promise<Answer>): Promise<Answer> =>
  given.exchange((ctx) => ctx.db.atomic((db) => work(ctx, db)))

const listed = (text: string): string[] => text.split(',').map((one) => one.trim())

function readChange(words: string[]): EndpointChange {
  const changes = words.map((word): EndpointChange => {
    const [, key = '', value = ''] = /^(\w+)=(.*)$/.exec(word) ?? []
    if (key === 'url') return { url: value }
    if (key === 'types') return { types: listed(value) }
    if (key === 'rate') return { perSecond: wholeNumber(value, 'rate') }
    if (key === 'ordered' && (value === 'on' || value === 'off')) return { isOrdered: value === 'on' }
    throw new WrongUsage('This takes url=, types=a,b, rate=N and ordered=on|off.')
  })
  return Object.assign({}, ...changes) as EndpointChange
}

function wholeNumber(text: string, name: string): number {
  if (!/^\d{1,6}$/.test(text)) throw new WrongUsage(`${name} is a whole number.`)
  return Number.parseInt(text, 10)
}

function durationOf(text: string): number {
  try {
    return parseDuration(text)
  } catch {
    throw new WrongUsage('--overlap is an ISO 8601 duration, such as PT24H.')
  }
}
