import type { Settings } from '../settings.ts'
import { after } from '../../platform/lib/clock.ts'
import type { Delivery } from './delivery.ts'
import type { Answer } from './line.ts'

/** The longest that a `Retry-After` may put an event off. */
const longestPauseSeconds = 86_400

/**
 * When a failed delivery is tried next (business time), by the schedule of wire.md section 6; undefined when the schedule
 * is at its end, or the endpoint is gone. Up to a tenth earlier than the schedule says, by chance, so that what failed
 * together does not come back together; never before the time that a `Retry-After` named. Another event's success shows that
 * the endpoint takes events again and brings the attempt forward, before that time too; such an attempt uses up none of the schedule.
 */
export function planRetry(
  { webhooks }: Pick<Settings, 'webhooks'>,
  { attempts, wakes }: Pick<Delivery, 'attempts' | 'wakes'>,
  { outcome, retryAfterSeconds = 0 }: Pick<Answer, 'outcome' | 'retryAfterSeconds'>,
  at: Date,
): Date | undefined {
  const scheduled = webhooks.retrySeconds[Math.max(0, attempts - wakes)]
  if (outcome === 'gone' || scheduled === undefined) return undefined
  const waitSeconds = scheduled * (0.9 + 0.1 * Math.random())
  return after(at, Math.max(waitSeconds, Math.min(retryAfterSeconds, longestPauseSeconds)) * 1_000)
}
