import { type EventType, eventTypes } from '../../exchange/events/event.ts'
import { payoutAddress } from './b2b-payout-addresses.ts'
import { customerStatus } from './customer.ts'
import { id, time, url } from './field-shapes.ts'
import { anyOf, object, oneOf, type Shape, textOf, titled, wholeNumber } from './shape.ts'
import { b2bTransactionRecord, transactionRecord } from './transaction-shape.ts'

const endpointNotice = titled('EndpointNotice', {
  ...object({ id, url, status: oneOf('active', 'paused', 'failing', 'disabled') }),
  properties: { id, url, status: oneOf('active', 'paused', 'failing', 'disabled'), failing_since: time },
})

const erased = titled('ErasedSubject', object({ id }))

/** The payload of each event type, and when it is sent. */
export const kinds: Readonly<Record<EventType, { payload: Shape<unknown>; summary: string }>> = {
  'transaction.created': { payload: transactionRecord, summary: 'A transaction was created' },
  'transaction.status_changed': { payload: transactionRecord, summary: 'The status of a transaction has changed' },
  'transaction.amounts_changed': { payload: transactionRecord, summary: 'The amounts of a transaction have changed' },
  'transaction.refund_changed': { payload: transactionRecord, summary: 'A refund of a transaction has changed' },
  'customer.status_changed': { payload: customerStatus, summary: 'The status of a customer has changed' },
  'b2b.transaction.status_changed': {
    payload: b2bTransactionRecord,
    summary: 'The status of a B2B transaction has changed',
  },
  'b2b.payout_address.status_changed': {
    payload: payoutAddress,
    summary: 'The status of a registered address has changed',
  },
  'endpoint.failing': { payload: endpointNotice, summary: 'Your endpoint fails to accept events' },
  'endpoint.disabled': { payload: endpointNotice, summary: 'Your endpoint has been disabled' },
  'endpoint.test': { payload: endpointNotice, summary: 'A test of your endpoint was requested' },
}

/** An event's id. */
export const eventId = textOf({
  pattern: '^evt_[1-9]\\d{6,24}$',
  maxLength: 29,
  examples: ['evt_4611686018427387904000001'],
})

export const eventOf = (type: EventType): Shape<unknown> =>
  titled(
    eventTitle(type),
    object({
      requesterType: oneOf('EXCHANGE'),
      version: oneOf('1.0'),
      id: eventId,
      type: oneOf(type),
      created_at: time,
      sequence: wholeNumber(1, 999_999),
      payload: anyOf(kinds[type].payload, erased),
    }),
  )

/** The name of an event's shape. */
export const eventTitle = (type: EventType): string =>
  `Event${type
    .split(/[._]/)
    .map((part) => part.slice(0, 1).toUpperCase() + part.slice(1))
    .join('')}`

export const anyEvent: Shape<unknown> = titled('Event', anyOf(...eventTypes.map(eventOf)))
