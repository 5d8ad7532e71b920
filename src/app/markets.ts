import type { Ctx } from '../exchange/context.ts'
import { coherent } from '../exchange/pricing/coherent-market.ts'
import type { CcxtProcess } from '../markets/ccxt/process.ts'
import { openMarketHalts } from '../markets/halts.ts'
import { type Follower, openFollower } from '../markets/live/follow.ts'
import { type Leader, startLeader } from '../markets/live/lead.ts'
import { bookKeyOf } from '../markets/live/queries.ts'
import { type MarketRules, type MarketsSettings, rulesOf, type SourceEntry } from '../markets/settings.ts'
import { type Markets, marketStatus } from '../markets/status.ts'
import type { MarketSource } from '../markets/source.ts'
import { ecbSource } from '../markets/sources/ecb.ts'
import { httpJsonSource } from '../markets/sources/http-json.ts'
import { orderBookSource } from '../markets/sources/order-books.ts'
import type { SourceTools } from '../markets/sources/poll.ts'
import type { PriceSource } from '../markets/sources/price-source.ts'
import { detach } from '../platform/lib/detach.ts'
import { type ConfigFile, secretOf } from './config/file.ts'
import type { Foundation } from './plug-in.ts'

/** The markets of an exchange at rest: nothing is asked until `lead` is called. */
export type OpenedMarkets = {
  /** The market as it is now; a new pair makes it another object, which `onGrown` gets. */
  market: MarketSource
  markets: Markets
  /** Tries to lead: asks the sources of CONFIG_FILE. Absent without any. */
  lead?(ctx: LeaderCtx, onWritten: () => void): Leader
}

/** The topic under which the leader notifies other processes. */
export const booksTopic = 'books'

type Parts = Pick<Foundation, 'config' | 'db' | 'clock' | 'log' | 'secrets'> & { ccxt: CcxtProcess }

/**
 * Opens what prices come from: the sources of CONFIG_FILE, or else the market that a plug-in brings. Without either nothing has a
 * price: enough for commands that need none.
 */
export async function openMarkets(
  parts: Parts,
  plugged: MarketSource | undefined,
  onGrown: (market: MarketSource) => void,
): Promise<OpenedMarkets> {
  const { config, db, clock, secrets } = parts
  const halts = openMarketHalts()
  await halts.refresh(db)
  const settings = config.file?.markets
  const realNow = (): Date => clock.realNow()
  if (!config.file || !settings) {
    const market = halts.apply(plugged ?? { name: 'none', reference: 'EUR', markets: [], booksAt: () => [] })
    const status = marketStatus({ market: () => market, halts, realNow })
    return { market, markets: { ...status, refresh: () => halts.refresh(db) } }
  }

  const rules = rulesOf(settings)
  const maxPriceAgeSeconds = config.pricing.staleAfterMs / 1_000
  const toleranceBasisPoints = rules.toleranceBasisPoints
  const whole = (source: MarketSource): MarketSource =>
    halts.apply(coherent(source, { maxPriceAgeSeconds, toleranceBasisPoints }))
  let isOpen = false
  let market = whole({ name: 'live', reference: 'EUR', markets: [], booksAt: () => [] })
  const follower = openFollower({ db, stampKey: bookKeyOf(secrets), clock, rules }, (grown) => {
    market = whole(grown)
    if (isOpen) onGrown(market)
  })
  const refresh = async (): Promise<void> => {
    await Promise.all([follower.refresh(), halts.refresh(db)])
  }
  await refresh()
  isOpen = true
  const sources = settings.sources.map(({ name }) => name)
  return {
    market,
    markets: { ...marketStatus({ market: () => market, halts, realNow, rows: follower.rows, sources }), refresh },
    lead: (ctx, onWritten) => leadWith(parts, config.file as ConfigFile, settings, { ctx, rules, follower, onWritten }),
  }
}

type LeaderCtx = Pick<Ctx, 'policies' | 'heartbeat'>
type LeadParts = { ctx: LeaderCtx; rules: MarketRules; follower: Follower; onWritten: () => void }

function leadWith(
  parts: Parts,
  file: ConfigFile,
  settings: MarketsSettings,
  { ctx, rules, follower, onWritten }: LeadParts,
): Leader {
  const { config, clock, log, secrets } = parts
  return startLeader({
    ...parts,
    stampKey: bookKeyOf(secrets),
    rules: {
      ...rules,
      jumpBasisPoints: () => ctx.policies.at(clock.now(), 'caps').rules.marketJumpBasisPoints,
      refreshMs: Math.min(rules.maxAgeMs, config.pricing.staleAfterMs) / 4,
    },
    sources: settings.sources.map((entry) => openSource(entry, file, rules, parts)),
    mayLead: () => !ctx.heartbeat.isSkewed(),
    onWritten: () => {
      const reading = follower.refresh()
      detach(reading.catch((error: unknown) => log.warn({ err: error }, 'Failed to read the books; retrying.')))
      onWritten()
    },
  })
}

function openSource(
  entry: SourceEntry,
  file: ConfigFile,
  { depth }: MarketRules,
  { ccxt, ...tools }: SourceTools & { ccxt: CcxtProcess },
): PriceSource {
  switch (entry.kind) {
    case 'http-json':
      return httpJsonSource(entry, entry.token && secretOf(entry.token, file), tools)
    case 'ecb':
      return ecbSource(entry, tools)
    case 'ccxt': {
      const { exchange, urls } = entry
      return orderBookSource(entry, ccxt.venue(`prices of ${entry.name}`, { exchange, urls }), depth, tools)
    }
  }
}
