import { createHash, createHmac } from 'node:crypto'
import type { TestContext } from 'node:test'

import { type JsonServer, type Reply, type ServedRequest, startJsonServer } from '../json-server.ts'
import type { VenueBooks } from './books.ts'

/** The key that the server knows. */
export const krakenKey = { apiKey: 'kraken-key', secret: Buffer.from('kraken-secret').toString('base64') }

/** An order as Kraken keeps it, in its own fields. */
export type KrakenOrder = Record<string, string> & { pair: string; cl_ord_id: string }

export type Kraken = JsonServer & { orders: Map<string, KrakenOrder> }

const ok = (result: unknown): Reply => ({ json: { error: [], result } })
const refused = (...error: string[]): Reply => ({ json: { error } })

const ids: Readonly<Record<string, string>> = { BTC: 'XXBT', ETH: 'XETH', EUR: 'ZEUR', USD: 'ZUSD' }
const idOf = (ticker: string): string => ids[ticker] ?? ticker
const altOf = (ticker: string): string => (ticker === 'BTC' ? 'XBT' : ticker)

/**
 * Speaks Kraken's REST interface as documented (docs.kraken.com/api-reference, read 2026-11-23): AssetPairs, Assets and Depth;
 * AddOrder and QueryOrders with a verified API-Sign.
 */
export async function startKraken(t: TestContext, books: VenueBooks): Promise<Kraken> {
  const orders = new Map<string, KrakenOrder>()
  const server = await startJsonServer(t, (request) => {
    const [, , access, name = ''] = request.url.pathname.split('/')
    if (access === 'private')
      return isSigned(request) ? privateReply(name, request, orders) : refused('EAPI:Invalid signature')
    return publicReply(name, request, books)
  })
  return Object.assign(server, { orders })
}

/** AssetPairs, Assets and Depth. */
export function publicReply(name: string, { url }: ServedRequest, books: VenueBooks): Reply {
  const pairs = Object.keys(books).map((pair) => pair.split('/') as [string, string])
  if (name === 'Assets') {
    const assets = [...new Set(pairs.flat())].map((ticker) => [
      idOf(ticker),
      { aclass: 'currency', altname: altOf(ticker), decimals: 10, display_decimals: 5, status: 'enabled' },
    ])
    return ok(Object.fromEntries(assets))
  }
  if (name === 'AssetPairs')
    return ok(Object.fromEntries(pairs.map(([base, quote]) => [idOf(base) + idOf(quote), pairOf(base, quote)])))
  if (name !== 'Depth') return undefined
  const id = url.searchParams.get('pair')
  const found = pairs.find(([base, quote]) => idOf(base) + idOf(quote) === id)
  if (!found || id === null) return refused('EQuery:Unknown asset pair')
  const { bids, asks } = books[found.join('/')] ?? { bids: [], asks: [] }
  const dated = (levels: readonly [string, string][]) => levels.map((level) => [...level, 1_764_000_000])
  return ok({ [id]: { asks: dated(asks), bids: dated(bids) } })
}

const pairOf = (base: string, quote: string) => ({
  altname: altOf(base) + altOf(quote),
  wsname: `${altOf(base)}/${altOf(quote)}`,
  aclass_base: 'currency',
  base: idOf(base),
  aclass_quote: 'currency',
  quote: idOf(quote),
  pair_decimals: 1,
  cost_decimals: 5,
  lot_decimals: 8,
  lot_multiplier: 1,
  leverage_buy: [],
  leverage_sell: [],
  fees: [[0, 0.4]],
  fees_maker: [[0, 0.25]],
  ordermin: '0.0001',
  costmin: '0.5',
  tick_size: '0.1',
  status: 'online',
})

function privateReply(name: string, { body }: ServedRequest, orders: Map<string, KrakenOrder>): Reply {
  const given = Object.fromEntries(new URLSearchParams(body))
  if (name === 'AddOrder') {
    if (given.volume === '99') return refused('EOrder:Insufficient funds')
    const id = `OABCDE-${String(orders.size + 1).padStart(5, '0')}-FGHIJK`
    orders.set(id, { ...given, pair: given.pair ?? '', cl_ord_id: given.cl_ord_id ?? '' })
    return ok({ descr: { order: `${given.type} ${given.volume} ${given.pair} @ limit ${given.price}` }, txid: [id] })
  }
  if (name !== 'QueryOrders') return undefined
  const id = given.txid ?? ''
  const order = orders.get(id)
  return order ? ok({ [id]: closed(order) }) : ok({})
}

/** The order as one that was filled at its limit. */
const closed = ({ pair, type, volume, price, cl_ord_id }: KrakenOrder) => ({
  refid: null,
  userref: null,
  cl_ord_id,
  status: 'closed',
  opentm: 1_764_000_000.1,
  closetm: 1_764_000_000.2,
  starttm: 0,
  expiretm: 0,
  descr: { pair, type, ordertype: 'limit', price, price2: '0', leverage: 'none', order: '', close: '' },
  vol: volume,
  vol_exec: volume,
  cost: '445.00050',
  fee: '1.78000',
  price,
  stopprice: '0.00000',
  limitprice: '0.00000',
  misc: '',
  oflags: 'fciq',
})

/** API-Sign: HMAC-SHA512 with the decoded secret, of the path and SHA-256(nonce + body). */
export function isSigned({ path, headers, body }: ServedRequest): boolean {
  const nonce = new URLSearchParams(body).get('nonce') ?? ''
  const digest = createHash('sha256')
    .update(nonce + body)
    .digest()
  const expected = createHmac('sha512', Buffer.from(krakenKey.secret, 'base64'))
    .update(path)
    .update(digest)
    .digest('base64')
  return headers['api-key'] === krakenKey.apiKey && headers['api-sign'] === expected
}
