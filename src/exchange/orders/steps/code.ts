import { ownKeys } from '../../../platform/privacy/data-key.ts'
import { isSameEmail } from '../../customers/email.ts'
import type { Personal, Transaction } from '../../transactions/transaction.ts'
import { fillBilling } from '../fill-billing.ts'
import type { OrderStep } from '../step.ts'

type CodeDetails = {
  /** The customer who has just verified the order's e-mail address. */
  provenCustomerId?: bigint
  /** The language the customer reads the checkout in. */
  locale?: string
  /** The time zone of their browser, of the IANA database. */
  timeZone?: string
}

/**
 * The code that verifies the e-mail address; the caller has checked it. The order's sealed data becomes the customer's, and what
 * is already known about them is filled in.
 */
export const code = {
  name: 'code',
  details: ['provenCustomerId', 'locale', 'timeZone'],
  changeable: 'until_complete',
  isMissing: (_ctx, { customerId }) => customerId === null,
  async apply({ ctx, db, partner, transaction }, { provenCustomerId: customerId, locale, timeZone }) {
    const { partnerCustomerId, dataKey } = transaction
    const personal = {
      ...transaction.personal,
      ...(locale === undefined ? {} : { locale }),
      ...(timeZone === undefined ? {} : { timeZone }),
    }
    const { email } = personal
    if (customerId === undefined) return { personal }
    if (email === null) return { customerId, personal }

    ownKeys(db, customerId, [dataKey.id])
    const own = { ...transaction, personal: withOwnDestination({ ...transaction, personal }, email) }
    return {
      customerId,
      personal: await fillBilling(ctx, db, own, partner, { email, customerId, partnerCustomerId }),
    }
  },
} as const satisfies OrderStep<CodeDetails>

/** A destination that was passed for another address belongs to somebody else: it is dropped, unless the partner fixed it. */
function withOwnDestination({ personal, terms }: Transaction, verified: string): Personal {
  const { destinationEmail, ...own } = personal
  if (destinationEmail === undefined || isSameEmail(destinationEmail, verified)) return own
  return terms.payoutAddressChangeable ? { ...own, payoutAddress: null, payoutExtraId: null, payoutHolder: null } : own
}
