import { byMode } from './environment.ts'
import { count, duration, list, onOff, optional, origin, setting } from '../../platform/lib/setting.ts'

const sandboxOnly = byMode({ sandbox: 'on', live: 'off' })

export const webhookSettings = {
  timeoutMs: setting('WEBHOOK_TIMEOUT', 'PT15S', duration(1), "How long a partner's endpoint may take to respond."),
  retrySeconds: setting(
    'WEBHOOK_RETRY_SECONDS',
    '5,300,1800,7200,18000,36000,50400,72000,86400',
    list(count(1, 2_592_000)),
    'Seconds to wait before each retry. After the last one, the event stays in the feed only.',
  ),
  allowPrivate: setting('WEBHOOK_ALLOW_PRIVATE', sandboxOnly, onOff, 'Allow webhooks to loopback addresses.'),
  ports: setting(
    'WEBHOOK_PORTS',
    byMode({ sandbox: '', live: '443,8443' }),
    list(count(1, 65_535)),
    'The ports that a new or changed endpoint may have; without a list, any.',
  ),
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

/** Reads the text of a secret key. Errors never repeat it. */
function secretKey(text: string): string {
  if (!/^sk_(test|live)_[\x21-\x7e]{8,256}$/.test(text)) throw new RangeError('is not a secret key, sk_... (not shown)')
  return text
}

/** Reads a webhook secret. Errors never repeat it. */
function webhookSecret(text: string): string {
  if (!/^whsec_[A-Za-z0-9+/]{32,88}={0,2}$/.test(text)) {
    throw new RangeError('is not a webhook secret, whsec_... (not shown)')
  }
  return text
}

/** Settings of `cambio listen`, which otherwise reads the sandbox's file. */
export const listenSettings = {
  url: optional('CAMBIO_URL', 'https://exchange.example.com', origin, 'The exchange that `cambio listen` reads from.'),
  secretKey: optional('CAMBIO_SECRET_KEY', '', secretKey, 'The secret key that `cambio listen` uses.'),
  webhookSecret: optional('CAMBIO_WEBHOOK_SECRET', '', webhookSecret, 'The secret that `cambio listen` signs with.'),
}
