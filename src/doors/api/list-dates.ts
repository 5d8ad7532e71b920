import type { Span } from '../../exchange/transactions/list.ts'
import type { FieldReader } from './fields.ts'

/**
 * Reads the two ends of a span from a query: `2026-11-20` or a full time in ISO 8601 (`2026-11-20T10:30:00.000Z`), of UTC where it
 * names no zone. Both ends are in it: a date at its end with all of the day, a time with its millisecond.
 */
export const readSpan = (
  read: FieldReader,
  [fromName, toName]: readonly [string, string],
  [from, to]: readonly [string | undefined, string | undefined],
): Span => ({ from: readMoment(read, fromName, from)?.at, before: behind(readMoment(read, toName, to)) })

/** A moment, and how long what was written lasts. */
type Moment = { at: Date; lastsMs: number }

const dayMs = 86_400_000

const behind = (moment: Moment | undefined): Date | undefined =>
  moment && new Date(Math.min(moment.at.getTime() + moment.lastsMs, lastMs))

/** The last time that is still written with four digits of a year, as the database reads it. */
const lastMs = Date.UTC(9999, 11, 31, 23, 59, 59, 999)

/** A `+` that was not escaped comes out of a URL as a space. Years before 1000 are refused. */
const form =
  /^(?<day>[1-9]\d{3}-\d\d-\d\d)(?:T(?<time>(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d)?)(?:\.(?<part>\d{1,9}))?(?:Z|(?<sign>[+ -])(?<hours>0\d|1[0-4]):?(?<minutes>[0-5]\d))?)?$/i

function readMoment(read: FieldReader, name: string, text: string | undefined): Moment | undefined {
  if (text === undefined) return undefined
  const { day, time, part, sign, hours, minutes } = form.exec(text)?.groups ?? {}
  const midnight = new Date(`${day}T00:00:00.000Z`)
  if (day === undefined || Number.isNaN(midnight.getTime()) || !midnight.toISOString().startsWith(day)) {
    return read.tell(name, 'This must be a date (2026-11-20) or a time (2026-11-20T10:30:00Z).')
  }
  if (time === undefined) return { at: midnight, lastsMs: dayMs }

  const seconds = time.length === 5 ? `${time}:00` : time
  const zone = hours === undefined ? 'Z' : `${sign === '-' ? '-' : '+'}${hours}:${minutes}`
  const at = new Date(`${day}T${seconds}.${(part ?? '').slice(0, 3).padEnd(3, '0')}${zone}`)
  return { at: new Date(Math.min(at.getTime(), lastMs)), lastsMs: 1 }
}
