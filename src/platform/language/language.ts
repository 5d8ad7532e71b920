import { formatAmount } from '../money/amount.ts'
import { type Catalog, catalogs, type CountedKey, type TextKey } from './catalog.ts'
import { readNumber, twoReadings } from './typed-number.ts'

/** What formatting needs of a currency, and of an asset. */
type Currency = { kind: 'FIAT' | 'CRYPTO'; ticker: string; name: string }
type Listing = { asset: { ticker: string; decimals: number }; currency: Pick<Currency, 'kind'> }

/** One reader's language, with its formats of numbers, amounts, countries and times. */
export type Language = {
  /** BCP 47, for `<html lang>`: the language of the texts, which may not be the one that was requested. */
  tag: string
  direction: 'ltr' | 'rtl'
  say(key: TextKey, values?: Record<string, string>): string
  /** The text of a computed key; undefined if there is none. */
  find(key: string, values?: Record<string, string>): string | undefined
  /** The text with a number, in the language's plural form; `{count}` is the number. */
  count(key: CountedKey, count: number, values?: Record<string, string>): string
  /** An amount with its ticker and grouped digits; money shows its cents. */
  amount(units: bigint, listing: Listing): string
  /** A unit price: as `amount`, with up to so many decimals, which may exceed the currency's own. */
  price(units: bigint, decimals: number, listing: Listing): string
  /** A plain decimal as the value of an input: the language's decimal separator, no grouping. */
  typed(plain: string): string
  /** Typed text as a plain decimal; undefined if it isn't a number, or is ambiguous. */
  readNumber(typed: string): string | undefined
  /** Both readings of an ambiguous number, each as it can be typed; undefined for other text. */
  twoReadings(typed: string): { whole: string; decimal: string } | undefined
  /** A percentage, from basis points. */
  percent(basisPoints: number): string
  /** A currency's name: translated for money, the same everywhere for coins. */
  currency(currency: Currency): string
  /** Whole minutes, hours or days, rounded down so that no more time is promised than there is. */
  duration(ms: number): string
  /**
   * A deadline: date and time in the reader's time zone, or in UTC if it is unknown; the zone is named. Midnight is shown as the
   * last minute of the day before, so that it isn't read as the end of the new day.
   */
  moment(at: Date): string
  /** When something happened: date with year, and time, in the same zone. */
  dateTime(at: Date): string
  /** The same language for a reader in a time zone; undefined: unknown. */
  inZone(timeZone: string | undefined): Language
  country(alpha2: string, fallback: string): string
  /** The language's name in itself: `Deutsch`. */
  name: string
  /** Sorts names in the language's order. */
  compare(one: string, other: string): number
}

const rightToLeft = new Set(['ar'])
const known = new Map<string, Language>()

/** The available languages, English first. */
export const languages: readonly string[] = [...catalogs.keys()].toSorted((a, b) =>
  a === 'en' ? -1 : b === 'en' ? 1 : a.localeCompare(b),
)

/** Whether a text is a language tag: `de`, `pt-BR`, `zh_Hant`. */
export const isLocale = (text: string): boolean => /^[a-z]{2,3}([-_][a-z0-9]{2,8}){0,2}$/i.test(text)

/** The first available of the preferred languages, else English. Each may be a tag or a whole `Accept-Language` header. */
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
  // Addresses and hashes use Latin digits everywhere; amounts next to them do too, to avoid mistakes.
  const forms = `${tag}-u-nu-latn`
  const regions = new Intl.DisplayNames([tag], { type: 'region' })
  const names = new Intl.DisplayNames([tag], { type: 'language' })
  const money = new Intl.DisplayNames([tag], { type: 'currency' })
  const decimalSign = new Intl.NumberFormat(forms).format(0.5)[1] === ',' ? ',' : '.'
  const shares = new Intl.NumberFormat(forms, { style: 'percent', maximumFractionDigits: 8 })
  const collator = new Intl.Collator(tag)
  const zoned = new Map<string, Language>()
  const plurals = new Intl.PluralRules(tag)

  const find = (key: string, values: Record<string, string> = {}): string | undefined =>
    Object.hasOwn(texts, key)
      ? texts[key]?.replace(/\{(\w+)\}/g, (place, name: string) => values[name] ?? place)
      : undefined
  const say = (key: TextKey, values?: Record<string, string>): string => find(key, values) ?? key
  // In right-to-left text, number and ticker would swap places: isolate them.
  const apart = (text: string): string => (rightToLeft.has(tag) ? `\u2066${text}\u2069` : text)
  const number = (count: number): string => new Intl.NumberFormat(forms).format(count)

  const language: Language = {
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
    readNumber: (typed) => readNumber(typed, decimalSign, { groupsThousands: tag === 'en' }),
    twoReadings: (typed) => twoReadings(typed, decimalSign),
    percent: (basisPoints) =>
      apart(shares.format(formatAmount(BigInt(Math.round(basisPoints * 1_000_000)), { decimals: 10 }) as `${number}`)),
    currency: ({ kind, ticker, name }) => (kind === 'FIAT' ? (money.of(ticker) ?? name) : name),
    duration: (ms) => {
      const [unit, count] = inUnits(ms)
      if (count < 1) return say('time.soon')
      return new Intl.NumberFormat(forms, { style: 'unit', unit, unitDisplay: 'long' }).format(count)
    },
    ...timesIn(forms, 'UTC'),
    inZone: (timeZone) => {
      if (timeZone === undefined) return language
      const inIt = zoned.get(timeZone) ?? { ...language, ...timesIn(forms, timeZone) }
      zoned.set(timeZone, inIt)
      return inIt
    },
    country: (alpha2, fallback) => regions.of(alpha2) ?? fallback,
    compare: (one, other) => collator.compare(one, other),
  }
  return language
}

function timesIn(forms: string, timeZone: string): Pick<Language, 'moment' | 'dateTime'> {
  const clock = new Intl.DateTimeFormat('en', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23', timeZone })
  const moments = new Intl.DateTimeFormat(forms, { ...momentStyle, timeZone })
  const days = new Intl.DateTimeFormat(forms, { ...dayStyle, timeZone })
  return {
    moment: (at) => moments.format(clock.format(at) === '00:00' ? at.getTime() - minuteMs : at),
    dateTime: (at) => days.format(at),
  }
}

const momentStyle: Intl.DateTimeFormatOptions = {
  weekday: 'long',
  day: 'numeric',
  month: 'long',
  hour: '2-digit',
  minute: '2-digit',
  timeZoneName: 'short',
}

const { weekday: _, ...withoutWeekday } = momentStyle
const dayStyle: Intl.DateTimeFormatOptions = { ...withoutWeekday, year: 'numeric' }

const minuteMs = 60_000
const dayMs = 1_440 * minuteMs

/** The largest unit with at least two whole ones: an hour and a half is shown in minutes. */
function inUnits(ms: number): ['minute' | 'hour' | 'day', number] {
  if (ms >= 2 * dayMs) return ['day', Math.floor(ms / dayMs)]
  if (ms >= 2 * 60 * minuteMs) return ['hour', Math.floor(ms / (60 * minuteMs))]
  return ['minute', Math.floor(ms / minuteMs)]
}

function withTicker(forms: string, units: bigint, decimals: number, { asset, currency }: Listing): string {
  const least = currency.kind === 'FIAT' ? Math.min(asset.decimals, decimals) : 0
  return `${digits(forms, units, decimals, least)}\u00A0${asset.ticker}`
}

/** Intl formats decimal text exactly, digit by digit, so no amount becomes a float. */
function digits(forms: string, units: bigint, decimals: number, least: number): string {
  const format = new Intl.NumberFormat(forms, { minimumFractionDigits: least, maximumFractionDigits: decimals })
  return format.format(formatAmount(units, { decimals }) as `${number}`).replace('-', '\u2212')
}
