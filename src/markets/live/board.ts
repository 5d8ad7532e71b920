import { agree, middleOf, skewMs, type SourceQuote } from '../agree.ts'
import { inverted } from '../decimal.ts'
import { haltedAfter, newHistory, type PriceHistory } from '../jump.ts'
import { isFiat, readPair } from '../pair.ts'
import type { MarketRules } from '../settings.ts'
import type { Reading, Unreadable } from '../sources/price-source.ts'
import type { BookRow, StoredQuote } from './queries.ts'

/** The limits of a pair's price: a jump is policy, so it is read each time. */
export type BoardRules = MarketRules & { jumpBasisPoints: () => number; refreshMs: number }

/** The latest quotes of all sources, and what they come to. All times are milliseconds of real time. */
export type Board = {
  /** Takes what a source says. An older quote of the same source is passed over. */
  take(
    source: { name: string; maxAgeMs?: number | undefined },
    readings: ReadonlyMap<string, Reading>,
    isWhole: boolean,
  ): void
  /** The pairs that must be written: those whose price, state or sources changed, and those that were last written a while ago. */
  changed(now: number): BookRow[]
  /** Marks rows as written. Until then they are changed again and again. */
  written(rows: readonly BookRow[]): void
}

type Entry = {
  quotes: Map<string, SourceQuote>
  /** Why a source that had something to say has nothing now. */
  silent: Map<string, Unreadable | 'missing'>
  needed: number
  history: PriceHistory
  /** Something came in since it was worked out. */
  isDirty: boolean
  row: BookRow | undefined
  freshUntil: number
  written: BookRow | undefined
}

/** Opens a board with what was last written, so that a jump is noticed across a change of the lead. */
export function openBoard(rules: BoardRules, known: readonly BookRow[], now: number): Board {
  const entries = new Map<string, Entry>()
  for (const row of known) {
    const entry = entryOf(row.pair)
    if (!entry) continue
    entry.history.haltedUntil = row.haltedUntil?.getTime() ?? 0
    if (row.bid !== null && row.ask !== null && now - row.confirmedAt.getTime() < 60_000) {
      const price = middleOf({ bid: row.bid, ask: row.ask })
      haltedAfter(entry.history, price, row.confirmedAt.getTime(), rules.jumpBasisPoints())
    }
    entry.isDirty = true
  }

  function entryOf(pair: string): Entry | undefined {
    const found = entries.get(pair)
    const read = found ? undefined : readPair(pair)
    if (found || !read) return found
    const needed = isFiat(read.base) && isFiat(read.quote) ? rules.least.fiat : rules.least.coins
    const made: Entry = {
      quotes: new Map(),
      silent: new Map(),
      needed,
      history: newHistory(),
      isDirty: false,
      row: undefined,
      freshUntil: Infinity,
      written: undefined,
    }
    entries.set(pair, made)
    return made
  }

  function silence(entry: Entry, source: string, why: Unreadable | 'missing'): void {
    if (entry.silent.get(source) === why) return
    entry.quotes.delete(source)
    entry.silent.set(source, why)
    entry.isDirty = true
  }

  /** Gives the pair's name, if it is one. */
  function takeOne(source: string, maxAgeMs: number | undefined, pair: string, reading: Reading): string | undefined {
    const read = readPair(pair)
    const entry = read && entryOf(read.name)
    if (!read || !entry) return undefined
    if ('unreadable' in reading) {
      silence(entry, source, reading.unreadable)
      return read.name
    }
    const before = entry.quotes.get(source)
    if (reading.at !== undefined && before?.at !== undefined && reading.at < before.at) {
      // A time ahead of our clock orders nothing: what comes after it is newer, whatever it says.
      if (before.at <= reading.receivedAt + skewMs) return read.name
    }
    entry.quotes.set(source, { ...(read.isInverted ? inverted(reading) : reading), source, maxAgeMs })
    entry.silent.delete(source)
    entry.isDirty = true
    return read.name
  }

  return {
    take: ({ name, maxAgeMs }, readings, isWhole) => {
      const named = new Set<string | undefined>()
      for (const [pair, reading] of readings) named.add(takeOne(name, maxAgeMs, pair, reading))
      if (!isWhole) return
      for (const [pair, entry] of entries)
        if (!named.has(pair) && entry.quotes.has(name)) silence(entry, name, 'missing')
    },
    changed: (now) => {
      const rows: BookRow[] = []
      for (const [pair, entry] of entries) {
        const isDue = entry.isDirty || now > entry.freshUntil || now > (entry.row?.haltedUntil?.getTime() ?? Infinity)
        if (isDue) workOut(pair, entry, rules, now)
        if (entry.row && isWorthWriting(entry, rules.refreshMs, now)) {
          if (!isDue) workOut(pair, entry, rules, now)
          rows.push(entry.row)
        }
      }
      return rows
    },
    written: (rows) => {
      for (const row of rows) {
        const entry = entries.get(row.pair)
        if (entry) entry.written = row
      }
    },
  }
}

function workOut(pair: string, entry: Entry, rules: BoardRules, now: number): void {
  const { price, quotes, freshUntil } = agree([...entry.quotes.values()], entry.needed, rules, now)
  const haltedUntil = price ? haltedAfter(entry.history, middleOf(price), now, rules.jumpBasisPoints()) : 0
  const spoken = quotes.map(({ source, bid, ask, ageMs, why }): StoredQuote => ({
    name: source,
    bid,
    ask,
    at: now - ageMs,
    ...(why && { why }),
  }))
  const silent = [...entry.silent].map(([name, why]): StoredQuote => ({ name, why }))
  entry.isDirty = false
  entry.freshUntil = freshUntil
  entry.row = {
    pair,
    bid: price?.bid ?? null,
    ask: price?.ask ?? null,
    state: price ? (haltedUntil > 0 ? 'halted' : 'open') : 'stale',
    confirmedAt: new Date(now),
    haltedUntil: haltedUntil > 0 ? new Date(haltedUntil) : null,
    sources: [...spoken, ...silent].toSorted((a, b) => (a.name < b.name ? -1 : 1)),
  }
}

/** A new price, state or set of sources is written at once; a price that is confirmed, now and then. */
function isWorthWriting({ row, written }: Entry, refreshMs: number, now: number): boolean {
  if (!row) return false
  const isSame =
    row.bid === written?.bid &&
    row.ask === written?.ask &&
    row.state === written?.state &&
    usesOf(row) === usesOf(written)
  return !isSame || (row.state !== 'stale' && now - written.confirmedAt.getTime() >= refreshMs)
}

const usesOf = ({ sources }: BookRow): string => sources.map(({ name, why = '' }) => `${name} ${why}`).join()
