import type { Ctx } from '../context.ts'
import { judgeLimit } from '../customers/customer-limit.ts'
import { ownCheckOf, startIdentityCheck } from '../customers/identity-check.ts'
import { profilesOf } from '../customers/profile.ts'
import type { Atomic } from '../../platform/db/sql.ts'
import { after } from '../../platform/lib/clock.ts'
import type { Change } from '../transactions/advance.ts'
import type { Transaction } from '../transactions/transaction.ts'

/** The check of a customer's identity: to be started, to be repeated, under review, or over without being enough for this order. */
export type IdentityState = 'start' | 'again' | 'review' | 'over'

/** Whether an unpaid order waits for an identity check. */
export const waitsForIdentity = ({ status, statusDetails }: Pick<Transaction, 'status' | 'statusDetails'>): boolean =>
  status === 'waiting_for_customer' && statusDetails === 'kyc_required'

/**
 * Checks an otherwise complete order against its customer's limits. `within`: it continues. `check`: it needs an identity check first,
 * being above the limit for unverified and within the limit for verified customers. `never`: the check it waited for failed.
 * Refuses what is above every limit (FORBIDDEN).
 */
export async function judgeIdentity(
  ctx: Ctx,
  db: Atomic,
  before: Transaction,
  given: Transaction,
): Promise<'within' | 'check' | 'never'> {
  if (waitsForIdentity(before) && given.partnerCustomerId !== null) {
    const [profile] = await profilesOf(ctx, db, [given.partnerCustomerId])
    if (profile?.status === 'rejected' || profile?.risk.level === 'prohibited') return 'never'
  }
  const { personal, to } = given
  const { email, payoutAddress, payoutExtraId } = personal
  const isCoin = to.network.chain !== null
  return judgeLimit(ctx, db, {
    ...given,
    email,
    account: isCoin ? null : payoutAddress,
    address: isCoin && payoutAddress !== null ? [payoutAddress, payoutExtraId].filter(Boolean).join('\n') : null,
  })
}

/** A manual review may be needed: the least time an order waits, in milliseconds of business time. */
const waitMs = 86_400_000

/** What changes when an order starts to wait for an identity check. */
export function untilChecked({ clock }: Pick<Ctx, 'clock'>, { statusDetails, expiresAt }: Transaction): Change {
  const until = after(clock.now(), waitMs)
  const isLonger = statusDetails !== 'kyc_required' && until > expiresAt
  return { statusDetails: 'kyc_required', ...(isLonger ? { expiresAt: until } : {}) }
}

const states = {
  not_started: 'start',
  needs_info: 'again',
  in_review: 'review',
  approved: 'over',
  rejected: 'over',
} as const satisfies Record<string, IdentityState>

/** The state of the check that an order waits for; null if it waits for none. */
export async function identityStateOf(ctx: Ctx, transaction: Transaction): Promise<IdentityState | null> {
  const { customerId } = transaction
  if (!waitsForIdentity(transaction) || customerId === null) return null
  return states[await ownCheckOf(ctx, ctx.db, customerId)]
}

type Waiting = { identity: IdentityState | null; partnerId: bigint; email: string | null }

/** Starts or resumes the check that an order waits for, and returns the provider's page. Undefined if it waits for none. */
export async function startIdentity(
  ctx: Ctx,
  { view: { identity, partnerId, email }, customerId }: { view: Waiting; customerId: bigint },
  page: { returnUrl: string; locale: string },
): Promise<{ goTo: string } | undefined> {
  if (email === null || (identity !== 'start' && identity !== 'again')) return undefined
  return startIdentityCheck(ctx, { customerId, partnerId, email }, page)
}
