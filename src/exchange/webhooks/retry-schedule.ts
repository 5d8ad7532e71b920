import type { Settings } from '../settings.ts'
import { after } from '../../platform/lib/clock.ts'
import type { Answer } from './connection-pool.ts'
import type { Delivery } from './queue.ts'

const maxRetryAfterSeconds = 86_400

/**
 * When a failed delivery is retried (business time): null at the end of the schedule, or when the endpoint is gone. Up to a tenth
 * earlier than scheduled, at random, so that what failed together does not come back together; never before `Retry-After`. An attempt
 * that another event's success brought forward uses up none of the schedule.
 */
export function retryAt(
  { webhooks }: Pick<Settings, 'webhooks'>,
  { attempts, wakes }: Pick<Delivery, 'attempts' | 'wakes'>,
  { outcome, retryAfterSeconds = 0 }: Pick<Answer, 'outcome' | 'retryAfterSeconds'>,
  at: Date,
): Date | null {
  const scheduled = webhooks.retrySeconds[Math.max(0, attempts - wakes)]
  if (outcome === 'gone' || scheduled === undefined) return null
  const waitSeconds = scheduled * (0.9 + 0.1 * Math.random())
  return after(at, Math.max(waitSeconds, Math.min(retryAfterSeconds, maxRetryAfterSeconds)) * 1_000)
}
