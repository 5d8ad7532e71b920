import type { Policies } from './policies/policies.ts'
import type { Settings } from './settings.ts'
import type { RowIds } from '../platform/db/row-ids.ts'
import type { Atomic, Database } from '../platform/db/sql.ts'
import type { Countries } from '../reference/geo/country-of.ts'
import type { IdentityProviders } from '../identity/providers.ts'
import type { Heartbeat } from '../platform/jobs/heartbeat.ts'
import type { Queue } from '../platform/jobs/queue.ts'
import type { Clock } from '../platform/lib/clock.ts'
import type { Log } from '../platform/lib/log.ts'
import type { RequestCounts } from '../platform/lib/request-counts.ts'
import type { SecurityEvents } from '../platform/lib/security-events.ts'
import type { Markets } from '../markets/status.ts'
import type { MarketSource } from '../markets/source.ts'
import type { SignerClient } from '../rails/keys/signer-client.ts'
import type { TradingVenue } from '../markets/trading-venue.ts'
import type { Keyring } from '../platform/privacy/data-key.ts'
import type { Secrets } from '../platform/privacy/master-key.ts'
import type { HaltState } from '../rails/halts.ts'
import type { PayoutMemory } from '../rails/payout-memory.ts'
import type { RailRegistry } from '../rails/registry.ts'

/** What a hook sees of a transaction that was just created. */
export type CreatedTransaction = { publicId: bigint; kind: 'retail' | 'b2b'; externalPartnerLinkId: string | null }

/** What the business depends on. Composed once in `app/`, passed to every verb as its first argument. */
export type Ctx = {
  config: Settings
  db: Database
  clock: Clock
  log: Log
  rowIds: RowIds
  queue: Queue
  secrets: Secrets
  keyring: Keyring
  rails: RailRegistry
  /** What operators have halted, as this process knows it. */
  halts: HaltState
  /** What was handed to rails, remembered outside the database. */
  payoutMemory: PayoutMemory
  /** Whether the database takes writes, and its clock against ours. */
  heartbeat: Heartbeat
  /** Counts and logs what an attack looks like. */
  security: SecurityEvents
  /** Counts HTTP requests. */
  requests: RequestCounts
  market: MarketSource
  /** Where the house trades for itself; undefined where hedging is off. */
  venue?: TradingVenue | undefined
  /** The process that holds keys of chains; undefined: there is none. */
  signer?: SignerClient | undefined
  /** What every source says about every pair, and what is halted. */
  markets: Markets
  /** Fees, limits, deadlines and the like, as they hold at a moment of business time. */
  policies: Policies
  /** Countries by IP address. Its database is read when it is first asked. */
  countries: Countries
  /** Who verifies who somebody is. */
  identity: IdentityProviders
  /** Called in the block that creates transactions, so that what it writes commits with them. It may not refuse. */
  onCreated(db: Atomic, created: readonly CreatedTransaction[]): void
  /** Called after a commit that wrote events: tells this process's relay, or those of others, that there is something to tell. */
  wakeRelay(): void
  /** The origin where partners and customers reach this exchange, without a trailing slash. */
  publicUrl: string
}
