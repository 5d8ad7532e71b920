import { type Listing, listings } from '../src/reference/catalog/asset.ts'
import { resolve } from '../src/exchange/availability/resolve.ts'
import { defaultTerms } from '../src/exchange/availability/partner-terms.ts'
import { recordedMarket } from '../src/markets/recorded/recorded-market.ts'
import type { EstimateOrder, EstimateServer } from './estimate-server.ts'
import { startHelper } from './helper-process.ts'
import { compare, type Line, type Measured } from './line.ts'
import { type LoadDone, type LoadOrder, type PairAsk, pairPath } from './load.ts'
import { makeDataDir, removeDataDir } from './own-exchange.ts'
import type { ServerOrder } from './plain-server.ts'
import { size } from './size.ts'
import { everyRail } from '../test/support/every-rail.ts'
import { policies } from '../test/support/policies.ts'

const connections = 16
const roundMs = size(2_000, 50)
/** So many that an answer is hardly ever one that was given a moment ago. */
const manyRequests = size(60_000, 3_000)
const manyPartners = size(1_000, 10)

/** What is asked of how many, while so many prices a second change. */
const cases: [name: string, pairs: number, partners: number, pricesPerSecond: number][] = [
  ['estimate-5000-pairs', 5_000, 1, 1],
  ['estimate-1000-partners', 1, manyPartners, 1],
  ['estimate-moving-prices', 1, 1, 1_000],
  ['estimate-5000-pairs-1000-partners-moving-prices', 5_000, manyPartners, 1_000],
]

/**
 * Estimates per second of many pairs, for many partners with price lists of their own, and while prices change, every request
 * with another amount: each compared with the same server's rate for one pair, one partner and one price a second. That one is
 * compared with a bare `node:http` server that answers the same bytes to the same requests.
 */
export async function benchEstimatePairs(now: Date): Promise<Line[]> {
  const dataDir = await makeDataDir()
  const server = startHelper<EstimateOrder, EstimateServer>('estimate-server.js')
  const load = startHelper<LoadOrder, LoadDone>('load.js')
  const plain = startHelper<ServerOrder, { origin: string }>('plain-server.js')
  try {
    const { origin, keys } = await server.ask({ kind: 'open', dataDir, partners: manyPartners })
    const all = pairAsks(now)
    const limit = await plain.ask(await answerOf(origin, keys[0] ?? '', all[0]))
    const asking = (to: string, pairs: number, partners: number, perSecond: number): Measured => {
      const what = {
        kind: 'pairs' as const,
        asks: spread(all, pairs),
        keys: keys.slice(0, partners),
        count: manyRequests,
      }
      return async () => {
        await server.ask({ kind: 'move', perSecond })
        return load.ask({ kind: 'repeat', origin: to, key: '', connections, ms: roundMs, expect: 200, what })
      }
    }
    const ofOne = asking(origin, 1, 1, 1)
    const lines = [await compare('estimate-one-pair', ofOne, asking(limit.origin, 1, 1, 1), 'a second')]
    for (const [name, pairs, partners, perSecond] of cases)
      lines.push(await compare(name, asking(origin, pairs, partners, perSecond), ofOne, 'a second'))
    return lines
  } finally {
    load.end()
    plain.end()
    await server.ask({ kind: 'close' })
    server.end()
    await removeDataDir(dataDir)
  }
}

/** Every pair of the catalog that can be exchanged, with amounts from the middle of its range. */
function pairAsks(now: Date): PairAsk[] {
  const moment = { market: recordedMarket(1), now, maxPriceAgeSeconds: 60, rails: everyRail, policies }
  return listings.flatMap((source) =>
    listings.flatMap((target) => {
      const outcome = resolve(moment, defaultTerms, namesOf(source, target))
      if (!outcome.available) return []
      const { min, max } = outcome.exchange.range
      const query = new URLSearchParams(queryOf(source, target)).toString()
      return [{ query, least: String(min * 2n), most: String(max / 2n), decimals: source.asset.decimals }]
    }),
  )
}

const namesOf = ({ asset: from }: Listing, { asset: to }: Listing) => ({
  fromCurrency: from.ticker,
  fromNetwork: from.network,
  toCurrency: to.ticker,
  toNetwork: to.network,
})

const queryOf = ({ asset: from }: Listing, { asset: to }: Listing) => ({
  from_currency: from.ticker,
  from_network: from.network,
  to_currency: to.ticker,
  to_network: to.network,
})

/** So many of a list, evenly taken from all of it. */
const spread = <Item>(items: readonly Item[], count: number): Item[] =>
  Array.from({ length: count }, (_, index) => items[Math.floor((index * items.length) / count)]).filter(
    (item) => item !== undefined,
  )

/** An answer of ours, as a bare server can give it: the same headers but those that every server adds by itself. */
async function answerOf(origin: string, key: string, ask: PairAsk | undefined): Promise<ServerOrder> {
  if (!ask) throw new Error('The catalog has no pair.')
  const answer = await fetch(`${origin}${pairPath(ask, 0)}`, { headers: { 'x-api-key': key } })
  const body = await answer.text()
  if (answer.status !== 200) throw new Error(`An estimate was refused: ${body}`)
  const headers = [...answer.headers].filter(([name]) => !['date', 'connection', 'keep-alive'].includes(name))
  return { headers, body }
}
