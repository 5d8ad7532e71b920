import { isEmailAddress } from '../operators/operator.ts'
import { instant } from '../partners/setting-value.ts'
import { parseDuration } from '../../platform/lib/duration.ts'
import { readId } from '../../platform/lib/ids.ts'
import { badField, Refusal } from '../../platform/lib/refusal.ts'
import type { Schema } from '../../platform/lib/schema.ts'
import { bookedAsset } from '../../reference/catalog/sync-assets.ts'

/** A kind of values that are typed for actions: its schema says what may be typed, `read` gives what that is. */
export type Kind<Value> = {
  /** Of the text. Forms follow from it: their fields' types, lengths and options. */
  schema: Schema
  /** What the usage of commands calls it. */
  usage: string
  /** Completes `This must be …`; shown with the field, where the field does not show it by itself. */
  form: string
  /** What it is shows without its form. */
  isPlain?: true
  /** What people read of each option. */
  texts?: Readonly<Record<string, string>>
  /** So many lines of a form. */
  lines?: number
  inputMode?: 'numeric' | 'decimal'
  /** Undefined for what is not of this kind. */
  read(text: string): Value | undefined
}

/** A field, as far as its value is read. */
export type Typed<Value> = { name: string; kind: Kind<Value> }

/** What a text means in a field. Refuses others there, with the same sentence at every door. */
export function valueOf<Value>({ name, kind }: Typed<Value>, text: string): Value {
  const { pattern, maxLength = text.length } = kind.schema as { pattern?: string; maxLength?: number }
  if (text.length > maxLength) throw badField(name, `This must have at most ${maxLength} characters.`)
  const value = pattern === undefined || new RegExp(pattern, 'v').test(text) ? readSafely(kind, text) : undefined
  if (value === undefined) throw badField(name, `This must be ${kind.form}.`)
  return value
}

/** Readers that know no fields say by an error that a text is not of their kind. */
export function readSafely<Value>({ read }: Kind<Value>, text: string): Value | undefined {
  try {
    return read(text)
  } catch (error) {
    if (error instanceof RangeError || error instanceof Refusal) return undefined
    throw error
  }
}

export const capital = (sentence: string): string => sentence.charAt(0).toUpperCase() + sentence.slice(1)

const of = <Value>(
  schema: Schema,
  usage: string,
  form: string,
  read: Kind<Value>['read'],
  rest: Partial<Kind<Value>> = {},
): Kind<Value> => ({ schema: { type: 'string', ...schema }, usage, form, read, ...rest })

const itself = (typed: string): string => typed
const where = <Value>(value: Value, is: boolean): Value | undefined => (is ? value : undefined)
const plain = { isPlain: true } as const
const digits = { inputMode: 'numeric' } as const
const decimal = { inputMode: 'decimal' } as const

export const text = (usage = 'TEXT', longest = 10_000, lines?: number): Kind<string> =>
  of({ maxLength: longest }, usage, 'a text', itself, { ...plain, ...(lines === undefined ? {} : { lines }) })

export function choice<const Value extends string>(
  options: readonly (Value | readonly [value: Value, text: string])[],
  usage?: string,
): Kind<Value> {
  const pairs = options.map((one) => (typeof one === 'string' ? ([one, one] as const) : one))
  const values = pairs.map(([value]) => value)
  const read = (typed: string) => values.find((one) => one === typed)
  const rest = { ...plain, texts: Object.fromEntries(pairs) }
  return of({ enum: values }, usage ?? values.join('|'), values.join(' or '), read, rest)
}

export const onOff: Kind<boolean> = {
  ...choice(['on', 'off']),
  read: (typed) => where(typed === 'on', ['on', 'off'].includes(typed)),
}

export const whole = (least: number, most: number, usage = 'N'): Kind<number> => {
  const read = (typed: string) => [Number.parseInt(typed, 10)].find((number) => number >= least && number <= most)
  return of({ pattern: String.raw`^\d{1,15}$` }, usage, `a whole number from ${least} to ${most}`, read, digits)
}

export const id = (usage = 'ID'): Kind<bigint> =>
  of({ pattern: String.raw`^\d{1,19}$` }, usage, 'an id of digits', readId, digits)

/** In whole units; how many decimals it may have depends on what it is an amount of (`unitsAt`). */
export const amount = of({ pattern: String.raw`^\d+(\.\d+)?$` }, 'AMOUNT', 'a decimal, as in 12.50', itself, decimal)

const assetForm = 'a currency on a network, as in BTC-BTC or EUR-EUR'
export const asset = of({ maxLength: 50 }, 'ASSET', assetForm, (typed) => bookedAsset(typed)?.id)

export const day = of({ format: 'date' }, 'DATE', 'a day, as in 2026-11-23', (typed) =>
  where(typed, typed.length === 10 && instant(typed, '') !== undefined),
)

const momentForm = 'a day or a time in UTC, as in 2027-01-31 or 2027-01-31T12:00:00Z'
export const moment: Kind<Date> = of({ format: 'date-time' }, 'TIME', momentForm, (typed) => instant(typed, ''))
export const momentOrNever: Kind<Date | 'never'> = of({ maxLength: 30 }, 'TIME', `${momentForm}; or never`, (typed) =>
  typed === 'never' ? typed : instant(typed, ''),
)

/** In milliseconds. */
export const duration = of({ format: 'duration' }, 'DURATION', 'an ISO 8601 duration, such as PT24H', parseDuration)

const mail = { format: 'email', maxLength: 255 }
export const email = of(mail, 'EMAIL', 'an e-mail address', (typed) => where(typed, isEmailAddress(typed)))

const web = { format: 'uri', maxLength: 2_048 }
const webForm = 'an address of the web, as in https://example.com/hook'
export const url = of(web, 'URL', webForm, (typed) => where(typed, URL.canParse(typed)))

/** Several, separated by commas or spaces. */
export const list = (form: string): Kind<string[]> =>
  of({ maxLength: 10_000 }, 'a,b', form, (typed) => typed.split(/[\s,]+/).filter((one) => one !== ''))

export const pem: Kind<string> = text('PEM', 10_000, 3)

/** A document of JSON, whose schema its field has. */
export const json: Kind<string> = of({}, 'FILE', 'a document of JSON', itself, plain)
