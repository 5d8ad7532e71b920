import { byMode } from './environment.ts'
import { count, duration, list, onOff, optional, origin, setting, url } from '../../platform/lib/setting.ts'

const sandboxOnly = byMode({ sandbox: 'on', live: 'off' })

/** Settings of what partners are told, and how. */
export const webhookSettings = {
  timeoutMs: setting('WEBHOOK_TIMEOUT', 'PT15S', duration(1), "How long a partner's endpoint may take to answer."),
  retrySeconds: setting(
    'WEBHOOK_RETRY_SECONDS',
    '5,300,1800,7200,18000,36000,50400,72000,86400',
    list(count(1, 2_592_000)),
    'Seconds to wait before each further attempt; after the last, the event only stays in the feed.',
  ),
  allowPrivate: setting('WEBHOOK_ALLOW_PRIVATE', sandboxOnly, onOff, 'Whether webhooks may go to loopback addresses.'),
  disableAfterMs: setting(
    'WEBHOOK_DISABLE_AFTER',
    'P5D',
    duration(1_000),
    'When an endpoint that only fails is disabled.',
  ),
  rotationOverlapMs: setting(
    'WEBHOOK_ROTATION_OVERLAP',
    'PT24H',
    duration(0),
    'How long the secret before a new one signs too, unless a rotation says otherwise.',
  ),
}

/** Reads the text of a secret key. A refusal does not repeat it. */
function secretKey(text: string): string {
  if (!/^sk_(test|live)_[\x21-\x7e]{8,256}$/.test(text)) throw new RangeError('is not a secret key, sk_... (not shown)')
  return text
}

/** Reads a webhook secret. A refusal does not repeat it. */
function webhookSecret(text: string): string {
  if (!/^whsec_[A-Za-z0-9+/]{32,88}={0,2}$/.test(text)) {
    throw new RangeError('is not a webhook secret, whsec_... (not shown)')
  }
  return text
}

/** What `cambio listen` uses in place of what the sandbox has written down: a partner's side of the interface. */
export const listenSettings = {
  url: optional('CAMBIO_URL', 'https://exchange.example.com', origin, 'The exchange that `cambio listen` asks.'),
  secretKey: optional('CAMBIO_SECRET_KEY', '', secretKey, 'The secret key with which it asks.'),
  webhookSecret: optional('CAMBIO_WEBHOOK_SECRET', '', webhookSecret, 'The secret with which it signs.'),
}

/** Reads the version of a text: a word, as it is printed beside it. */
function version(text: string): string {
  if (!/^[\w.-]{1,40}$/.test(text)) throw new RangeError(`"${text}" is not a version such as 2026-11-20`)
  return text
}

/** Settings of what customers accept before they pay. */
export const legalSettings = {
  termsUrl: optional(
    'TERMS_URL',
    'https://exchange.example.com/terms-of-use',
    url('http', 'https'),
    'The page of your terms of use; a plain page of the sandbox when absent. Live mode needs one.',
  ),
  termsVersion: setting('TERMS_VERSION', '1', version, 'Their version: when it changes, open orders accept them anew.'),
  privacyUrl: optional(
    'PRIVACY_URL',
    'https://exchange.example.com/privacy',
    url('http', 'https'),
    'The page of your privacy notice; a plain page of the sandbox when absent. Live mode needs one.',
  ),
  privacyVersion: setting('PRIVACY_VERSION', '1', version, 'Its version, likewise.'),
}

/** How long what was told is kept. */
export const retentionSettings = {
  eventsMs: setting('EVENTS_RETENTION', 'P90D', duration(1_000), 'How long events stay in the feed: business time.'),
  attemptsMs: setting(
    'ATTEMPTS_RETENTION',
    'P90D',
    duration(1_000),
    'How long the record of attempts to deliver them is kept, answers included: business time.',
  ),
  idempotencyMs: setting('IDEMPOTENCY_RETENTION', 'PT24H', duration(1_000), 'How long an Idempotency-Key is kept.'),
}
