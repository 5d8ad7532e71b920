import type { Ctx } from '../../exchange/context.ts'
import { isEmail } from '../../exchange/customers/email.ts'
import { badField, Refusal } from '../../platform/lib/refusal.ts'
import { checkDetails } from '../../exchange/orders/checkout.ts'
import type { Details } from '../../exchange/orders/steps.ts'
import { checkRefundAddress } from '../../exchange/orders/choose.ts'
import { readAccount } from './account-form.ts'
import { refuseCards, type Typed } from './act.ts'
import { readBillingForm } from './billing-form.ts'
import { readRequest } from './payment-request.ts'
import type { Visit } from './visit.ts'

/** Steps with a field that can be wrong in a way of which its reader should hear before the form is sent. */
export const checkedSteps = ['email', 'billing', 'payout_address', 'refund_address'] as const

/**
 * Judges one field of a form that is not sent yet, by the very checks that it meets when it is sent. Gives what would be refused
 * about that field; undefined where nothing would be, where the field is still empty, and where it is not for this browser to ask.
 * Nothing is kept.
 */
export async function checkField(ctx: Ctx, visit: Visit, typed: Typed, field: string): Promise<Refusal | undefined> {
  if ((typed[field] ?? '').trim() === '' || typed.do !== visit.step) return undefined
  try {
    refuseCards(visit, { [field]: typed[field] ?? '' })
    if (visit.step === 'email') checkEmail(typed)
    else if (visit.customerId !== undefined) await checkPart(ctx, visit, readRequest(visit, typed), field)
  } catch (error) {
    if (error instanceof Refusal && refusesField(error, field)) return error
    if (!(error instanceof Refusal)) throw error
  }
  return undefined
}

const refusesField = ({ problems }: Refusal, field: string): boolean => problems.some(({ path }) => path === field)

function checkEmail({ email = '' }: Typed): void {
  if (!isEmail(email.trim())) throw badField('email', 'This is not an e-mail address.', 'EMAIL_ILL_FORMED')
}

async function checkPart(ctx: Ctx, { step, view }: Visit, typed: Typed, field: string): Promise<void> {
  if (step === 'refund_address') {
    const written = { address: (typed.refund_address ?? '').trim(), extraId: (typed.extra_id ?? '').trim() }
    return written.address === '' ? undefined : checkRefundAddress(ctx, view.publicId, written)
  }
  const part = step === 'billing' ? { billing: readBillingForm(typed) } : destinationPart(view, typed, field)
  if (part) await checkDetails(ctx, view.publicId, part)
}

/** The account and its holder are judged apart: one of them may be empty as yet. */
function destinationPart({ to, payout }: Visit['view'], typed: Typed, field: string): Details | undefined {
  if (to.currency.kind === 'CRYPTO') {
    const payoutAddress = (typed.payout_address ?? '').trim()
    const confirmsResembling = typed.confirms === payoutAddress
    return payoutAddress === ''
      ? undefined
      : { payoutAddress, extraId: (typed.extra_id ?? '').trim(), confirmsResembling }
  }
  if (field === 'payout_holder') return { payoutHolder: (typed.payout_holder ?? '').trim() }
  const { payoutHolder: _, ...account } = readAccount(payout.category, { ...typed, payout_holder: 'Nobody Yet' })
  return account
}
