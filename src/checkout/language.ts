import type { Listing } from '../catalog/asset.ts'
import { formatAmount } from '../money/amount.ts'
import { english } from './text.ts'

/** The place of a text in the catalogue. */
export type TextKey = keyof typeof english

/** How a page speaks: one reader's language, and the form that amounts, countries and times have in it. */
export type Language = {
  /** BCP 47, for `<html lang>`: the language of the texts, whatever was asked for. */
  tag: string
  direction: 'ltr' | 'rtl'
  say(key: TextKey, values?: Record<string, string>): string
  /** The text under a key that was put together; undefined where there is none. */
  find(key: string, values?: Record<string, string>): string | undefined
  /** An amount with its ticker, digits grouped; money keeps its cents. */
  amount(units: bigint, listing: Listing): string
  /** What one unit of something costs: as `amount`, with up to so many decimals, which may be finer than the money's own. */
  price(units: bigint, decimals: number, listing: Listing): string
  /** Whole minutes, hours or days, rounded down: nobody is promised more time than there is. */
  duration(ms: number): string
  /** A day and time, in UTC and saying so: we do not know where the reader's clock stands. */
  moment(at: Date): string
  country(alpha2: string, fallback: string): string
  /** For sorting names as the reader's language does. */
  compare(one: string, other: string): number
}

const catalogues: Record<string, Record<TextKey, string>> = { en: english }
const rightToLeft = new Set(['ar'])
const known = new Map<string, Language>()

/** Whether a text can name a language: `de`, `pt-BR`, `zh_Hant`. */
export const isLocale = (text: string): boolean => /^[a-z]{2,3}([-_][a-z0-9]{2,8}){0,2}$/i.test(text)

/** The first of the wanted languages that we speak, else English. */
export function languageOf(...wanted: (string | null | undefined)[]): Language {
  const tags = wanted.map((one) => /^[a-z]+/.exec(one?.toLowerCase() ?? '')?.[0] ?? '')
  const tag = tags.find((one) => Object.hasOwn(catalogues, one)) ?? 'en'
  const language = known.get(tag) ?? makeLanguage(tag, catalogues[tag] ?? english)
  known.set(tag, language)
  return language
}

function makeLanguage(tag: string, texts: Record<string, string>): Language {
  const regions = new Intl.DisplayNames([tag], { type: 'region' })
  const collator = new Intl.Collator(tag)
  const moments = new Intl.DateTimeFormat(tag, momentStyle)

  const find = (key: string, values: Record<string, string> = {}): string | undefined =>
    Object.hasOwn(texts, key)
      ? texts[key]?.replace(/\{(\w+)\}/g, (place, name: string) => values[name] ?? place)
      : undefined
  const say = (key: TextKey, values?: Record<string, string>): string => find(key, values) ?? key

  return {
    tag,
    direction: rightToLeft.has(tag) ? 'rtl' : 'ltr',
    say,
    find,
    amount: (units, listing) => withTicker(tag, units, listing.asset.decimals, listing),
    price: (units, decimals, listing) => withTicker(tag, units, decimals, listing),
    duration: (ms) => {
      const [unit, count] = inUnits(ms)
      if (count < 1) return say('time.soon')
      if (count === 1) return say('time.minute', { count: '1' })
      return say(`time.${unit}`, { count: String(count) })
    },
    moment: (at) => moments.format(at),
    country: (alpha2, fallback) => regions.of(alpha2) ?? fallback,
    compare: (one, other) => collator.compare(one, other),
  }
}

const momentStyle: Intl.DateTimeFormatOptions = {
  weekday: 'long',
  day: 'numeric',
  month: 'long',
  hour: '2-digit',
  minute: '2-digit',
  timeZone: 'UTC',
  timeZoneName: 'short',
}

const minuteMs = 60_000

/** The largest unit of which there are two whole ones: an hour and a half is told in minutes. */
function inUnits(ms: number): ['minutes' | 'hours' | 'days', number] {
  if (ms >= 2 * 1_440 * minuteMs) return ['days', Math.floor(ms / (1_440 * minuteMs))]
  if (ms >= 2 * 60 * minuteMs) return ['hours', Math.floor(ms / (60 * minuteMs))]
  return ['minutes', Math.floor(ms / minuteMs)]
}

/** Money keeps its cents. */
function withTicker(tag: string, units: bigint, decimals: number, { asset, currency }: Listing): string {
  const least = currency.kind === 'FIAT' ? Math.min(asset.decimals, decimals) : 0
  return `${digits(tag, units, decimals, least)}\u00A0${asset.ticker}`
}

/** Intl takes decimal text and formats it exactly, digit by digit; no double ever holds the amount. */
function digits(tag: string, units: bigint, decimals: number, least: number): string {
  const format = new Intl.NumberFormat(tag, { minimumFractionDigits: least, maximumFractionDigits: decimals })
  return format.format(formatAmount(units, { decimals }) as `${number}`).replace('-', '\u2212')
}
