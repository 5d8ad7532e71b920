import { count, onOff, setting } from '../../platform/lib/setting.ts'

/** How many a second, or at once. */
const rate = count(1, 1_000_000)

/** How many requests callers may make. */
export const rateLimitSettings = {
  on: setting('RATE_LIMITS', 'on', onOff, 'Enforce rate limits.'),
  keyPerSecond: setting('RATE_LIMIT_KEY_PER_SECOND', '100', rate, 'Sustained requests per second with one API key.'),
  keyBurst: setting('RATE_LIMIT_KEY_BURST', '500', rate, 'Requests at once with one API key.'),
  createsPerSecond: setting(
    'RATE_LIMIT_CREATES_PER_SECOND',
    '20',
    rate,
    'Sustained creates per second with one API key.',
  ),
  createsBurst: setting('RATE_LIMIT_CREATES_BURST', '200', rate, 'Creates at once with one API key.'),
  customerIpPerSecond: setting(
    'RATE_LIMIT_CUSTOMER_IP_PER_SECOND',
    '2',
    rate,
    'Sustained creates per second for one customer IP.',
  ),
  customerIpBurst: setting('RATE_LIMIT_CUSTOMER_IP_BURST', '100', rate, 'Creates at once for one customer IP.'),
}
