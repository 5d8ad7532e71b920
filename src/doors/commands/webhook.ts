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
import { type Answer, type Invocation, WrongUsage } from './command.ts'
import { layOut } from './layout.ts'
import { idOf, partnerIdOf } from './read-id.ts'
import { withActor } from './who.ts'

/** Shows the secret, once. */
export const add = (input: Invocation): Promise<Answer> => {
  const {
    args: [url = ''],
    flags: { types, rate, ordered },
  } = input
  const wanted = {
    partnerId: partnerIdOf(input),
    url,
    types: types === undefined ? undefined : listed(types),
    perSecond: rate === undefined ? undefined : wholeNumber(rate, '--rate'),
    isOrdered: ordered === undefined ? undefined : ordered === 'on',
  }
  return withActor(input, 'partners.manage', async (ctx, who) => {
    const { endpoint, secret } = await addEndpoint(ctx, wanted, who)
    return withSecret({ id: String(endpoint.id), url: endpoint.url, secret })
  })
}

export const list = (input: Invocation): Promise<Answer> => {
  const partnerId = partnerIdOf(input)
  return input.exchange(async (ctx) => {
    await showPartner(ctx, partnerId)
    return { json: (await listEndpoints(ctx, partnerId)).map(shown) }
  })
}

/** Shows an endpoint and its health. */
export const show = (input: Invocation): Promise<Answer> => {
  const id = idOf(input)
  return input.exchange(async (ctx) => {
    const endpoint = await showEndpoint(ctx, { id })
    const { waiting, lastAttempt } = await readHealth(ctx, endpoint)
    const last = lastAttempt && { ...lastAttempt, at: lastAttempt.at.toISOString() }
    const attempt = last && { at: last.at, outcome: last.outcome, status: last.status, took_ms: last.tookMs }
    return { json: { ...shown(endpoint), partner_id: String(endpoint.partnerId), waiting, last_attempt: attempt } }
  })
}

/** Changes an endpoint by `key=value` arguments. */
export const set = (input: Invocation): Promise<Answer> => {
  const id = idOf(input)
  const change = readChange(input.args.slice(1))
  return withActor(input, 'partners.manage', async (ctx, who) => ({
    json: shown(await changeEndpoint(ctx, { id }, change, who)),
  }))
}

export const pause = (input: Invocation): Promise<Answer> => changeStatus(input, 'paused')

export const resume = (input: Invocation): Promise<Answer> => changeStatus(input, 'active')

function changeStatus(input: Invocation, status: 'active' | 'paused'): Promise<Answer> {
  const id = idOf(input)
  return withActor(input, 'partners.manage', async (ctx, who) => ({
    json: shown(await changeEndpoint(ctx, { id }, { status }, who)),
  }))
}

/** Shows the new secret, once. */
export const rotate = (input: Invocation): Promise<Answer> => {
  const id = idOf(input)
  const { overlap } = input.flags
  const overlapMs = overlap === undefined ? undefined : durationOf(overlap)
  return withActor(input, 'partners.manage', async (ctx, who) => {
    const { secret, previousUntil } = await ctx.db.atomic((db) => rotateSecret(ctx, db, { id, overlapMs }, who))
    return withSecret({ id: String(id), secret, previous_secret_until: previousUntil.toISOString() })
  })
}

export const remove = (input: Invocation): Promise<Answer> => {
  const id = idOf(input)
  return withActor(input, 'partners.manage', async (ctx, who) => ({
    json: shown(await removeEndpoint(ctx, { id }, who)),
  }))
}

export const test = (input: Invocation): Promise<Answer> => {
  const id = idOf(input)
  return withBlock(input, async (ctx, db) => ({ json: { event_id: await testEndpoint(ctx, db, { id }) } }))
}

/** Sends one event again, or all since a time. */
export const replay = (input: Invocation): Promise<Answer> => {
  const id = idOf(input)
  const { event, since } = input.flags
  if ((event === undefined) === (since === undefined)) throw new WrongUsage('Give either --event or --since.')
  const from = since === undefined ? undefined : instant(since, 'since')
  return withBlock(input, async (ctx, db) => {
    if (from === undefined) await replayEvent(ctx, db, { id }, event ?? '')
    else await replaySince(ctx, db, { id }, from)
    return { json: { id: String(id), event_id: event ?? null, since: from?.toISOString() ?? null } }
  })
}

const usualAttempts = 20
const mostAttempts = 1_000

export const attempts = (input: Invocation): Promise<Answer> => {
  const id = idOf(input)
  const { event, outcome, limit, body } = input.flags
  const asked = {
    event,
    outcome: outcome === 'delivered' || outcome === 'failed' ? outcome : undefined,
    limit: Math.min(limit === undefined ? usualAttempts : wholeNumber(limit, '--limit'), mostAttempts),
  } as const
  return input.exchange(async (ctx) => {
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
  text: `${layOut(json)}\n\nSave this secret. It is not shown again.`,
})

const withBlock = (input: Invocation, work: (ctx: Ctx, db: Atomic) => Promise<Answer>): Promise<Answer> =>
  input.exchange((ctx) => ctx.db.atomic((db) => work(ctx, db)))

const listed = (text: string): string[] => text.split(',').map((one) => one.trim())

function readChange(args: string[]): EndpointChange {
  const changes = args.map((arg): EndpointChange => {
    const [, key = '', value = ''] = /^(\w+)=(.*)$/.exec(arg) ?? []
    if (key === 'url') return { url: value }
    if (key === 'types') return { types: listed(value) }
    if (key === 'rate') return { perSecond: wholeNumber(value, 'rate') }
    if (key === 'ordered' && (value === 'on' || value === 'off')) return { isOrdered: value === 'on' }
    throw new WrongUsage('Unknown setting. Use url=, types=a,b, rate=N or ordered=on|off.')
  })
  return Object.assign({}, ...changes) as EndpointChange
}

function wholeNumber(text: string, name: string): number {
  if (!/^\d{1,6}$/.test(text)) throw new WrongUsage(`${name} must be a whole number.`)
  return Number.parseInt(text, 10)
}

export function durationOf(text: string): number {
  try {
    return parseDuration(text)
  } catch {
    throw new WrongUsage('--overlap must be an ISO 8601 duration, such as PT24H.')
  }
}
