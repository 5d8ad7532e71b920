import { readShared } from '../exchange/audit/version.ts'
import { findCurrency } from '../reference/catalog/currency.ts'
import { syncAssets } from '../reference/catalog/sync-assets.ts'
import type { Config } from './config/config.ts'
import type { Ctx } from '../exchange/context.ts'
import { lookAtReviews, reviewDue } from '../exchange/customers/look-at-reviews.ts'
import { customerProven, statusChanged, reportProven } from '../exchange/customers/report-status.ts'
import { type Bell, openBell } from '../platform/db/bell.ts'
import { openRowIds } from '../platform/db/row-ids.ts'
import type { Database } from '../platform/db/sql.ts'
import { railEventReceived } from '../exchange/settlement/rail-event.ts'
import { openWaiting, type Waiting } from '../exchange/events/await.ts'
import { openRelay, type Relay } from '../exchange/events/relay.ts'
import { tellReaders, type ToldReaders } from '../exchange/events/tell-readers.ts'
import { openCountries } from '../reference/geo/country-of.ts'
import { openIdentityProviders } from '../identity/providers.ts'
import { type Office, sandboxProvider } from '../sandbox/identity/provider.ts'
import type { Handler } from '../platform/jobs/job.ts'
import type { Pace } from '../platform/jobs/pace.ts'
import { openQueue } from '../platform/jobs/queue.ts'
import type { Clock } from '../platform/lib/clock.ts'
import type { Log } from '../platform/lib/log.ts'
import { deliverMails } from '../exchange/mail/deliver.ts'
import { mailDue } from '../exchange/mail/mail.ts'
import { activatePayoutAddresses } from '../exchange/partners/payout-address-status.ts'
import { payoutAddressDue } from '../exchange/partners/payout-addresses.ts'
import type { MarketSource } from '../markets/source.ts'
import { agreementOf, oneMarket } from '../exchange/pricing/one-market.ts'
import { recordedMarket } from '../markets/recorded/recorded-market.ts'
import { openKeyring } from '../platform/privacy/data-key.ts'
import type { Secrets } from '../platform/privacy/master-key.ts'
import { payoutDue } from '../exchange/settlement/payout.ts'
import { preparedPaymentDue } from '../exchange/settlement/prepared-payment.ts'
import { refundDue } from '../exchange/settlement/refund.ts'
import { type EvmRails, openEvmRails } from '../rails/evm/rails.ts'
import { openRegistry } from '../rails/registry.ts'
import {
  callbackOwed,
  isSigned,
  openSandboxRails,
  oweCallbacks,
  sign,
  takeCallbacks,
  type World,
} from '../sandbox/rails.ts'
import { readCallback, storeReports } from '../doors/callbacks/receive.ts'
import { playAsked } from '../sandbox/api/play-asked.ts'
import { scenarioDue } from '../exchange/transactions/ask-scenario.ts'
import { expireTransactions } from '../exchange/settlement/expire.ts'
import { deadlineDue } from '../exchange/transactions/deadline.ts'
import { finishPayouts } from '../exchange/settlement/finish-payouts.ts'
import { resumeWhenChecked } from '../exchange/orders/resume-when-checked.ts'
import { sendPayouts } from '../exchange/settlement/send-payouts.ts'
import { sendRefunds } from '../exchange/settlement/send-refunds.ts'
import { settleRailEvents } from '../exchange/settlement/settle-rail-events.ts'
import { importShared } from '../exchange/orders/import-shared.ts'
import { sharedTokenDue } from '../exchange/transactions/shared-token.ts'
import { dropQueue, endpointEnded } from '../exchange/webhooks/drop-queue.ts'
import { queueReplays, replayDue } from '../exchange/webhooks/replay.ts'
import { openSender, type Sender } from '../exchange/webhooks/sender.ts'

/** Everything that lives inside, wired and at rest: nothing listens, nothing works until it is started. */
export type House = {
  config: Config
  ctx: Ctx
  relay: Relay
  sender: Sender
  processor: World
  /** What the sandbox's identity provider stands on. */
  office: Office
  /** The chains of the EVM that are real here. */
  evm: EvmRails
  bell: Bell
  /** Where requests wait for events, and how they are told of some. */
  waiting: Waiting
  readers: ToldReaders
}

/** What a house is built on. */
export type Ground = {
  config: Config
  db: Database
  clock: Clock
  log: Log
  secrets: Secrets
  /** The origins that customers see: ours, and the sandbox processor's. */
  publicUrl: string
  processorUrl: string
  /** By what the queue sets its work going, if not at once and by timers. */
  pace?: Pace
}

/** Wires the business together: which job is done by whom, and who is told of what. */
export async function buildHouse({ publicUrl, processorUrl, pace, ...ground }: Ground): Promise<House> {
  const { config, db, clock, log, secrets } = ground
  await syncAssets(db)
  clock.learnOffset((await readShared(db)).offsetMs)
  const rowIds = openRowIds(db)
  const bell = openBell(db, log)
  const works = config.roles.includes('worker')
  const handlers: Record<string, Handler> = {}
  const office = officeOf(ground, () => processor)
  const house = {
    publicUrl,
    market: marketOf(config),
    countries: openCountries({ file: config.geo.databaseFile, clock, log }),
    identity: openIdentityProviders(config, { clock, log, office }),
    keyring: openKeyring(secrets, rowIds),
    rowIds,
  }

  const ctx: Ctx = {
    ...ground,
    ...house,
    queue: openQueue({
      db,
      clock,
      log,
      handlers,
      leaseMs: config.jobs.leaseMs,
      pollMs: 1_000,
      onForeign: () => bell.ring('jobs'),
      ...(pace ? { pace } : {}),
    }),
    wakeRelay: () => (works ? relay.wake() : bell.ring('events')),
    rails: openRegistry([]),
  }
  const { confirmations } = config
  const processor: World = { db, clock, queue: ctx.queue, secrets, url: processorUrl, confirmations }
  const evm = await openEvmRails({ config, db, clock, log })
  ctx.rails = openRegistry([...evm.rails.values(), ...openSandboxRails(processor)])
  const sender = openSender(ctx)
  const waiting = openWaiting()
  // An embedded database is this process's alone: there is nobody to ring for.
  const readers = tellReaders(waiting, (topic) => config.database.urls.length > 0 && bell.ring(topic))
  const relay = openRelay(ctx, {
    onSequenced: (block, events) => {
      sender.onSequenced(block, events)
      readers.onSequenced(block, events)
    },
  })
  Object.assign(handlers, handlersOf(ctx, processor))
  return { config, ctx, relay, sender, processor, office, evm, bell, waiting, readers }
}

/** The identity provider of the sandbox lives beside its processor: under the same origin, with the same way of calling back. */
const officeOf = ({ db, clock }: Pick<Ground, 'db' | 'clock'>, processor: () => World): Office => ({
  db,
  clock,
  url: () => processor().url,
  sign: (use, text) => sign(processor(), use, text),
  isSigned: (use, text, signature) => isSigned(processor(), use, text, signature),
  owe: (block, words) => oweCallbacks(processor(), block, [{ rail: sandboxProvider, words, dueAt: clock.realNow() }]),
})

/** Where prices come from: the market that ships with the project, which counts as enough by itself in the sandbox only. */
const marketOf = ({ mode, pricing }: Config): MarketSource =>
  oneMarket(
    [{ market: recordedMarket(pricing.marketSeed), standsAlone: mode === 'sandbox' }],
    agreementOf({
      maxPriceAgeSeconds: pricing.staleAfterMs / 1_000,
      isFiat: (ticker) => findCurrency(ticker)?.kind === 'FIAT',
    }),
  )

/** Which job is done by whom. Facts rise: those below leave a job, and here it is bound to who acts on it. */
const handlersOf = (ctx: Ctx, processor: World): Record<string, Handler> => ({
  [railEventReceived]: settleRailEvents(ctx),
  [payoutDue]: sendPayouts(ctx),
  [preparedPaymentDue]: finishPayouts(ctx),
  [refundDue]: sendRefunds(ctx),
  [deadlineDue]: expireTransactions(ctx),
  [payoutAddressDue]: activatePayoutAddresses(ctx),
  [sharedTokenDue]: importShared(ctx),
  [reviewDue]: lookAtReviews(ctx),
  [customerProven]: reportProven(ctx),
  [statusChanged]: resumeWhenChecked(ctx),
  [mailDue]: deliverMails(ctx),
  [endpointEnded]: dropQueue(ctx),
  [replayDue]: queueReplays(ctx),
  [scenarioDue]: playAsked(ctx, processor),
  [callbackOwed]: {
    batch: 64,
    concurrency: 1,
    run: (jobs) =>
      ctx.queue.finish(jobs, async (db, held) => {
        const ids = held.map(({ key }) => BigInt(key))
        const callbacks = await takeCallbacks(processor, db, ids)
        // Rails of the sandbox look nothing up, so they may be read inside the block.
        const reports = await Promise.all(
          callbacks.map(({ rail, ...call }) => readCallback(ctx, { name: rail, ...call })),
        )
        await storeReports(ctx, db, reports)
      }),
  },
})
