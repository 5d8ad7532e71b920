import type { FastifyInstance } from 'fastify'

import { buildAdmin } from '../doors/api/admin.ts'
import { buildApi } from '../doors/api/app.ts'
import { callerOf } from '../doors/api/authenticate.ts'
import { forgetOldAnswers } from '../doors/api/idempotency.ts'
import { buildCalculator } from '../doors/calculator/calculator.tsx'
import { callbackRoutes } from '../doors/callbacks/routes.ts'
import { buildCheckout } from '../doors/checkout/checkout.ts'
import { doChores } from './chores.ts'
import type { Config } from './config/config.ts'
import { bringUpToDate, openServicePool, reachDatabase, serviceUrlOf } from './database.ts'
import { listenToBell } from '../platform/db/bell.ts'
import { codeOf } from '../platform/db/pool.ts'
import { receiveRailEvents } from '../exchange/settlement/rail-event.ts'
import { haltRail } from '../exchange/settlement/halted-rails.ts'
import { eventAgeing } from '../exchange/events/forget.ts'
import { buildHouse, type House } from './compose.ts'
import { isWorkerAlive, sayAlive } from '../platform/jobs/alive.ts'
import { serveCheckPages } from '../sandbox/identity/provider.ts'
import { systemClock } from '../platform/lib/clock.ts'
import { foldBalances } from '../exchange/ledger/balance.ts'
import type { Log } from '../platform/lib/log.ts'
import { metricsOf } from './metrics.ts'
import { type Accounts, openAccounts } from '../exchange/partners/accounts.ts'
import { forgetPartners } from '../exchange/partners/known.ts'
import { bookWalletCosts } from '../exchange/settlement/wallet-cost.ts'
import { loadSecrets } from '../platform/privacy/master-key.ts'
import { buildProcessor } from '../sandbox/rails.ts'
import { mailPage } from '../sandbox/api/mail-page.ts'
import { payPress } from '../sandbox/api/pay-press.ts'
import { sandboxApi } from '../sandbox/api/routes.ts'
import { type Sandbox, seedSandbox, tellSandbox } from '../sandbox/seed.ts'
import { keepWatch } from './watch.ts'
import { forgetOldAttempts } from '../exchange/webhooks/attempts.ts'

/** A service that runs. */
export type Service = {
  /** The origin at which it answers. */
  url: string
  house: House
  sandbox: Sandbox | undefined
  /** Ends everything in order: listeners, work under way, connections, the embedded database. May be called twice. */
  stop(): Promise<void>
}

/** What has been started and must be ended, the last one first. */
type Ends = (() => Promise<unknown> | void)[]

/**
 * Starts the service: the database (embedded unless one is named), the schema, the sandbox's first money and partners, the
 * listeners, the workers. What was started is ended again when a later step fails.
 */
export async function startService(config: Config, log: Log): Promise<Service> {
  const ends: Ends = []
  let ended: Promise<void> | undefined
  const stop = () => (ended ??= endAll(ends, config.shutdownGraceMs))
  try {
    return { ...(await start(config, log, ends)), stop }
  } catch (error) {
    await stop()
    throw error
  }
}

async function start(config: Config, log: Log, ends: Ends): Promise<Omit<Service, 'stop'>> {
  if (config.mode === 'live') throw new Error('Live mode needs rails of the real world, and this version has none yet.')
  const secrets = await loadSecrets(config.masterKeyFile, true)
  const reached = await reachDatabase(config, log)
  ends.push(() => reached.release())
  await bringUpToDate(reached, secrets)
  const db = openServicePool(config, reached, secrets)
  ends.push(() => db.close())

  const ground = { config, db, log, secrets, clock: systemClock(), publicUrl: '', processorUrl: '' }
  const house = await buildHouse(ground)
  ends.push(() => house.bell.close())
  ends.push(() => house.ctx.identity.close())
  const { ctx, sender } = house
  const made = await seedSandbox(ctx, config.dataDir, house.evm)

  const accounts = openAccounts(ctx)
  ends.push(() => accounts.close())
  const watch = keepWatch(ctx, () => {
    accounts.forget()
    forgetPartners(ctx)
    sender.forget()
  })
  ends.push(() => watch.stop())
  if (config.roles.includes('worker')) {
    const alive = await sayAlive(ctx)
    ends.push(() => alive.stop())
  }
  await listen(buildAdmin(ctx, { gauges: metricsOf(ctx) }), config, 'adminPort', ends)
  const url = config.roles.includes('api') ? await openDoors(house, accounts, ends) : originOf(config, config.http.port)
  ctx.publicUrl = config.http.publicUrl ?? url
  if (config.roles.includes('worker')) {
    startWork(house, ends)
  }
  if (config.database.urls.length > 0) {
    const urls = reached.ownerUrls.map((ownerUrl) => serviceUrlOf(ownerUrl, secrets))
    ends.push(listenToOthers(house, urls))
  }

  const sandbox = { ...made, url }
  if (config.roles.includes('api')) await tellSandbox(config.dataDir, sandbox)
  return { url, house, sandbox }
}

/** Opens the listeners that partners, customers and rails reach us at, and the sandbox processor's own. Gives our origin. */
async function openDoors(house: House, accounts: Accounts, ends: Ends): Promise<string> {
  const { config, ctx, processor } = house
  const outside = await buildProcessor(processor, ctx.log)
  serveCheckPages(outside, house.office)
  const processorUrl = await listen(outside, config, 'processorPort', ends)
  processor.url = config.http.processorUrl ?? processorUrl
  const app = buildApi(ctx, {
    accounts,
    workersAreUp: () => isWorkerAlive(ctx),
    waiting: house.waiting,
    v1: [sandboxApi(ctx, { processor, work: dueWork(house), partnerIdOf: (request) => callerOf(request).partner.id })],
    pages: [
      callbackRoutes(ctx),
      mailPage(ctx),
      payPress(ctx, processor),
      (scope) =>
        buildCheckout(scope, ctx, { leadsTo: [processor.url, ...(ctx.identity.forChecks()?.pageOrigins() ?? [])] }),
      (scope, limits) => buildCalculator(scope, ctx, { accounts, limits }),
    ],
  })
  return listen(app, config, 'port', ends)
}

/** Hears of work that processes without workers have written, and of events that others have placed in the feed. */
function listenToOthers({ ctx, relay, readers }: House, urls: string[]): () => Promise<void> {
  const works = ctx.config.roles.includes('worker')
  const ear = listenToBell(urls, ctx.log, (topic) => {
    readers.onRing(topic)
    if (works && ['jobs', 'all'].includes(topic)) ctx.queue.wake()
    if (works && ['events', 'all'].includes(topic)) relay.wake()
  })
  return () => ear.close()
}

/** Starts doing jobs, placing events and delivering them. */
function startWork({ ctx, relay, sender, evm }: House, ends: Ends): void {
  ctx.queue.start()
  const following = evm.follow({
    tell: (db, facts) => receiveRailEvents(ctx, db, facts),
    charge: (db, costs) => bookWalletCosts(ctx, db, costs),
    halt: (db, rail, reason) => haltRail(db, { rail, since: ctx.clock.now(), reason }),
  })
  ends.push(() => following.stop())
  sender.start()
  relay.start()
  const chores = doChores(ctx, {
    'fold balances': () => foldBalances(ctx.db),
    'forget old answers': () => forgetOldAnswers(ctx),
    'forget old events': eventAgeing(ctx),
    'forget old attempts': () => forgetOldAttempts(ctx),
  })
  ends.push(async () => {
    chores.stop()
    await relay.stop()
    await ctx.queue.stop()
    await sender.stop()
  })
}

/** Everything that business time makes due. */
const dueWork = ({ ctx, relay, sender }: House) => [
  {
    nextDue: (until: Date) => ctx.queue.nextDue(until),
    wake: () => ctx.queue.wake(),
    idle: () => ctx.queue.idle(),
    done: () => ctx.queue.done(),
  },
  {
    nextDue: (until: Date) => sender.nextDue(until),
    wake: () => sender.wake(),
    idle: () => relay.idle() && sender.idle(),
  },
]

async function listen(app: FastifyInstance, { http }: Config, name: Port, ends: Ends): Promise<string> {
  ends.push(() => app.close())
  await app.listen({ host: http.host, port: http[name] }).catch((error: unknown) => {
    if (codeOf(error) !== 'EADDRINUSE') throw error
    throw new Error(`Port ${http[name]} is taken by another program: set ${portSettings[name]}.`, { cause: error })
  })
  const address = app.server.address()
  if (!address || typeof address === 'string') throw new Error('A listener has no port.')
  return originOf({ http }, address.port)
}

/** Our listeners, and the settings that say where they listen. */
const portSettings = {
  port: 'PORT',
  adminPort: 'ADMIN_PORT (PORT + 1 unless set)',
  processorPort: 'PROCESSOR_PORT (PORT + 2 unless set)',
}
type Port = keyof typeof portSettings

/** The origin of a listener of ours, for whoever is on the same machine. */
function originOf({ http }: Pick<Config, 'http'>, port: number): string {
  const host = http.host === '0.0.0.0' || http.host === '::' ? 'localhost' : http.host
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`
}

/**
 * Ends what was started, the last one first. What does not end in time is left to the end of the process; what fails keeps
 * nothing else from ending, and is thrown at last.
 */
async function endAll(ends: Ends, graceMs: number): Promise<void> {
  const failures: unknown[] = []
  for (const end of ends.splice(0).toReversed()) {
    const done = (async () => end())().catch((error: unknown) => failures.push(error))
    const patience = new Promise((resolve) => setTimeout(resolve, graceMs).unref())
    await Promise.race([done, patience])
  }
  if (failures.length > 0) throw failures[0]
}
