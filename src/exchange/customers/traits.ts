import { indexHash } from '../../platform/privacy/master-key.ts'
import type { Ctx } from '../context.ts'
import { canonicalEmail } from './email.ts'

/**
 * Something that belongs to one person. Customers who share one are the same person to limits. Not so `address`, where coins are
 * paid to: many may use one, so it is only counted (the rules of risk).
 */
export type Trait = { kind: 'email' | 'card' | 'account' | 'document' | 'address'; hash: Buffer }

/** What identifies a person: texts that are kept as keyed hashes only. `address` is a coin's, with its memo. */
export type TraitTexts = {
  email?: string | null
  account?: string | null
  address?: string | null
  documents?: readonly string[]
}

export function traitsOf(
  { secrets }: Pick<Ctx, 'secrets'>,
  { email, account, address, documents = [] }: TraitTexts,
): Trait[] {
  const hashed = (kind: Trait['kind'], text: string): Trait => ({
    kind,
    hash: indexHash(secrets, `trait ${kind}`, text),
  })
  return [
    ...(email ? [hashed('email', canonicalEmail(email))] : []),
    ...(account ? [hashed('account', account.replaceAll(/[\s-]/g, '').toUpperCase())] : []),
    ...(address ? [hashed('address', address.toLowerCase())] : []),
    ...documents.map((text) => hashed('document', text.replaceAll(/[\s-]/g, '').toUpperCase())),
  ]
}

/** The hash of a card, under the name that its processor gives it on this rail. */
export const cardHash = ({ secrets }: Pick<Ctx, 'secrets'>, rail: string, fingerprint: string): Buffer =>
  indexHash(secrets, 'trait card', `${rail}\n${fingerprint}`)
