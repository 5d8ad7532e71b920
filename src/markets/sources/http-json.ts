import { parseDuration } from '../../platform/lib/duration.ts'
import { parseJson } from '../../platform/lib/json.ts'
import { readDecimal } from '../decimal.ts'
import type { HttpJsonEntry } from '../settings.ts'
import { fetchText, sourceAgent } from './fetch-text.ts'
import { poll, type SourceTools } from './poll.ts'
import type { PriceSource, Reading } from './price-source.ts'

/** An answer that is later than this is of no use. */
const timeoutMs = 2_000

/**
 * An operator's desk. `GET url` answers with all its pairs: `{"BTC/EUR": {"bid": "89000.1", "ask": "89010.2", "at":
 * "2026-11-23T10:00:00Z"}}`. Prices are texts or numbers; `at` may be left out. `token` is sent as a bearer token.
 */
export function httpJsonSource(entry: HttpJsonEntry, token: string | undefined, tools: SourceTools): PriceSource {
  const everyMs = parseDuration(entry.every ?? 'PT1S')
  return {
    name: entry.name,
    maxAgeMs: entry.max_age === undefined ? undefined : parseDuration(entry.max_age),
    start: (report) => {
      const agent = sourceAgent()
      const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` }
      const polling = poll(
        entry.name,
        everyMs,
        async (signal) => {
          const text = await fetchText(entry.url, agent, { headers, timeoutMs, signal })
          report(readBooks(text, tools.clock.realNow().getTime()), true)
        },
        tools,
      )
      return {
        stop: () => {
          polling.stop()
          agent.destroy().catch(() => undefined)
        },
      }
    },
  }
}

/** Reads an answer. Throws if it is no JSON object. */
export function readBooks(text: string, receivedAt: number): Map<string, Reading> {
  const body = parseJson(text)
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw new Error('The answer is no JSON object.')
  return new Map(Object.entries(body).map(([pair, book]) => [pair, readBook(book, receivedAt)]))
}

const malformed: Reading = { unreadable: 'malformed' }

function readBook(book: unknown, receivedAt: number): Reading {
  if (typeof book !== 'object' || book === null) return malformed
  const given: { bid?: unknown; ask?: unknown; at?: unknown } = book
  const [bid, ask] = [readDecimal(given.bid), readDecimal(given.ask)]
  if (bid === undefined || ask === undefined || bid === '0') return malformed
  if (given.at === undefined || given.at === null) return { bid, ask, receivedAt }
  const at = typeof given.at === 'string' ? Date.parse(given.at) : Number.NaN
  return Number.isNaN(at) ? malformed : { bid, ask, receivedAt, at }
}
