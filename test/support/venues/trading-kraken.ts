import type { TestContext } from 'node:test'

import { formatAmount } from '../../../src/platform/money/amount.ts'
import { exactOf } from '../../../src/exchange/treasury/decimals.ts'
import { type JsonServer, type Reply, startJsonServer } from '../json-server.ts'
import type { VenueBooks } from './books.ts'
import { isSigned, publicReply } from './kraken.ts'
import { type KeptOrder, openVenueCore, shownTrades, type VenueCore } from './venue-core.ts'

const books: VenueBooks = {
  'BTC/EUR': { bids: [['89000.1', '10']], asks: [['89010.2', '10']] },
  'ETH/EUR': { bids: [['3000.1', '10']], asks: [['3001.2', '10']] },
}
const pairs: Readonly<Record<string, string>> = { XXBTZEUR: 'BTC/EUR', XETHZEUR: 'ETH/EUR' }
const idOf = (pair: string): string => Object.keys(pairs).find((id) => pairs[id] === pair) ?? ''

/**
 * Kraken's private REST interface as documented (docs.kraken.com/api-reference, read 2026-11-23), over a venue that misbehaves:
 * AddOrder with cl_ord_id, OpenOrders, ClosedOrders, QueryOrders and TradesHistory.
 */
export async function startTradingKraken(
  t: Pick<TestContext, 'after'>,
): Promise<{ core: VenueCore; server: JsonServer }> {
  const core = openVenueCore()
  const server = await startJsonServer(t, (request) => {
    const [, , access, name = ''] = request.url.pathname.split('/')
    if (access !== 'private') return publicReply(name, request, books)
    if (!isSigned(request)) return failed('EAPI:Invalid signature')
    return privateReply(core, name, Object.fromEntries(new URLSearchParams(request.body)))
  })
  return { core, server }
}

const ok = (result: unknown): Reply => ({ json: { error: [], result } })
const failed = (...error: string[]): Reply => ({ json: { error } })

function privateReply(core: VenueCore, name: string, given: Record<string, string>): Reply {
  const orders = [...core.orders.values()]
  const shown = (wanted: (order: KeptOrder) => boolean): Record<string, unknown> =>
    Object.fromEntries(
      orders
        .filter(wanted)
        .flatMap((order) => core.shown(order) ?? [])
        .map((order) => [order.id, krakenOrder(order)]),
    )
  switch (name) {
    case 'AddOrder':
      return added(core, given)
    case 'OpenOrders':
      return ok({ open: shown(({ isOpen }) => isOpen) })
    case 'ClosedOrders': {
      const closed = shown(({ isOpen }) => !isOpen)
      return ok({ closed, count: Object.keys(closed).length })
    }
    case 'QueryOrders': {
      const found = shown(({ id }) => id === given.txid)
      return Object.keys(found).length === 0 ? failed('EOrder:Unknown order') : ok(found)
    }
    case 'TradesHistory': {
      const trades = orders.flatMap(shownTrades).map((trade) => [trade.id, krakenTrade(core, trade)])
      return ok({ trades: Object.fromEntries(trades) as Record<string, unknown>, count: trades.length })
    }
    default:
      return undefined
  }
}

function added(
  core: VenueCore,
  { cl_ord_id: clientOrderId = '', type = '', volume = '', price = '', ...rest }: Record<string, string>,
): Reply {
  if (rest.ordertype !== 'limit' || rest.timeinforce !== 'IOC' || !pairs[rest.pair ?? ''])
    return failed('EGeneral:Invalid arguments')
  const placed = core.place({ clientOrderId, pair: pairs[rest.pair ?? ''] ?? '', side: type, amount: volume, price })
  if (placed.reply === 'none') return 'cut'
  if (placed.reply === 'refused') return failed(placed.reason)
  return ok({ descr: { order: `${type} ${volume} ${rest.pair} @ limit ${price}` }, txid: [placed.id] })
}

const decimal = (exact: bigint): string => formatAmount(exact, { decimals: 18 })
const seconds = (at: Date): number => at.getTime() / 1_000

const krakenOrder = ({ clientOrderId, pair, side, amount, price, filled, isOpen, at, trades }: KeptOrder) => ({
  refid: null,
  userref: null,
  cl_ord_id: clientOrderId,
  status: isOpen ? 'open' : filled === exactOf(amount) ? 'closed' : 'canceled',
  opentm: seconds(at),
  closetm: seconds(at),
  starttm: 0,
  expiretm: 0,
  descr: {
    pair: idOf(pair),
    type: side,
    ordertype: 'limit',
    price,
    price2: '0',
    leverage: 'none',
    order: '',
    close: '',
  },
  vol: amount,
  vol_exec: decimal(filled),
  cost: decimal(trades.reduce((sum, { cost }) => sum + exactOf(cost), 0n)),
  fee: decimal(trades.reduce((sum, { fee }) => sum + exactOf(fee.amount), 0n)),
  price,
  stopprice: '0.00000',
  limitprice: '0.00000',
  misc: '',
  oflags: 'fciq',
  trades: trades.map(({ id }) => id),
})

function krakenTrade(core: VenueCore, { orderId, amount, cost, fee, at }: KeptOrder['trades'][number]) {
  const order = core.orders.get(orderId)
  return {
    ordertxid: orderId,
    postxid: 'TKH2SE-M7IF5-CFI7LT',
    pair: idOf(order?.pair ?? ''),
    time: seconds(at),
    type: order?.side,
    ordertype: 'limit',
    price: order?.price,
    cost,
    fee: fee.amount,
    vol: amount,
    margin: '0.00000',
    misc: '',
  }
}
