import { ownKeys } from '../../../platform/privacy/data-key.ts'
import type { Ctx } from '../../context.ts'
import type { PassedFacts, Transaction } from '../../transactions/transaction.ts'
import { fillBilling } from '../fill-billing.ts'
import { asPassed, passedIn, takesProofs } from '../giver.ts'
import type { OrderStep } from '../step.ts'
import { usableBilling } from './billing.ts'

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
  async apply({ ctx, db, partner, before, transaction }, { provenCustomerId: customerId, locale, timeZone }) {
    const { partnerCustomerId, dataKey } = transaction
    const isNew = customerId !== undefined && customerId !== before.customerId
    const passed = isNew && takesProofs(before) ? usablePassed(ctx, before) : undefined
    const personal = {
      ...(passed === undefined ? transaction.personal : asPassed(transaction.personal, passed)),
      ...(locale === undefined ? {} : { locale }),
      ...(timeZone === undefined ? {} : { timeZone }),
    }
    const { email } = personal
    if (customerId === undefined) return { personal }
    if (email === null) return { customerId, personal }

    ownKeys(db, customerId, [dataKey.id])
    const own = { ...transaction, personal }
    return {
      customerId,
      personal: await fillBilling(ctx, db, own, partner, { customerId, partnerCustomerId }),
      ...(passed === undefined ? {} : { country: passed.country ?? null }),
    }
  },
} as const satisfies OrderStep<CodeDetails>

/** What the partner passed, without billing information that the checkout would refuse: it is asked for. */
function usablePassed(ctx: Pick<Ctx, 'clock' | 'policies'>, before: Transaction): PassedFacts {
  const { billing, ...passed } = passedIn(before)
  const usable = billing && usableBilling(ctx, billing)
  return usable ? { ...passed, billing: usable } : passed
}
