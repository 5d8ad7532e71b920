import type { Ctx } from '../context.ts'
import { readKeptBilling } from '../customers/billing.ts'
import { fullNameIn, mergeBilling } from '../customers/billing-field.ts'
import { isSameEmail } from '../customers/email.ts'
import type { Db } from '../../platform/db/sql.ts'
import type { Partner } from '../partners/partner.ts'
import { holderIn } from '../transactions/payout-destination.ts'
import type { Personal, Transaction } from '../transactions/transaction.ts'

/** The address that was just verified, and whose it is. */
type Proof = { email: string; customerId: bigint; partnerCustomerId: bigint | null }

/**
 * Fills in billing information once the e-mail address is verified: what the partner passed for that address, now or earlier, and over
 * it what the customer entered themselves. Information passed for another address belongs to somebody else and is dropped. Does nothing
 * if the partner passed nothing and its `billing_info` feature is off.
 */
export async function fillBilling(
  ctx: Pick<Ctx, 'keyring'>,
  db: Db,
  { personal, to }: Pick<Transaction, 'personal' | 'to'>,
  partner: Partner,
  { email, customerId, partnerCustomerId }: Proof,
): Promise<Personal> {
  if (personal.billing === null && !partner.settings.features.billing_info) return personal

  const { billing: passed, billingEmail, ...rest } = personal
  const isForeign = billingEmail !== undefined && !isSameEmail(billingEmail, email)
  const kept = await readKeptBilling(ctx, db, { partnerCustomerId, customerId })
  const known = mergeBilling(kept.passed, isForeign ? {} : (passed ?? {}))
  if (passed === null && Object.keys(known).length === 0) return personal

  const billing = mergeBilling(known, kept.own)
  // A holder's name that came out of somebody else's billing information is somebody else's too.
  const holder = isForeign && personal.payoutHolder === fullNameIn(passed) ? null : personal.payoutHolder
  const payoutHolder = to.network.chain ? null : (holder ?? holderIn(billing))
  return { ...rest, billing, payoutHolder, ...(isForeign ? {} : { billingEmail: email }) }
}
