import type { Ctx } from '../context.ts'
import type { Applicant, Person, ReviewStatus, ScreeningHit } from '../../identity/provider.ts'
import type { DataKey } from '../../platform/privacy/data-key.ts'
import { indexHash } from '../../platform/privacy/master-key.ts'

/** What is kept, sealed, of a person whom a provider knows. Times are ISO 8601. */
export type KeptApplicant = {
  applicantId: string
  status: ReviewStatus
  /** The provider's own name of what was verified. */
  level: string
  reviewedAt: string | null
  verifiedAt: string | null
  expiresAt: string | null
  screening: ScreeningHit[]
  reasons: string[]
  person: Person
  /** The documents that were shown; absent in imports of before they were asked for. */
  documents?: readonly string[]
}

/** An import as the database keeps it. */
export type ImportRow = {
  id: bigint
  partnerId: bigint
  partnerCustomerId: bigint
  provider: string
  dataKeyId: bigint
  personal: Buffer
  changedAt: Date
}

/** A person whose identity a partner shared with us, and the status of the review. */
export type Import = Pick<ImportRow, 'id' | 'partnerId' | 'partnerCustomerId' | 'provider' | 'changedAt'> &
  Omit<KeptApplicant, 'reviewedAt' | 'verifiedAt' | 'expiresAt'> & {
    reviewedAt: Date | null
    verifiedAt: Date | null
    expiresAt: Date | null
  }

/** Where an import's personal data belongs; sealed bytes open nowhere else. */
const placeOf = (id: bigint): string => `identity_imports:${id}`

/** Opens an import with the key that it is sealed with. */
export function openImport(dataKey: DataKey, row: ImportRow): Import {
  const { id, partnerId, partnerCustomerId, provider, changedAt } = row
  const kept = dataKey.open<KeptApplicant>(row.personal, placeOf(id))
  return {
    ...kept,
    id,
    partnerId,
    partnerCustomerId,
    provider,
    changedAt,
    reviewedAt: dateOf(kept.reviewedAt),
    verifiedAt: dateOf(kept.verifiedAt),
    expiresAt: dateOf(kept.expiresAt),
  }
}

/** Seals what a provider knows of somebody for an import. */
export const sealApplicant = (dataKey: DataKey, id: bigint, kept: KeptApplicant): Buffer =>
  dataKey.seal(kept, placeOf(id))

/** What is kept of an applicant. */
export const keptOf = ({ review, kyc, person, documents }: Applicant): KeptApplicant => ({
  applicantId: review.applicantId,
  status: review.status,
  level: review.level,
  reviewedAt: textOf(review.reviewedAt),
  verifiedAt: textOf(kyc.verifiedAt),
  expiresAt: textOf(kyc.expiresAt),
  screening: review.screening,
  reasons: review.reasons,
  person,
  ...(documents ? { documents } : {}),
})

/**
 * What is left of somebody whom the provider has deleted: not who it was, and that the screening found them, which no deletion
 * makes undone.
 */
export const deletedOf = ({ applicantId, screening }: Import): KeptApplicant => ({
  applicantId,
  status: 'not_started',
  level: '',
  reviewedAt: null,
  verifiedAt: null,
  expiresAt: null,
  screening,
  reasons: [],
  person: { firstName: '', lastName: '', birthDate: '', country: '', email: '' },
})

/** An open import as it is kept, for comparing it with what the provider says now. */
export const keptAgain = (known: Import): KeptApplicant => ({
  applicantId: known.applicantId,
  status: known.status,
  level: known.level,
  reviewedAt: textOf(known.reviewedAt ?? undefined),
  verifiedAt: textOf(known.verifiedAt ?? undefined),
  expiresAt: textOf(known.expiresAt ?? undefined),
  screening: known.screening,
  reasons: known.reasons,
  person: known.person,
  ...(known.documents ? { documents: known.documents } : {}),
})

/** The keyed hash to look up a provider's applicant by. */
export const applicantHash = ({ secrets }: Pick<Ctx, 'secrets'>, provider: string, id: string): Buffer =>
  indexHash(secrets, 'applicant', `${provider}\n${id}`)

const textOf = (at: Date | undefined): string | null => at?.toISOString() ?? null
const dateOf = (text: string | null): Date | null => (text === null ? null : new Date(text))
