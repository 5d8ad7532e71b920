import { fail } from 'node:assert/strict'

import type { IdentityContext } from '../../src/sandbox/identity/provider.ts'

/** What the sandbox's identity provider stands on where nobody is checked: any use of it fails. */
export const closedIdentity: IdentityContext = {
  get db(): IdentityContext['db'] {
    return { sql: () => Promise.resolve([]), atomic: () => fail('nobody is checked'), close: () => Promise.resolve() }
  },
  get clock(): IdentityContext['clock'] {
    return fail('nobody is checked')
  },
  url: () => 'http://127.0.0.1:9',
  sign: () => fail('nothing is signed'),
  isSigned: () => false,
  owe: () => fail('nothing is told'),
}
