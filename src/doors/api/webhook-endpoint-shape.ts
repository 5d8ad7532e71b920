import { eventTypes } from '../../exchange/events/event.ts'
import type { Health } from '../../exchange/webhooks/attempts.ts'
import type { Endpoint } from '../../exchange/webhooks/endpoint.ts'
import { id, time, url, word } from './field-shapes.ts'
import { about, flag, list, object, orNull, textOf, titled, wholeNumber } from './shape.ts'
import { oneOf } from './shape.ts'

export const secret = textOf({ title: 'WebhookSecret', pattern: '^whsec_[A-Za-z0-9+/]{32,88}={0,2}$', maxLength: 96 })

/** The most deliveries a second. */
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
  previous_secret_until: about(orNull(time), 'Until when the secret before the present one signs too.'),
  created_at: time,
}

/** A webhook endpoint (wire.md, section 9). */
export const webhookEndpoint = titled('WebhookEndpoint', object(plain))

/** A new one, with the secret that is shown this once. */
export const newWebhookEndpoint = titled('NewWebhookEndpoint', object({ ...plain, secret }))

/** One endpoint with how it does. */
export const webhookEndpointWithHealth = titled(
  'WebhookEndpointWithHealth',
  object({
    ...plain,
    waiting: about(wholeNumber(0, 1_000), 'How many events wait for it; 1000 is that or more.'),
    last_attempt: orNull(
      titled('LastAttempt', object({ at: time, outcome: word, status: orNull(httpStatus), took_ms: milliseconds })),
    ),
  }),
)

/** An attempt at an endpoint. */
export const webhookAttempt = titled(
  'WebhookAttempt',
  object({
    event_id: textOf({ pattern: '^evt_[1-9]\\d{6,24}$', maxLength: 29 }),
    type: oneOf(...eventTypes),
    attempt: about(wholeNumber(1, 2_147_483_647), 'Which attempt at this event it was.'),
    at: time,
    outcome: about(word, '`delivered`, or why not: `rejected`, `gone`, `redirected`, `timed_out`, ...'),
    status: orNull(httpStatus),
    took_ms: milliseconds,
    request: about(
      object({
        url: orNull(url),
        webhook_id: orNull(textOf({ pattern: '^evt_\\d+$', maxLength: 29 })),
        webhook_timestamp: orNull(textOf({ pattern: '^\\d+$', maxLength: 16 })),
        body: textOf({ pattern: '^', maxLength: 1_000_000 }),
      }),
      'What was sent: the text of the event, byte for byte.',
    ),
    response: about(
      orNull(textOf({ pattern: '^', maxLength: 4_096 })),
      "The beginning of the answer's body; null when there was none.",
    ),
    next_attempt_at: about(orNull(time), 'When the event is tried next; null when it is not.'),
  }),
)

/** An endpoint in the wire's spelling. */
export const endpointRecord = (endpoint: Endpoint) => ({
  id: String(endpoint.id),
  url: endpoint.url,
  types: endpoint.types,
  status: shownStatus(endpoint),
  rate_limit: endpoint.perSecond,
  ordered: endpoint.isOrdered,
  failing_since: endpoint.failingSince?.toISOString() ?? null,
  previous_secret_until: endpoint.previousUntil?.toISOString() ?? null,
  created_at: endpoint.createdAt.toISOString(),
})

/** The same with how it does. */
export const endpointWithHealth = (endpoint: Endpoint, { waiting, lastAttempt }: Health) => ({
  ...endpointRecord(endpoint),
  waiting,
  last_attempt: lastAttempt && {
    at: lastAttempt.at.toISOString(),
    outcome: lastAttempt.outcome,
    status: lastAttempt.status,
    took_ms: lastAttempt.tookMs,
  },
})

/** One that was removed is not shown to anybody. */
function shownStatus({ status }: Endpoint): 'active' | 'paused' | 'failing' | 'disabled' {
  if (status === 'removed') throw new Error('A removed endpoint was about to be shown.')
  return status
}
