import { isExactNumber } from '../../platform/lib/json.ts'
import { parseDuration } from '../../platform/lib/duration.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import type { Change } from '../../exchange/webhooks/change-endpoint.ts'
import { type FieldReader, fieldReader, type Fields, isAbsent } from './fields.ts'
import { readSpan } from './list-dates.ts'

/** What a new endpoint's body says. */
export type EndpointBody = {
  url: string
  types: string[] | undefined
  perSecond: number | undefined
  isOrdered: boolean | undefined
}

/** Reads the body of a new endpoint. Refuses a missing URL, and what is not of its kind; what it means is judged later. */
export function readNewEndpoint(body: Fields): EndpointBody {
  const read = fieldReader()
  const url = read.text('url', body.url, { longest: 2_048 }) ?? read.tell('url', 'A URL is required.', 'REQUIRED')
  const wishes = readWishes(read, body)
  refuseAll(read)
  return { url: url ?? '', ...wishes }
}

/** Reads what is to change of an endpoint. */
export function readEndpointChange(body: Fields): Change {
  const read = fieldReader()
  const url = read.text('url', body.url, { longest: 2_048 })
  const word = read.text('status', body.status)
  const status = word === 'active' || word === 'paused' ? word : undefined
  if (word !== undefined && !status) read.tell('status', 'This must be one of active, paused.')
  const wishes = readWishes(read, body)
  refuseAll(read)
  return { url, status, ...wishes }
}

/** Reads which events are to be sent again: one by its id, or all since a time. */
export function readReplay(body: Fields): { eventId: string } | { since: Date } {
  const read = fieldReader()
  const eventId = read.text('event_id', body.event_id)
  const text = read.text('since', body.since)
  if ((eventId === undefined) === (text === undefined)) {
    read.tell('since', 'Either since or event_id says what to send again.', 'REQUIRED')
  }
  const since = readSpan(read, ['since', 'since'], [text, undefined]).from
  refuseAll(read)
  return since ? { since } : { eventId: eventId ?? '' }
}

/** Reads for how long a secret that is replaced signs too, in milliseconds; undefined where that is not said. */
export function readOverlap(body: Fields): number | undefined {
  const read = fieldReader()
  const text = read.text('overlap', body.overlap)
  let overlapMs: number | undefined
  try {
    overlapMs = text === undefined ? undefined : parseDuration(text)
  } catch {
    read.tell('overlap', 'This must be an ISO 8601 duration, such as PT24H.')
  }
  refuseAll(read)
  return overlapMs
}

function readWishes(read: FieldReader, body: Fields) {
  return {
    types: readTexts(read, 'types', body.types),
    perSecond: readCount(read, 'rate_limit', body.rate_limit),
    isOrdered: isAbsent(body.ordered) ? undefined : read.flag('ordered', body.ordered),
  }
}

function readTexts(read: FieldReader, path: string, value: unknown): string[] | undefined {
  if (isAbsent(value)) return undefined
  if (Array.isArray(value) && value.length <= 100 && value.every((one) => typeof one === 'string')) return value
  return read.tell(path, 'This must be a list of texts.')
}

function readCount(read: FieldReader, path: string, value: unknown): number | undefined {
  if (isAbsent(value)) return undefined
  if (isExactNumber(value) && /^\d{1,6}$/.test(value.text)) return Number.parseInt(value.text, 10)
  return read.tell(path, 'This must be a whole number.')
}

function refuseAll({ problems }: FieldReader): void {
  const [first] = problems
  if (first) throw new Refusal('BAD_REQUEST', first.message, [...problems])
}
