import type { Ctx } from '../../exchange/context.ts'
import { checkCode, checkLink } from '../../exchange/customers/check-code.ts'
import { browserMark, startSession } from '../../exchange/customers/checkout-session.ts'
import type { CodeOrder } from '../../exchange/customers/one-time-code.ts'
import { isEmail } from '../../exchange/customers/email.ts'
import { sendCode } from '../../exchange/customers/send-code.ts'
import { giveDetails } from '../../exchange/orders/checkout.ts'
import type { CheckoutView } from '../../exchange/orders/checkout-view.ts'
import { badField, Refusal } from '../../platform/lib/refusal.ts'
import type { Action, Fields, SentForm } from './checkout-step.ts'
import { mayChangeEmail } from './step.ts'

/** Reads the e-mail address from a form; refuses text that isn't one. */
export function readEmail({ email = '' }: Fields): string {
  if (!isEmail(email.trim())) throw badField('email', "This isn't an email address.", 'EMAIL_ILL_FORMED')
  return email.trim()
}

/** Saves the e-mail address and sends a code to it. */
export const giveEmail: Action = async ({ ctx, visit: { view }, fields, locale, network }) => {
  const email = readEmail(fields)
  if (!mayChangeEmail(view)) return {}
  await sendOnce(ctx, await giveDetails(ctx, view.publicId, { email }), { locale, network, fields })
  return { mark: browserMark(ctx, { transactionId: view.id, email }, 'typed') }
}

/** Sends a code to the known address, also a new one in place of another. Pressed too early, it shows the countdown only. */
export const sendToKnown: Action = async ({ ctx, visit: { view, isTypedHere }, fields, locale, network }) => {
  await sendOnce(ctx, view, { locale, network, fields })
  const { id: transactionId, email } = view
  return email === null || isTypedHere ? {} : { mark: browserMark(ctx, { transactionId, email }, 'asked') }
}

type Reader = Pick<SentForm, 'locale' | 'network'>
type Sender = Reader & Pick<SentForm, 'fields'>

/** A double click, or one that comes too early, is answered like a single one. */
async function sendOnce(ctx: Ctx, view: CheckoutView, reader: Sender): Promise<void> {
  try {
    await send(ctx, view, reader)
  } catch (error) {
    const isDouble = error instanceof Refusal && error.problems[0]?.code === 'CODE_TOO_SOON'
    if (!isDouble) throw error
  }
}

async function send(ctx: Ctx, view: CheckoutView, { fields, ...reader }: Sender): Promise<void> {
  const { id: transactionId, email } = view
  if (email !== null) await sendCode(ctx, { ...view, transactionId, email, ...reader, answer: fields.task })
}

/** Checks a code; the right one verifies the address for this order and starts a session in this browser. */
export const enterCode: Action = async (form) => {
  const {
    ctx,
    visit: { view },
    fields,
  } = form
  const order = orderOf(view, form)
  if (!order) return {}
  const { customerId } = await checkCode(ctx, { ...order, code: fields.code ?? '' })
  return { token: await recordProof(form, order, customerId) }
}

/** The link in the e-mail verifies the address too, in a browser that has asked for the code. Gives the session's token. */
export async function followLink(form: SentForm, link: string): Promise<string | undefined> {
  const order = orderOf(form.visit.view, form)
  const proven = order && (await checkLink(form.ctx, { ...order, link }))
  return proven && recordProof(form, order, proven.customerId)
}

function orderOf(view: CheckoutView, { locale, network }: Reader): CodeOrder | undefined {
  return view.email === null ? undefined : { ...view, transactionId: view.id, email: view.email, locale, network }
}

async function recordProof(
  { ctx, visit: { view }, fields, locale, zone }: SentForm,
  order: CodeOrder,
  customerId: bigint,
): Promise<string> {
  const { email, publicId } = order
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
  return token
}
