import { fail } from 'node:assert/strict'

import type { Office } from '../../src/sandbox/identity/provider.ts'

/** What the sandbox's identity provider stands on where nobody is checked: any use of it fails. */
export const closedOffice: Office = {
  get db(): Office['db'] {
    return { sql: () => Promise.resolve([]), atomic: () => fail('nobody is checked'), close: () => Promise.resolve() }
  },
  get clock(): Office['clock'] {
    return fail('nobody is checked')
  },
  url: () => 'http://127.0.0.1:9',
  sign: () => fail('nothing is signed'),
  isSigned: () => false,
  owe: () => fail('nothing is told'),
}
