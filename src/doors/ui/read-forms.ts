import type { FastifyInstance } from 'fastify'

import { badField } from '../../platform/lib/refusal.ts'
import { isUnsafe, unsafeSentence } from '../../platform/lib/unsafe-characters.ts'
import type { SecretPlace } from '../../reference/addresses/secret-text.ts'
import { textFault } from './text-fault.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What the forms that are sent here may say in their field `do`: the names in the table that says what is done. */
    does?: readonly string[]
  }
}

/** A password may be any phrase: it is not stored as it is typed. */
const isPassword = (name: string): boolean => name.includes('password')

/**
 * Lets the routes of a scope take HTML forms of at most so many bytes, as URLSearchParams, and no other bodies. Characters that cannot be
 * seen are refused, and so are keys to coins, where `place` is what the fields are for; `isShown`: the pages themselves say at which field.
 */
export function readForms(
  scope: FastifyInstance,
  largestForm: number,
  { isShown = false, place = 'identifier' }: { isShown?: boolean; place?: SecretPlace } = {},
): void {
  const faultOf = ([name, value]: [string, string]) => {
    if (isUnsafe(name)) return { name, code: 'UNSAFE_CHARACTERS', message: unsafeSentence }
    if (isShown || isPassword(name)) return undefined
    const fault = textFault(value, { place, hasLines: true, isCard: () => false })
    return fault && { name, ...fault }
  }
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: largestForm },
    (_request, text, parsed) => {
      const form = new URLSearchParams(String(text))
      const fault = [...form].map(faultOf).find((one) => one !== undefined)
      if (fault) parsed(badField(fault.name, fault.message, fault.code))
      else parsed(null, form)
    },
  )
}
