import type { FastifyInstance } from 'fastify'

import type { ApiDeps } from '../doors/api/app.ts'
import type { CheckoutOptions } from '../doors/checkout/notices.ts'
import type { TestScenarios } from '../doors/portal/test-scenarios.ts'
import type { Ctx } from '../exchange/context.ts'
import type { IdentityProvider } from '../identity/provider.ts'
import type { Database } from '../platform/db/sql.ts'
import type { Handler } from '../platform/jobs/job.ts'
import type { DueWork } from '../platform/jobs/due-work.ts'
import type { Queue } from '../platform/jobs/queue.ts'
import type { Clock } from '../platform/lib/clock.ts'
import type { Log } from '../platform/lib/log.ts'
import type { Secrets } from '../platform/privacy/master-key.ts'
import type { CcxtProcess } from '../markets/ccxt/process.ts'
import type { MarketSource } from '../markets/source.ts'
import type { SignerClient } from '../rails/keys/signer-client.ts'
import type { TradingVenue } from '../markets/trading-venue.ts'
import type { Rail } from '../rails/rail.ts'
import type { Config } from './config/config.ts'

/** What a plug-in is built on, before there is an exchange. */
export type Foundation = {
  config: Config
  db: Database
  clock: Clock
  log: Log
  secrets: Secrets
  queue: Queue
  /** The child process that talks to exchanges, which starts with the first call. */
  ccxt: CcxtProcess
}

/**
 * Connects the exchange to the outside world: rails, sources of prices, identity providers, and whatever they need to run.
 * Everything is optional. Where several plug-ins serve the same currency or check, the first one does.
 */
export type PlugIn = {
  rails?: readonly Rail[]
  /** Prices, unless CONFIG_FILE has sources. */
  market?: MarketSource
  identityProviders?: readonly IdentityProvider[]
  /** The exchange that the house hedges at. */
  venue?: TradingVenue | undefined
  /** The process that holds keys of chains. */
  signer?: SignerClient | undefined
  /** Finds what a wallet of ours held of an asset before its first deposit was reported; undefined for networks of other plug-ins. */
  openingBalance?(network: string): ((asset: string) => Promise<bigint>) | undefined
  /** Who does which jobs, by the job's kind. */
  handlers?(ctx: Ctx): Record<string, Handler>
  onCreated?: Ctx['onCreated']
  /** Called once at the start, before anything listens. */
  prepare?(ctx: Ctx, openingBalance: NonNullable<PlugIn['openingBalance']>): Promise<void>
  /** Work that never ends, in processes that are workers. */
  follow?(ctx: Ctx): { stop(): Promise<void> }
  /** Pages that must not share the exchange's origin; `opened` says where they are. */
  listener?: { build(): Promise<FastifyInstance>; opened(url: string): void }
  /** What the exchange's own listener serves in addition. */
  doors?(ctx: Ctx, tools: DoorTools): DoorExtensions
  /** Called once the exchange answers at `url`. Gives a text for the person who started it. */
  opened?(url: string): Promise<string>
}

/** Opens a plug-in. Refuses, with a sentence for the operator, settings that cannot work. */
export type OpenPlugIn = (foundation: Foundation) => Promise<PlugIn>

/** What routes of plug-ins may need besides the context. */
export type DoorTools = { work: readonly DueWork[] }

/** Routes and texts that a plug-in adds. */
export type DoorExtensions = Pick<ApiDeps, 'v1' | 'pages' | 'description' | 'start' | 'testKeysPath'> &
  Partial<CheckoutOptions> & { scenarios?: TestScenarios }
