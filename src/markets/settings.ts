import { parseDuration } from '../platform/lib/duration.ts'
import type { Schema } from '../platform/lib/schema.ts'

/** What every source has: `max_age` replaces the one of all sources. */
type AnySource = { name: string; max_age?: string; every?: string }

/** An operator's own desk: `GET url` answers `{"BTC/EUR": {"bid", "ask", "at"}}`. */
export type HttpJsonEntry = AnySource & { kind: 'http-json'; url: string; token?: string }

/** Order books of an exchange, by its name at ccxt. */
export type CcxtEntry = AnySource & {
  kind: 'ccxt'
  exchange: string
  pairs: readonly string[]
  urls?: { api: string }
  frozen_after?: string
}

/** The European Central Bank's daily reference rates. */
export type EcbEntry = AnySource & { kind: 'ecb'; url?: string }

export type SourceEntry = HttpJsonEntry | CcxtEntry | EcbEntry

/** `markets` of CONFIG_FILE. */
export type MarketsSettings = {
  minimum_sources?: number | { coins?: number; fiat?: number }
  max_age?: string
  tolerance?: string
  depth?: Readonly<Record<string, string>>
  sources: readonly SourceEntry[]
}

/** What a price needs, read from the settings. Times are milliseconds of real time. */
export type MarketRules = {
  /** How many sources must agree: for a pair with a coin, and for two fiat currencies. */
  least: { coins: number; fiat: number }
  maxAgeMs: number
  /** How far a source's middle may be from the median of all, and still count. */
  toleranceBasisPoints: number
  /** By a pair's quote: the amount of it for which exchanges' prices are worked out. Without one, the best level counts. */
  depth: ReadonlyMap<string, string>
}

/** Three sources for coins and two for fiat money, ten seconds, two percent: unless the settings say otherwise. */
export function rulesOf({ minimum_sources: least, max_age, tolerance, depth }: MarketsSettings): MarketRules {
  const both = typeof least === 'number' ? { coins: least, fiat: least } : least
  return {
    least: { coins: both?.coins ?? 3, fiat: both?.fiat ?? 2 },
    maxAgeMs: parseDuration(max_age ?? 'PT10S'),
    toleranceBasisPoints: basisPointsOf(tolerance ?? '2%'),
    depth: new Map(Object.entries(depth ?? {})),
  }
}

/** `1.5%` as 150. */
function basisPointsOf(percent: string): number {
  const [whole = '', fraction = ''] = percent.replace('%', '').split('.')
  return Number.parseInt(whole + fraction.padEnd(2, '0'), 10)
}

const duration = (description: string): Schema => ({ type: 'string', format: 'duration', description })
const count: Schema = { type: 'integer', minimum: 1, maximum: 20 }

const anySource = {
  name: {
    type: 'string',
    pattern: '^[a-z0-9][a-z0-9-]{0,62}$',
    description: 'The name in prices, metrics and logs.',
  },
  max_age: duration('The maximum age of its prices, where it differs from that of the other sources.'),
  every: duration('How often it is asked.'),
}

const source = (kind: string, required: readonly string[], properties: Record<string, Schema>): Schema => ({
  type: 'object',
  additionalProperties: false,
  required: ['kind', 'name', ...required],
  properties: { kind: { const: kind }, ...anySource, ...properties },
})

/** Where an exchange is asked instead, for tests. */
const venueUrls: Schema = {
  type: 'object',
  additionalProperties: false,
  required: ['api'],
  properties: { api: { type: 'string', format: 'url' } },
  description: "Replaces scheme, host and port of the exchange's addresses, for tests.",
}

/** The exchange's name at ccxt. */
const venueName: Schema = {
  type: 'string',
  pattern: '^[a-z0-9]{1,40}$',
  description: "The exchange's name at ccxt, such as kraken.",
}

const sources: readonly Schema[] = [
  source('http-json', ['url'], {
    url: { type: 'string', format: 'url', description: 'Answers GET with its bids and asks by pair.' },
    token: { type: 'string', format: 'secret', description: 'Sent as a bearer token.' },
  }),
  source('ccxt', ['exchange', 'pairs'], {
    exchange: venueName,
    pairs: {
      type: 'array',
      minItems: 1,
      uniqueItems: true,
      items: { type: 'string', pattern: '^[A-Z0-9]{2,12}/[A-Z0-9]{2,12}$' },
      description: 'The pairs whose order books are read, such as BTC/EUR.',
    },
    urls: venueUrls,
    frozen_after: duration('An order book that has not changed for so long is left out. Default: PT2M.'),
  }),
  source('ecb', [], {
    url: { type: 'string', format: 'url', description: 'Where the daily reference rates are published.' },
  }),
]

/** `markets` of CONFIG_FILE. */
export const marketsSchema: Schema = {
  type: 'object',
  description: 'Where prices come from. Without it the sandbox uses its recorded market.',
  additionalProperties: false,
  required: ['sources'],
  properties: {
    minimum_sources: {
      description: 'How many sources must agree on a price: for all pairs, or for coins (3) and fiat money (2).',
      anyOf: [count, { type: 'object', additionalProperties: false, properties: { coins: count, fiat: count } }],
    },
    max_age: duration("The maximum age of a source's price. Default: PT10S."),
    tolerance: {
      type: 'string',
      pattern: '^\\d{1,2}(\\.\\d{1,2})?%$',
      description: 'A source that is farther from the median is left out. Default: 2%.',
    },
    depth: {
      type: 'object',
      propertyNames: { pattern: '^[A-Z0-9]{2,12}$' },
      additionalProperties: { type: 'string', pattern: '^\\d{1,15}(\\.\\d{1,8})?$' },
      description:
        "By a pair's quote currency: the amount for which the prices of order books are worked out. An order book with less is left out.",
    },
    sources: {
      type: 'array',
      minItems: 1,
      items: { type: 'object', discriminator: { propertyName: 'kind' }, oneOf: sources },
    },
  },
}
