import { bankFileTaken, compareStatements } from '../exchange/reconciliation/compare-statements.ts'
import { readShared } from '../exchange/audit/version.ts'
import { syncAssets } from '../reference/catalog/sync-assets.ts'
import type { Config } from './config/config.ts'
import type { Ctx } from '../exchange/context.ts'
import { lookAtReviews, reviewDue } from '../exchange/customers/look-at-reviews.ts'
import { customerProven, statusChanged, reportProven } from '../exchange/customers/report-status.ts'
import { type Notifier, openNotifier } from '../platform/db/notifier.ts'
import { openRefusedWrites, type RefusedWrites } from '../platform/db/refused-writes.ts'
import { openRowIds } from '../platform/db/row-ids.ts'
import type { Database } from '../platform/db/sql.ts'
import { railEventReceived } from '../exchange/settlement/rail-event.ts'
import {
  type FeedListeners,
  type FeedNotifier,
  openFeedListeners,
  openFeedNotifier,
} from '../exchange/events/feed-listeners.ts'
import { openRelay, type Relay } from '../exchange/events/relay.ts'
import { openCountries } from '../reference/geo/country-of.ts'
import { identityProviders } from '../identity/providers.ts'
import type { Handler } from '../platform/jobs/job.ts'
import type { Scheduler } from '../platform/jobs/scheduler.ts'
import { openRequestCounts } from '../platform/lib/request-counts.ts'
import { openSecurityEvents, type SecurityEvents } from '../platform/lib/security-events.ts'
import { openHeartbeat } from '../platform/jobs/heartbeat.ts'
import { openQueue } from '../platform/jobs/queue.ts'
import { type Clock, stopwatch } from '../platform/lib/clock.ts'
import type { Log } from '../platform/lib/log.ts'
import { orderEmailWriter } from '../exchange/orders/order-emails.ts'
import { reminderDue, remindOfQuestions } from '../exchange/settlement/question.ts'
import { deliverMails } from '../exchange/mail/deliver.ts'
import { mailDue } from '../exchange/mail/email.ts'
import { activatePayoutAddresses } from '../exchange/partners/payout-address-status.ts'
import { payoutAddressDue } from '../exchange/partners/payout-addresses.ts'
import { type CcxtProcess, openCcxt } from '../markets/ccxt/process.ts'
import { openKeyring } from '../platform/privacy/data-key.ts'
import type { Secrets } from '../platform/privacy/master-key.ts'
import { openPolicies } from '../exchange/policies/policies.ts'
import { captureAuthorized, captureDue } from '../exchange/settlement/capture.ts'
import { payoutDue } from '../exchange/settlement/payout.ts'
import { preparedPaymentDue } from '../exchange/settlement/prepared-payment.ts'
import { refundDue } from '../exchange/settlement/refund.ts'
import { openHalts } from '../rails/halts.ts'
import { noPayoutMemory, type PayoutMemory } from '../rails/payout-memory.ts'
import { openRegistry } from '../rails/registry.ts'
import { expireTransactions } from '../exchange/settlement/expire.ts'
import { deadlineDue } from '../exchange/transactions/deadline.ts'
import { finishPayouts } from '../exchange/settlement/finish-payouts.ts'
import { resumeWhenChecked } from '../exchange/orders/resume-when-checked.ts'
import { sendPayouts } from '../exchange/settlement/send-payouts.ts'
import { sendRefunds } from '../exchange/settlement/send-refunds.ts'
import { settleRailEvents } from '../exchange/settlement/settle-rail-events.ts'
import { importShared } from '../exchange/orders/import-shared.ts'
import { sharedTokenDue } from '../exchange/transactions/shared-token.ts'
import { hedgeDue } from '../exchange/treasury/hedge.ts'
import { mailNeedsAgain, needMailDue } from '../exchange/needs/mail-needs.ts'
import { hedgeExposure, hedgingDue } from '../exchange/treasury/propose-hedges.ts'
import { followHedges } from '../exchange/treasury/send-hedges.ts'
import { firstOf } from './first-of.ts'
import { dropQueue, endpointEnded } from '../exchange/webhooks/drop-queue.ts'
import { queueReplays, replayDue } from '../exchange/webhooks/replay.ts'
import { openSender, type Sender } from '../exchange/webhooks/sender.ts'
import { openMarkets, type OpenedMarkets } from './markets.ts'
import { whileClocksAgree } from '../markets/clocks-agree.ts'
import type { OpenPlugIn, PlugIn } from './plug-in.ts'

/** A composed exchange at rest: nothing listens, nothing works until it is started. */
export type Composition = {
  config: Config
  ctx: Ctx
  plugIns: readonly PlugIn[]
  /** The child process that talks to exchanges; it starts when it is first asked. */
  ccxt: CcxtProcess
  leadMarkets: OpenedMarkets['lead']
  relay: Relay
  sender: Sender
  notifier: Notifier
  /** Where requests wait for events, and what wakes them. */
  feedListeners: FeedListeners
  feedNotifier: FeedNotifier
}

/** What an exchange is composed of. */
export type Dependencies = {
  config: Config
  db: Database
  clock: Clock
  log: Log
  /** Where security events go, if somebody else records there too. */
  security?: SecurityEvents
  secrets: Secrets
  /** The origin that customers and partners see. */
  publicUrl: string
  /** Opened in this order; an exchange without any offers nothing. */
  plugIns: readonly OpenPlugIn[]
  /** Writes that the database has refused, as its pool has seen; only the heartbeat's own unless given. */
  refusedWrites?: RefusedWrites
  /** What was handed to rails; nothing is remembered unless given. */
  payoutMemory?: PayoutMemory
  /** What sets the queue's work going, if not the process's own timers. */
  scheduler?: Scheduler
}

/** The exchange that the house hedges at, and the process that holds keys. */
const outsideOf = (plugIns: readonly PlugIn[]): Pick<Ctx, 'venue' | 'signer'> => ({
  venue: firstOf(plugIns, (one) => one.venue),
  signer: firstOf(plugIns, (one) => one.signer),
})

async function learnTime({ db, clock, config }: Pick<Dependencies, 'db' | 'clock' | 'config'>): Promise<void> {
  const asked = stopwatch()
  const { offsetMs, at } = await readShared({ db, config })
  clock.learnOffset(offsetMs)
  clock.follow(at, asked())
}

/** Wires the business together: which job is done by whom, and which rails, markets and providers serve it. */
export async function composeExchange({
  publicUrl,
  scheduler,
  plugIns: openers,
  payoutMemory = noPayoutMemory,
  ...dependencies
}: Dependencies): Promise<Composition> {
  const { config, db, clock, log, secrets } = dependencies
  await syncAssets(db)
  await learnTime(dependencies)
  const rowIds = openRowIds(db)
  const notifier = openNotifier(db, log)
  const works = config.roles.includes('worker')
  const handlers: Record<string, Handler> = {}
  const queue = openQueue({
    db,
    clock,
    log,
    handlers,
    leaseMs: config.jobs.leaseMs,
    pollMs: 1_000,
    onForeign: () => notifier.notify('jobs'),
    ...(scheduler ? { scheduler } : {}),
  })
  const heartbeat = openHeartbeat({ refusedWrites: openRefusedWrites(), ...dependencies }, { works })
  const halts = openHalts()
  await halts.refresh(db)
  const ccxt = openCcxt({ log, timeoutMs: config.outsideTimeoutMs })
  const plugIns: PlugIn[] = []
  for (const open of openers) plugIns.push(await open({ ...dependencies, queue, ccxt }))

  const opened = await openMarkets(
    { config, db, clock, log, secrets, ccxt },
    firstOf(plugIns, (one) => one.market),
    (market) => {
      ctx.market = whileClocksAgree(market, heartbeat)
    },
  )
  const ctx: Ctx = {
    ...dependencies,
    publicUrl,
    queue,
    rowIds,
    keyring: openKeyring(secrets, rowIds),
    rails: openRegistry(plugIns.flatMap(({ rails }) => rails ?? [])),
    halts,
    heartbeat,
    ...ofThisProcess(dependencies),
    payoutMemory,
    market: whileClocksAgree(opened.market, heartbeat),
    markets: opened.markets,
    ...outsideOf(plugIns),
    policies: await openPolicies(db, dependencies),
    identity: identityProviders(plugIns.flatMap((one) => one.identityProviders ?? [])),
    onCreated: (block, created) => {
      for (const one of plugIns) one.onCreated?.(block, created)
    },
    wakeRelay: () => (works ? relay.wake() : notifier.notify('events')),
  }
  const sender = openSender(ctx)
  const feedListeners = openFeedListeners()
  // An embedded database is this process's alone: there is nobody to ring for.
  const feedNotifier = openFeedNotifier(
    feedListeners,
    (topic) => config.database.urls.length > 0 && notifier.notify(topic),
  )
  const relay = openRelay(ctx, {
    onSequenced: (block, events) => {
      sender.onSequenced(block, events)
      feedNotifier.onSequenced(block, events)
    },
  })
  Object.assign(handlers, handlersOf(ctx), ...plugIns.map((one) => one.handlers?.(ctx)))
  return { config, ctx, plugIns, ccxt, leadMarkets: opened.lead, relay, sender, notifier, feedListeners, feedNotifier }
}

/** Which job is done by whom. */
const handlersOf = (ctx: Ctx): Record<string, Handler> => ({
  [railEventReceived]: settleRailEvents(ctx),
  [payoutDue]: sendPayouts(ctx),
  [preparedPaymentDue]: finishPayouts(ctx),
  [captureDue]: captureAuthorized(ctx),
  [refundDue]: sendRefunds(ctx),
  [deadlineDue]: expireTransactions(ctx),
  [payoutAddressDue]: activatePayoutAddresses(ctx),
  [sharedTokenDue]: importShared(ctx),
  [reviewDue]: lookAtReviews(ctx),
  [customerProven]: reportProven(ctx),
  [statusChanged]: resumeWhenChecked(ctx),
  [mailDue]: deliverMails(ctx, orderEmailWriter(ctx)),
  [reminderDue]: remindOfQuestions(ctx),
  [endpointEnded]: dropQueue(ctx),
  [replayDue]: queueReplays(ctx),
  [hedgingDue]: hedgeExposure(ctx),
  [needMailDue]: mailNeedsAgain(ctx),
  [hedgeDue]: followHedges(ctx),
  [bankFileTaken]: compareStatements(ctx),
})

type OfThisProcess = Pick<Dependencies, 'config' | 'clock' | 'log' | 'security'>

/** What every process keeps in its own memory. */
const ofThisProcess = ({ config, clock, log, security }: OfThisProcess) => ({
  countries: openCountries({ file: config.geo.databaseFile, clock, log }),
  security: security ?? openSecurityEvents(log),
  requests: openRequestCounts(),
})
