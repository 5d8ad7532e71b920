import { isIncomplete } from '../../exchange/transactions/lifecycle.ts'
import type { Ctx } from '../../exchange/context.ts'
import { checkCode, checkLink } from '../../exchange/customers/check-code.ts'
import { browserMark, sealClaim, startSession } from '../../exchange/customers/checkout-session.ts'
import { deviceFor } from '../../exchange/customers/code-limits.ts'
import type { CodeOrder } from '../../exchange/customers/one-time-code.ts'
import { isEmail } from '../../exchange/customers/email.ts'
import { type Task, taskFor } from '../../exchange/customers/proof-of-work.ts'
import { sendCode } from '../../exchange/customers/send-code.ts'
import { giveDetails } from '../../exchange/orders/checkout.ts'
import type { CheckoutView } from '../../exchange/orders/checkout-view.ts'
import { notProven } from '../../exchange/orders/giver.ts'
import { badField, Refusal } from '../../platform/lib/refusal.ts'
import type { Action, ActionResult, Fields, SentForm } from './checkout-step.ts'
import type { Visit } from './visit.ts'

/** Reads the e-mail address from a form; refuses text that isn't one. */
export function readEmail({ email = '' }: Fields): string {
  if (!isEmail(email.trim())) throw badField('email', "This isn't an email address.", 'EMAIL_ILL_FORMED')
  return email.trim()
}

/** Sends a code to an address that was typed. Nothing but this browser keeps it until it is proven. */
export const giveEmail: Action = async ({ ctx, visit, fields, ...reader }) => {
  const { view } = visit
  if (!view.takesProofs) throw notProven()
  const email = readEmail(fields)
  await sendOnce(ctx, { view, email }, { ...reader, fields })
  return marksOf(ctx, visit, fields)
}

/** Sends a code to the known address, also a new one in place of another. Pressed too early, it shows the countdown only. */
export const sendToKnown: Action = async ({ ctx, visit, fields, ...reader }) => {
  await sendOnce(ctx, visit, { ...reader, fields })
  return marksOf(ctx, visit, fields)
}

/** Forms in which the customer types the address. */
const typing: readonly string[] = ['email']
const typesEmail = ({ do: name = '' }: Fields): boolean => typing.includes(name)

/**
 * What is left in a browser that has asked for a code, also where no other one is sent: the link in an e-mail that was sent works in
 * it.
 */
export function marksOf(
  ctx: Pick<Ctx, 'secrets'>,
  { view: { id: transactionId, email: own, takesProofs } }: Pick<Visit, 'view'>,
  fields: Fields,
): Pick<ActionResult, 'claim' | 'mark'> {
  if (typesEmail(fields)) {
    return takesProofs ? { claim: sealClaim(ctx, { transactionId, email: readEmail(fields) }) } : {}
  }
  return own === null ? {} : { mark: browserMark(ctx, { transactionId, email: own }) }
}

/** An order, and the address that is to be proven for it. */
type Subject = Pick<Visit, 'view' | 'email'>
type Reader = Pick<SentForm, 'locale' | 'network' | 'device'>
type Sender = Reader & Pick<SentForm, 'fields'>

/** A double click, or one that comes too early, is answered like a single one. */
async function sendOnce(ctx: Ctx, subject: Subject, reader: Sender): Promise<void> {
  try {
    await send(ctx, subject, reader)
  } catch (error) {
    const isDouble = error instanceof Refusal && error.problems[0]?.code === 'CODE_TOO_SOON'
    if (!isDouble) throw error
  }
}

async function send(ctx: Ctx, subject: Subject, { fields, ...reader }: Sender): Promise<void> {
  const order = orderOf(subject, reader)
  if (order) await sendCode(ctx, { ...order, answer: fields.task })
}

/** The task of a form that was sent without its answer: what is typed may have another one than the page had. */
export const taskOfForm = ({ ctx, visit, fields, ...reader }: SentForm): Promise<Task | undefined> =>
  taskFor(ctx, {
    transactionId: visit.view.id,
    email: typesEmail(fields) ? readEmail(fields) : visit.email,
    ...reader,
  })

/** Checks a code; the right one verifies the address for this order and starts a session in this browser. */
export const enterCode: Action = async (form) => {
  const { ctx, visit, fields } = form
  const order = orderOf(visit, form)
  if (!order) return {}
  const { customerId } = await checkCode(ctx, { ...order, code: fields.code ?? '' })
  return recordProof(form, order, customerId)
}

/** The link in the e-mail verifies the address too, in a browser that has asked for the code. Gives what the browser keeps. */
export async function followLink(form: SentForm, link: string): Promise<ProofCookies | undefined> {
  const order = orderOf(form.visit, form)
  const proven = order && (await checkLink(form.ctx, { ...order, link }))
  return proven && recordProof(form, order, proven.customerId)
}

function orderOf({ view, email }: Subject, { locale, network, device }: Reader): CodeOrder | undefined {
  return email === null ? undefined : { ...view, transactionId: view.id, email, locale, network, device }
}

/** The order has no customer yet, or another one who may be followed. */
const lacksProof = (view: CheckoutView, customerId: bigint): boolean =>
  (view.missing.includes('code') && isIncomplete(view)) || (view.takesProofs && view.customerId !== customerId)

/** The session of this order, and that the address was proven in this browser. */
type ProofCookies = Required<Pick<ActionResult, 'token' | 'device'>>

async function recordProof(
  { ctx, visit: { view }, fields, locale, zone }: SentForm,
  order: CodeOrder,
  customerId: bigint,
): Promise<ProofCookies> {
  const { email, publicId } = order
  const token = await startSession(ctx, order, customerId)
  if (lacksProof(view, customerId)) {
    const { accepts = '' } = fields
    const timeZone = zone === undefined ? {} : { timeZone: zone }
    await giveDetails(ctx, publicId, { email, provenCustomerId: customerId, accepts, locale, ...timeZone }, customerId)
  }
  return { token, device: deviceFor(ctx, email) }
}
