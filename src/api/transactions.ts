import type { FastifyInstance, FastifyReply } from 'fastify'

import type { Ctx } from '../context.ts'
import { readId } from '../lib/ids.ts'
import { ipBlocks } from '../lib/ip-blocks.ts'
import { Refusal } from '../lib/refusal.ts'
import type { Caller } from '../partners/accounts.ts'
import { createTransaction } from '../transactions/create.ts'
import { readTransaction } from '../transactions/read.ts'
import { publicView, type TransactionRecord } from '../transactions/record.ts'
import { callerOf } from './authenticate.ts'
import { type ClientAddress, clientAddress, forwardedCustomer } from './client-address.ts'
import { exposeHeaders } from './cors.ts'
import { readCreate } from './create-body.ts'
import { answerOnce } from './idempotency.ts'
import { bodyObject } from './json-body.ts'
import type { Query } from './query.ts'
import type { RateLimits } from './rate-limit.ts'
import type { ShapeProvider } from './shape.ts'
import { transactionRecord } from './transaction-shape.ts'

/** `POST /v1/transaction` and `GET /v1/transaction/{id}`. */
export function transactions(app: FastifyInstance, ctx: Ctx, limits: RateLimits): void {
  const typed = app.withTypeProvider<ShapeProvider>()
  const trusted = ipBlocks(ctx.config.http.trustedProxies)

  typed.post(
    '/transaction',
    { config: { access: 'any-key', creates: true }, schema: { response: { 201: transactionRecord } } },
    async (request, reply) => {
      const caller = callerOf(request)
      const query = request.query as Query
      const address = clientAddress(request.raw, trusted)
      announceDeprecation(ctx, address, query, reply)

      const { body, replayed } = await answerOnce(ctx, request, async (db) => {
        const read = readCreate(caller.partner, {
          body: bodyObject(request),
          query,
          forwardedCustomer: forwardedCustomer(address),
          now: ctx.clock.now(),
        })
        if (read.input.customerIp !== undefined) limits.takeCustomer(read.input.customerIp, reply)
        const { record, dataKey } = await createTransaction(ctx, caller.partner, read, db)
        return { status: 201, body: seenBy(caller, record), dataKey }
      })
      exposeHeaders(reply)
      if (replayed) reply.header('idempotency-replayed', 'true')
      return reply.code(201).send(body)
    },
  )

  typed.get(
    '/transaction/:id',
    { config: { access: 'any-key' }, schema: { response: { 200: transactionRecord } } },
    async (request) => {
      const caller = callerOf(request)
      const id = readId((request.params as { id: string }).id)
      const record = id === undefined ? undefined : await readTransaction(ctx, caller.partner.id, id)
      if (!record) throw new Refusal('NOT_FOUND', 'There is no such transaction.')
      return seenBy(caller, record)
    },
  )
}

const seenBy = ({ key }: Caller, record: TransactionRecord): TransactionRecord =>
  key.kind === 'public' ? publicView(record) : record

/** The changelog's row that announced the end of the deprecated inputs (2026-09-25), as RFC 9745 writes a date. */
const deprecatedSince = '@1790294400'

/** Tells a caller that it used what will go away one day; on every answer, refusals included. */
function announceDeprecation(ctx: Ctx, { forwarded }: ClientAddress, { ip }: Query, reply: FastifyReply): void {
  if (forwarded.length === 0 && (ip === undefined || ip === '' || ip === 'null')) return
  reply.headers({
    deprecation: deprecatedSince,
    link: `<${ctx.publicUrl}/#changes>; rel="deprecation"; type="text/html"`,
  })
}
