import fastify, { type FastifyInstance, type preHandlerHookHandler } from 'fastify'

import type { Ctx } from '../../exchange/context.ts'
import { type FeedListeners, openFeedListeners } from '../../exchange/events/feed-listeners.ts'
import type { Accounts } from '../../exchange/partners/accounts.ts'
import { admission } from './authenticate.ts'
import { b2bMarket } from './b2b-market.ts'
import { b2bPayoutAddresses } from './b2b-payout-addresses.ts'
import { b2bTransactions } from './b2b-transactions.ts'
import { countryRoutes } from './countries.ts'
import { currencies } from './currencies.ts'
import { customers } from './customer.ts'
import { announceDeprecation } from './deprecated-inputs.ts'
import { answerErrors } from './errors.ts'
import { estimate } from './estimate.ts'
import { eventFeed } from './events.ts'
import { health } from './health.ts'
import { guardRequests } from './guard-requests.ts'
import { hasIdempotencyKey } from './idempotency-key.ts'
import { readJsonBodies, refuseUnreadable } from './json-body.ts'
import { keepAnswers } from './keep-answers.ts'
import { lazySerializers } from './lazy-serializers.ts'
import { logos } from './logos.ts'
import { marketInfo } from './market-info.ts'
import { answerUnknownRoutes } from './not-found.ts'
import { type DeclaredRoute, declaredRoute } from './openapi/declared-route.ts'
import { openApi } from './openapi/serve.ts'
import { paymentCategoryRoutes } from './payment-categories.ts'
import { type RateLimits, rateLimits } from './rate-limit.ts'
import { requestIdOf } from './request-id.ts'
import { root } from './root.ts'
import { securityTxt } from './security-txt.ts'
import { keepSharing } from './share-limits.ts'
import { signatureCheck, signatureDemand } from './signature.ts'
import { status, type WorkersAreUp } from './status.ts'
import { transactionList } from './transaction-list.ts'
import { anyTransactionRecord } from './transaction-shape.ts'
import { transactions } from './transactions.ts'
import { unreadableAnswers } from './unreadable.ts'
import { watchRequests } from './watch-requests.ts'
import { webhookAttempts } from './webhook-attempts.ts'
import { webhookEndpoints } from './webhook-endpoints.ts'

/** What the interface needs besides the context. */
export type ApiDeps = {
  accounts: Accounts
  /** Whether some process does the work that orders need after they are made; asked twice a second at most. */
  workersAreUp: WorkersAreUp
  /** Where requests wait for new events. Left out, the API has its own, which other parts of this process do not notify. */
  feedListeners?: FeedListeners
  /** What this exchange is, where it is more than an exchange: HTML on its first page, and its name in the OpenAPI document. */
  description?: { notice: string; serverName: string }
  /** Where readers of the documentation get keys to make calls with: JSON with `public_key` and `secret_key`. */
  testKeysPath?: string
  /** Answers `/` instead of our own page. Registered before all other routes, so that its hooks cover them. */
  start?: (app: FastifyInstance) => void
  /**
   * Further routes under `/v1`. Each must say `config: { access }`; the key is checked, errors
   * are answered and bodies are read as for ours: `request.caller`, `request.body` with exact numbers. A POST's handler gives
   * back what it answers, and does not send: the answer is kept for its `Idempotency-Key`, and what it has done is written into
   * `request.journal`. The schema of a transaction is there for theirs as `AnyTransaction`.
   */
  v1?: readonly ((app: FastifyInstance) => void)[]
  /**
   * Pages outside of `/v1` (checkout). Their own body parsers and error pages stay within them. `limits` are the interface's: what
   * a page lets through counts there too.
   */
  pages?: readonly ((app: FastifyInstance, limits: RateLimits) => void | Promise<void>)[]
}

/** The service's HTTP side, ready for `listen` or `inject`. */
export function buildApi(ctx: Ctx, deps: ApiDeps): FastifyInstance {
  const { http } = ctx.config
  const errors = answerErrors(ctx)
  const unreadable = unreadableAnswers(ctx)
  const app = fastify({
    logger: false,
    routerOptions: { ignoreTrailingSlash: true },
    bodyLimit: http.bodyLimitBytes,
    requestTimeout: http.requestTimeoutMs,
    http: {
      headersTimeout: Math.min(headersMs, http.requestTimeoutMs),
      connectionsCheckingInterval: Math.min(checkEveryMs, http.requestTimeoutMs),
    },
    keepAliveTimeout: 75_000,
    genReqId: requestIdOf,
    frameworkErrors: errors,
    clientErrorHandler: unreadable.answer,
    schemaController: { compilersFactory: { buildSerializer: lazySerializers() } },
    forceCloseConnections: 'idle',
    return503OnClosing: false,
  })
  unreadable.follow(app.server)
  app.server.maxConnections = http.maxConnections
  app.setErrorHandler(errors)
  guardRequests(app, ctx.config)
  watchRequests(app, ctx)
  answerUnknownRoutes(app)

  if (deps.start) deps.start(app)
  else root(app, ctx, deps.description?.notice)
  app.register(logos)
  securityTxt(app, ctx)
  const limits = rateLimits(ctx)
  for (const pages of deps.pages ?? []) app.register(async (scope) => pages(scope, limits))
  const declared: DeclaredRoute[] = []
  app.register(async (v1) => interfaceV1(v1, ctx, { ...deps, declared, limits }), { prefix: '/v1' })
  const serverName = deps.description?.serverName ?? 'This production exchange'
  openApi(app, ctx, declared, { serverName, keysPath: deps.testKeysPath })
  return app
}

/** How long the headers of a request may take, and how often connections are checked for requests that take too long. */
const headersMs = 15_000
const checkEveryMs = 5_000

/** A request with an idempotency key may be a mismatch, which is reported before a body that cannot be read. */
const refuseBody: preHandlerHookHandler = (request, _reply, done) => {
  if (!hasIdempotencyKey(request)) refuseUnreadable(request)
  done()
}

type Inside = { declared: DeclaredRoute[]; limits: RateLimits }

function interfaceV1(app: FastifyInstance, ctx: Ctx, deps: ApiDeps & Inside): void {
  const { limits } = deps
  if (ctx.config.rateLimits.on) keepSharing(app, ctx, limits.share)
  const admitting = admission(ctx, { accounts: deps.accounts, limits })
  const checking = signatureCheck(ctx)
  const announcing = announceDeprecation(ctx)

  const keeping = keepAnswers(ctx)

  app.decorateRequest('caller', undefined)
  app.decorateRequest('tellsOf', undefined)
  app.decorateRequest('isAnsweredOnce', false)
  app.decorateRequest('isSigned', false)
  app.addSchema({ $id: 'AnyTransaction', ...anyTransactionRecord })
  readJsonBodies(app)
  app.addHook('onRoute', (route) => {
    const { access, creates = false, feature, once, operation } = route.config ?? {}
    if (!access) throw new Error(`${route.url} does not say who may call it.`)
    deps.declared.push(...declaredRoute(route))
    const admits = admitting(access, creates, feature)
    const demands = signatureDemand(creates)
    route.onRequest = operation?.readsForwarded ? [announcing, admits, demands] : [admits, demands]
    const methods = [route.method].flat()
    const mayHaveBody = !methods.every((method) => method === 'GET' || method === 'HEAD')
    route.preHandler = mayHaveBody ? [checking(creates), refuseBody] : checking(creates)
    if (methods.includes('POST')) route.handler = keeping(route.url, route.handler, once)
  })

  status(app, ctx, deps.workersAreUp)
  currencies(app, ctx)
  marketInfo(app, ctx)
  estimate(app, ctx)
  transactions(app, ctx, limits)
  transactionList(app, ctx)
  customers(app, ctx)
  health(app, ctx)
  countryRoutes(app, ctx)
  paymentCategoryRoutes(app, ctx)
  b2bMarket(app, ctx)
  b2bPayoutAddresses(app, ctx)
  b2bTransactions(app, ctx)
  eventFeed(app, ctx, { listeners: deps.feedListeners ?? openFeedListeners(), accounts: deps.accounts })
  webhookEndpoints(app, ctx)
  webhookAttempts(app, ctx)
  for (const routes of deps.v1 ?? []) routes(app)
}
