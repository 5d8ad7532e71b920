import type { Ctx } from '../../exchange/context.ts'
import { checkCode } from '../../exchange/customers/check-code.ts'
import { startSession } from '../../exchange/customers/checkout-session.ts'
import { isEmail } from '../../exchange/customers/email.ts'
import { sendCode } from '../../exchange/customers/send-code.ts'
import { giveDetails } from '../../exchange/orders/checkout.ts'
import type { CheckoutView } from '../../exchange/orders/checkout-view.ts'
import { badField, Refusal } from '../../platform/lib/refusal.ts'
import type { Action, Fields } from './checkout-step.ts'
import { mayChangeEmail } from './step.ts'

/** Reads the e-mail address from a form; refuses text that isn't one. */
export function readEmail({ email = '' }: Fields): string {
  if (!isEmail(email.trim())) throw badField('email', "This isn't an email address.", 'EMAIL_ILL_FORMED')
  return email.trim()
}

/** Saves the e-mail address and sends a code to it. */
export const giveEmail: Action = async ({ ctx, visit: { view }, fields, locale }) => {
  const email = readEmail(fields)
  if (!mayChangeEmail(view)) return {}
  await sendOnce(ctx, await giveDetails(ctx, view.publicId, { email }), locale)
  return {}
}

/** Sends a code to the known address, also a new one in place of another. Pressed too early, it shows the countdown only. */
export const sendToKnown: Action = async ({ ctx, visit: { view }, locale }) => {
  await sendOnce(ctx, view, locale)
  return {}
}

/** A double click, or one that comes too early, is answered like a single one. */
async function sendOnce(ctx: Ctx, view: CheckoutView, locale: string): Promise<void> {
  try {
    await send(ctx, view, locale)
  } catch (error) {
    const isDouble = error instanceof Refusal && error.problems[0]?.code === 'CODE_TOO_SOON'
    if (!isDouble) throw error
  }
}

async function send(ctx: Ctx, view: CheckoutView, locale: string): Promise<void> {
  const { id: transactionId, email } = view
  if (email !== null) await sendCode(ctx, { ...view, transactionId, email, locale })
}

/** Checks a code; the right one verifies the address for this order and starts a session in this browser. */
export const enterCode: Action = async ({ ctx, visit: { view }, fields, locale, zone }) => {
  const { id: transactionId, publicId, email } = view
  if (email === null) return {}
  const order = { ...view, transactionId, email, locale }
  const { customerId } = await checkCode(ctx, { ...order, code: fields.code ?? '' })
  const token = await startSession(ctx, order, customerId)
  if (view.missing.includes('code') && mayChangeEmail(view)) {
    const { accepts = '' } = fields
    await giveDetails(ctx, publicId, {
      email,
      provenCustomerId: customerId,
      accepts,
      locale,
      ...(zone === undefined ? {} : { timeZone: zone }),
    })
  }
  return { token }
}
