import type { Refusal } from '../../platform/lib/refusal.ts'
import { type Applicant, providerDown, type Review, tokenRefused } from '../../identity/provider.ts'
import { personOf, seedOf } from './person.ts'

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

/** When everybody of whom there is a token was verified, and until when that holds: the same at every call, in every process. */
const verifiedAt = new Date('2026-01-05T09:00:00.000Z')
const expiresAt = new Date('2046-01-05T23:59:59.999Z')

/** The person that a token leads to. Refuses what the token says, and tokens of no form that is known. */
export function personByToken(token: string): Applicant {
  const [, kind = '', rest] = tokenForm.exec(token) ?? []
  if (rest === undefined || !Object.hasOwn(outcomes, kind)) throw tokenRefused()
  const outcome = outcomes[kind as keyof typeof outcomes]
  if (typeof outcome === 'function') throw outcome()
  const person = personById(`sandbox-${kind}-${seedOf(token)}`)
  if (!person) throw new Error('A token of the sandbox leads to nobody.')
  return person
}

/** Somebody whom a token led to, by the id; undefined for every other id. */
export function personById(id: string): Applicant | undefined {
  const [, kind = '', seed = ''] = idForm.exec(id) ?? []
  const outcome = kind === '' ? undefined : outcomes[kind as keyof typeof outcomes]
  if (outcome === undefined || typeof outcome === 'function') return undefined
  const isOver = outcome.status === 'approved' || outcome.status === 'rejected'
  return personOf(seed, {
    applicantId: id,
    status: outcome.status,
    reviewedAt: isOver ? verifiedAt : undefined,
    screening: [...outcome.screening],
    reasons: [...outcome.reasons],
    expiresAt,
  })
}
