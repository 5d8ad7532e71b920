import type { TestContext } from 'node:test'

import { type JsonServer, startJsonServer } from '../json-server.ts'
import type { VenueBooks } from './books.ts'

const pairsOf = (books: VenueBooks) =>
  Object.keys(books).map((pair) => {
    const [base = '', quote = ''] = pair.split('/')
    return { pair, base, quote }
  })

/**
 * Speaks Coinbase's Advanced Trade interface as documented (docs.cdp.coinbase.com/api-reference/advanced-trade-api, read 2026-11-23):
 * public products and product book, and the lists of currencies.
 */
export const startCoinbase = (t: TestContext, books: VenueBooks): Promise<JsonServer> =>
  startJsonServer(t, ({ url }) => {
    if (url.pathname === '/v2/currencies') return { json: { data: [{ id: 'EUR', name: 'Euro', min_size: '0.01' }] } }
    if (url.pathname === '/v2/currencies/crypto')
      return { json: { data: [{ asset_id: 'btc', code: 'BTC', name: 'Bitcoin', exponent: 8, type: 'crypto' }] } }
    if (url.pathname === '/v2/exchange-rates') return { json: { data: { currency: 'USD', rates: { EUR: '0.9' } } } }
    if (url.pathname === '/api/v3/brokerage/market/products') {
      const isSpot = !url.searchParams.has('product_type')
      const products = isSpot ? pairsOf(books).map(productOf) : []
      return { json: { products, num_products: products.length } }
    }
    if (url.pathname !== '/api/v3/brokerage/market/product_book') return undefined
    const id = url.searchParams.get('product_id') ?? ''
    const book = books[id.replace('-', '/')]
    if (!book) return { status: 404, text: '{"error":"NOT_FOUND"}' }
    const levels = (side: readonly [string, string][]) => side.map(([price, size]) => ({ price, size }))
    const time = new Date().toISOString()
    return { json: { pricebook: { product_id: id, bids: levels(book.bids), asks: levels(book.asks), time } } }
  })

const productOf = ({ base, quote }: { base: string; quote: string }) => ({
  product_id: `${base}-${quote}`,
  price: '89000',
  base_increment: '0.00000001',
  quote_increment: '0.01',
  quote_min_size: '1',
  quote_max_size: '150000000',
  base_min_size: '0.00000001',
  base_max_size: '3400',
  status: 'online',
  trading_disabled: false,
  product_type: 'SPOT',
  quote_currency_id: quote,
  base_currency_id: base,
  price_increment: '0.01',
})

/** Speaks Bitstamp's REST interface as documented (www.bitstamp.net/api, read 2026-11-23): markets and order_book. */
export const startBitstamp = (t: TestContext, books: VenueBooks): Promise<JsonServer> =>
  startJsonServer(t, ({ url }) => {
    const idOf = ({ base, quote }: { base: string; quote: string }) => `${base}${quote}`.toLowerCase()
    if (url.pathname === '/api/v2/markets/') {
      return {
        json: pairsOf(books).map((one) => ({
          name: one.pair,
          market_symbol: idOf(one),
          base_currency: one.base,
          base_decimals: 8,
          counter_currency: one.quote,
          counter_decimals: 2,
          minimum_order_value: '10',
          trading: 'Enabled',
          instant_and_market_orders: 'Enabled',
          description: one.pair,
          market_type: 'SPOT',
        })),
      }
    }
    const found = pairsOf(books).find((one) => url.pathname === `/api/v2/order_book/${idOf(one)}/`)
    const now = Date.now()
    return (
      found && { json: { timestamp: `${Math.floor(now / 1_000)}`, microtimestamp: `${now}000`, ...books[found.pair] } }
    )
  })

/** Speaks Binance's spot interface as documented (developers.binance.com, read 2026-11-23): exchangeInfo and depth. */
export const startBinance = (t: TestContext, books: VenueBooks): Promise<JsonServer> =>
  startJsonServer(t, ({ url }) => {
    if (url.pathname === '/api/v3/exchangeInfo')
      return {
        json: { timezone: 'UTC', serverTime: Date.now(), rateLimits: [], symbols: pairsOf(books).map(symbolOf) },
      }
    if (url.pathname !== '/api/v3/depth') return undefined
    const found = pairsOf(books).find(({ base, quote }) => base + quote === url.searchParams.get('symbol'))
    if (!found) return { status: 400, text: '{"code":-1121,"msg":"Invalid symbol."}' }
    return { json: { lastUpdateId: 333_598_053_905, ...books[found.pair] } }
  })

const symbolOf = ({ base, quote }: { base: string; quote: string }) => ({
  symbol: base + quote,
  status: 'TRADING',
  baseAsset: base,
  baseAssetPrecision: 8,
  quoteAsset: quote,
  quotePrecision: 8,
  orderTypes: ['LIMIT', 'MARKET'],
  isSpotTradingAllowed: true,
  isMarginTradingAllowed: false,
  filters: [
    { filterType: 'PRICE_FILTER', minPrice: '0.01', maxPrice: '1000000', tickSize: '0.01' },
    { filterType: 'LOT_SIZE', minQty: '0.00001', maxQty: '9000', stepSize: '0.00001' },
  ],
  permissions: ['SPOT'],
})
