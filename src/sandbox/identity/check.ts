import { one } from '../../platform/db/sql.ts'
import { randomToken } from '../../platform/lib/ids.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import type { Applicant, CheckOrder, ReviewFact, ReviewStatus, StartedCheck } from '../../identity/provider.ts'
import type { IdentityContext } from './context.ts'
import { personOf, seedOf } from './person.ts'
import * as queries from './queries.ts'

/** How the provider calls itself in callbacks. */
export const providerName = 'sandbox'

const pageUse = 'identity page'

/** A link to the pages: whom they are about, and where they lead back to. */
export type PageLink = { applicantId: string; returnUrl: string }

/** Takes a person up by our reference, once, and gives the way to the pages. All of it is signed. */
export async function startCheck(
  identity: IdentityContext,
  { reference, returnUrl }: CheckOrder,
): Promise<StartedCheck> {
  const taken = await queries.takeUp(identity.db, {
    applicantId: `sandbox-check-${seedOf(randomToken(16))}`,
    reference,
    at: identity.clock.realNow(),
  })
  const { applicantId } = one(taken)
  const query = new URLSearchParams({ applicant: applicantId, return_url: returnUrl })
  query.append('signature', identity.sign(pageUse, query.toString()))
  return { applicantId, goTo: `${identity.url()}/identity?${query.toString()}` }
}

/** Reads a link that the provider has signed; undefined for any other. */
export function readPageLink(
  identity: Pick<IdentityContext, 'isSigned'>,
  query: URLSearchParams,
): PageLink | undefined {
  const bare = new URLSearchParams(query)
  bare.delete('signature')
  if (!identity.isSigned(pageUse, bare.toString(), query.get('signature') ?? undefined)) return undefined
  return { applicantId: bare.get('applicant') ?? '', returnUrl: bare.get('return_url') ?? '' }
}

/** The state of a check; undefined for an unknown id. */
export const stateOf = async ({ db }: Pick<IdentityContext, 'db'>, applicantId: string) =>
  (await queries.applicant(db, applicantId))[0]?.state

type Move = { from: queries.CheckState[]; to: queries.CheckState }

/** What the buttons of the pages do. From other states they do nothing, so that a form sent twice counts once. */
const moves: Readonly<Record<string, Move>> = {
  document: { from: ['open', 'needs_info'], to: 'document' },
  blurred: { from: ['open', 'needs_info'], to: 'needs_info' },
  forged: { from: ['open', 'needs_info'], to: 'rejected' },
  selfie: { from: ['document'], to: 'approved' },
  dark: { from: ['document'], to: 'needs_info' },
  stranger: { from: ['document'], to: 'rejected' },
  unsure: { from: ['document'], to: 'in_review' },
  approve: { from: ['in_review'], to: 'approved' },
  ask: { from: ['in_review'], to: 'needs_info' },
  reject: { from: ['in_review'], to: 'rejected' },
}

/** Does what a button says, and reports it to the exchange as a provider would. Returns the state of the check afterwards. */
export async function press(
  identity: IdentityContext,
  applicantId: string,
  button: string,
): Promise<queries.CheckState | undefined> {
  const move = Object.hasOwn(moves, button) ? moves[button] : undefined
  if (!move) return stateOf(identity, applicantId)
  const at = identity.clock.realNow()
  return identity.db.atomic(async (db) => {
    const [moved] = await queries.move(db, { applicantId, ...move, at })
    if (!moved) return (await queries.applicant(db, applicantId))[0]?.state
    await identity.owe(db, providerName, {
      type: 'applicant_changed',
      applicant: applicantId,
      change: String(moved.changes),
      status: moved.state,
      at: at.toISOString(),
    })
    return moved.state
  })
}

const statuses: Readonly<Record<queries.CheckState, ReviewStatus>> = {
  open: 'not_started',
  document: 'not_started',
  needs_info: 'needs_info',
  in_review: 'in_review',
  approved: 'approved',
  rejected: 'rejected',
}

/** Documents of the sandbox are valid for ten years. */
const validMs = 10 * 365 * 86_400_000

/** All that is known of somebody whom the provider checks; undefined for every other id. */
export async function checkedPerson({ db }: Pick<IdentityContext, 'db'>, id: string): Promise<Applicant | undefined> {
  const [row] = await queries.applicant(db, id)
  if (!row) return undefined
  const status = statuses[row.state]
  const isOver = status === 'approved' || status === 'rejected'
  return personOf(seedOf(id), {
    applicantId: id,
    status,
    reviewedAt: isOver ? row.changedAt : undefined,
    screening: [],
    reasons: status === 'rejected' ? ['FORGERY'] : [],
    expiresAt: new Date(row.changedAt.getTime() + validMs),
  })
}

/** Reads a callback of the provider. Refuses one that it has not signed, and one that is about nobody. */
export function readCheckCallback(
  identity: Pick<IdentityContext, 'isSigned'>,
  body: string,
  headers: Record<string, string | undefined>,
): ReviewFact {
  if (!identity.isSigned(providerName, body, headers['x-processor-signature'])) {
    throw new Refusal('SIGNATURE_INVALID', 'The signature does not match.')
  }
  const { type = '', applicant = '', change = '', status = '', at = '' } = textsIn(body)
  if (applicant === '' || change === '') throw new Refusal('BAD_REQUEST', 'This is not what the provider says.')
  const when = new Date(at)
  return {
    key: `${applicant}:${change}`,
    kind: type === 'applicant_changed' ? 'applicant.changed' : 'other',
    applicantId: applicant,
    at: Number.isNaN(when.getTime()) ? undefined : when,
    body: { type, change, status },
  }
}

function textsIn(body: string): Partial<Record<string, string>> {
  let said: unknown
  try {
    said = JSON.parse(body)
  } catch (error) {
    if (error instanceof SyntaxError) return {}
    throw error
  }
  if (typeof said !== 'object' || said === null) return {}
  return Object.fromEntries(
    Object.entries(said).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  )
}
