/**
 * The outside world of persons. A provider verifies who somebody is; it knows nothing of partners and transactions, and
 * speaks of applicants by its own ids. What it tells is personal data, and its reasons stay inside (no tipping off).
 */
import { createHash } from 'node:crypto'

import { badField, Refusal } from '../platform/lib/refusal.ts'

/** How far a verification has come. Anything that is neither a plain yes nor a plain no is `in_review`. */
export type ReviewStatus = 'not_started' | 'needs_info' | 'in_review' | 'approved' | 'rejected'

/** The kind of list on which a screening found the person. */
export type ScreeningHit = 'sanctions' | 'pep' | 'adverse_media' | 'crime' | 'watchlist'

/** What the provider has decided so far. Only the status ever leaves the exchange. */
export type Review = {
  applicantId: string
  status: ReviewStatus
  /** The provider's own name of the verification level; empty when it did not say. */
  level: string
  /** When the review ended; undefined while it has not. */
  reviewedAt: Date | undefined
  /** Empty: no hit. */
  screening: ScreeningHit[]
  /** Why it was not approved, as the provider puts it. Never leaves the exchange. */
  reasons: string[]
}

/** What a partner sees of a verification (`kyc` of the customer's status). */
export type Kyc = {
  level: string
  provider: string
  /** Set once approved. */
  verifiedAt: Date | undefined
  /** The end of the day on which the first document expires, of those that were valid at the review. */
  expiresAt: Date | undefined
  /** What is not known of the person, by the names of billing info. */
  missingFields: string[]
}

/** Who it is. Texts that the provider does not know are empty. */
export type Person = {
  firstName: string
  lastName: string
  /** `YYYY-MM-DD`. */
  birthDate: string
  /** Alpha-2. */
  country: string
  email: string
}

/** One person at a provider. */
export type Applicant = {
  review: Review
  kyc: Kyc
  person: Person
  /** The documents that were shown, as `country type number`, where the provider says. */
  documents?: readonly string[]
}

/**
 * A shared token, and our own name for the import: stable, unique for partner and token (`importReference`), kept by
 * the provider with the applicant. It is what makes an import that may have happened safe to send again.
 */
export type ImportOrder = { token: string; reference: string }

/**
 * What a callback reported. Stored once per `key`; the work comes later and asks the provider for the current state, since
 * callbacks come late, twice and in any order. `body` is what else it said, without personal data.
 */
export type ReviewFact = {
  key: string
  kind: 'applicant.changed' | 'applicant.deleted' | 'other'
  applicantId: string
  /** When the provider says that it happened. */
  at: Date | undefined
  body: Record<string, string>
}

/**
 * The check that a provider is asked for. `reference` is our own name for it, kept by the provider with the applicant; `returnUrl`
 * is where the browser goes when the customer is done, whatever the outcome; `locale` is a language tag.
 */
export type CheckOrder = { reference: string; email: string; returnUrl: string; locale: string }

/** A check that is open: the provider's id of the person, and its page. */
export type StartedCheck = { applicantId: string; goTo: string }

/**
 * An identity verification provider. Functions that call it refuse with SERVICE_UNAVAILABLE if it is unreachable, does not
 * respond, or returns something we do not understand. In that case the outcome is unknown, and the call can be retried.
 */
export type IdentityProvider = {
  readonly name: string
  /** Whether a shared token is this provider's although the partner named another one. */
  claims?(named: string, token: string): boolean
  /** Another provider whose tokens are sent here where that one is not set up. */
  readonly standsInFor?: string
  /**
   * Takes over a person who was verified elsewhere. Refuses a token that is unknown, expired or used with BAD_REQUEST.
   * The same order may be sent again after SERVICE_UNAVAILABLE, and gives the same applicant if the first one took effect.
   */
  importByToken(order: ImportOrder): Promise<Applicant>
  /**
   * Starts a check of a person at the provider's own pages, or resumes one: the same reference gives the same applicant, and a
   * page that is valid now. The outcome is reported by callbacks.
   */
  start(order: CheckOrder): Promise<StartedCheck>
  /** Where its pages for checks are, as sources of a Content-Security-Policy; none where it is not set up to start any. */
  pageOrigins(): string[]
  /** All that the provider knows of an applicant; undefined for an unknown id. */
  applicant(id: string): Promise<Applicant | undefined>
  /** Only the state of the review, without personal data. */
  applicantStatus(id: string): Promise<Review | undefined>
  /** Reads a callback. Refuses one that does not prove its sender (SIGNATURE_INVALID), or that is not one (BAD_REQUEST). */
  readCallback(body: string, headers: Record<string, string | undefined>): ReviewFact
  /** Ends its connections. */
  close(): Promise<void>
}

/** Our own name for what one partner's token leads to. Another partner's use of the same token has another name. */
export const importReference = (partnerId: bigint, token: string): string =>
  `cambio-${createHash('sha256').update(`${partnerId}\n${token}`).digest('hex').slice(0, 40)}`

/** The refusal of a shared token. It does not say which of the three it is: the provider does not always know. */
export const tokenRefused = (): Refusal =>
  badField(
    'kyc_shared_token',
    'The shared token cannot be used: it is unknown, has expired or was used before.',
    'TOKEN_NOT_USABLE',
  )

/** The refusal for a provider that cannot be asked. */
export const providerDown = (retryAfterSeconds = 30): Refusal =>
  new Refusal(
    'SERVICE_UNAVAILABLE',
    'The identity provider is unavailable right now. You can retry the same request.',
    [],
    retryAfterSeconds,
  )

/** What is not known of a person, by the names of billing info. */
export const missingFieldsOf = ({ firstName, lastName, birthDate, country }: Person): string[] =>
  [
    ['first_name', firstName] as const,
    ['last_name', lastName] as const,
    ['date_of_birthday', birthDate] as const,
    ['country_alpha_2', country] as const,
  ]
    .filter(([, known]) => known === '')
    .map(([name]) => name)
