import { parse } from 'lossless-json'

import type { VenueSettings } from './messages.ts'

/** What we use of an exchange class of ccxt. */
export type Venue = {
  number: (value: string) => string
  urls: { api: unknown }
  last_response_headers?: Record<string, string | undefined>
  loadMarkets(): Promise<unknown>
  market(symbol: unknown): unknown
  parseNumber(value: unknown, fallback?: unknown): unknown
  parseJson(text: string): unknown
  parseOrderBookBidAsk(level: unknown, priceKey?: string | number, amountKey?: string | number): unknown[]
  safeString(value: unknown, key: string | number): string | undefined
  getDispatcherOptions(isPlainAgent: boolean): Record<string, unknown>
  undiciRequest(url: string, params: { signal: AbortSignal }): Promise<unknown>
} & Record<string, unknown>

type VenueClass = { new (settings: Record<string, unknown>): Venue; prototype: object }

/** Binance's list of products is the largest of the known answers: about 10 MB. */
const mostBytes = 32_000_000

/**
 * Settings of single exchanges. Binance lists futures as well unless it is asked not to, and asks for margin pairs and currencies
 * where it has a key.
 */
const ownOptions: Readonly<Record<string, Record<string, unknown>>> = {
  binance: { fetchMarkets: { types: ['spot'] }, fetchMargins: false, fetchCurrencies: false },
}

/**
 * Loads the class of one exchange and opens it. Only that class is loaded: the whole of ccxt takes half a gigabyte. Amounts and
 * prices stay texts: numbers that a double cannot hold are read as texts, and what ccxt gives back is never a float.
 */
export async function openVenue(settings: VenueSettings, timeoutMs: number): Promise<Venue> {
  const { exchange, apiKey, secret, password, uid, urls } = settings
  if (!/^[a-z0-9]+$/.test(exchange)) throw new Error(`${exchange} is not the name of an exchange`)
  const file = new URL(`./src/${exchange}.js`, import.meta.resolve('ccxt'))
  const { default: Class } = (await import(file.href)) as { default: VenueClass }
  const given = Object.entries({ apiKey, secret, password, uid }).filter(([, value]) => value !== undefined)
  const venue = new Class({
    ...Object.fromEntries(given),
    timeout: timeoutMs,
    // The limits are those of the real exchange, not of a server in its place.
    enableRateLimit: urls === undefined,
    options: ownOptions[exchange] ?? {},
  })

  venue.number = String
  const parseNumber = venue.parseNumber.bind(venue)
  venue.parseNumber = (value, fallback) => (typeof value === 'string' ? value : parseNumber(value, fallback))
  // Order books are read as floats unless an exchange has its own reader; one whose own reader does so has no price.
  if (!Object.hasOwn(Class.prototype, 'parseOrderBookBidAsk')) {
    venue.parseOrderBookBidAsk = (level, priceKey = 0, amountKey = 1) => [
      venue.safeString(level, priceKey),
      venue.safeString(level, amountKey),
    ]
  }
  const parseJson = venue.parseJson.bind(venue)
  venue.parseJson = (text) => (longNumber.test(text) ? parseExactly(text) : parseJson(text))
  const dispatcherOptions = venue.getDispatcherOptions.bind(venue)
  venue.getDispatcherOptions = (isPlainAgent) => ({ ...dispatcherOptions(isPlainAgent), maxResponseSize: mostBytes })
  // ccxt's own time limit ends with the headers; this one covers the body as well.
  const request = venue.undiciRequest.bind(venue)
  venue.undiciRequest = (url, params) => {
    const ended = new AbortController()
    setTimeout(() => ended.abort(new Error('The exchange did not answer in time')), timeoutMs).unref()
    params.signal.addEventListener('abort', () => ended.abort(params.signal.reason))
    return request(url, { ...params, signal: ended.signal })
  }
  if (urls) venue.urls.api = movedTo(venue.urls.api, new URL(urls.api))
  return venue
}

/** A number outside of a text with more digits than every double holds. */
const longNumber = /[[,:]\s*-?\d[\d.]{15}/

/** As `JSON.parse`, but numbers that a double cannot hold exactly stay texts, which ccxt reads as well. */
function parseExactly(text: string): unknown {
  try {
    return parse(text, undefined, {
      parseNumber: (number) => (number.replace(/\D/g, '').length > 15 ? number : JSON.parse(number)) as unknown,
    })
  } catch {
    return undefined
  }
}

/** The addresses of an exchange with another scheme, host and port; WebSocket addresses stay WebSocket addresses. */
function movedTo(addresses: unknown, target: URL): unknown {
  if (typeof addresses === 'string') {
    const socket = target.protocol === 'https:' ? 'wss:' : 'ws:'
    const scheme = addresses.startsWith('ws') ? socket : target.protocol
    return addresses.replace(/^\w+:\/\/[^/]+/, `${scheme}//${target.host}`)
  }
  if (typeof addresses !== 'object' || addresses === null) return addresses
  return Object.fromEntries(Object.entries(addresses).map(([name, one]) => [name, movedTo(one, target)]))
}
