import { isIP } from 'node:net'

import { isExactNumber } from '../../platform/lib/json.ts'
import { type Problem, Refusal } from '../../platform/lib/refusal.ts'
import { amountText } from '../../platform/money/amount-in.ts'
import type { SecretPlace } from '../../reference/addresses/secret-text.ts'
import { textFault } from '../ui/text-fault.ts'
import { isObject } from './json-body.ts'

/** A part of a body whose fields are read by name. */
export type Fields = Readonly<Record<string, unknown>>

/** What a text must be besides printable and not too long. */
export type TextRule = {
  longest?: number
  /**
   * Returns undefined if the text is valid, or a sentence that says what is wrong. Card numbers have already been checked for.
   */
  check?: (text: string) => string | undefined
  /** Whether this text may hold what looks like a card number. */
  isCardChecked?: boolean
  /** What it is, unless it is something that people type: hashes look like keys. */
  place?: SecretPlace
  /** Whether a whole number stands for its digits: ids and tags that programs write without quotes. */
  isNumberRead?: boolean
}

/**
 * Reads the fields of one body. Absent (missing, null, `""`) is undefined. What is wrong with a field is taken down with its
 * path, and the field is absent then, so that every fault of a body is found in one go. Never repeats what was sent.
 */
export type FieldReader = {
  readonly problems: readonly Problem[]
  tell(path: string, message: string, code?: string): undefined
  text(path: string, value: unknown, rule?: TextRule): string | undefined
  flag(path: string, value: unknown): boolean
  amount(path: string, value: unknown): string | undefined
  ip(path: string, value: unknown, version?: 4 | 6): string | undefined
  object(path: string, value: unknown): Fields
}

const usualLongest = 255

/** The longest that any text may be: what is behind that is not looked at. */
const longestRead = 2_048

/** Of a partner's own: an id of any form, also one that a program writes as a number. */
export const ownReference: TextRule = { place: 'identifier', isNumberRead: true }

/** A reader with an empty list of problems. */
export function fieldReader(): FieldReader {
  const problems: Problem[] = []
  const tell = (path: string, message: string, code = 'INVALID_VALUE'): undefined => {
    problems.push({ path, code, message })
  }
  const plain = (path: string, value: unknown, isNumberRead = false): string | undefined => {
    if (isAbsent(value)) return undefined
    if (isNumberRead && isExactNumber(value) && /^\d+$/.test(value.text)) return value.text
    return typeof value === 'string' ? value : tell(path, 'This must be a text.')
  }
  return {
    problems,
    tell,
    text: (
      path,
      value,
      { longest = usualLongest, check, isCardChecked = true, isNumberRead = false, place = 'text' } = {},
    ) => {
      const text = plain(path, value, isNumberRead)
      if (text === undefined) return undefined
      const fault = textFault(text.slice(0, longestRead), isCardChecked ? { place } : { place, isCard: () => false })
      if (fault) return tell(path, fault.message, fault.code)
      if (text.length > longest) return tell(path, `This has more than ${longest} characters.`)
      const complaint = check?.(text)
      return complaint === undefined ? text : tell(path, complaint)
    },
    flag: (path, value) => {
      if (isAbsent(value)) return false
      return readFlag(value) ?? tell(path, 'This must be true or false.') ?? false
    },
    amount: (path, value) => {
      try {
        return amountText(value, path) ?? tell(path, 'This is required.', 'REQUIRED')
      } catch (error) {
        if (error instanceof Refusal) return tell(path, error.message)
        throw error
      }
    },
    ip: (path, value, version) => {
      const text = plain(path, value)
      if (text === undefined) return undefined
      const read = isIP(text)
      return read === 0 || (version !== undefined && read !== version)
        ? tell(
            path,
            `This is not an ${version === undefined ? 'IP' : `IPv${version}`} address. Leave it out if you do not know it.`,
          )
        : text.toLowerCase()
    },
    object: (path, value) => {
      if (isAbsent(value)) return {}
      if (isObject(value)) return value
      tell(path, 'This must be an object.')
      return {}
    },
  }
}

/** A yes or no in any of its spellings: `true`, `false`, `1`, `0`, in any letter case. */
export function readFlag(value: unknown): boolean | undefined {
  const isText = typeof value === 'string' || typeof value === 'boolean'
  const text = isExactNumber(value) ? value.text : isText ? String(value).toLowerCase() : ''
  if (text === 'true' || text === '1') return true
  return text === 'false' || text === '0' ? false : undefined
}

export { cardSentence } from '../../platform/lib/card-number.ts'

/** Whether a body has nothing to say here. */
export const isAbsent = (value: unknown): value is undefined | null | '' =>
  value === undefined || value === null || value === ''
