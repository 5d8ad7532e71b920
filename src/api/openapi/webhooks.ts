import { type EventType, eventTypes } from '../../events/event.ts'
import { customerStatus } from '../customer.ts'
import { payoutAddress } from '../b2b-payout-addresses.ts'
import { id, time, url } from '../field-shapes.ts'
import { anyOf, object, oneOf, type Shape, textOf, titled, wholeNumber } from '../shape.ts'
import { b2bTransactionRecord, transactionRecord } from '../transaction-shape.ts'
import type { Examples } from './examples.ts'
import type { Json, ShapeWriter } from './write-shapes.ts'

const endpointNotice = titled('EndpointNotice', {
  ...object({ id, url, status: oneOf('active', 'paused', 'failing', 'disabled') }),
  properties: { id, url, status: oneOf('active', 'paused', 'failing', 'disabled'), failing_since: time },
})

const erased = titled('ErasedSubject', object({ id }))

/** What each type tells of, and when. */
const kinds: Readonly<Record<EventType, { payload: Shape<unknown>; summary: string }>> = {
  'transaction.created': { payload: transactionRecord, summary: 'A transaction was created' },
  'transaction.status_changed': { payload: transactionRecord, summary: 'A transaction has another status' },
  'transaction.amounts_changed': { payload: transactionRecord, summary: 'A transaction has other amounts' },
  'transaction.refund_changed': { payload: transactionRecord, summary: 'A refund of a transaction has changed' },
  'customer.status_changed': { payload: customerStatus, summary: 'A customer stands otherwise' },
  'b2b.transaction.status_changed': { payload: b2bTransactionRecord, summary: 'A B2B transaction has another status' },
  'b2b.payout_address.status_changed': { payload: payoutAddress, summary: 'A registered address has another status' },
  'endpoint.failing': { payload: endpointNotice, summary: 'Your endpoint does not take its events' },
  'endpoint.disabled': { payload: endpointNotice, summary: 'Your endpoint has been disabled' },
  'endpoint.test': { payload: endpointNotice, summary: 'Somebody tries your endpoint' },
}

const eventId = textOf({ pattern: '^evt_[1-9]\\d{6,24}$', maxLength: 29, examples: ['evt_4611686018427387904000001'] })

const eventOf = (type: EventType): Shape<unknown> =>
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

const eventTitle = (type: EventType): string =>
  `Event${type
    .split(/[._]/)
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join('')}`

const description =
  'Sent to every endpoint that asks for the type, at least once, signed by the Standard Webhooks scheme. `sequence` orders ' +
  'the events of one subject; `payload` is the record as of that moment. Any 2xx within 15 seconds is success, 410 disables ' +
  'the endpoint, everything else is tried again for three days.'

/** The events that partners are told of, each with its body. */
export function webhooksOf(writer: ShapeWriter, { webhooks }: Pick<Examples, 'webhooks'>): Json {
  return Object.fromEntries(
    eventTypes.map((type) => {
      const example = webhooks[type]
      const content = { schema: writer.answer(eventOf(type)), ...(example === undefined ? {} : { example }) }
      const post = {
        operationId: `told${eventTitle(type).slice('Event'.length)}`,
        summary: kinds[type].summary,
        description,
        tags: ['Webhooks'],
        security: [],
        parameters: signatureHeaders,
        requestBody: { required: true, content: { 'application/json': content } },
        responses: {
          200: { description: 'You have it. Any 2xx will do.' },
          410: { description: 'Send nothing more.' },
        },
      }
      return [type, { post }]
    }),
  )
}

const header = (name: string, about: string, pattern: string): Json => ({
  name,
  in: 'header',
  required: true,
  description: about,
  schema: { type: 'string', maxLength: 512, pattern },
})

const signatureHeaders = [
  header('webhook-id', "The event's id: the same at every delivery.", '^evt_\\d+$'),
  header('webhook-timestamp', 'The unix time of this delivery, in seconds.', '^\\d+$'),
  header('webhook-signature', '`v1,` and a base64 HMAC-SHA256, two of them while a secret rotates.', '^v1,'),
]
