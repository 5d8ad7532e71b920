import { emailKinds } from '../../exchange/mail/email.ts'
/**
 * What the sandbox's controls answer, as JSON Schemas by method and address: they write the answers, and tests hold every answer
 * against them. They are in no document of the interface (docs/decisions/0030): what is generated from that works in production
 * too. The schema of a transaction is the interface's own, under the name `AnyTransaction`, which the door adds.
 */
export const sandboxAnswers = {
  'GET /sandbox/clock': { 200: exactly({ now: time() }) },
  'POST /sandbox/clock': { 201: exactly({ now: time(), ran: { type: 'integer', minimum: 0 } }) },
  'POST /sandbox/transaction/:id/checkout': { 201: { $ref: 'AnyTransaction#' } },
  'POST /sandbox/transaction/:id/deposit': { 201: exactly({ deposit_id: name(200), hash: name(200) }) },
  'POST /sandbox/transaction/:id/rail-event': { 201: exactly({ type: name(32) }) },
  'GET /sandbox/mail': {
    200: listOf(
      100,
      exactly({
        to: name(320),
        kind: { enum: [...emailKinds, null] },
        price: { enum: ['fixed', 'provisional', null] },
        subject: text(1_000),
        text: text(100_000),
        html: text(500_000),
        at: time(),
      }),
    ),
  },
  'GET /sandbox/scenarios': {
    200: listOf(
      1_000,
      exactly({
        name: name(64),
        title: text(1_000),
        steps: listOf(1_000, text(100)),
        statuses: listOf(100, name(32)),
        postings: listOf(100, name(32)),
        events: listOf(100, name(64)),
        ends_in: name(32),
      }),
    ),
  },
  'POST /sandbox/scenarios/:name': {
    201: exactly({ transaction_id: { type: 'string', pattern: '^[1-9]\\d{0,18}$' } }),
  },
} as const

function exactly<Properties extends Record<string, object>>(properties: Properties) {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false } as const
}

function listOf<Items extends object>(maxItems: number, items: Items) {
  return { type: 'array', items, maxItems } as const
}

function time() {
  return { type: 'string', pattern: '^\\d{4,6}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$' } as const
}

function name(maxLength: number) {
  return { type: 'string', minLength: 1, maxLength } as const
}

function text(maxLength: number) {
  return { type: 'string', maxLength } as const
}
