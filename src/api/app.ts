import fastify, { type FastifyInstance } from 'fastify'

import type { Ctx } from '../context.ts'
import type { Accounts } from '../partners/accounts.ts'
import { admission } from './authenticate.ts'
import { currencies } from './currencies.ts'
import { answerErrors, answerUnreadable } from './errors.ts'
import { estimate } from './estimate.ts'
import { readJsonBodies } from './json-body.ts'
import { logos } from './logos.ts'
import { marketInfo } from './market-info.ts'
import { answerUnknownRoutes } from './not-found.ts'
import { rateLimits } from './rate-limit.ts'
import { requestIdOf } from './request-id.ts'
import { root } from './root.ts'
import { signatureCheck } from './signature.ts'
import { status, type WorkersAreUp } from './status.ts'
import { transactions } from './transactions.ts'

/** What the interface needs besides the context. */
export type ApiDeps = {
  accounts: Accounts
  /** Whether some process does the work that orders need after they are made; asked twice a second at most. */
  workersAreUp: WorkersAreUp
  /**
   * Routes of other doors under `/v1` (the sandbox's controls). Each must say `config: { access }`; the key is checked, errors
   * are answered and bodies are read as for ours: `request.caller`, `request.body` with exact numbers.
   */
  v1?: readonly ((app: FastifyInstance) => void)[]
  /** Pages outside of `/v1` (checkout). Their own body parsers and error pages stay within them. */
  pages?: readonly ((app: FastifyInstance) => void | Promise<void>)[]
}

/** The service's HTTP side, ready for `listen` or `inject`. */
export function buildApi(ctx: Ctx, deps: ApiDeps): FastifyInstance {
  const { http } = ctx.config
  const errors = answerErrors(ctx.log)
  const app = fastify({
    logger: false,
    bodyLimit: http.bodyLimitBytes,
    requestTimeout: http.requestTimeoutMs,
    keepAliveTimeout: 75_000,
    genReqId: requestIdOf,
    frameworkErrors: errors,
    clientErrorHandler: answerUnreadable,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
  })
  app.setErrorHandler(errors)
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id)
    done()
  })
  answerUnknownRoutes(app)

  root(app, ctx)
  app.register(logos)
  for (const pages of deps.pages ?? []) app.register(async (scope) => pages(scope))
  app.register(async (v1) => interfaceV1(v1, ctx, deps), { prefix: '/v1' })
  return app
}

function interfaceV1(app: FastifyInstance, ctx: Ctx, deps: ApiDeps): void {
  const limits = rateLimits(ctx)
  const admitting = admission(ctx, { accounts: deps.accounts, limits })
  const checking = signatureCheck(ctx)

  app.decorateRequest('caller', undefined)
  readJsonBodies(app)
  app.addHook('onRoute', (route) => {
    const { access, creates = false } = route.config ?? {}
    if (!access) throw new Error(`${route.url} does not say who may call it.`)
    route.onRequest = admitting(access, creates)
    route.preHandler = checking(creates)
  })

  status(app, ctx, deps.workersAreUp)
  currencies(app, ctx)
  marketInfo(app, ctx)
  estimate(app, ctx)
  transactions(app, ctx, limits)
  for (const routes of deps.v1 ?? []) routes(app)
}
