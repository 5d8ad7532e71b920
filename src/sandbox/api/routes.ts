import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

import { isCardForDestination } from '../../reference/bank/card-for-destination.ts'
import type { Ctx } from '../../exchange/context.ts'
import { isEmail } from '../../exchange/customers/email.ts'
import type { Journal } from '../../platform/db/journal.ts'
import { type Database, one } from '../../platform/db/sql.ts'
import { on } from '../../platform/db/within.ts'
import type { DueWork } from '../../platform/jobs/due-work.ts'
import { holdsCardNumber } from '../../platform/lib/card-number.ts'
import { textFault } from '../../doors/ui/text-fault.ts'
import { readId } from '../../platform/lib/ids.ts'
import { isExactNumber } from '../../platform/lib/json.ts'
import { badField, Refusal } from '../../platform/lib/refusal.ts'
import { orderEmailWriter } from '../../exchange/orders/order-emails.ts'
import { readMailbox } from '../../exchange/mail/mailbox.ts'
import type { DataKey } from '../../platform/privacy/data-key.ts'
import type { World } from '../rails.ts'
import type { AnyRecord } from '../scenarios/step.ts'
import { callerOf } from '../../doors/api/authenticate.ts'
import type { IdentityContext } from '../identity/provider.ts'
import { advanceClock, readAdvance } from './clock.ts'
import { completeCheckout, type TestCustomer } from './complete-checkout.ts'
import { isUnchecked, untilRecord } from './pass-identity-check.ts'
import { payDeposit } from './pay.ts'
import * as queries from './queries.ts'
import { playRailEvent } from './rail-events.ts'
import { playScenario, scenarios, describeScenario } from './scenarios.ts'
import { sandboxAnswers } from './shapes.ts'

/** What driving the sandbox needs besides the context. */
export type SandboxDeps = {
  world: World
  identity: IdentityContext
  /** All work that becomes due as business time passes. */
  work: readonly DueWork[]
}

const partnerIdOf = (request: FastifyRequest): bigint => callerOf(request).partner.id

type Fields = Record<string, unknown>

/** The sandbox's controls, for programs that play customers and rails. Absent in live mode. */
export const sandboxApi =
  (ctx: Ctx, deps: SandboxDeps) =>
  (app: FastifyInstance): void => {
    const { work } = deps

    app.get('/sandbox/clock', answering('GET /sandbox/clock'), () => ({ now: ctx.clock.now().toISOString() }))
    app.post('/sandbox/clock', answering('POST /sandbox/clock'), async (request, reply) => {
      const { now, ran } = await advanceClock(ctx, work, readAdvance(request.body, ctx.clock.now()), request.journal)
      return made(reply, { now: now.toISOString(), ran })
    })
    transactionControls(app, ctx, deps)
    app.get('/sandbox/mail', answering('GET /sandbox/mail'), async (request) => {
      const to = text(request.query as Fields, 'to', () => false)
      const query = { partnerId: partnerIdOf(request), ...optional('to', to), limit: 100 }
      const emails = await readMailbox(ctx, query, orderEmailWriter(ctx))
      return emails.map((email) => ({ ...email, kind: email.kind ?? null, price: email.price ?? null }))
    })
    app.get('/sandbox/scenarios', answering('GET /sandbox/scenarios'), () => scenarios.map(describeScenario))
    app.post('/sandbox/scenarios/:name', answering('POST /sandbox/scenarios/:name'), async (request, reply) => {
      const { name } = request.params as { name: string }
      const transactionId = await playScenario(ctx, deps, {
        partnerId: partnerIdOf(request),
        name,
        journal: request.journal,
      })
      return made(reply, { transaction_id: transactionId })
    })
  }

/** What a test customer does with one transaction, and what a rail may do to it. */
function transactionControls(app: FastifyInstance, ctx: Ctx, { world, identity }: SandboxDeps): void {
  const ownOf = (request: FastifyRequest) => ({ partnerId: partnerIdOf(request), publicId: idOf(request) })

  app.post(
    '/sandbox/transaction/:id/checkout',
    answering('POST /sandbox/transaction/:id/checkout'),
    async (request, reply) => {
      const fields = fieldsOf(request)
      const customer = {
        ...optional('email', email(fields)),
        ...optional('country', text(fields, 'country')),
        ...optional('paymentCategory', text(fields, 'payment_category')),
        ...optional('payoutAddress', text(fields, 'payout_address', isCardForDestination)),
        ...optional(
          'extraId',
          text(fields, 'extra_id', () => false),
        ),
      }
      const record = await checkedOut(ctx, identity, { ...ownOf(request), customer, journal: request.journal })
      request.tellsOf = await personOf(ctx, idOf(request))
      return made(reply, record)
    },
  )
  app.post(
    '/sandbox/transaction/:id/deposit',
    answering('POST /sandbox/transaction/:id/deposit'),
    async (request, reply) => {
      const fields = fieldsOf(request)
      const deposit = {
        ...optional('amount', amount(fields)),
        ...optional('currency', text(fields, 'currency')),
        ...optional('network', text(fields, 'network')),
        ...optional('reference', text(fields, 'reference')),
      }
      const own = ownOf(request)
      const pays = (db: Database) => payDeposit(on(ctx, db), on(world, db), { ...own, deposit })
      return made(reply, await request.journal.once('deposit', pays))
    },
  )
  app.post(
    '/sandbox/transaction/:id/rail-event',
    answering('POST /sandbox/transaction/:id/rail-event'),
    async (request, reply) => {
      const type = text(fieldsOf(request), 'type')
      if (type === undefined) throw badField('type', 'A type is required.', 'REQUIRED')
      const own = ownOf(request)
      const happens = async (db: Database) => {
        await playRailEvent(on(ctx, db), on(world, db), { ...own, type })
        return { type }
      }
      return made(reply, await request.journal.once('rail event', happens))
    },
  )
}

/** For secret keys, and answered in its own schema: what that does not name does not leave. */
const answering = (route: keyof typeof sandboxAnswers) =>
  ({ config: { access: 'secret-key' }, schema: { response: sandboxAnswers[route] } }) as const

/** Completes a checkout, once; gives the record as it was then, or, when it was done before, as it is now. */
async function checkedOut(
  ctx: Ctx,
  identity: IdentityContext,
  { journal, customer, ...own }: { partnerId: bigint; publicId: bigint; customer: TestCustomer; journal: Journal },
): Promise<unknown> {
  let record: AnyRecord | undefined
  await journal.once('checkout', async (db) => {
    record = await completeCheckout(on(ctx, db), own.partnerId, own.publicId, customer)
    return null
  })
  return record && !isUnchecked(record) ? record : untilRecord(ctx, identity, own, (seen) => !isUnchecked(seen))
}

/** What a POST has made; the door keeps it for the `Idempotency-Key` and sends it. */
function made<Body>(reply: FastifyReply, body: Body): Body {
  reply.code(201)
  return body
}

/** The key of the person whom a transaction tells of. */
async function personOf({ db, keyring }: Ctx, publicId: bigint): Promise<DataKey> {
  const { data_key_id: id } = one(await queries.dataKeyOf(db, publicId))
  return keyring.get(db, id)
}

function idOf(request: FastifyRequest): bigint {
  const id = readId((request.params as { id: string }).id)
  if (id === undefined) throw new Refusal('NOT_FOUND', 'There is no such transaction.')
  return id
}

function fieldsOf({ body }: FastifyRequest): Fields {
  if (body === undefined || body === null) return {}
  if (typeof body !== 'object' || Array.isArray(body) || isExactNumber(body)) {
    throw new Refusal('BAD_REQUEST', 'The body must be a JSON object.')
  }
  return body as Fields
}

const destinations: ReadonlySet<string> = new Set(['payout_address', 'extra_id'])

/** A text field; absent when it is empty, null or not there. Refuses what `isCard` takes for a card number. */
function text(fields: Fields, name: string, isCard = holdsCardNumber): string | undefined {
  const value = fields[name]
  if (value === undefined || value === null || value === '') return undefined
  if (typeof value !== 'string') throw badField(name, 'This must be a text.')
  if (value.length > 500) throw badField(name, 'This text is not acceptable.')
  const fault = textFault(value, { place: destinations.has(name) ? 'destination' : 'text', isCard })
  if (fault) throw badField(name, fault.message, fault.code)
  return value
}

function email(fields: Fields): string | undefined {
  const address = text(fields, 'email')
  if (address !== undefined && !isEmail(address)) throw badField('email', 'This is not an e-mail address.')
  return address
}

/** An amount as it was sent, to be read once its currency is known. */
function amount(fields: Fields): unknown {
  const { amount: value } = fields
  const written = isExactNumber(value) ? value.text : value
  if (typeof written === 'string' && holdsCardNumber(written)) {
    throw badField('amount', 'Card numbers are not accepted here.', 'CARD_NUMBER')
  }
  return value ?? undefined
}

const optional = <Name extends string, Value>(name: Name, value: Value | undefined) =>
  (value === undefined ? {} : { [name]: value }) as { [Key in Name]?: Value }
