import type { Ctx } from '../context.ts'
import { readKeptBilling } from '../customers/billing.ts'
import { mergeBilling } from '../customers/billing-field.ts'
import type { Db } from '../../platform/db/sql.ts'
import type { Partner } from '../partners/partner.ts'
import { holderIn } from '../transactions/payout-destination.ts'
import type { Personal, Transaction } from '../transactions/transaction.ts'

/** Whose address was just verified. */
type Proof = { customerId: bigint; partnerCustomerId: bigint | null }

/**
 * Fills in billing information once the email address is verified: what the partner passed for that address, now or earlier, and over
 * it what the customer entered themselves. Does nothing if the partner passed nothing and its `billing_info` feature is off.
 */
export async function fillBilling(
  ctx: Pick<Ctx, 'keyring'>,
  db: Db,
  { personal, to }: Pick<Transaction, 'personal' | 'to'>,
  partner: Partner,
  { customerId, partnerCustomerId }: Proof,
): Promise<Personal> {
  if (personal.billing === null && !partner.settings.features.billing_info) return personal

  const { billing: passed, ...rest } = personal
  const kept = await readKeptBilling(ctx, db, { partnerCustomerId, customerId })
  const known = mergeBilling(kept.passed, passed ?? {})
  if (passed === null && Object.keys(known).length === 0) return personal

  const own = mergeBilling(known, kept.own)
  // What was passed for an order without an email address binds, and its name names no holder.
  const billing = personal.passed === undefined ? own : mergeBilling(own, passed ?? {})
  const holder = personal.passed === undefined ? holderIn(billing) : null
  const payoutHolder = to.network.chain ? null : (personal.payoutHolder ?? holder)
  return { ...rest, billing, payoutHolder }
}
