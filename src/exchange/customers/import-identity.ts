import type { Ctx } from '../context.ts'
import type { Atomic, Db } from '../../platform/db/sql.ts'
import { type Applicant, type IdentityProvider, importReference, tokenRefused } from '../../identity/provider.ts'
import { badField } from '../../platform/lib/refusal.ts'
import { indexHash } from '../../platform/privacy/master-key.ts'
import { emailHash, isEmail } from './email.ts'
import { applicantHash, keptOf, sealApplicant } from './imported.ts'
import * as imports from './import-identity.sql.ts'
import { lookAgainWhenExpired } from './look-at-reviews.ts'
import { findOrMakePartnerCustomer } from './partner-customer.ts'
import * as queries from './customers.sql.ts'
import { type CustomerProfile, profilesOf } from './profile.ts'
import { reportStatusChanges } from './report-status.ts'

/** A provider's token that shares a person with us. */
export type SharedToken = { token: string; provider: string }

/** What is to be taken over. Without an e-mail address it is the one that the provider knows. */
export type ImportOrder = SharedToken & { partnerId: bigint; email: string | undefined }

/** The customer whom an import led to; `isNew` if the partner had none with this address before. */
export type Imported = { profile: CustomerProfile; isNew: boolean }

/**
 * Imports a person whom a provider has verified, as a partner's customer. If the same partner sends the same token again, it
 * gets the same customer, without another call to the provider. Refuses BAD_REQUEST a provider that is not set up, a token that
 * is unknown, expired or used, also by another partner, and a person of whom nobody knows an e-mail address;
 * SERVICE_UNAVAILABLE when the provider cannot be asked, and then the same order may be sent again.
 */
export async function importIdentity(ctx: Ctx, order: ImportOrder): Promise<Imported> {
  const { partnerId, token } = order
  const provider = providerFor(ctx, order)
  const known = await importedBefore(ctx, ctx.db, order)
  if (known) return known

  const askedAt = ctx.clock.realNow()
  const applicant = await provider.importByToken({ token, reference: importReference(partnerId, token) })
  const email = order.email ?? applicant.person.email
  if (!isEmail(email))
    throw badField('email', 'The provider knows no e-mail address: pass one with the token.', 'REQUIRED')
  return ctx.db.atomic((db) => keep(ctx, db, { order, provider, applicant, email, askedAt }))
}

/** The provider whose token it is; refuses one that is not set up. */
function providerFor({ identity }: Ctx, { provider: name, token }: SharedToken): IdentityProvider {
  const provider = identity.forToken(name, token)
  if (provider) return provider
  throw badField('kyc_shared_token_provider', 'There is no such identity provider here.', 'PROVIDER_UNKNOWN')
}

async function importedBefore(ctx: Ctx, db: Db, { partnerId, token }: ImportOrder): Promise<Imported | undefined> {
  const [known] = await imports.byToken(db, tokenHash(ctx, token))
  if (!known) return undefined
  if (known.partnerId !== partnerId) throw tokenRefused()
  const [profile] = await profilesOf(ctx, db, [known.partnerCustomerId])
  if (!profile) throw new Error('The customer of an import is missing.')
  return { profile, isNew: false }
}

const tokenHash = ({ secrets }: Ctx, token: string): Buffer => indexHash(secrets, 'kyc-token', token)

type ToKeep = { order: ImportOrder; provider: IdentityProvider; applicant: Applicant; email: string; askedAt: Date }

async function keep(ctx: Ctx, db: Atomic, { order, provider, applicant, email, askedAt }: ToKeep): Promise<Imported> {
  const { partnerId } = order
  const before = await queries.findPartnerCustomers(db, [{ partnerId, hash: emailHash(ctx, email) }])
  const customer = await findOrMakePartnerCustomer(ctx, db, { partnerId, email })
  const [id, dataKey] = await Promise.all([ctx.rowIds.next(), ctx.keyring.get(db, customer.dataKeyId)])
  const kept = keptOf(applicant)
  const inserted = await imports.insert(db, {
    id,
    partnerId,
    partnerCustomerId: customer.id,
    provider: provider.name,
    tokenHash: tokenHash(ctx, order.token),
    applicantHash: applicantHash(ctx, provider.name, kept.applicantId),
    dataKeyId: dataKey.id,
    personal: sealApplicant(dataKey, id, kept),
    askedAt,
    changedAt: ctx.clock.now(),
  })
  if (inserted.length === 0) {
    const first = await importedBefore(ctx, db, order)
    if (!first) throw new Error('A shared token that was taken over is missing.')
    return first
  }
  lookAgainWhenExpired(ctx, db, [{ id, expiresAt: kept.expiresAt }])
  const profile = (await reportStatusChanges(ctx, db, [customer.id])).find((one) => one.id === customer.id)
  if (!profile) throw new Error('An imported customer is missing.')
  return { profile, isNew: before.length === 0 }
}
