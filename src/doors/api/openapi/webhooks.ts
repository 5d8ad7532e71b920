import { eventTypes } from '../../../exchange/events/event.ts'
import { eventOf, eventTitle, kinds } from '../event-shape.ts'
import type { Examples } from './examples.ts'
import type { Json, ShapeWriter } from './write-shapes.ts'

const description =
  'Sent to every endpoint that asks for the type, at least once, signed by the Standard Webhooks scheme. `sequence` orders ' +
  'the events of one subject; `payload` is the record as of that moment. Any 2xx within 15 seconds is success, 410 disables ' +
  'the endpoint, everything else is tried again for three days.'

/** The events that partners receive, each with its body. */
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
