import { hash } from 'node:crypto'

import { randomToken } from '../../platform/lib/ids.ts'
import type { KeyKind } from './partner.ts'

const form = /^(pk|sk)_(test|live)_[\w-]{43}$/
const prefixes = { public: 'pk', secret: 'sk' } as const

/** Makes a key: `sk_test_` and 256 random bits in base64url. */
export const makeKeyText = (kind: KeyKind, mode: 'test' | 'live'): string =>
  `${prefixes[kind]}_${mode}_${randomToken(32)}`

/** The mode that a text claims to be a key of; undefined when no key of ours looks like it, so no look-up is worth while. */
export const modeOfKeyText = (text: string): 'test' | 'live' | undefined =>
  form.exec(text)?.[2] as 'test' | 'live' | undefined

/**
 * What is stored of a key: its SHA-256. A plain, fast hash is right here and would be wrong for a password: nobody can
 * guess 256 random bits, whatever a guess costs, so salt and slowness add nothing, and the look-up stays one index read.
 */
export const hashKeyText = (text: string): string => hash('sha256', text, 'hex')
