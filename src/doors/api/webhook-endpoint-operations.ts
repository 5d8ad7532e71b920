import { eventTypes } from '../../exchange/events/event.ts'
import { bodyOf, idIn, type Operation, optional, required, textIn } from './operation.ts'
import { pageQuery } from './pagination.ts'
import { about, flag, list, oneOf, wholeNumber } from './shape.ts'

const path = { id: required(idIn, 'The id of the endpoint.') }
const urlIn = textIn(2_048, { pattern: '^[Hh][Tt][Tt][Pp][Ss]?://', examples: ['https://shop.example.com/cambio'] })
const eventIdIn = textIn(29, { pattern: '^evt_[1-9]\\d{6,24}$', examples: ['evt_4611686018427387904000001'] })

const wishes = {
  types: about(
    list(oneOf(...eventTypes), 100),
    'What the endpoint wants to be told of; the four types of transactions unless said.',
  ),
  rate_limit: about(wholeNumber(0, 1_000), 'The most deliveries a second; 0 for no limit, which is usual.'),
  ordered: about(flag, 'Whether the events of one subject wait for each other, which is usual.'),
}

/** `POST /v1/webhook-endpoints`. */
export const adding: Operation = {
  id: 'addWebhookEndpoint',
  tag: 'Webhooks',
  summary: 'Add a webhook endpoint',
  description:
    'Its secret is shown in this answer only. The first endpoint of an account gets the secret that came with its keys, until ' +
    'a secret has been rotated. The ' +
    'address is checked now and at every delivery: it must not lead inside. An account has at most 20.',
  body: bodyOf('WebhookEndpointInput', { url: urlIn, ...wishes }, ['url']),
  says: { 201: 'The endpoint, with its secret.' },
  refuses: ['BAD_REQUEST', 'CONFLICT'],
}

/** `GET /v1/webhook-endpoints`. */
export const listing: Operation = {
  id: 'listWebhookEndpoints',
  tag: 'Webhooks',
  summary: 'List the webhook endpoints',
  description: "All of the account's, oldest first.",
  says: { 200: 'All of them.' },
  refuses: [],
}

/** `GET /v1/webhook-endpoints/{id}`. */
export const reading: Operation = {
  id: 'getWebhookEndpoint',
  tag: 'Webhooks',
  summary: 'Read a webhook endpoint',
  description: 'With how it does: since when it fails, its last attempt, and how much waits for it.',
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
    'What is left out stays. `paused` keeps what comes until the endpoint is `active` again; `active` takes it out of ' +
    '`failing` and `disabled`, too. Holds everywhere within two seconds.',
  path,
  body: bodyOf('WebhookEndpointChange', {
    url: urlIn,
    ...wishes,
    status: about(oneOf('active', 'paused'), 'Whether it is sent anything.'),
  }),
  says: { 200: 'The endpoint as it is now.' },
  refuses: ['BAD_REQUEST', 'NOT_FOUND', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'],
}

/** `DELETE /v1/webhook-endpoints/{id}`. */
export const removing: Operation = {
  id: 'removeWebhookEndpoint',
  tag: 'Webhooks',
  summary: 'Remove a webhook endpoint',
  description: 'It gets nothing more, and what waits for it is dropped. The feed has it all.',
  path,
  says: { 204: 'It is gone.' },
  refuses: ['NOT_FOUND', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'],
}

/** `POST /v1/webhook-endpoints/{id}/rotate-secret`. */
export const rotating: Operation = {
  id: 'rotateWebhookSecret',
  tag: 'Webhooks',
  summary: "Change an endpoint's secret",
  description:
    'The new secret is shown in this answer only. Until `previous_secret_until` every delivery has two signatures, one with ' +
    'each secret, so that you can change over in your own time.',
  path,
  body: bodyOf('SecretRotation', {
    overlap: about(
      textIn(32, { pattern: '^P[0-9WDTHMS.]+$', examples: ['PT24H'] }),
      'How long the old secret signs too, as an ISO 8601 duration of at most 30 days; 24 hours unless your operator has set ' +
        'another time. `PT0S` ends it at once.',
    ),
  }),
  says: { 201: 'The new secret.' },
  refuses: ['BAD_REQUEST', 'NOT_FOUND'],
}

/** `POST /v1/webhook-endpoints/{id}/test`. */
export const trying: Operation = {
  id: 'testWebhookEndpoint',
  tag: 'Webhooks',
  summary: 'Send a test',
  description:
    'Sends the endpoint an `endpoint.test`, whatever types it wants, signed and tried like every event. What came of it is ' +
    'under its attempts.',
  path,
  says: { 201: 'The event that is on its way.' },
  refuses: ['NOT_FOUND', 'CONFLICT'],
}

/** `POST /v1/webhook-endpoints/{id}/replay`. */
export const replaying: Operation = {
  id: 'replayWebhooks',
  tag: 'Webhooks',
  summary: 'Send events again',
  description:
    'One event, by its id, or everything that the endpoint wants since a time, in order, as far as the feed has it. What ' +
    'still waits is tried now.',
  path,
  body: bodyOf('Replay', {
    event_id: eventIdIn,
    since: about(
      textIn(40, {
        pattern: '^[1-9]\\d{3}-\\d\\d-\\d\\d([Tt]\\d\\d:\\d\\d.*)?$',
        examples: ['2026-11-20T10:30:00.000Z'],
      }),
      'UTC unless a zone is named; a date is its beginning.',
    ),
  }),
  says: { 201: 'It is on its way.' },
  refuses: ['BAD_REQUEST', 'NOT_FOUND', 'CONFLICT'],
}

/** `GET /v1/webhook-endpoints/{id}/attempts`. */
export const attempting: Operation = {
  id: 'listWebhookAttempts',
  tag: 'Webhooks',
  summary: 'List the attempts at an endpoint',
  description: 'What was sent, what came back, how long it took and when it is tried next; the latest first.',
  path,
  query: {
    limit: pageQuery.limit,
    cursor: pageQuery.cursor,
    event_id: optional(eventIdIn, 'Attempts at this event only.'),
    outcome: optional(oneOf('delivered', 'failed'), 'Only what was delivered, or only what was not.'),
  },
  says: { 200: 'A page of them.' },
  refuses: ['BAD_REQUEST', 'NOT_FOUND'],
}
