import type { Partner } from '../partners/partner.ts'
import { instant } from '../partners/setting-value.ts'
import { type Endpoint, showEndpoint, whyNotPaused, whyNotResumed } from '../webhooks/endpoint.ts'
import {
  addEndpoint,
  changeEndpoint,
  type EndpointChange,
  removeEndpoint,
  rotateSecret,
  testEndpoint,
  whyNotTested,
} from '../webhooks/manage-endpoints.ts'
import { replayEvent, replaySince, whyNotReplayed } from '../webhooks/replay.ts'
import { badField } from '../../platform/lib/refusal.ts'
import type { Action, Field, SubjectKind } from './action.ts'
import { auditIn } from './audit-asked.ts'
import { byId } from './by-id.ts'
import { overlap, overlapMs } from './duration.ts'
import { partners } from './partners.ts'

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

const types: Field<unknown> = { name: 'types', value: 'a,b', label: 'Types of events', help: 'Separated by commas.' }
const rate: Field<unknown> = {
  name: 'rate',
  value: 'N',
  label: 'Deliveries a second',
  help: '0: no limit.',
  refusedAs: 'rate_limit',
}
const ordered: Field<unknown> = {
  name: 'ordered',
  label: 'In order',
  options: [
    ['on', 'on'],
    ['off', 'off'],
  ],
  help: 'Off: events of one transaction do not wait for each other.',
}

/** What is typed of an endpoint, as far as it is. */
function changesIn(text: (name: string) => string | undefined): EndpointChange {
  const [listed, perSecond, isOrdered] = [text('types'), text('rate'), text('ordered')]
  if (perSecond !== undefined && !/^\d{1,6}$/.test(perSecond))
    throw badField('rate', 'The rate must be a whole number.')
  if (isOrdered !== undefined && isOrdered !== 'on' && isOrdered !== 'off') throw badField('ordered', 'Use on or off.')
  return {
    url: text('url'),
    types: listed?.split(',').map((one) => one.trim()),
    perSecond: perSecond === undefined ? undefined : Number.parseInt(perSecond, 10),
    isOrdered: isOrdered === undefined ? undefined : isOrdered === 'on',
  }
}

const onceShown = 'Save this secret. It is not shown again.'

const add: Action<Partner> = {
  ...common,
  subject: partners('webhook'),
  name: 'endpoint',
  title: 'Add an endpoint',
  does: 'Adds a webhook endpoint. Its secret is shown once.',
  details: `Without types it receives transaction events. A partner's first endpoint gets the secret that was created with its keys,
unless that was rotated.`,
  fields: [{ name: 'url', argument: 'URL', label: 'URL', isRequired: true }, types, rate, ordered],
  commands: [{ words: 'webhook add' }],
  run: async (ctx, { id: partnerId }, { text }, { actor }) => {
    const { url = '', ...preferences } = changesIn(text)
    const { endpoint, secret } = await addEndpoint(ctx, { partnerId, url, ...preferences }, actor)
    const json = { id: String(endpoint.id), url: endpoint.url, secret }
    return { said: onceShown, json, secrets: [['Webhook secret', secret]] }
  },
}

const settable = ['url', 'types', 'rate', 'ordered']

const set: Action<Endpoint> = {
  ...common,
  name: 'set',
  title: 'Change',
  does: 'Changes an endpoint: url=, types=a,b, rate=N (0: no limit), ordered=on|off.',
  fields: [
    {
      name: 'changes',
      argument: 'KEY=VALUE ...',
      label: 'Changes',
      pairs: { isFile: () => false },
      isOfCommands: true,
    },
    { name: 'url', label: 'URL', isOfForms: true, initial: ({ url }) => url },
    { ...types, isOfForms: true, initial: (one: Endpoint) => one.types.join(',') },
    { ...rate, isOfForms: true, initial: (one: Endpoint) => String(one.perSecond ?? 0) },
    { ...ordered, isOfForms: true, initial: (one: Endpoint) => (one.isOrdered ? 'on' : 'off') },
  ],
  run: async (ctx, { id }, { text, pairs }, { actor }) => {
    if (Object.keys(pairs).some((name) => !settable.includes(name)))
      throw badField('changes', 'Unknown setting. Use url=, types=a,b, rate=N or ordered=on|off.')
    const changes = changesIn((name) => pairs[name] ?? text(name))
    return { said: 'The endpoint is changed.', json: endpointJson(await changeEndpoint(ctx, { id }, changes, actor)) }
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
  run: async (ctx, { id }, { text }, { actor }) => {
    const wanted = { id, overlapMs: overlapMs(text('overlap')) }
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

const replay: Action<Endpoint> = {
  ...resending,
  atPortal: 'member',
  name: 'replay',
  title: 'Replay',
  does: 'Sends one event again, or every event since a time that the endpoint subscribes to.',
  details: 'Pending retries become due at once.',
  fields: [
    { name: 'event', value: 'EVENT', label: 'Event', help: 'Its id. Empty: all since a time.', refusedAs: 'event_id' },
    { name: 'since', value: 'TIME', label: 'Since', help: 'A day or a time in UTC: 2027-01-31, 2027-01-31T12:00:00Z.' },
  ],
  check: ({ text }) => {
    if ((text('event') === undefined) === (text('since') === undefined))
      throw badField('since', 'Give either an event or a time.')
  },
  allowedNow: (_ctx, endpoint) => whyNotReplayed(endpoint),
  run: async (ctx, { id }, { text }, { actor }) => {
    const [event, typed] = [text('event'), text('since')]
    const since = typed === undefined ? undefined : instant(typed, 'since')
    if (since && since > ctx.clock.now()) throw badField('since', 'This time has not come yet.')
    await ctx.db.atomic(async (db) => {
      if (since) await replaySince(ctx, db, { id }, since)
      else await replayEvent(ctx, db, { id }, event ?? '')
      const after = { event_id: event ?? null, since: since?.toISOString() ?? null }
      auditIn(ctx, db, { actor, action: 'endpoint.replayed', subject: `endpoint:${id}`, after })
    })
    return {
      said: since ? `The events since ${since.toISOString()} are sent again.` : 'The event is sent again.',
      json: { id: String(id), event_id: event ?? null, since: since?.toISOString() ?? null },
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
