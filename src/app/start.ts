import { setTimeout as wait } from 'node:timers/promises'

import type { FastifyInstance } from 'fastify'

import { buildAdmin } from '../doors/api/admin.ts'
import { forgetOldAnswers } from '../doors/api/idempotency.ts'
import { forgetUsedForms } from '../exchange/sign-in/once.ts'
import { doChores } from './chores.ts'
import { buildDoors } from './doors.ts'
import { firstOf } from './first-of.ts'
import { type Config, ConfigError } from './config/config.ts'
import { bringUpToDate, openServicePool, reachDatabase, type Reached } from './database.ts'
import { listenForNotifications } from '../platform/db/notifier.ts'
import { refuseOtherSchema } from '../platform/db/migrate.ts'
import { codeOf } from '../platform/db/pool.ts'
import { openRefusedWrites } from '../platform/db/refused-writes.ts'
import { capsWatch } from '../exchange/checks/doctor-signer.ts'
import { closeIfRestored } from '../exchange/operations/restore.ts'
import { indexCustomers } from '../exchange/reports/customers-like.ts'
import { measureVolumes } from '../exchange/partners/volume.ts'
import { eventAgeing } from '../exchange/events/forget.ts'
import { composeExchange, type Composition } from './compose.ts'
import type { DueWork } from '../platform/jobs/due-work.ts'
import { detach } from '../platform/lib/detach.ts'
import { stopwatch, systemClock } from '../platform/lib/clock.ts'
import { learnLedgerKeys } from '../exchange/ledger/ledger-keys.ts'
import { applyOwnMoneyRules } from '../exchange/operations/own-money.ts'
import { reconcile } from '../exchange/reconciliation/reconcile.ts'
import { hasUnreported } from '../exchange/reconciliation/signed-unknown.ts'
import { updateBalanceSnapshot } from '../exchange/ledger/balance.ts'
import type { Log } from '../platform/lib/log.ts'
import { openLastSeen } from './last-seen.ts'
import { metricsOf } from './metrics.ts'
import { type Accounts, openAccounts } from '../exchange/partners/accounts.ts'
import { forgetPartners } from '../exchange/partners/known.ts'
import { openSecurityEvents } from '../platform/lib/security-events.ts'
import { loadSecrets, type Secrets } from '../platform/privacy/master-key.ts'
import { learnMasterKeys } from '../platform/privacy/master-keys.ts'
import type { OpenPlugIn } from './plug-in.ts'
import { booksTopic } from './markets.ts'
import { plugInsFor, refuseUnready } from './registry.ts'
import { keepWatch } from './watch.ts'
import { forgetOpenLocks } from '../exchange/transactions/open-locks.ts'
import { forgetOldAttempts } from '../exchange/webhooks/attempts.ts'
import { storeMarks } from '../exchange/treasury/mark.ts'
import { proposeRebalances } from '../exchange/treasury/move-money.ts'
import { startHedging } from '../exchange/treasury/propose-hedges.ts'
import { valueEntries } from '../exchange/treasury/value-entries.ts'

/** A service that runs. */
export type Service = {
  /** The origin at which it answers. */
  url: string
  composition: Composition
  /** What to print for the person who started it. */
  welcome: string
  /** Ends everything in order: listeners, work under way, connections, the embedded database. May be called twice. */
  stop(): Promise<void>
}

/** What has been started and must be ended, the last one first. */
type Ends = (() => Promise<unknown> | void)[]

/**
 * Starts the service: the database (embedded unless one is named), the schema, what plug-ins prepare, the listeners, the
 * workers. What was started is ended again when a later step fails. `plugIns` are those of the mode unless given.
 */
export async function startService(
  config: Config,
  log: Log,
  plugIns: readonly OpenPlugIn[] | Promise<readonly OpenPlugIn[]> = plugInsFor(config),
): Promise<Service> {
  const ends: Ends = []
  let ended: Promise<void> | undefined
  const stop = () => (ended ??= endAll(ends, config.shutdownGraceMs))
  try {
    return { ...(await start({ config, log, plugIns: await plugIns }, ends)), stop }
  } catch (error) {
    await stop()
    throw error
  }
}

type StartOptions = { config: Config; log: Log; plugIns: readonly OpenPlugIn[] }

async function start({ config, log, plugIns }: StartOptions, ends: Ends): Promise<Omit<Service, 'stop'>> {
  const secrets = await loadSecrets(config.masterKeyFile, config.mode === 'sandbox')
  const reached = await reachDatabase(config, secrets, log)
  ends.push(() => reached.release())
  await migrateAsOwner(config, reached, secrets, log)
  const lastSeen = openLastSeen(config.dataDir, log)
  const security = openSecurityEvents(log)
  const refusedWrites = openRefusedWrites()
  const db = openServicePool(config, reached, lastSeen, security, refusedWrites)
  ends.push(() => db.close())
  await refuseOtherSchema(db, secrets.mark)
  await learnMasterKeys(db, secrets)
  await learnLedgerKeys(db, secrets)

  ends.push(() => lastSeen.close())
  const foundation = { config, db, refusedWrites, log, security, secrets, clock: systemClock(), publicUrl: '', plugIns }
  const composition = await composeExchange({ ...foundation, payoutMemory: lastSeen.payouts })
  ends.push(() => composition.notifier.close())
  ends.push(() => composition.ctx.identity.close())
  ends.push(() => composition.ccxt.stop())
  await refuseUnready(composition)
  const { ctx, sender } = composition
  const openingBalance = (network: string) => firstOf(composition.plugIns, (one) => one.openingBalance?.(network))
  for (const one of composition.plugIns) await one.prepare?.(ctx, openingBalance)

  await closeIfRestored(ctx)

  const accounts = openAccounts(ctx)
  ends.push(() => accounts.close())
  const sayShortCaps = capsWatch(ctx)
  const watch = keepWatch(ctx, async () => {
    await ctx.policies.reload(ctx.db)
    await learnMasterKeys(ctx.db, ctx.secrets)
    await learnLedgerKeys(ctx.db, ctx.secrets)
    ctx.keyring.forget()
    accounts.forget()
    forgetPartners(ctx)
    sender.forget()
    sayShortCaps()
  })
  ends.push(() => watch.stop())
  await ctx.heartbeat.start()
  ends.push(() => ctx.heartbeat.stop())
  await startMarkets(composition, ends)
  await listen(buildAdmin(ctx, { gauges: metricsOf(ctx, lastSeen.witness) }), config, 'adminPort', ends)
  const url = config.roles.includes('api')
    ? await openDoors(composition, accounts, ends)
    : originOf(config, config.http.port)
  ctx.publicUrl = config.http.publicUrl ?? url
  if (config.roles.includes('worker')) {
    startWork(composition, ends)
    await startHedging(ctx)
    sayShortCaps()
  }
  if (config.database.urls.length > 0) {
    ends.push(listenToOthers(composition, reached.urls))
  }

  let welcome = ''
  if (config.roles.includes('api')) for (const one of composition.plugIns) welcome += (await one.opened?.(url)) ?? ''
  return { url, composition, welcome }
}

/**
 * Migrates where the settings name the owner, which is meant for the sandbox: a service that could change the books is refused in live
 * mode.
 */
async function migrateAsOwner(config: Config, reached: Reached, secrets: Secrets, log: Log): Promise<void> {
  if (reached.ownerUrls.length === 0) return
  if (config.mode === 'live') {
    throw new ConfigError([
      ['DATABASE_URL', "is the owner of the database, which live mode refuses: name the service's own role"],
    ])
  }
  if (config.database.urls.length > 0 && config.database.ownerUrl === undefined) {
    log.warn({}, "DATABASE_URL is the owner of the database. In live mode, name the service's own role there.")
  }
  await bringUpToDate(reached, secrets)
}

/** Opens the listeners of plug-ins, then the one that partners, customers and rails reach us at. Gives its origin. */
async function openDoors(composition: Composition, accounts: Accounts, ends: Ends): Promise<string> {
  const { config } = composition
  for (const { listener } of composition.plugIns) {
    if (listener) listener.opened(await listen(await listener.build(), config, 'processorPort', ends))
  }
  return listen(buildDoors(composition, { accounts, work: dueWork(composition) }), config, 'port', ends)
}

/** Listens for work that processes without workers have enqueued, and for events that others have added to the feed. */
function listenToOthers({ ctx, relay, feedNotifier }: Composition, urls: string[]): () => Promise<void> {
  const works = ctx.config.roles.includes('worker')
  const listener = listenForNotifications(urls, ctx.log, (topic) => {
    feedNotifier.onNotification(topic)
    if ([booksTopic, 'all'].includes(topic)) readBooks(ctx)
    if (works && ['jobs', 'all'].includes(topic)) ctx.queue.wake()
    if (works && ['events', 'all'].includes(topic)) relay.wake()
  })
  return () => listener.close()
}

/** How long the start waits for the first prices, so that the first customer finds some. */
const firstBooksMs = 2_000

/** Tries to lead the markets where this process may, and waits a moment for prices. */
async function startMarkets({ config, ctx, notifier, leadMarkets }: Composition, ends: Ends): Promise<void> {
  if (!leadMarkets || !config.roles.includes('rates')) return
  const leader = leadMarkets(ctx, () => config.database.urls.length > 0 && notifier.notify(booksTopic))
  ends.push(() => leader.stop())
  const waited = stopwatch()
  while (waited() < firstBooksMs && !ctx.market.booksAt(ctx.clock.now()).some(Boolean)) await wait(20)
}

/** Prices that another process has written: read at once, and once more a second later if that fails. */
const readBooks = ({ markets, log }: Composition['ctx']): void =>
  detach(markets.refresh().catch((error: unknown) => log.warn({ err: error }, 'Failed to read prices; retrying.')))

/** Starts running jobs, adding events to the feed and delivering them. */
function startWork({ ctx, relay, sender, plugIns }: Composition, ends: Ends): void {
  ctx.queue.start()
  for (const one of plugIns) {
    const following = one.follow?.(ctx)
    if (following) ends.push(() => following.stop())
  }
  sender.start()
  relay.start()
  const chores = doChores(ctx, {
    'fold balances': () => updateBalanceSnapshot(ctx.db),
    'forget old answers': () => forgetOldAnswers(ctx),
    'forget old events': eventAgeing(ctx),
    'forget used forms': () => forgetUsedForms(ctx),
    'forget old attempts': () => forgetOldAttempts(ctx),
    'propose rebalances': () => proposeRebalances(ctx),
    'book own money': () => applyOwnMoneyRules(ctx),
    'index customers': () => indexCustomers(ctx),
    'measure volumes': () => measureVolumes(ctx),
    'forget open locks that are over': () => forgetOpenLocks(ctx),
  })
  const valuing = doChores(
    ctx,
    { 'value entries': () => valueEntries(ctx), 'store marks': () => storeMarks(ctx) },
    5_000,
  )
  const comparing = doChores(ctx, { 'compare with statements': () => reconcile(ctx) }, 600_000)
  const unknown = async () => (await hasUnreported(ctx)) && reconcile(ctx)
  const guarding = doChores(ctx, { 'compare with what was signed': unknown }, 5_000)
  ends.push(async () => {
    comparing.stop()
    guarding.stop()
    valuing.stop()
    chores.stop()
    await relay.stop()
    await ctx.queue.stop()
    await sender.stop()
  })
}

/** All work that becomes due as business time passes. */
const dueWork = ({ ctx, relay, sender }: Composition): DueWork[] => [
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
    // Whatever endpoints do, the sandbox's clock answers within 20 s.
    mostWaitMs: 10_000,
  },
]

async function listen(app: FastifyInstance, { http }: Config, name: Port, ends: Ends): Promise<string> {
  ends.push(() => app.close())
  const host = name === 'adminPort' ? http.adminHost : http.host
  await app.listen({ host, port: http[name] }).catch((error: unknown) => {
    if (codeOf(error) !== 'EADDRINUSE') throw error
    throw new Error(`Port ${http[name]} is in use by another program: set ${portSettings[name]}.`, { cause: error })
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

/** The origin of a listener of ours, for clients on the same machine. */
function originOf({ http }: Pick<Config, 'http'>, port: number): string {
  const host = http.host === '0.0.0.0' || http.host === '::' ? 'localhost' : http.host
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`
}

/**
 * Ends what was started, the last one first. What does not end in time is left to the end of the process. A failure stops nothing else from ending; the first one is thrown last.
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
