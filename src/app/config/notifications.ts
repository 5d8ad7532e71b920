import { byMode } from './environment.ts'
import { count, duration, list, onOff, optional, origin, setting, url } from '../../platform/lib/setting.ts'

const sandboxOnly = byMode({ sandbox: 'on', live: 'off' })

/** Settings of what partners are told, and how. */
export const webhookSettings = {
  timeoutMs: setting('WEBHOOK_TIMEOUT', 'PT15S', duration(1), "How long a partner's endpoint may take to respond."),
  retrySeconds: setting(
    'WEBHOOK_RETRY_SECONDS',
    '5,300,1800,7200,18000,36000,50400,72000,86400',
    list(count(1, 2_592_000)),
    'Seconds to wait before each retry. After the last one, the event stays in the feed only.',
  ),
  allowPrivate: setting('WEBHOOK_ALLOW_PRIVATE', sandboxOnly, onOff, 'Allow webhooks to loopback addresses.'),
  disableAfterMs: setting(
    'WEBHOOK_DISABLE_AFTER',
    'P5D',
    duration(1_000),
    'How long an endpoint may fail without a success before it is disabled.',
  ),
  rotationOverlapMs: setting(
    'WEBHOOK_ROTATION_OVERLAP',
    'PT24H',
    duration(0),
    'How long the old secret also signs after a rotation, unless the rotation sets another time.',
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
  url: optional('CAMBIO_URL', 'https://exchange.example.com', origin, 'The exchange that `cambio listen` reads from.'),
  secretKey: optional('CAMBIO_SECRET_KEY', '', secretKey, 'The secret key that `cambio listen` uses.'),
  webhookSecret: optional('CAMBIO_WEBHOOK_SECRET', '', webhookSecret, 'The secret that `cambio listen` signs with.'),
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
    'The page with your terms of use; by default a plain page of the sandbox. Required in live mode.',
  ),
  termsVersion: setting(
    'TERMS_VERSION',
    '1',
    version,
    'The version of your terms. When it changes, customers of open orders must accept them again.',
  ),
  privacyUrl: optional(
    'PRIVACY_URL',
    'https://exchange.example.com/privacy',
    url('http', 'https'),
    'The page with your privacy notice; by default a plain page of the sandbox. Required in live mode.',
  ),
  privacyVersion: setting('PRIVACY_VERSION', '1', version, 'The version of your privacy notice.'),
}

/** How long what was told is kept. */
export const retentionSettings = {
  eventsMs: setting('EVENTS_RETENTION', 'P90D', duration(1_000), 'How long events stay in the feed, in business time.'),
  attemptsMs: setting(
    'ATTEMPTS_RETENTION',
    'P90D',
    duration(1_000),
    'How long webhook attempts and their responses are kept, in business time.',
  ),
  idempotencyMs: setting('IDEMPOTENCY_RETENTION', 'PT24H', duration(1_000), 'How long an Idempotency-Key is kept.'),
}
