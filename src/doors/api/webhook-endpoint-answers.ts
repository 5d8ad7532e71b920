import { eventId } from './event-shape.ts'
import { time } from './field-shapes.ts'
import { object, orNull, titled } from './shape.ts'
import { secret } from './webhook-endpoint-shape.ts'

/** What a rotation answers. */
export const rotatedSecret = titled('RotatedSecret', object({ secret, previous_secret_until: time }))

/** What a test answers. */
export const testSent = titled('TestSent', object({ event_id: eventId }))

/** What a replay answers. */
export const replayAsked = titled('ReplayAsked', object({ event_id: orNull(eventId), since: orNull(time) }))
