import { secret } from './secret.ts'
import { optional, setting } from '../../platform/lib/setting.ts'

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
  if (!/^[\x20-\x7e]{1,100}$/.test(text)) throw new RangeError(`"${text}" must have 1 to 100 ASCII characters`)
  return text
}

/** Settings of the identity providers. */
export const identitySettings = {
  sumsubAppToken: optional(
    'SUMSUB_APP_TOKEN',
    '',
    secret,
    'The app token of your Sumsub account; without it, Sumsub is not used.',
  ),
  sumsubSecretKey: optional('SUMSUB_SECRET_KEY', '', secret, 'The secret that belongs to the app token.'),
  sumsubWebhookSecret: optional(
    'SUMSUB_WEBHOOK_SECRET',
    '',
    secret,
    "The secret of the webhook in Sumsub's dashboard. Its target is /callbacks/sumsub at PUBLIC_URL.",
  ),
  sumsubLevel: optional(
    'SUMSUB_LEVEL',
    'id-and-liveness',
    label,
    'The verification level for imported customers (Reusable KYC) and for the identity check at the checkout. Without it, imported customers are copied unchanged and the checkout has no identity check.',
  ),
  sumsubUrl: setting('SUMSUB_URL', 'https://api.sumsub.com', safeOrigin, "The origin of Sumsub's API."),
}
