import type { Ctx } from '../context.ts'
import type { Atomic, Db } from '../../platform/db/sql.ts'
import { type IdentityProvider, providerDown, type ReviewStatus } from '../../identity/provider.ts'
import { after } from '../../platform/lib/clock.ts'
import { randomToken } from '../../platform/lib/ids.ts'
import { indexHash } from '../../platform/privacy/master-key.ts'
import * as checks from './identity-check.sql.ts'
import { applicantHash, type Import, type KeptApplicant, openImport, sealApplicant } from './imported.ts'
import * as imports from './import-identity.sql.ts'
import { reviewDue } from './look-at-reviews.ts'
import { findOrMakePartnerCustomer } from './partner-customer.ts'
import * as queries from './customers.sql.ts'
import { reviewStatusAt } from './profile.ts'
import { reportStatusChanges } from './report-status.ts'

/** Whose identity is to be checked: the customer with a proven address, in an order of a partner's. */
export type Subject = { customerId: bigint; partnerId: bigint; email: string }

/** Where the customer comes back to, and in which language. */
export type Way = { returnUrl: string; locale: string }

/** Callbacks get lost: so long after a check begins the provider is asked by ourselves, in real milliseconds. */
const looksMs: readonly number[] = [600_000, 3_600_000, 86_400_000]

/**
 * Starts an identity check, or resumes the open one, and returns the provider's page. Its result is an import like any other and
 * counts with every partner. The check is stored before the provider is asked, outside any block, so that a crash in between
 * creates no second one. Refuses SERVICE_UNAVAILABLE when the provider cannot be reached.
 */
export async function startIdentityCheck(ctx: Ctx, subject: Subject, way: Way): Promise<{ goTo: string }> {
  const chosen = ctx.identity.forChecks()
  if (!chosen) throw providerDown()
  const planned = await ctx.db.atomic((db) => plan(ctx, db, subject, chosen))
  const provider = ctx.identity.named(planned.provider)
  if (!provider) throw providerDown()

  const askedAt = ctx.clock.realNow()
  const { applicantId, goTo } = await provider.start({ ...way, email: subject.email, reference: planned.reference })
  if (!planned.isTaken) {
    const started: KeptApplicant = { ...nothingKnown, applicantId }
    await ctx.db.atomic((db) => keep(ctx, db, { subject, planned, kept: started, askedAt }))
  }
  return { goTo }
}

const nothingKnown: Omit<KeptApplicant, 'applicantId'> = {
  status: 'not_started',
  level: '',
  reviewedAt: null,
  verifiedAt: null,
  expiresAt: null,
  screening: [],
  reasons: [],
  person: { firstName: '', lastName: '', birthDate: '', country: '', email: '' },
}

type Planned = Pick<checks.CheckRow, 'reference' | 'importId' | 'provider' | 'isTaken'>

/**
 * The open check, or a new one. A check of an erased person is not resumed, nor is a passed one, whose documents have expired
 * since.
 */
async function plan(
  ctx: Ctx,
  db: Atomic,
  { customerId }: Subject,
  provider: Pick<IdentityProvider, 'name'>,
): Promise<Planned> {
  queries.lockCustomer(db, customerId)
  const [last] = await checks.lastCheck(db, customerId)
  const isErased = last?.isTaken === true && last.wrapped === null
  const isSpent = last !== undefined && (isErased || openCheck(ctx, last)?.status === 'approved')
  if (last && !isSpent && ctx.identity.named(last.provider)) return last
  const planned = {
    reference: `cambio-check-${randomToken(18)}`,
    importId: await ctx.rowIds.next(),
    provider: provider.name,
    isTaken: false,
  }
  checks.insertCheck(db, { ...planned, customerId, startedAt: ctx.clock.now() })
  return planned
}

type ToKeep = { subject: Subject; planned: Planned; kept: KeptApplicant; askedAt: Date }

/** What the provider knows, as an import of the partner whose order asked for it. A second answer to one check changes nothing. */
async function keep(ctx: Ctx, db: Atomic, { subject, planned, kept, askedAt }: ToKeep): Promise<void> {
  const { partnerId, email } = subject
  const { importId: id, provider, reference } = planned
  const customer = await findOrMakePartnerCustomer(ctx, db, { partnerId, email })
  const dataKey = await ctx.keyring.get(db, customer.dataKeyId)
  const inserted = await imports.insert(db, {
    id,
    partnerId,
    partnerCustomerId: customer.id,
    provider,
    tokenHash: indexHash(ctx.secrets, 'kyc-check', reference),
    applicantHash: applicantHash(ctx, provider, kept.applicantId),
    dataKeyId: dataKey.id,
    personal: sealApplicant(dataKey, id, kept),
    askedAt,
    changedAt: ctx.clock.now(),
  })
  if (inserted.length === 0) return
  ctx.queue.enqueue(
    db,
    looksMs.map((ms) => ({
      kind: reviewDue,
      key: `import:${id}:after ${ms}`,
      runAt: after(ctx.clock.realNow(), ms),
      timebase: 'real' as const,
    })),
  )
  await reportStatusChanges(ctx, db, [customer.id])
}

/** What the provider knows of a check; undefined before it has answered, and once the person is erased. */
function openCheck({ keyring }: Pick<Ctx, 'keyring'>, check: checks.CheckRow): Import | undefined {
  const row = checks.importRowOf(check)
  return row && check.wrapped ? openImport(keyring.unwrap(row.dataKeyId, check.wrapped), row) : undefined
}

/** The status of the customer's own check; `not_started` without one, or if the person was erased. */
export async function ownCheckOf(
  { keyring, clock }: Pick<Ctx, 'keyring' | 'clock'>,
  db: Db,
  customerId: bigint,
): Promise<ReviewStatus> {
  const [last] = await checks.lastCheck(db, customerId)
  const known = last && openCheck({ keyring }, last)
  return known ? reviewStatusAt([known], clock.now()) : 'not_started'
}
