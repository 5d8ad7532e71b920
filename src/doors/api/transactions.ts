import type { FastifyInstance } from 'fastify'

import type { Ctx } from '../../exchange/context.ts'
import { readId } from '../../platform/lib/ids.ts'
import { ipBlocks } from '../../platform/lib/ip-blocks.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import type { Caller } from '../../exchange/partners/accounts.ts'
import { createTransaction } from '../../exchange/transactions/create.ts'
import { readTransaction } from '../../exchange/transactions/read.ts'
import { isB2b, publicView, type TransactionRecord } from '../../exchange/transactions/record.ts'
import { callerOf } from './authenticate.ts'
import { clientAddress, forwardedCustomer } from '../../platform/lib/client-address.ts'
import { readCreate } from './create-body.ts'
import { createBody, createQuery } from './create-inputs.ts'
import { answerOnce } from './idempotency.ts'
import { bodyObject } from './json-body.ts'
import { isUnsigned } from './unsigned-presets.ts'
import { idIn, type Link, type Operation, required } from './operation.ts'
import type { Query } from './query.ts'
import type { RateLimits } from './rate-limit.ts'
import type { ShapeProvider } from './shape.ts'
import { anyTransactionRecord, eitherTransaction, transactionRecord } from './transaction-shape.ts'

/** `POST /v1/transaction` and `GET /v1/transaction/{id}`. */
export function transactions(app: FastifyInstance, ctx: Ctx, limits: RateLimits): void {
  const typed = app.withTypeProvider<ShapeProvider>()
  const trusted = ipBlocks(ctx.config.http.trustedProxies)

  typed.post(
    '/transaction',
    {
      config: { access: 'any-key', creates: true, once: 'with-its-work', operation: creating },
      schema: { response: { 201: transactionRecord } },
    },
    async (request, reply) => {
      const caller = callerOf(request)
      return answerOnce(ctx, request, reply, async (db) => {
        const read = readCreate(caller.partner, {
          body: bodyObject(request),
          query: request.query as Query,
          forwardedCustomer: forwardedCustomer(clientAddress(request.raw, trusted)),
          isUnsigned: isUnsigned(request),
          allowsLoopback: ctx.config.environment.loopbackRedirects,
          now: ctx.clock.now(),
        })
        if (read.input.customerIp !== undefined) limits.takeCustomer(read.input.customerIp, caller, reply)
        const { record, dataKey } = await createTransaction(ctx, caller.partner, read, db)
        return { status: 201, body: seenBy(caller, record), dataKey }
      })
    },
  )

  typed.get(
    '/transaction/:id',
    { config: { access: 'any-key', operation: reading }, schema: { response: { 200: anyTransactionRecord } } },
    async (request) => {
      const caller = callerOf(request)
      const id = readId((request.params as { id: string }).id)
      const record = id === undefined ? undefined : await readTransaction(ctx, caller.partner.id, id)
      const isHidden = record && isB2b(record) && caller.key.kind === 'public'
      if (!record || isHidden) throw new Refusal('NOT_FOUND', 'There is no such transaction.')
      return isB2b(record) ? record : seenBy(caller, record)
    },
  )
}

/** From what a create answers to the transaction that it made. */
export const toRead: Link = {
  name: 'GetTransaction',
  to: 'getTransaction',
  parameter: 'id',
  from: '$response.body#/id',
  about: 'The transaction that was made.',
}

const creating: Operation = {
  id: 'createTransaction',
  tag: 'Transactions',
  summary: 'Create a transaction',
  description:
    'Creates an exchange for a customer, who is then sent to `redirect_url`: the checkout asks for whatever is still missing. ' +
    'Send an `Idempotency-Key`, so that a request which is sent twice makes one transaction.',
  query: createQuery,
  body: createBody,
  says: { 201: 'The transaction, `new`.' },
  refuses: ['BAD_REQUEST', 'PAIR_NOT_AVAILABLE', 'COUNTRY_NOT_SUPPORTED', 'CONFLICT'],
  links: [toRead],
  readsForwarded: true,
}

const reading: Operation = {
  id: 'getTransaction',
  tag: 'Transactions',
  summary: 'Read a transaction',
  description:
    'The current state of the transaction. A public key gets no personal data: `email` is null and the payout address is ' +
    'shortened. A secret key reads B2B transactions here too.',
  path: { id: required(idIn, 'The id of the transaction.') },
  answers: { 200: eitherTransaction },
  says: { 200: 'The transaction.' },
  refuses: ['NOT_FOUND', 'CONFLICT'],
}

const seenBy = ({ key }: Caller, record: TransactionRecord): TransactionRecord =>
  key.kind === 'public' ? publicView(record) : record
