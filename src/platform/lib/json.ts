import assert from 'node:assert/strict'

import { parse } from 'lossless-json'

import { Refusal } from './refusal.ts'

/** Our bodies nest four levels deep; a stack overflows far above this limit. */
const maxDepth = 64

/** Limits a JSON number's exponent and its written digits. */
const maxDigits = 30

const exact: unique symbol = Symbol('exact number')

/**
 * A JSON number as it was written, never converted to a double. No JSON text can forge one: its mark is a
 * symbol.
 */
export type ExactNumber = { readonly [exact]: true; readonly text: string }

/** Whether `parseJson` read this as a number. */
export const isExactNumber = (value: unknown): value is ExactNumber =>
  typeof value === 'object' && value !== null && exact in value

/** Parses a document that a person has written. Refuses a name that is given two values and deep nesting (BAD_REQUEST). */
export function parseDocument(text: string): unknown {
  refuseDeep(text)
  parse(text, undefined, {
    parseNumber: Number,
    onDuplicateKey: ({ key }) => {
      throw new Refusal('BAD_REQUEST', `${key} is given twice.`)
    },
  })
  return JSON.parse(text) as unknown
}

/**
 * Parses JSON with every number as an `ExactNumber`; everything else as `JSON.parse` does: the last of duplicate keys wins, and
 * `__proto__` is an ordinary key. Refuses invalid JSON and nesting beyond 64 levels with BAD_REQUEST. Takes time linear in the
 * length of the text.
 */
export function parseJson(text: string): unknown {
  refuseDeep(text)
  try {
    return parse(text, undefined, {
      parseNumber: (number): ExactNumber => ({ [exact]: true, text: number }),
      onDuplicateKey: ({ newValue }) => newValue,
    })
  } catch (error) {
    if (error instanceof SyntaxError) throw new Refusal('BAD_REQUEST', 'The body is not valid JSON.')
    throw error
  }
}

/** Whether a text is a number as JSON writes it with an exponent. */
export const isNumberWithExponent = (text: string): boolean => /^-?\d+(?:\.\d+)?e[+-]?\d+$/i.test(text)

/** The exact number written in a text that is not JSON. */
export const numberIn = (text: string): ExactNumber => ({ [exact]: true, text })

/**
 * Expands any spelling of a JSON number to a plain decimal text of the same value: `5e-7` is `0.0000005`, `1.50E1` is
 * `15`. Undefined beyond 30 written digits or an exponent beyond 30 either way, before anything is expanded.
 */
export function plainDecimal({ text }: ExactNumber): string | undefined {
  const match = /^(-?)(\d{1,30})(?:\.(\d{1,30}))?(?:[eE]([+-]?)0*(\d{1,2}))?$/.exec(text)
  const [, sign = '', whole = '', fraction = '', direction = '', exponent = '0'] = match ?? []
  const size = Number(exponent)
  if (!match || whole.length + fraction.length > maxDigits || size > maxDigits) return undefined

  const digits = whole + fraction
  const point = whole.length + (direction === '-' ? -size : size)
  const padded = digits.padStart(digits.length - Math.min(point, 0), '0').padEnd(point, '0')
  const cut = Math.max(point, 0)
  const integer = padded.slice(0, cut).replace(/^0+/, '') || '0'
  const decimals = padded.slice(cut).replace(/0+$/, '')
  return decimals ? `${sign}${integer}.${decimals}` : `${sign}${integer}`
}

/**
 * A decimal text as a JSON number, for the few API fields that are numbers by contract (`min` and `max` of a range,
 * `fromAmount`): the nearest double, which nothing computes with or reads back.
 */
export function jsonNumber(text: string): number {
  assert.match(text, /^-?\d+(\.\d+)?$/)
  return Number(text)
}

function refuseDeep(text: string): void {
  if (isDeeperThan(text, maxDepth)) throw new Refusal('BAD_REQUEST', 'The JSON is nested too deeply.')
}

/** Whether brackets and braces outside strings ever nest deeper than `limit`; one pass, before any parser recurses. */
function isDeeperThan(text: string, limit: number): boolean {
  let depth = 0
  let inString = false
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at]
    if (inString) {
      if (char === '\\') at += 1
      else if (char === '"') inString = false
    } else if (char === '"') inString = true
    else if (char === '[' || char === '{') {
      depth += 1
      if (depth > limit) return true
    } else if (char === ']' || char === '}') depth -= 1
  }
  return false
}
