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
  /** Whole minutes, rounded down: nobody is promised more time than there is. */
  duration(ms: number): string
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
    amount: (units, { asset, currency }) => {
      const least = currency.kind === 'FIAT' ? asset.decimals : 0
      return `${digits(tag, units, asset.decimals, least)}\u00A0${asset.ticker}`
    },
    duration: (ms) => {
      const minutes = Math.floor(ms / 60_000)
      if (minutes < 1) return say('time.soon')
      return say(minutes === 1 ? 'time.minutes.one' : 'time.minutes.many', { count: String(minutes) })
    },
    country: (alpha2, fallback) => regions.of(alpha2) ?? fallback,
    compare: (one, other) => collator.compare(one, other),
  }
}

/** Intl takes decimal text and formats it exactly, digit by digit; no double ever holds the amount. */
function digits(tag: string, units: bigint, decimals: number, least: number): string {
  const format = new Intl.NumberFormat(tag, { minimumFractionDigits: least, maximumFractionDigits: decimals })
  return format.format(formatAmount(units, { decimals }) as `${number}`).replace('-', '\u2212')
}
