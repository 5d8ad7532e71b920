import { badField } from '../../platform/lib/refusal.ts'
import { parseDuration } from '../../platform/lib/duration.ts'
import type { Field } from './action.ts'

/** How long an earlier secret is valid next to the new one. */
export const overlap: Field<unknown> = {
  name: 'overlap',
  value: 'DURATION',
  label: 'Overlap',
  help: 'As in PT24H. WEBHOOK_ROTATION_OVERLAP unless given; PT0S ends the old secret at once.',
}

/** In milliseconds; undefined without one. */
export function overlapMs(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  try {
    return parseDuration(text)
  } catch {
    throw badField('overlap', 'The overlap must be an ISO 8601 duration, such as PT24H.')
  }
}
