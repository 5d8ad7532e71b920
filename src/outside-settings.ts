import { resolve } from 'node:path'

import { optional, setting } from './lib/setting.ts'

/** Reads a secret of printable characters. A refusal does not repeat it. */
function secret(text: string): string {
  if (!/^[\x21-\x7e]{8,512}$/.test(text)) {
    throw new RangeError('is not a secret of 8 to 512 printable characters without spaces (not shown)')
  }
  return text
}

/** Reads an origin that is asked over TLS; over plain http only on this machine. */
function safeOrigin(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const own = url?.protocol === 'http:' && /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url.hostname)
  if (!url || `${url.origin}/` !== url.href || !(own || url.protocol === 'https:')) {
    throw new RangeError(`"${text}" is not an origin such as https://api.sumsub.com (https, no path)`)
  }
  return url.origin
}

/** Reads a name as others spell it. */
function label(text: string): string {
  if (!/^[\x20-\x7e]{1,100}$/.test(text)) throw new RangeError(`"${text}" is not a name of at most 100 characters`)
  return text
}

/** Settings of the identity providers. */
export const identitySettings = {
  sumsubAppToken: optional(
    'SUMSUB_APP_TOKEN',
    '',
    secret,
    "The app token of the operator's account at Sumsub; without it there is no such provider.",
  ),
  sumsubSecretKey: optional('SUMSUB_SECRET_KEY', '', secret, 'The secret that belongs to the app token.'),
  sumsubWebhookSecret: optional(
    'SUMSUB_WEBHOOK_SECRET',
    '',
    secret,
    "The secret of the webhook in Sumsub's dashboard, whose target is /callbacks/sumsub at PUBLIC_URL.",
  ),
  sumsubLevel: optional(
    'SUMSUB_LEVEL',
    'id-and-liveness',
    label,
    'The verification level that shared persons must fulfil (Reusable KYC); copied as they are when absent.',
  ),
  sumsubUrl: setting('SUMSUB_URL', 'https://api.sumsub.com', safeOrigin, "The origin of Sumsub's API."),
}

/** Settings of the country by IP address. */
export const geoSettings = {
  databaseFile: optional(
    'GEO_DATABASE_FILE',
    '/var/lib/cambio/country.mmdb',
    resolve,
    'A newer database of countries by IP address (MMDB), taken up while running when the file is replaced.',
  ),
}
