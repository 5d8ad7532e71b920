import { createPublicKey } from 'node:crypto'

import { Refusal } from '../lib/refusal.ts'
import type { GivenSettings, Limits, Theme } from './settings.ts'

/** Whether the value of this setting is the contents of a file. */
export const isFileSetting = (name: string): boolean => ['signing_key', 'fees', 'limits', 'theme'].includes(name)

type Reader = (text: string) => GivenSettings

/** Every setting by the name that the command line has for it. */
const readers: Readonly<Record<string, Reader>> = {
  signing: (text) => ({ signing: oneOf(text, ['off', 'create', 'all'], 'signing') }),
  signing_key: (text) => ({ signingKey: publicKeyPem(text) }),
  b2b_approval: (text) => ({ b2bApproval: oneOf(text, ['on', 'off'], 'b2b_approval') === 'on' }),
  slippage_percent: (text) => ({ slippageBasisPoints: basisPoints(text, 'slippage_percent', 5_000) }),
  fees: (text) => ({ terms: { commissionBasisPoints: commission(text) } }),
  limits: (text) => ({ terms: { limits: limits(text) } }),
  theme: (text) => ({ theme: theme(text) }),
}

/** Reads settings by their names. Refuses an unknown name, and a value that cannot be read, saying what it must be. */
export function readChanges(texts: Readonly<Record<string, string>>): GivenSettings[] {
  const changes = Object.entries(texts).map(([name, text]) => {
    const read = Object.hasOwn(readers, name) ? readers[name] : undefined
    if (!read)
      throw new Refusal('BAD_REQUEST', `There is no such setting; there are ${Object.keys(readers).join(', ')}.`)
    return read(text.trim())
  })
  if (changes.length === 0) throw new Refusal('BAD_REQUEST', 'Nothing to change was named.')
  return changes
}

const wrong = (name: string, sentence: string): Refusal => new Refusal('BAD_REQUEST', `${name}: ${sentence}`)

function oneOf<Word extends string>(text: string, words: readonly Word[], name: string): Word {
  const word = words.find((one) => one === text)
  if (word === undefined) throw wrong(name, `must be one of ${words.join(', ')}.`)
  return word
}

/** A percentage of at most two decimals as hundredths of a percent. */
function basisPoints(text: string, name: string, most: number): number {
  const [, whole = '', fraction = ''] = /^(\d{1,3})(?:\.(\d{1,2}))?$/.exec(text) ?? []
  const points = whole === '' ? Number.NaN : Number.parseInt(whole + fraction.padEnd(2, '0'), 10)
  if (!(points <= most)) throw wrong(name, `must be a percentage from 0 to ${most / 100}, with at most two decimals.`)
  return points
}

function publicKeyPem(text: string): string {
  try {
    const key = createPublicKey(text)
    const kind = key.asymmetricKeyType
    const isStrong = kind === 'ed25519' || (kind === 'rsa' && (key.asymmetricKeyDetails?.modulusLength ?? 0) >= 2048)
    if (isStrong) return key.export({ type: 'spki', format: 'pem' }).toString()
  } catch {
    // Whatever it is, it is no key: the refusal below says what is wanted.
  }
  throw wrong('signing_key', 'must be a public key in PEM form, Ed25519 or RSA of at least 2048 bits.')
}

/** The most that a partner may take, 20 percent: pricing refuses, as a fault, fees that come to half of what is paid. */
const mostCommission = 2_000

/** `{"commission_percent": "0.5"}`, as a text or a number. */
function commission(text: string): number {
  const { commission_percent: percent, ...others } = json(text, 'fees')
  if (percent === undefined || Object.keys(others).length > 0) throw wrong('fees', 'takes commission_percent.')
  return basisPoints(plain(percent), 'commission_percent', mostCommission)
}

/** `{"min": "50", "max": "5000"}` in the market's reference currency; an end that is left out has no limit. */
function limits(text: string): Limits {
  const { min: least, max: most, ...others } = json(text, 'limits')
  if (Object.keys(others).length > 0) throw wrong('limits', 'takes min and max.')
  const [min, max] = [amountOrNull(least, 'limits.min'), amountOrNull(most, 'limits.max')]
  if (min !== null && max !== null && cents(min) > cents(max))
    throw wrong('limits', 'min must not be greater than max.')
  return { min, max }
}

/** A number or a text as JSON has it; anything else is read as no number at all. */
const plain = (value: unknown): string => (typeof value === 'number' || typeof value === 'string' ? String(value) : '')

function amountOrNull(value: unknown, name: string): string | null {
  if (value === undefined || value === null) return null
  const text = plain(value)
  if (!/^\d{1,12}(\.\d{1,2})?$/.test(text)) throw wrong(name, 'must be an amount with at most two decimals.')
  return text
}

const cents = (text: string): bigint => {
  const [whole = '', fraction = ''] = text.split('.')
  return BigInt(whole + fraction.padEnd(2, '0'))
}

const themeNames: readonly (keyof Theme)[] = ['accent', 'background', 'text']

function theme(text: string): Theme {
  const given = json(text, 'theme')
  for (const [name, value] of Object.entries(given)) {
    const isColour = typeof value === 'string' && /^#[0-9a-f]{6}$/i.test(value)
    if (!(themeNames as readonly string[]).includes(name) || !isColour) {
      throw wrong('theme', `takes ${themeNames.join(', ')}, each a colour such as #0a7cff.`)
    }
  }
  return given
}

function json(text: string, name: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    if (isObject(value)) return value
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
  }
  throw wrong(name, 'must be a JSON object.')
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
