import { type EventType, isEventType } from '../events/event.ts'
import { badField } from '../../platform/lib/refusal.ts'

const mostPerSecond = 1_000

/** Reads what an endpoint wants to be told of. Refuses what is no type of events, and none at all. */
export function readTypes(words: readonly string[]): EventType[] {
  const types = words.filter(isEventType)
  const unknown = words.find((word) => !isEventType(word))
  if (unknown !== undefined) throw badField('types', 'There are no events of one of these types.')
  if (types.length === 0) throw badField('types', 'An endpoint must want at least one type of events.')
  return [...new Set(types)]
}

/** Reads a rate limit, in deliveries a second; 0 and null are none. */
export function readPerSecond(rate: number | null): number | null {
  if (rate === null || rate === 0) return null
  if (Number.isSafeInteger(rate) && rate >= 1 && rate <= mostPerSecond) return rate
  throw badField('rate_limit', `This must be a whole number from 0 (no limit) to ${mostPerSecond}.`)
}
