import type { FastifyInstance } from 'fastify'

import type { Ctx } from '../../exchange/context.ts'
import { ipBlocks } from '../../platform/lib/ip-blocks.ts'
import { namedProblem } from '../../platform/lib/refusal.ts'
import type { Partner } from '../../exchange/partners/partner.ts'
import { judgeCreate } from '../../exchange/transactions/judge.ts'
import { callerOf } from './authenticate.ts'
import { clientAddress, forwardedCustomer } from '../../platform/lib/client-address.ts'
import { type CreateRequest, readCreate } from './create-body.ts'
import { createBody, createQuery } from './create-inputs.ts'
import { problem } from './error-shape.ts'
import { estimateRecord, recordOfEstimate } from './estimate-record.ts'
import { bodyObject } from './json-body.ts'
import { isUnsigned } from './unsigned-presets.ts'
import type { Operation } from './operation.ts'
import type { Query } from './query.ts'
import { warnings } from './field-shapes.ts'
import { flag, list, object, orNull, type Shaped, type ShapeProvider, titled } from './shape.ts'

/** `POST /v1/transaction/health`: what a create with the same body and query would be refused for, and what it would come to. */
export function health(app: FastifyInstance, ctx: Ctx): void {
  const trusted = ipBlocks(ctx.config.http.trustedProxies)
  app.withTypeProvider<ShapeProvider>().post(
    '/transaction/health',
    {
      config: { access: 'any-key', operation },
      schema: { response: { 200: healthRecord } },
    },
    (request) =>
      healthOf(ctx, callerOf(request).partner, {
        body: bodyObject(request),
        query: request.query as Query,
        forwardedCustomer: forwardedCustomer(clientAddress(request.raw, trusted)),
        isUnsigned: isUnsigned(request),
        allowsLoopback: ctx.config.environment.loopbackRedirects,
        now: ctx.clock.now(),
      }),
  )
}

const healthRecord = titled(
  'Health',
  object({ healthy: flag, errors: list(problem), warnings, estimate: orNull(estimateRecord) }),
)

const operation: Operation = {
  id: 'checkTransactionHealth',
  tag: 'Transactions',
  summary: 'Check a create without creating',
  description:
    'Takes the body and the query of a create and creates nothing. Lists **every** rule that the create would break, in the ' +
    'order in which it would be refused, and an estimate. A request that would be refused still returns 200.',
  query: createQuery,
  body: createBody,
  says: { 200: 'The result of the check.' },
  refuses: ['BAD_REQUEST'],
  readsForwarded: true,
}

/** Names every rule that a create would break, in the order in which it would be refused; the estimate as far as there is one. */
function healthOf(ctx: Ctx, partner: Partner, request: CreateRequest): Shaped<typeof healthRecord> {
  const read = readCreate(partner, request)
  const { faults, available } = judgeCreate(ctx, partner, read, request.now)
  const cut = available?.warnings ?? []
  const ofEstimate = [...read.warnings.filter(({ path }) => path === 'query.customer_country'), ...cut]
  return {
    healthy: faults.length === 0,
    errors: faults.map((fault) => namedProblem(fault.problem)),
    warnings: [...read.warnings, ...cut],
    estimate: available?.sum ? recordOfEstimate(available.exchange.terms, available.sum, 'direct', ofEstimate) : null,
  }
}
