import { eventTypes } from '../../exchange/events/event.ts'
import { maxEndpoints } from '../../exchange/webhooks/manage-endpoints.ts'
import { eventId } from './event-shape.ts'
import { id, time, url, identifier } from './field-shapes.ts'
import { bodyOf, idIn, type Operation, optional, required, textIn } from './operation.ts'
import { pageQuery } from './pagination.ts'
import { about, flag, list, object, oneOf, orNull, textOf, titled, wholeNumber } from './shape.ts'

const secret = textOf({ title: 'WebhookSecret', pattern: '^whsec_[A-Za-z0-9+/]{32,88}={0,2}$', maxLength: 96 })

const rate = wholeNumber(1, 1_000)
const milliseconds = wholeNumber(0, 2_147_483_647)
const httpStatus = wholeNumber(100, 599)

const plain = {
  id,
  url,
  types: list(oneOf(...eventTypes), eventTypes.length),
  status: oneOf('active', 'paused', 'failing', 'disabled'),
  rate_limit: about(orNull(rate), 'The most deliveries a second; null where there is no limit.'),
  ordered: about(flag, 'Whether the events of one subject wait for each other.'),
  failing_since: about(orNull(time), 'The first failure since the last success.'),
  previous_secret_until: about(orNull(time), 'Until when the previous secret signs too.'),
  created_at: time,
}

export const webhookEndpoint = titled('WebhookEndpoint', object(plain))

/** A new endpoint, with the secret that is shown this once. */
export const newWebhookEndpoint = titled('NewWebhookEndpoint', object({ ...plain, secret }))

/** An endpoint and how it is doing. */
export const webhookEndpointWithHealth = titled(
  'WebhookEndpointWithHealth',
  object({
    ...plain,
    waiting: about(wholeNumber(0, 1_000), 'How many events wait for it; 1000 means 1000 or more.'),
    last_attempt: orNull(
      titled(
        'LastAttempt',
        object({ at: time, outcome: identifier, status: orNull(httpStatus), took_ms: milliseconds }),
      ),
    ),
  }),
)

/** A partner's endpoints. */
export const webhookEndpointList = titled('WebhookEndpoints', object({ data: list(webhookEndpoint, maxEndpoints) }))

/** An attempt at an endpoint. */
export const webhookAttempt = titled(
  'WebhookAttempt',
  object({
    event_id: textOf({ pattern: '^evt_[1-9]\\d{6,24}$', maxLength: 29 }),
    type: oneOf(...eventTypes),
    attempt: about(wholeNumber(1, 2_147_483_647), 'The number of the attempt at this event.'),
    at: time,
    outcome: about(identifier, '`delivered`, or why not: `rejected`, `gone`, `redirected`, `timed_out`, ...'),
    status: orNull(httpStatus),
    took_ms: milliseconds,
    request: about(
      object({
        url: orNull(url),
        webhook_id: orNull(textOf({ pattern: '^evt_\\d+$', maxLength: 29 })),
        webhook_timestamp: orNull(textOf({ pattern: '^\\d+$', maxLength: 16 })),
        body: textOf({ pattern: '^', maxLength: 1_000_000 }),
      }),
      'What was sent. `body` is the exact text of the event.',
    ),
    response: about(
      orNull(textOf({ pattern: '^', maxLength: 4_096 })),
      "The beginning of the response's body; null when there was none.",
    ),
    next_attempt_at: about(orNull(time), 'When the next attempt is; null if there is none.'),
  }),
)

export const rotatedSecret = titled('RotatedSecret', object({ secret, previous_secret_until: time }))

/** A test that is on its way. */
export const testSent = titled('TestSent', object({ event_id: eventId }))

/** A replay that was requested. */
export const replayRequested = titled('ReplayRequested', object({ event_id: orNull(eventId), since: orNull(time) }))

const path = { id: required(idIn, 'The id of the endpoint.') }
const urlIn = textIn(2_048, { pattern: '^[Hh][Tt][Tt][Pp][Ss]?://', examples: ['https://shop.example.com/cambio'] })
const eventIdIn = textIn(29, { pattern: '^evt_[1-9]\\d{6,24}$', examples: ['evt_4611686018427387904000001'] })

const preferences = {
  types: about(list(oneOf(...eventTypes), 100), 'The event types to send; by default the four types of transactions.'),
  rate_limit: about(wholeNumber(0, 1_000), 'The most deliveries a second; 0, the default, for no limit.'),
  ordered: about(flag, 'Whether the events of one subject wait for each other; true by default.'),
}

/** `POST /v1/webhook-endpoints`. */
export const adding: Operation = {
  id: 'addWebhookEndpoint',
  tag: 'Webhooks',
  summary: 'Add a webhook endpoint',
  description:
    'The secret is shown in this response only. The first endpoint of an account gets the secret that came with its keys, until ' +
    'a secret has been rotated. The address is checked now and at every delivery: it must be public. An account has at most 20 ' +
    'endpoints.',
  body: bodyOf('WebhookEndpointInput', { url: urlIn, ...preferences }, ['url']),
  says: { 201: 'The endpoint, with its secret.' },
  refuses: ['BAD_REQUEST', 'CONFLICT'],
}

/** `GET /v1/webhook-endpoints`. */
export const listing: Operation = {
  id: 'listWebhookEndpoints',
  tag: 'Webhooks',
  summary: 'List the webhook endpoints',
  description: "The account's endpoints, oldest first.",
  says: { 200: 'The endpoints.' },
  refuses: [],
}

/** `GET /v1/webhook-endpoints/{id}`. */
export const reading: Operation = {
  id: 'getWebhookEndpoint',
  tag: 'Webhooks',
  summary: 'Read a webhook endpoint',
  description:
    'The endpoint and how it is doing: since when it fails, its last attempt, and how many events wait for it.',
  path,
  says: { 200: 'The endpoint.' },
  refuses: ['NOT_FOUND'],
}

/** `PATCH /v1/webhook-endpoints/{id}`. */
export const changing: Operation = {
  id: 'changeWebhookEndpoint',
  tag: 'Webhooks',
  summary: 'Change a webhook endpoint',
  description:
    'Fields that are left out stay as they are. `paused` keeps events until the endpoint is `active` again; `active` also ends ' +
    '`failing` and `disabled`. A disabled endpoint keeps nothing, so it cannot be paused (409). Takes effect within two seconds.',
  path,
  body: bodyOf('WebhookEndpointChange', {
    url: urlIn,
    ...preferences,
    status: about(oneOf('active', 'paused'), 'Whether events are sent.'),
  }),
  says: { 200: 'The changed endpoint.' },
  refuses: ['BAD_REQUEST', 'NOT_FOUND', 'CONFLICT', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'],
}

/** `DELETE /v1/webhook-endpoints/{id}`. */
export const removing: Operation = {
  id: 'removeWebhookEndpoint',
  tag: 'Webhooks',
  summary: 'Remove a webhook endpoint',
  description: 'Nothing more is sent to it, and waiting events are dropped. They stay in the feed.',
  path,
  says: { 204: 'The endpoint was removed.' },
  refuses: ['NOT_FOUND', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'],
}

/** `POST /v1/webhook-endpoints/{id}/rotate-secret`. */
export const rotating: Operation = {
  id: 'rotateWebhookSecret',
  tag: 'Webhooks',
  summary: "Rotate an endpoint's secret",
  description:
    'The new secret is shown in this response only. Until `previous_secret_until` every delivery has two signatures, one with ' +
    'each secret, so that you can switch at any time before that.',
  path,
  body: bodyOf('SecretRotation', {
    overlap: about(
      textIn(32, { pattern: '^P[0-9WDTHMS.]+$', examples: ['PT24H'] }),
      'How long the old secret signs too, as an ISO 8601 duration of at most 30 days; by default 24 hours, unless your operator ' +
        'has set another time. `PT0S` ends it at once.',
    ),
  }),
  says: { 201: 'The new secret.' },
  refuses: ['BAD_REQUEST', 'NOT_FOUND'],
}

/** `POST /v1/webhook-endpoints/{id}/test`. */
export const testing: Operation = {
  id: 'testWebhookEndpoint',
  tag: 'Webhooks',
  summary: 'Send a test',
  description:
    'Sends the endpoint an `endpoint.test`, whatever types it subscribes to, signed and retried like every event. See its ' +
    'attempts for the result.',
  path,
  says: { 201: 'The test event, which is being sent.' },
  refuses: ['NOT_FOUND', 'CONFLICT'],
}

/** `POST /v1/webhook-endpoints/{id}/replay`. */
export const replaying: Operation = {
  id: 'replayWebhooks',
  tag: 'Webhooks',
  summary: 'Send events again',
  description:
    'Sends one event by its id, or everything the endpoint subscribes to since a time, in order, as far as the feed goes back. ' +
    'Events that still wait are sent now.',
  path,
  body: bodyOf('Replay', {
    event_id: eventIdIn,
    since: about(
      textIn(40, {
        pattern: '^[1-9]\\d{3}-\\d\\d-\\d\\d([Tt]\\d\\d:\\d\\d.*)?$',
        examples: ['2026-11-20T10:30:00.000Z'],
      }),
      'UTC unless a zone is given; a date means its beginning.',
    ),
  }),
  says: { 201: 'The events are being sent.' },
  refuses: ['BAD_REQUEST', 'NOT_FOUND', 'CONFLICT'],
}

/** `GET /v1/webhook-endpoints/{id}/attempts`. */
export const attempting: Operation = {
  id: 'listWebhookAttempts',
  tag: 'Webhooks',
  summary: 'List the attempts at an endpoint',
  description: 'What was sent, what came back, how long it took and when the next attempt is; latest first.',
  path,
  query: {
    limit: pageQuery.limit,
    cursor: pageQuery.cursor,
    event_id: optional(eventIdIn, 'Attempts at this event only.'),
    outcome: optional(oneOf('delivered', 'failed'), 'Only successful attempts, or only failed ones.'),
  },
  says: { 200: 'A page of attempts.' },
  refuses: ['BAD_REQUEST', 'NOT_FOUND'],
}
