import type { FastifyInstance, InjectOptions } from 'fastify'

import { type ApiDeps, buildApi } from '../../src/doors/api/app.ts'
import { syncAssets } from '../../src/reference/catalog/sync-assets.ts'
import { readConfig } from '../../src/app/config/config.ts'
import type { Ctx } from '../../src/exchange/context.ts'
import { openPool } from '../../src/platform/db/pool.ts'
import { openRefusedWrites } from '../../src/platform/db/refused-writes.ts'
import { openPolicies } from '../../src/exchange/policies/policies.ts'
import { openRowIds } from '../../src/platform/db/row-ids.ts'
import { openCountries } from '../../src/reference/geo/country-of.ts'
import { identityProviders } from '../../src/identity/providers.ts'
import { openSandboxProvider } from '../../src/sandbox/identity/provider.ts'
import { openRequestCounts } from '../../src/platform/lib/request-counts.ts'
import { openSecurityEvents } from '../../src/platform/lib/security-events.ts'
import { openHeartbeat } from '../../src/platform/jobs/heartbeat.ts'
import { openQueue } from '../../src/platform/jobs/queue.ts'
import { systemClock } from '../../src/platform/lib/clock.ts'
import { silentLog } from '../../src/platform/lib/log.ts'
import { type Accounts, openAccounts } from '../../src/exchange/partners/accounts.ts'
import { createPartner, type NewPartner } from '../../src/exchange/partners/create.ts'
import { featureNames } from '../../src/exchange/partners/settings.ts'
import { marketStatus } from '../../src/markets/status.ts'
import { recordedMarket } from '../../src/markets/recorded/recorded-market.ts'
import { openKeyring } from '../../src/platform/privacy/data-key.ts'
import { testSecrets } from './test-secrets.ts'
import { answerCheck } from './answers.ts'
import { closedIdentity } from './sandbox-identity.ts'
import { noPayoutMemory } from '../../src/rails/payout-memory.ts'
import { openHalts } from '../../src/rails/halts.ts'
import { everyRail } from './every-rail.ts'
import { type TestDatabase, testDatabase } from './database.ts'

/** An interface on its own database, with a partner who has every feature and one who has the defaults. */
export type TestApi = {
  ctx: Ctx
  app: FastifyInstance
  accounts: Accounts
  database: TestDatabase
  all: NewPartner
  plain: NewPartner
  /** Asks without a socket, and holds the answer against the interface's own document. A key is sent as `x-api-key`; a body that is no text is written as JSON. */
  ask(request: Asked): Promise<ApiAnswer>
  close(): Promise<void>
}

/** A request. */
export type Asked = {
  method?: 'GET' | 'POST' | 'HEAD' | 'OPTIONS' | 'PUT' | 'DELETE' | 'PATCH'
  url: string
  key?: string | undefined
  headers?: Record<string, string>
  body?: unknown
  from?: string
}

/** Its answer; `body` is the parsed JSON, if it was any. */
export type ApiAnswer = {
  status: number
  headers: Record<string, string | string[] | number | undefined>
  text: string
  body: Record<string, unknown>
  code: unknown
  /** Of the first of `errors`. */
  path: unknown
}

/** Settings of the environment that a test wants different. */
export type Settings = Record<string, string>

/** A context on a database, with nothing running: no jobs are done, no events are sent. */
export async function testContext(database: TestDatabase, settings: Settings = {}): Promise<Ctx> {
  const config = readConfig({ MASTER_KEY_FILE: '/nowhere', DATA_DIR: '/nowhere', ...settings })
  const db = openPool({ urls: [database.url], size: 4 })
  const clock = systemClock()
  const secrets = testSecrets
  const rowIds = openRowIds(db)
  await syncAssets(db)
  const market = recordedMarket(config.pricing.marketSeed)
  const refresh = () => Promise.resolve()
  return {
    config,
    db,
    clock,
    log: silentLog,
    rowIds,
    queue: openQueue({ db, clock, log: silentLog, handlers: {}, leaseMs: 10_000, pollMs: 1_000 }),
    secrets,
    keyring: openKeyring(secrets, rowIds),
    rails: everyRail,
    halts: openHalts(),
    payoutMemory: noPayoutMemory,
    security: openSecurityEvents(silentLog),
    requests: openRequestCounts(),
    heartbeat: openHeartbeat({ db, refusedWrites: openRefusedWrites(), clock, log: silentLog }, { works: false }),
    market,
    markets: {
      ...marketStatus({ market: () => market, halts: { all: () => [] }, realNow: () => clock.realNow() }),
      refresh,
    },
    policies: await openPolicies(db, { secrets, config, clock }),
    countries: openCountries({ file: undefined, clock, log: silentLog }),
    identity: identityProviders([openSandboxProvider(closedIdentity)]),
    onCreated: () => undefined,
    wakeRelay: () => undefined,
    publicUrl: 'http://localhost:3000',
  }
}

/** Opens the interface; `deps` as far as a test wants them different. */
export async function openTestApi(settings: Settings = {}, deps: Partial<ApiDeps> = {}): Promise<TestApi> {
  const database = await testDatabase()
  const ctx = await testContext(database, { RATE_LIMITS: 'off', ...settings })
  const accounts = openAccounts(ctx)
  const app = buildApi(ctx, { accounts, workersAreUp: () => Promise.resolve(true), ...deps })
  const features = Object.fromEntries(featureNames.map((name) => [name, true]))
  const [all, plain] = await Promise.all([
    createPartner(ctx, { name: 'All', features }, 'test'),
    createPartner(ctx, { name: 'Plain' }, 'test'),
  ])
  return {
    ctx,
    app,
    accounts,
    database,
    all,
    plain,
    ask: (request) => ask(app, request),
    close: async () => {
      await app.close()
      await accounts.close()
      await ctx.db.close()
      await database.drop()
    },
  }
}

async function ask(
  app: FastifyInstance,
  { method = 'GET', url, key, headers = {}, body, from }: Asked,
): Promise<ApiAnswer> {
  const isText = typeof body === 'string'
  const options: InjectOptions = {
    method,
    url,
    headers: {
      ...(key === undefined ? {} : { 'x-api-key': key }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { payload: isText ? body : JSON.stringify(body) }),
    ...(from === undefined ? {} : { remoteAddress: from }),
  }
  const answer = await app.inject(options)
  const contentType = String(answer.headers['content-type'])
  answerCheck()({ method, url, status: answer.statusCode, contentType, text: answer.payload })
  return told(answer.statusCode, answer.headers, answer.payload)
}

function told(status: number, headers: ApiAnswer['headers'], text: string): ApiAnswer {
  const isJson = String(headers['content-type']).startsWith('application/json') && text !== ''
  const body = (isJson ? JSON.parse(text) : {}) as Record<string, unknown>
  const errors = Array.isArray(body.errors) ? (body.errors as { path?: unknown }[]) : []
  return { status, headers, text, body, code: body.code, path: errors[0]?.path }
}
