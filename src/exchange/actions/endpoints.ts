import type { Partner } from '../partners/partner.ts'
import { type Endpoint, showEndpoint, whyNotPaused, whyNotResumed } from '../webhooks/endpoint.ts'
import {
  addEndpoint,
  changeEndpoint,
  type EndpointChange,
  maxPerSecond,
  removeEndpoint,
  rotateSecret,
  testEndpoint,
  whyNotTested,
} from '../webhooks/manage-endpoints.ts'
import { replayEvent, replaySince, whyNotReplayed } from '../webhooks/replay.ts'
import { badField } from '../../platform/lib/refusal.ts'
import type { Action, Input, SubjectKind } from './action.ts'
import { auditIn } from './audit-asked.ts'
import { byId } from './by-id.ts'
import { overlap } from './api-keys.ts'
import { partners } from './partners.ts'
import { field, required } from './input.ts'
import { list, moment, onOff, text, url as webUrl, whole } from './values.ts'

const endpoints: SubjectKind<Endpoint> = {
  noun: 'webhook',
  argument: 'ENDPOINT_ID',
  field: 'endpoint',
  find: byId('endpoint', (ctx, id) => showEndpoint(ctx, { id })),
}

/** An endpoint as programs read it. */
export const endpointJson = (one: Endpoint) => ({
  id: String(one.id),
  url: one.url,
  types: one.types,
  status: one.status,
  rate_limit: one.perSecond,
  ordered: one.isOrdered,
  failing_since: one.failingSince?.toISOString() ?? null,
  previous_secret_until: one.previousUntil?.toISOString() ?? null,
  created_at: one.createdAt.toISOString(),
})

const common = { subject: endpoints, permission: 'partners.manage', needsReason: 'none' } as const
/** Who helps a partner may send again what its endpoint has missed. */
const resending = { ...common, permission: 'partners.resend' } as const

const url = field('url', webUrl, { label: 'URL' })
const types = field('types', list('types of events'), { label: 'Types of events' })
const rate = field('rate', whole(0, maxPerSecond), {
  label: 'Deliveries a second',
  help: '0: no limit.',
  refusedAs: 'rate_limit',
})
const ordered = field('ordered', onOff, {
  label: 'In order',
  help: 'Off: events of one transaction do not wait for each other.',
})

/** What is typed of an endpoint, as far as it is. */
const changesIn = ({ value }: Input): EndpointChange => ({
  url: value(url),
  types: value(types),
  perSecond: value(rate),
  isOrdered: value(ordered),
})

const onceShown = 'Save this secret. It is not shown again.'

const add: Action<Partner> = {
  ...common,
  subject: partners('webhook'),
  name: 'endpoint',
  title: 'Add an endpoint',
  does: 'Adds a webhook endpoint. Its secret is shown once.',
  details: `Without types it receives transaction events. A partner's first endpoint gets the secret that was created with its keys,
unless that was rotated.`,
  fields: [{ ...url, argument: 'URL', isRequired: true }, types, rate, ordered],
  commands: [{ words: 'webhook add' }],
  run: async (ctx, { id: partnerId }, given, { actor }) => {
    const { endpoint, secret } = await addEndpoint(
      ctx,
      { partnerId, ...changesIn(given), url: required(given, url) },
      actor,
    )
    const json = { id: String(endpoint.id), url: endpoint.url, secret }
    return { said: onceShown, json, secrets: [['Webhook secret', secret]] }
  },
}

const settings = [url, types, rate, ordered] as const
const settable = settings.map(({ name }): string => name)

const set: Action<Endpoint> = {
  ...common,
  name: 'set',
  title: 'Change',
  does: 'Changes an endpoint: url=, types=a,b, rate=N (0: no limit), ordered=on|off.',
  fields: [
    field('changes', text(), { argument: 'KEY=VALUE ...', pairs: { isFile: () => false }, isOfCommands: true }),
    { ...url, isOfForms: true, initial: (one: Endpoint) => one.url },
    { ...types, isOfForms: true, initial: (one: Endpoint) => one.types.join(',') },
    { ...rate, isOfForms: true, initial: (one: Endpoint) => String(one.perSecond ?? 0) },
    { ...ordered, isOfForms: true, initial: (one: Endpoint) => (one.isOrdered ? 'on' : 'off') },
  ],
  run: async (ctx, { id }, given, { actor }) => {
    if (Object.keys(given.pairs).some((name) => !settable.includes(name)))
      throw badField('changes', 'Unknown setting. Use url=, types=a,b, rate=N or ordered=on|off.')
    const empty = settings.find(({ name }) => given.has(name) && given.text(name) === undefined)
    if (empty) throw badField(empty.name, `${empty.label} must not be empty.`)
    const after = await changeEndpoint(ctx, { id }, changesIn(given), actor)
    return { said: 'The endpoint is changed.', json: endpointJson(after) }
  },
}

const pause: Action<Endpoint> = {
  ...common,
  name: 'pause',
  title: 'Pause',
  does: 'Pauses an endpoint: its events are queued until it is resumed.',
  fields: [],
  allowedNow: (_ctx, one) => whyNotPaused(one),
  run: async (ctx, { id }, _given, { actor }) => ({
    said: 'The endpoint is paused.',
    json: endpointJson(await changeEndpoint(ctx, { id }, { status: 'paused' }, actor)),
  }),
}

const resume: Action<Endpoint> = {
  ...resending,
  atPortal: 'admin',
  name: 'resume',
  title: 'Resume',
  does: 'Activates a paused, failing or disabled endpoint and resets its health.',
  details: 'What a disabled endpoint has missed is sent by a replay.',
  fields: [],
  allowedNow: (_ctx, one) => whyNotResumed(one),
  run: async (ctx, { id }, _given, { actor }) => ({
    said: 'The endpoint is active.',
    json: endpointJson(await changeEndpoint(ctx, { id }, { status: 'active' }, actor)),
  }),
}

const rotate: Action<Endpoint> = {
  ...common,
  name: 'rotate',
  title: 'Replace the secret',
  does: 'Rotates the secret of an endpoint. The new one is shown once; both sign during the overlap.',
  fields: [overlap],
  run: async (ctx, { id }, { value }, { actor }) => {
    const wanted = { id, overlapMs: value(overlap) }
    const { secret, previousUntil } = await ctx.db.atomic((db) => rotateSecret(ctx, db, wanted, actor))
    const json = { id: String(id), secret, previous_secret_until: previousUntil.toISOString() }
    return { said: onceShown, json, secrets: [['Webhook secret', secret]] }
  },
}

const test: Action<Endpoint> = {
  ...resending,
  atPortal: 'member',
  name: 'test',
  title: 'Send a test event',
  does: 'Sends a test event, whatever types the endpoint subscribes to.',
  fields: [],
  allowedNow: (_ctx, one) => whyNotTested(one),
  run: async (ctx, { id }, _given, { actor }) => {
    const event = await ctx.db.atomic(async (db) => {
      const sent = await testEndpoint(ctx, db, { id })
      auditIn(ctx, db, { actor, action: 'endpoint.tested', subject: `endpoint:${id}`, after: { event_id: sent } })
      return sent
    })
    return { said: 'A test event is sent.', json: { event_id: event } }
  },
}

const since = field('since', moment)

const replay: Action<Endpoint> = {
  ...resending,
  atPortal: 'member',
  name: 'replay',
  title: 'Replay',
  does: 'Sends one event again, or every event since a time that the endpoint subscribes to.',
  details: 'Pending retries become due at once.',
  fields: [field('event', text('EVENT'), { help: 'Its id. Empty: all since a time.', refusedAs: 'event_id' }), since],
  check: ({ text: typed }) => {
    if ((typed('event') === undefined) === (typed('since') === undefined))
      throw badField('since', 'Give either an event or a time.')
  },
  allowedNow: (_ctx, endpoint) => whyNotReplayed(endpoint),
  run: async (ctx, { id }, given, { actor }) => {
    const [event, from] = [given.text('event'), given.value(since)]
    if (from && from > ctx.clock.now()) throw badField('since', 'This time has not come yet.')
    await ctx.db.atomic(async (db) => {
      if (from) await replaySince(ctx, db, { id }, from)
      else await replayEvent(ctx, db, { id }, event ?? '')
      const after = { event_id: event ?? null, since: from?.toISOString() ?? null }
      auditIn(ctx, db, { actor, action: 'endpoint.replayed', subject: `endpoint:${id}`, after })
    })
    return {
      said: from ? `The events since ${from.toISOString()} are sent again.` : 'The event is sent again.',
      json: { id: String(id), event_id: event ?? null, since: from?.toISOString() ?? null },
    }
  },
}

const remove: Action<Endpoint> = {
  ...common,
  name: 'remove',
  title: 'Remove',
  does: 'Removes an endpoint and its pending deliveries. Nothing is sent to it any more.',
  fields: [],
  run: async (ctx, { id }, _given, { actor }) => ({
    said: 'The endpoint is removed.',
    json: endpointJson(await removeEndpoint(ctx, { id }, actor)),
  }),
}

export const newEndpointActions: readonly Action<Partner>[] = [add]
/** What an operator may do with an endpoint of a partner. */
export const endpointActions: readonly Action<Endpoint>[] = [set, pause, resume, rotate, test, remove]
export const replayActions: readonly Action<Endpoint>[] = [replay]
