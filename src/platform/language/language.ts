import { formatAmount } from '../money/amount.ts'
import { type Catalog, catalogs, type CountedKey, type TextKey } from './catalog.ts'
import { readNumber, twoReadings } from './typed-number.ts'

/** What a text needs to know of a currency, and of an asset of it. */
type Currency = { kind: 'FIAT' | 'CRYPTO'; ticker: string; name: string }
type Listing = { asset: { ticker: string; decimals: number }; currency: Pick<Currency, 'kind'> }

/** How we speak to one reader: the language, and the form that numbers, amounts, countries and times have in it. */
export type Language = {
  /** BCP 47, for `<html lang>`: the language of the texts, whatever was asked for. */
  tag: string
  direction: 'ltr' | 'rtl'
  say(key: TextKey, values?: Record<string, string>): string
  /** The text under a key that was put together; undefined where there is none. */
  find(key: string, values?: Record<string, string>): string | undefined
  /** The text that follows a number, in the plural that the number has in this language; `{count}` is the number. */
  count(key: CountedKey, count: number, values?: Record<string, string>): string
  /** An amount with its ticker, digits grouped; money keeps its cents. */
  amount(units: bigint, listing: Listing): string
  /** What one unit of something costs: as `amount`, with up to so many decimals, which may be finer than the money's own. */
  price(units: bigint, decimals: number, listing: Listing): string
  /** A plain decimal as it stands in a box that can be typed into: the reader's decimal sign, nothing between the digits. */
  typed(plain: string): string
  /** What a reader typed as a plain decimal; undefined for what is no number, or may be two. */
  readNumber(typed: string): string | undefined
  /** The two numbers that a text may be, as they can be typed, where it was not read for that; else undefined. */
  twoReadings(typed: string): { whole: string; decimal: string } | undefined
  /** A share, told in hundredths of a percent. */
  percent(basisPoints: number): string
  /** What a currency is called: money as the reader's language has it, coins as everywhere. */
  currency(currency: Currency): string
  /** Whole minutes, hours or days, rounded down: nobody is promised more time than there is. */
  duration(ms: number): string
  /**
   * By when: a day and time, in UTC and saying so, for we do not know where the reader's clock stands. Midnight would be read as on the
   * day that begins: it is the last minute before.
   */
  moment(at: Date): string
  country(alpha2: string, fallback: string): string
  /** The language's own name, in itself: `Deutsch`. */
  name: string
  /** For sorting names as the reader's language does. */
  compare(one: string, other: string): number
}

const rightToLeft = new Set(['ar'])
const known = new Map<string, Language>()

/** The languages that we speak, English first. */
export const languages: readonly string[] = [...catalogs.keys()].toSorted((a, b) =>
  a === 'en' ? -1 : b === 'en' ? 1 : a.localeCompare(b),
)

/** Whether a text can name a language: `de`, `pt-BR`, `zh_Hant`. */
export const isLocale = (text: string): boolean => /^[a-z]{2,3}([-_][a-z0-9]{2,8}){0,2}$/i.test(text)

/**
 * The first of the wanted languages that we speak, else English. Each may be a tag or a browser's whole `Accept-Language`,
 * whose languages are tried in its order.
 */
export function languageOf(...wanted: (string | null | undefined)[]): Language {
  const tags = wanted
    .flatMap((one) => one?.toLowerCase().split(',') ?? [])
    .map((one) => /^\s*([a-z]+)/.exec(one)?.[1] ?? '')
  const tag = tags.find((one) => catalogs.has(one)) ?? 'en'
  const language = known.get(tag) ?? makeLanguage(tag, catalogs.get(tag) ?? {})
  known.set(tag, language)
  return language
}

function makeLanguage(tag: string, texts: Catalog): Language {
  // Addresses, hashes and references are in Latin digits everywhere: beside them, amounts in others would invite mistakes.
  const forms = `${tag}-u-nu-latn`
  const regions = new Intl.DisplayNames([tag], { type: 'region' })
  const names = new Intl.DisplayNames([tag], { type: 'language' })
  const money = new Intl.DisplayNames([tag], { type: 'currency' })
  const decimalSign = new Intl.NumberFormat(forms).format(0.5)[1] === ',' ? ',' : '.'
  const shares = new Intl.NumberFormat(forms, { style: 'percent', maximumFractionDigits: 2 })
  const collator = new Intl.Collator(tag)
  const plurals = new Intl.PluralRules(tag)
  const moments = new Intl.DateTimeFormat(forms, momentStyle)

  const find = (key: string, values: Record<string, string> = {}): string | undefined =>
    Object.hasOwn(texts, key)
      ? texts[key]?.replace(/\{(\w+)\}/g, (place, name: string) => values[name] ?? place)
      : undefined
  const say = (key: TextKey, values?: Record<string, string>): string => find(key, values) ?? key
  // From right to left, number and ticker would change places: they are kept together as they are.
  const apart = (text: string): string => (rightToLeft.has(tag) ? `\u2066${text}\u2069` : text)
  const number = (count: number): string => new Intl.NumberFormat(forms).format(count)

  return {
    tag,
    direction: rightToLeft.has(tag) ? 'rtl' : 'ltr',
    name: names.of(tag) ?? tag,
    say,
    find,
    count: (key, count, values) => {
      const all = { ...values, count: number(count) }
      return find(`${key}.${plurals.select(count)}`, all) ?? find(`${key}.other`, all) ?? key
    },
    amount: (units, listing) => apart(withTicker(forms, units, listing.asset.decimals, listing)),
    price: (units, decimals, listing) => apart(withTicker(forms, units, decimals, listing)),
    typed: (plain) => plain.replace('.', decimalSign),
    readNumber: (typed) => readNumber(typed, decimalSign),
    twoReadings: (typed) => twoReadings(typed, decimalSign),
    percent: (basisPoints) => apart(shares.format(formatAmount(BigInt(basisPoints), { decimals: 4 }) as `${number}`)),
    currency: ({ kind, ticker, name }) => (kind === 'FIAT' ? (money.of(ticker) ?? name) : name),
    duration: (ms) => {
      const [unit, count] = inUnits(ms)
      if (count < 1) return say('time.soon')
      return new Intl.NumberFormat(forms, { style: 'unit', unit, unitDisplay: 'long' }).format(count)
    },
    moment: (at) => moments.format(at.getTime() % dayMs === 0 ? at.getTime() - minuteMs : at),
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
const dayMs = 1_440 * minuteMs

/** The largest unit of which there are two whole ones: an hour and a half is told in minutes. */
function inUnits(ms: number): ['minute' | 'hour' | 'day', number] {
  if (ms >= 2 * dayMs) return ['day', Math.floor(ms / dayMs)]
  if (ms >= 2 * 60 * minuteMs) return ['hour', Math.floor(ms / (60 * minuteMs))]
  return ['minute', Math.floor(ms / minuteMs)]
}

/** Money keeps its cents. */
function withTicker(forms: string, units: bigint, decimals: number, { asset, currency }: Listing): string {
  const least = currency.kind === 'FIAT' ? Math.min(asset.decimals, decimals) : 0
  return `${digits(forms, units, decimals, least)}\u00A0${asset.ticker}`
}

/** Intl takes decimal text and formats it exactly, digit by digit; no double ever holds the amount. */
function digits(forms: string, units: bigint, decimals: number, least: number): string {
  const format = new Intl.NumberFormat(forms, { minimumFractionDigits: least, maximumFractionDigits: decimals })
  return format.format(formatAmount(units, { decimals }) as `${number}`).replace('-', '\u2212')
}
