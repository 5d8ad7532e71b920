import { SaxesParser } from 'saxes'

import { parseDuration } from '../../platform/lib/duration.ts'
import { readDecimal } from '../decimal.ts'
import type { EcbEntry } from '../settings.ts'
import { fetchText, sourceAgent } from './fetch-text.ts'
import { poll, type SourceTools } from './poll.ts'
import type { PriceSource, Reading } from './price-source.ts'

const publishedAt = 'https://www.ecb.europa.eu/stats/eurofxref/eurofxref-daily.xml'
const timeoutMs = 10_000

/** Over Easter four days pass without a publication, and the fifth day's comes in the afternoon. */
const usualMaxAge = 'P5D'

/** Rates are of 14:15 in Frankfurt, which is 13:15 UTC in winter and 12:15 in summer. */
const hourOfRates = 'T12:15:00Z'

/**
 * The European Central Bank's reference rates: one price a day for each currency against the euro, which is bid and ask alike. Its age
 * counts from the day of the rates.
 */
export function ecbSource(entry: EcbEntry, tools: SourceTools): PriceSource {
  const everyMs = parseDuration(entry.every ?? 'PT30M')
  return {
    name: entry.name,
    maxAgeMs: parseDuration(entry.max_age ?? usualMaxAge),
    start: (report) => {
      const agent = sourceAgent()
      const polling = poll(
        entry.name,
        everyMs,
        async (signal) => {
          const xml = await fetchText(entry.url ?? publishedAt, agent, { timeoutMs, signal })
          report(readRates(xml, tools.clock.realNow().getTime()), true)
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

/** Reads the published file. Throws if it has a document type, is not well-formed or has no day. */
export function readRates(xml: string, receivedAt: number): Map<string, Reading> {
  const readings = new Map<string, Reading>()
  let at: number | undefined
  const parser = new SaxesParser({ xmlns: false })
  parser.on('doctype', () => {
    throw new Error('The file has a document type.')
  })
  parser.on('error', (error) => {
    throw error
  })
  parser.on('opentag', ({ name, attributes }) => {
    if (name !== 'Cube') return
    const { time, currency, rate } = attributes
    if (time !== undefined) {
      at = /^\d{4}-\d\d-\d\d$/.test(time) ? Date.parse(time + hourOfRates) : Number.NaN
      if (Number.isNaN(at)) throw new Error('The file has no valid day.')
    }
    if (currency === undefined || rate === undefined) return
    if (at === undefined) throw new Error('The file has no day.')
    const price = readDecimal(rate)
    const isPrice = price !== undefined && price !== '0'
    readings.set(`EUR/${currency}`, isPrice ? { bid: price, ask: price, receivedAt, at } : { unreadable: 'malformed' })
  })
  parser.write(xml).close()
  if (at === undefined) throw new Error('The file has no day.')
  return readings
}
