import type { DataKey } from '../../platform/privacy/data-key.ts'

/** The types of events that partners receive. */
export const eventTypes = [
  'transaction.created',
  'transaction.status_changed',
  'transaction.amounts_changed',
  'transaction.refund_changed',
  'customer.status_changed',
  'b2b.transaction.status_changed',
  'b2b.payout_address.status_changed',
  'endpoint.failing',
  'endpoint.disabled',
  'endpoint.test',
] as const

/** One of them. */
export type EventType = (typeof eventTypes)[number]

export const isEventType = (text: string): text is EventType => (eventTypes as readonly string[]).includes(text)

/**
 * An event for a partner. `stream` is the public id of what it is about; `sequence` counts that stream's events
 * (1, 2, 3, ...) and must be given under the lock of the row that counts them. The payload is the record as of that moment,
 * in the wire's spelling; it is encrypted with the key of the person it tells of.
 */
export type NewEvent = {
  stream: bigint
  sequence: number
  partnerId: bigint
  type: EventType
  /** Business time. */
  at: Date
  dataKey: DataKey
  payload: object
}

/** Names an event by its stream and its place in it. */
export type EventKey = { stream: bigint; sequence: number }

const sequenceDigits = 6

/** An event's public id: `evt_`, the stream's digits and six digits of the sequence; the same at every delivery. */
export const eventId = ({ stream, sequence }: EventKey): string =>
  `evt_${stream}${String(sequence).padStart(sequenceDigits, '0')}`

/** Reads a public event id; undefined for a text that cannot be one. */
export function readEventId(text: string): EventKey | undefined {
  const [, stream = '', sequence = ''] = /^evt_([1-9]\d{0,18})(\d{6})$/.exec(text) ?? []
  if (stream === '' || sequence === '000000' || BigInt(stream) >= 2n ** 63n) return undefined
  return { stream: BigInt(stream), sequence: Number.parseInt(sequence, 10) }
}

/**
 * The text that is stored, signed and sent, byte for byte the same at each attempt and in the feed. Without a payload
 * (the person has been erased since) only the id of what it was about is left in it.
 */
export const bodyOf = (event: Omit<NewEvent, 'partnerId' | 'dataKey' | 'payload'>, payload?: object): string =>
  JSON.stringify({
    requesterType: 'EXCHANGE',
    version: '1.0',
    id: eventId(event),
    type: event.type,
    created_at: event.at.toISOString(),
    sequence: event.sequence,
    payload: payload ?? { id: String(event.stream) },
  })

/** Where an event's sealed body belongs; sealed bytes open nowhere else. */
export const bodyPlace = ({ stream, sequence }: EventKey): string => `events:${stream}:${sequence}`
