import type { FastifyInstance } from 'fastify'

import { badField } from '../../platform/lib/refusal.ts'
import { isUnsafe, unsafeSentence } from '../../platform/lib/unsafe-characters.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What the forms that are sent here may say in their field `do`: the names in the table that says what is done. */
    does?: readonly string[]
  }
}

/**
 * Lets the routes of a scope take HTML forms of at most so many bytes, as URLSearchParams, and no other bodies. Characters that cannot be
 * seen are refused; `isShown`: the pages themselves say at which field.
 */
export function readForms(scope: FastifyInstance, largestForm: number, { isShown = false } = {}): void {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: largestForm },
    (_request, text, parsed) => {
      const form = new URLSearchParams(String(text))
      const unsafe = [...form].find(([name, value]) => isUnsafe(name) || (!isShown && isUnsafe(value)))
      if (unsafe) parsed(badField(unsafe[0], unsafeSentence, 'UNSAFE_CHARACTERS'))
      else parsed(null, form)
    },
  )
}
