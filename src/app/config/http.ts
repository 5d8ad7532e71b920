import {
  cidr,
  count,
  duration,
  host,
  list,
  optional,
  origin,
  port,
  setting,
  type SettingTexts,
} from '../../platform/lib/setting.ts'

/** The port of a further listener; a free one when PORT is 0. */
const portAfter = (steps: number) => ({
  shown: `PORT + ${steps}; a free port when PORT is 0`,
  from: (given: SettingTexts) => {
    const first = Number.parseInt(given.text('PORT'), 10)
    return first > 0 && first + steps <= 65_535 ? String(first + steps) : '0'
  },
})

/** How the service is reached. */
export const httpSettings = {
  host: setting('HOST', '127.0.0.1', host, 'The address to listen on; 0.0.0.0 or :: for all networks.'),
  adminHost: setting(
    'ADMIN_HOST',
    '127.0.0.1',
    host,
    'The address on which /healthz, /readyz and /metrics listen. They have no password: keep it internal.',
  ),
  port: setting('PORT', '3000', port, 'The port of the API, the checkout and the calculator; 0 for a free one.'),
  adminPort: setting('ADMIN_PORT', portAfter(1), port, 'The port of /healthz, /readyz and /metrics; keep it internal.'),
  processorPort: setting('PROCESSOR_PORT', portAfter(2), port, "The port of the sandbox card processor's page."),
  publicUrl: optional(
    'PUBLIC_URL',
    'https://exchange.example.com',
    origin,
    'The origin that customers and partners use; by default the listening address. Required in live mode, with https.',
  ),
  processorUrl: optional(
    'PROCESSOR_URL',
    'https://processor.example.com',
    origin,
    "The origin of the sandbox card processor's page; by default its listening address.",
  ),
  bodyLimitBytes: setting('BODY_LIMIT_BYTES', '262144', count(1_024, 16_777_216), 'The largest request body.'),
  requestTimeoutMs: setting('REQUEST_TIMEOUT', 'PT30S', duration(1), 'How long a client may take to send a request.'),
  maxConnections: setting(
    'MAX_CONNECTIONS',
    '10000',
    count(10, 1_000_000),
    'Connections at once; further ones are closed.',
  ),
  trustedProxies: setting(
    'TRUSTED_PROXIES',
    '',
    list(cidr),
    'Proxies in front of the service, for example 10.0.0.0/8,fd00::/8.',
  ),
}
