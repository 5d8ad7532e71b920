import { badField } from '../../../platform/lib/refusal.ts'
import { findOrMakePartnerCustomer } from '../../customers/partner-customer.ts'
import { takesProofs } from '../giver.ts'
import type { OrderStep } from '../step.ts'

type EmailDetails = {
  email?: string
  /** The partner's customer with that address, if the caller has it at hand. */
  partnerCustomerId?: bigint
}

/** The customer's email address: what a partner passed is theirs, and once verified it can't be changed. Given with its proof only. */
export const email = {
  name: 'email',
  details: ['email', 'partnerCustomerId'],
  changeable: 'until_complete',
  isMissing: (_ctx, { personal }) => personal.email === null,
  async apply({ ctx, db, transaction }, details) {
    const { personal, partnerId, customerId } = transaction
    if (details.email === undefined || details.email === personal.email) return {}
    if (customerId !== null && !takesProofs(transaction)) {
      throw badField('email', 'The e-mail address has been verified and cannot be changed.')
    }
    const partnerCustomerId =
      details.partnerCustomerId ?? (await findOrMakePartnerCustomer(ctx, db, { partnerId, email: details.email })).id
    return { personal: { ...personal, email: details.email }, partnerCustomerId }
  },
} as const satisfies OrderStep<EmailDetails>
