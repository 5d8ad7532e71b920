import { count, onOff, setting } from '../../platform/lib/setting.ts'

/** How many a second, or at once. */
const rate = count(1, 1_000_000)

/** How many requests callers may make. */
export const rateLimitSettings = {
  on: setting('RATE_LIMITS', 'on', onOff, 'Whether callers are limited at all.'),
  keyPerSecond: setting('RATE_LIMIT_KEY_PER_SECOND', '100', rate, 'Requests a second that an API key may keep up.'),
  keyBurst: setting('RATE_LIMIT_KEY_BURST', '500', rate, 'Requests that an API key may make at once.'),
  createsPerSecond: setting('RATE_LIMIT_CREATES_PER_SECOND', '20', rate, 'The same for creates, a second.'),
  createsBurst: setting('RATE_LIMIT_CREATES_BURST', '200', rate, 'The same for creates, at once.'),
  customerIpPerSecond: setting('RATE_LIMIT_CUSTOMER_IP_PER_SECOND', '2', rate, 'Creates a second of a customer IP.'),
  customerIpBurst: setting('RATE_LIMIT_CUSTOMER_IP_BURST', '100', rate, 'Creates at once for one customer IP.'),
}
