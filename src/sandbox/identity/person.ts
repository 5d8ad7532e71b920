import { createHash } from 'node:crypto'

import { type Applicant, missingFieldsOf, type Person, type Review } from '../../identity/provider.ts'

const firstNames = ['Ada', 'Bruno', 'Chiara', 'Dunja', 'Emil', 'Farida', 'Goran', 'Hedwig'] as const
const lastNames = ['Almeida', 'Berger', 'Costa', 'Dubois', 'Eriksen', 'Fischer', 'Garcia', 'Horvat'] as const
const homes = ['DE', 'FR', 'ES', 'IT', 'PT', 'AT', 'NL', 'FI'] as const

/** Sixteen hexadecimal digits that follow from a text. */
export const seedOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16)

/** What is known of a person's verification besides who it is; dates as far as there are any. */
export type Verified = Omit<Review, 'level'> & { expiresAt: Date | undefined }

/** A person who is made up from a seed, always the same, and verified as it is said. */
export function personOf(seed: string, { expiresAt, ...verified }: Verified): Applicant {
  const pick = <T>(from: readonly [T, ...T[]], at: number): T =>
    from[Number.parseInt(seed.slice(at, at + 2), 16) % from.length] ?? from[0]
  const person: Person = {
    firstName: pick(firstNames, 0),
    lastName: pick(lastNames, 2),
    birthDate: `19${60 + (Number.parseInt(seed.slice(4, 6), 16) % 40)}-0${1 + (Number.parseInt(seed.slice(6, 8), 16) % 9)}-15`,
    country: pick(homes, 8),
    email: `kyc-${seed}@sandbox.invalid`,
  }
  const review: Review = { ...verified, level: 'sandbox-id-and-liveness' }
  const isApproved = review.status === 'approved'
  return {
    review,
    kyc: {
      level: review.level,
      provider: 'sandbox',
      verifiedAt: isApproved ? review.reviewedAt : undefined,
      expiresAt: isApproved ? expiresAt : undefined,
      missingFields: missingFieldsOf(person),
    },
    person,
    documents: [`${person.country} PASSPORT ${seed}`],
  }
}
