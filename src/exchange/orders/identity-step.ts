import type { Ctx } from '../context.ts'
import { judgeLimit } from '../customers/customer-limit.ts'
import { ownCheckOf, startIdentityCheck } from '../customers/identity-check.ts'
import { standingsOf } from '../customers/standing.ts'
import type { Atomic } from '../../platform/db/sql.ts'
import { after } from '../../platform/lib/clock.ts'
import type { Change } from '../transactions/advance.ts'
import type { CheckoutView, IdentityState } from './checkout-view.ts'
import type { Transaction } from '../transactions/transaction.ts'

/** Whether an order waits, before anything is paid, for its customer's identity to be checked. */
export const waitsForIdentity = ({ status, statusDetails }: Pick<Transaction, 'status' | 'statusDetails'>): boolean =>
  status === 'waiting_for_customer' && statusDetails === 'kyc_required'

/**
 * Judges an order of which everything else is known by who its customer is. `within`: it may go on. `check`: the identity has to be
 * checked first, because the order is beyond what somebody unknown may exchange, and within what somebody verified may. `never`: it
 * waited for a check that has ended badly. Refuses what is beyond every limit (FORBIDDEN).
 */
export async function judgeIdentity(
  ctx: Ctx,
  db: Atomic,
  before: Transaction,
  given: Transaction,
): Promise<'within' | 'check' | 'never'> {
  if (waitsForIdentity(before) && given.partnerCustomerId !== null) {
    const [standing] = await standingsOf(ctx, db, [given.partnerCustomerId])
    if (standing?.status === 'rejected' || standing?.risk.level === 'prohibited') return 'never'
  }
  return judgeLimit(ctx, db, given)
}

/** A person of the provider's may have to look: so long a wait lasts at least, in milliseconds of business time. */
const waitMs = 86_400_000

/** What an order becomes that waits for the identity. */
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

/** How far the check is that an order waits for; null where it waits for none. */
export async function identityStateOf(ctx: Ctx, transaction: Transaction): Promise<IdentityState | null> {
  const { customerId } = transaction
  if (!waitsForIdentity(transaction) || customerId === null) return null
  return states[await ownCheckOf(ctx, ctx.db, customerId)]
}

/** Leads the customer of an order that waits for it to the provider's page, and back to `returnUrl`. Undefined: nothing waits. */
export async function startIdentity(
  ctx: Ctx,
  { view, customerId }: { view: CheckoutView; customerId: bigint },
  way: { returnUrl: string; locale: string },
): Promise<{ goTo: string } | undefined> {
  const { identity, partnerId, email } = view
  if (email === null || (identity !== 'start' && identity !== 'again')) return undefined
  return startIdentityCheck(ctx, { customerId, partnerId, email }, way)
}
