import { createHash } from 'node:crypto'

import { Refusal } from '../lib/refusal.ts'
import {
  type Applicant,
  type IdentityProvider,
  missingFieldsOf,
  type Person,
  providerDown,
  type Review,
  tokenRefused,
} from './provider.ts'

/** How tokens of the sandbox begin; no real provider's do. */
export const sandboxTokens = '_act-sandbox-'

type Outcome = Pick<Review, 'status' | 'screening' | 'reasons'>

/** What comes of each kind of token. The last three have no applicant. */
const outcomes = {
  approved: { status: 'approved', screening: [], reasons: [] },
  review: { status: 'in_review', screening: [], reasons: [] },
  rejected: { status: 'rejected', screening: [], reasons: ['FORGERY'] },
  'high-risk': { status: 'approved', screening: ['pep'], reasons: [] },
  used: tokenRefused,
  expired: tokenRefused,
  down: providerDown,
} satisfies Record<string, Outcome | (() => Refusal)>

const tokenForm = /^_act-sandbox-(high-risk|[a-z]+)-([\x21-\x7e]{1,200})$/
const idForm = /^sandbox-(approved|review|rejected|high-risk)-([0-9a-f]{16})$/

const firstNames = ['Ada', 'Bruno', 'Chiara', 'Dunja', 'Emil', 'Farida', 'Goran', 'Hedwig'] as const
const lastNames = ['Almeida', 'Berger', 'Costa', 'Dubois', 'Eriksen', 'Fischer', 'Garcia', 'Horvat'] as const
const homes = ['DE', 'FR', 'ES', 'IT', 'PT', 'AT', 'NL', 'FI'] as const

/** When everybody in the sandbox was verified, and until when that holds: the same at every call, in every process. */
const verifiedAt = new Date('2026-01-05T09:00:00.000Z')
const expiresAt = new Date('2046-01-05T23:59:59.999Z')

/**
 * The provider of the sandbox. It remembers nothing and asks nobody: what comes of a token follows from its text, so that
 * every process gives the same applicant for the same token, at any time.
 *
 *     _act-sandbox-approved-<any>    approved                 _act-sandbox-used-<any>      refused, as a used one
 *     _act-sandbox-review-<any>      in review, for good      _act-sandbox-expired-<any>   refused, as an expired one
 *     _act-sandbox-rejected-<any>    rejected                 _act-sandbox-down-<any>      the provider is down
 *     _act-sandbox-high-risk-<any>   approved, with a screening hit
 *
 * `<any>` is 1 to 200 printable characters without spaces; anything else is an unknown token. That a token is good for one
 * partner only is not this provider's memory: whoever keeps imports refuses a token that another partner has used.
 */
export function openSandboxProvider(): IdentityProvider {
  const find = (id: string): Applicant | undefined => {
    const [, kind = '', seed = ''] = idForm.exec(id) ?? []
    return kind === '' ? undefined : personOf(kind as keyof typeof outcomes, seed)
  }
  return {
    name: 'sandbox',
    importByToken: async ({ token }) => {
      const [, kind = '', rest] = tokenForm.exec(token) ?? []
      if (rest === undefined || !Object.hasOwn(outcomes, kind)) throw tokenRefused()
      const outcome = outcomes[kind as keyof typeof outcomes]
      if (typeof outcome === 'function') throw outcome()
      const seed = createHash('sha256').update(token).digest('hex').slice(0, 16)
      const applicant = find(`sandbox-${kind}-${seed}`)
      if (!applicant) throw new Error('A token of the sandbox leads to nobody.')
      return applicant
    },
    applicant: async (id) => find(id),
    applicantStatus: async (id) => find(id)?.review,
    readCallback: () => {
      throw new Refusal('SIGNATURE_INVALID', 'The sandbox provider sends no callbacks.')
    },
    close: async () => undefined,
  }
}

function personOf(kind: keyof typeof outcomes, seed: string): Applicant | undefined {
  const outcome = outcomes[kind]
  if (typeof outcome === 'function') return undefined
  const pick = <T>(from: readonly [T, ...T[]], at: number): T =>
    from[Number.parseInt(seed.slice(at, at + 2), 16) % from.length] ?? from[0]
  const person: Person = {
    firstName: pick(firstNames, 0),
    lastName: pick(lastNames, 2),
    birthDate: `19${60 + (Number.parseInt(seed.slice(4, 6), 16) % 40)}-0${1 + (Number.parseInt(seed.slice(6, 8), 16) % 9)}-15`,
    country: pick(homes, 8),
    email: `kyc-${seed}@sandbox.invalid`,
  }
  const ended = outcome.status === 'approved' || outcome.status === 'rejected'
  const review: Review = {
    applicantId: `sandbox-${kind}-${seed}`,
    status: outcome.status,
    level: 'sandbox-id-and-liveness',
    reviewedAt: ended ? verifiedAt : undefined,
    screening: [...outcome.screening],
    reasons: [...outcome.reasons],
  }
  const approved = outcome.status === 'approved'
  return {
    review,
    kyc: {
      level: review.level,
      provider: 'sandbox',
      verifiedAt: approved ? verifiedAt : undefined,
      expiresAt: approved ? expiresAt : undefined,
      missingFields: missingFieldsOf(person),
    },
    person,
  }
}
