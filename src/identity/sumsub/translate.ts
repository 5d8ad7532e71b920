/**
 * What Sumsub's statuses mean to us. Fields of another type than documented count as absent, and unknown statuses approve and
 * reject nobody.
 *
 * Sources, read 2026-11-20:
 * applicant: https://docs.sumsub.com/reference/get-applicant-data (by our own id: .../get-applicant-data-via-externaluserid,
 *   updated 2026-09-17); field names of `info` and `idDocs` also in the public client github.com/andyle182810/gosumsub;
 * status: https://docs.sumsub.com/reference/get-applicant-review-status (updated 2026-09-18),
 *   https://docs.sumsub.com/docs/applicant-statuses;
 * result: https://docs.sumsub.com/docs/receive-and-interpret-results-via-api (updated 2026-09-23);
 * labels: https://docs.sumsub.com/docs/rejection-labels, https://docs.sumsub.com/reference/final-rejection.
 */
import { countries } from '../../reference/catalog/country.ts'
import {
  type Applicant,
  type Kyc,
  missingFieldsOf,
  type Person,
  type Review,
  type ReviewStatus,
  type ScreeningHit,
} from '../provider.ts'

/** An object of theirs. */
export type Fields = Readonly<Record<string, unknown>>

/** A value as an object; an empty one if it isn't. */
export const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {}

/** A value as a text of reasonable length; an empty one if it isn't. */
export const textOf = (value: unknown, longest = 200): string => {
  const text = typeof value === 'string' ? value.trim() : ''
  return text.length <= longest && !/[\p{Cc}\u2028\u2029]/u.test(text) ? text : ''
}

/** Applicants' ids are letters and digits (24 of them today): safe in a path. Empty if it isn't one. */
export const idOf = (value: unknown): string => (/^[0-9A-Za-z]{1,64}$/.test(textOf(value)) ? textOf(value) : '')

/**
 * Times of theirs: `2020-02-21 13:23:19`, with milliseconds or without, and with `+0000` at the end or without; always UTC.
 */
export function timeOf(value: unknown): Date | undefined {
  const [, day, time, ms = '000'] =
    /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(?:\.(\d{3}))?(?: ?\+0000)?$/.exec(textOf(value)) ?? []
  const at = new Date(`${day}T${time}.${ms}Z`)
  return day === undefined || Number.isNaN(at.getTime()) ? undefined : at
}

/** Statuses of theirs that are not the end; `completed` is. */
const waiting: Readonly<Record<string, ReviewStatus>> = {
  init: 'needs_info',
  awaitingUser: 'needs_info',
  pending: 'in_review',
  prechecked: 'in_review',
  queued: 'in_review',
  onHold: 'in_review',
  awaitingService: 'in_review',
}

/** Labels that tell of a list on which the person was found. */
const screeningLabels: Readonly<Record<string, ScreeningHit>> = {
  SANCTIONS: 'sanctions',
  PEP: 'pep',
  ADVERSE_MEDIA: 'adverse_media',
  CRIMINAL: 'crime',
  COMPROMISED_PERSONS: 'watchlist',
}

const alpha2Of = new Map(countries.map(({ alpha3, alpha2 }) => [alpha3, alpha2]))

/** An answer counts only when the review is `completed` (`awaitingService` comes with a GREEN that approves nobody). */
function statusOf(review: Fields, result: Fields): ReviewStatus {
  const { reviewStatus } = review
  if (reviewStatus !== 'completed') {
    return typeof reviewStatus === 'string' && Object.hasOwn(waiting, reviewStatus)
      ? (waiting[reviewStatus] ?? 'in_review')
      : 'in_review'
  }
  if (result.reviewAnswer === 'GREEN') return 'approved'
  if (result.reviewAnswer === 'RED' && result.reviewRejectType === 'FINAL') return 'rejected'
  return result.reviewAnswer === 'RED' && result.reviewRejectType === 'RETRY' ? 'needs_info' : 'in_review'
}

/** Reads a review: the whole answer about a status, or `review` of an applicant. */
export function readReview(applicantId: string, review: Fields): Review {
  const result = fieldsOf(review.reviewResult)
  const labels = Array.isArray(result.rejectLabels) ? result.rejectLabels.map((label) => textOf(label, 64)) : []
  const reasons = labels.filter((label) => /^[A-Z0-9_]+$/.test(label)).slice(0, 32)
  return {
    applicantId,
    status: statusOf(review, result),
    level: textOf(review.levelName),
    reviewedAt: review.reviewStatus === 'completed' ? timeOf(review.reviewDate) : undefined,
    screening: reasons.flatMap((label) =>
      Object.hasOwn(screeningLabels, label) ? (screeningLabels[label] ?? []) : [],
    ),
    reasons,
  }
}

/** Reads an applicant who is a person. Undefined for anything else. */
export function readApplicant(body: unknown): Applicant | undefined {
  const applicant = fieldsOf(body)
  const id = idOf(applicant.id)
  if (id === '' || applicant.type === 'company') return undefined
  const review = readReview(id, fieldsOf(applicant.review))
  const person = readPerson(applicant)
  const info = fieldsOf(applicant.info)
  const documents = documentsOf(info)
  return { review, person, kyc: kycOf(review, person, info), ...(documents.length > 0 ? { documents } : {}) }
}

/** What documents say (`info`) goes before what was typed (`fixedInfo`). */
function readPerson(applicant: Fields): Person {
  const [proved, typed] = [fieldsOf(applicant.info), fieldsOf(applicant.fixedInfo)]
  const known = (name: string) => textOf(proved[name]) || textOf(typed[name])
  const birthDate = known('dob')
  const email = textOf(applicant.email, 254)
  return {
    firstName: known('firstName'),
    lastName: known('lastName'),
    birthDate: dayOf(birthDate) ? birthDate : '',
    country: alpha2Of.get(known('country')) ?? '',
    email: /^[^\s@]+@[^\s@]+$/.test(email) ? email : '',
  }
}

/** The documents that have a number. */
const documentsOf = ({ idDocs }: Fields): string[] =>
  (Array.isArray(idDocs) ? idDocs : []).flatMap((one) => {
    const { country, idDocType, number } = fieldsOf(one)
    return textOf(number) === '' ? [] : [`${textOf(country)} ${textOf(idDocType)} ${textOf(number)}`]
  })

function kycOf(review: Review, person: Person, info: Fields): Kyc {
  const verifiedAt = review.status === 'approved' ? review.reviewedAt : undefined
  const ends = (Array.isArray(info.idDocs) ? info.idDocs : [])
    .map((document) => dayOf(textOf(fieldsOf(document).validUntil)))
    .filter((end) => end !== undefined)
    .filter((end) => verifiedAt !== undefined && end >= verifiedAt)
    .toSorted((one, other) => one.getTime() - other.getTime())
  return {
    level: review.level,
    provider: 'sumsub',
    verifiedAt,
    expiresAt: ends[0],
    missingFields: missingFieldsOf(person),
  }
}

/** The last moment of a day `YYYY-MM-DD`; undefined for what is no day. */
function dayOf(text: string): Date | undefined {
  const end = new Date(`${text}T23:59:59.999Z`)
  const real = /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(end.getTime()) && end.toISOString().startsWith(text)
  return real ? end : undefined
}
