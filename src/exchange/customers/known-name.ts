import type { Ctx } from '../context.ts'
import type { Db } from '../../platform/db/sql.ts'
import { readKeptBilling } from './billing.ts'
import type { Billing } from './billing-field.ts'
import { profilesOf } from './profile.ts'

/** What a customer is called. `isVerified`: by an identity provider, else as the partner or the customer said. */
export type KnownName = { name: string; isVerified: boolean }

/**
 * The name of a customer: the verified one, if there is any, else the one that the partner passed for the order (`bound`) or before.
 * Undefined where none is known.
 */
export async function knownName(
  ctx: Ctx,
  db: Db,
  {
    partnerCustomerId,
    customerId,
    bound = {},
  }: { partnerCustomerId: bigint | null; customerId: bigint | null; bound?: Billing | undefined },
): Promise<KnownName | undefined> {
  const [profile] = partnerCustomerId === null ? [] : await profilesOf(ctx, db, [partnerCustomerId])
  const approved = profile?.imports.findLast(({ status }) => status === 'approved')
  const verified = approved && fullName(approved.person.firstName, approved.person.lastName)
  if (verified) return { name: verified, isVerified: true }
  if (customerId === null) return undefined
  const { passed, own } = await readKeptBilling(ctx, db, { partnerCustomerId, customerId })
  const name = fullNameIn([bound, passed].find(({ lastName }) => lastName !== undefined) ?? own)
  return name === '' ? undefined : { name, isVerified: false }
}

export const fullNameIn = ({ firstName = '', lastName = '' }: Billing): string => fullName(firstName, lastName)

const fullName = (...parts: string[]): string => parts.filter((part) => part !== '').join(' ')
