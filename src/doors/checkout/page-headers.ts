import type { Sheet } from '../ui/serve-file.ts'
import type { CheckoutOptions } from './notices.ts'

export type Headers = Record<string, string>

/**
 * Nothing is cached, framed, or loaded from elsewhere. The referrer stays on our own pages, because forms need it for their origin.
 */
export const headersFor = ({ leadsTo }: CheckoutOptions, sheet: Sheet): Headers => ({
  'cache-control': 'no-store',
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    `style-src ${sheet.source}`,
    "img-src 'self'",
    "connect-src 'self'",
    `form-action 'self' ${[...new Set(leadsTo)].join(' ')}`.trim(),
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
})

/** Further headers of a page where the camera scans an address's QR code. */
export const scansCodes = { 'permissions-policy': 'camera=(self), geolocation=(), microphone=()' }
