import { createHash } from 'node:crypto'

import type { Ctx } from '../../exchange/context.ts'
import { browserMark, openClaim, provenInBrowser } from '../../exchange/customers/checkout-session.ts'
import { isSameEmail } from '../../exchange/customers/email.ts'
import { pendingCode } from '../../exchange/customers/one-time-code.ts'
import { taskFor } from '../../exchange/customers/proof-of-work.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import { giveDetails, openCheckout } from '../../exchange/orders/checkout.ts'
import { type PaymentProgress, paymentAtRails } from '../../exchange/settlement/ask-rails.ts'
import type { CheckoutView } from '../../exchange/orders/checkout-view.ts'
import { customerChoices } from '../../exchange/orders/choose.ts'
import { blockedBrowserCountry, browserCountry } from '../../exchange/transactions/customer-country.ts'
import type { Status } from '../../exchange/transactions/lifecycle.ts'
import { claimIn, deviceIn, markIn, tokenIn } from './session-cookie.ts'
import { stepOf, wishes } from './next-step.ts'
import { asksForProof, testsBrowser } from './step.ts'
import type { Visit } from './visit.ts'

/** The query's values (empty if absent), the cookies, and the browser's IP address (empty: hidden) and network. */
export type VisitRequest = {
  tid: string
  returned: string
  ask: string
  cookie: string | undefined
  address: string
  network: string
}

/** Reads an order, and what this browser may see of it. Undefined for an unknown id. */
export async function readVisit(ctx: Ctx, request: VisitRequest): Promise<Visit | undefined> {
  const opened = await openCheckout(ctx, request.tid)
  if (!opened) return undefined

  const { email, ...known } = emailIn(ctx, opened, request.cookie)
  const customerId = await customerOf(ctx, { view: opened, email }, request.cookie)
  const view = await catchUp(ctx, { view: opened, email }, customerId)
  const isProven = customerId !== undefined
  const code = isProven || email === null ? undefined : await pendingCode(ctx, { transactionId: view.id, email })
  const wish = wishes.find((one) => one === request.ask)
  const isBack = request.returned !== ''
  const decisions = isProven && mayDecide(view) ? await customerChoices(ctx, view.publicId) : {}
  const payment = isProven ? await paymentOf(ctx, view, { isBack, isSeen: !decisions.cancel }) : 'none'
  const step = stepOf({ view, email, choices: decisions, isProven, hasCode: code !== undefined, isBack, payment, wish })
  // A customer who may have paid is not offered to cancel.
  const choices = step === 'checking' ? {} : view.mayCancel ? decisions : { ...decisions, cancel: undefined }
  const isRefused = testsBrowser(view) && blockedBrowserCountry(ctx, request.address) !== undefined
  const version = versionOf(isProven ? view : { ...view, identity: null }, { step, choices, payment })
  const { blocked: blockedCountries } = ctx.policies.at(ctx.clock.now(), 'countries').rules
  const suggested = { browserCountry: browserCountry(ctx, request.address), blockedCountries }
  const seen = isProven ? view : concealed(view)
  const browser = { customerId, email, ...known, code, isRefused, version }
  const shown = { view: seen, step, choices, wish, isBack, payment, ...browser }
  return { ...shown, ...suggested, task: await taskOf(ctx, shown, request) }
}

/** Only on the pages that send codes. */
const taskOf = async (
  ctx: Ctx,
  { step, view, email }: Pick<Visit, 'step' | 'view' | 'email'>,
  { network, cookie }: VisitRequest,
) =>
  step === 'email' || step === 'code'
    ? taskFor(ctx, { transactionId: view.id, email, network, device: deviceIn(cookie) })
    : undefined

/** The address that this browser is to prove, and what it has done about that. */
function emailIn(
  ctx: Pick<Ctx, 'secrets'>,
  { id: transactionId, publicId, email: own, takesProofs }: CheckoutView,
  cookie: string | undefined,
): Pick<Visit, 'email' | 'isTypedHere' | 'hasAsked'> {
  const claim = claimIn(cookie, publicId)
  const typed = claim === undefined ? undefined : openClaim(ctx, { transactionId, claim })
  const email = (takesProofs ? typed : undefined) ?? own ?? typed ?? null
  const isTypedHere = email !== null && typed !== undefined && isSameEmail(email, typed)
  const hasAsked = own !== null && markIn(cookie, publicId) === browserMark(ctx, { transactionId, email: own })
  return { email, isTypedHere, hasAsked }
}

/** An order as a visitor's pages get it: who pays and where the payout goes is left out, so no page can show it. */
const concealed = (view: CheckoutView): CheckoutView => ({
  ...view,
  billing: null,
  payoutAddress: null,
  extraId: null,
  payoutHolder: null,
  payTo: null,
  receiptUrl: null,
})

/** Statuses of an order that knows of no money: a payment may be on its way. */
const mayBePaid: ReadonlySet<Status> = new Set(['waiting_for_deposit', 'expired', 'cancelled', 'failed'])

/**
 * What the rails know about the payment: that it was seen (`isSeen`), or, when the customer returns from paying, what they report now.
 * They know more than the order while their callback is on its way, or lost.
 */
async function paymentOf(
  ctx: Ctx,
  view: CheckoutView,
  { isBack, isSeen }: { isBack: boolean; isSeen: boolean },
): Promise<PaymentProgress> {
  if (view.status === 'waiting_for_deposit' && isSeen) return 'paid'
  return isBack && mayBePaid.has(view.status) ? paymentAtRails(ctx, view) : 'none'
}

/** Orders with something to decide: on hold, or not paid yet. */
const mayDecide = ({ status }: CheckoutView): boolean => status === 'on_hold' || asksForProof(status)

/** An order, and the address that this browser is to prove. */
type Opened = { view: CheckoutView; email: string | null }

async function customerOf(ctx: Ctx, { view, email }: Opened, cookie: string | undefined): Promise<bigint | undefined> {
  const token = tokenIn(cookie, view.publicId)
  if (token === undefined || email === null) return undefined
  const proven = await provenInBrowser(ctx, { transactionId: view.id, email, token })
  return view.customerId === null || view.customerId === proven ? proven : undefined
}

/** After a crash the browser may be verified while the order does not know it yet; it catches up here. */
async function catchUp(ctx: Ctx, { view, email }: Opened, customerId: bigint | undefined): Promise<CheckoutView> {
  if (customerId !== undefined && view.identity === 'over') return tryAgain(ctx, view, customerId)
  const isBehind = view.status === 'waiting_for_customer' && view.missing.includes('code')
  if (customerId === undefined || email === null || !isBehind) return view
  return giveDetails(ctx, view.publicId, { email, provenCustomerId: customerId }, customerId)
}

/** The identity check is over: the order continues as soon as the customer's limits allow it. */
async function tryAgain(ctx: Ctx, view: CheckoutView, customerId: bigint): Promise<CheckoutView> {
  try {
    return await giveDetails(ctx, view.publicId, {}, customerId)
  } catch (error) {
    if (error instanceof Refusal) return view
    throw error
  }
}

function versionOf(
  view: CheckoutView,
  { step, choices, payment }: Pick<Visit, 'step' | 'choices' | 'payment'>,
): string {
  const { status, statusDetails, identity, errors, history, isTaken, outputHash, deposit, payTo, quote } = view
  const shown = [step, payment, status, statusDetails, identity, errors.length, history.length, isTaken, outputHash]
  const offered = [choices.accept_price, choices.exchange_what_came].map((offer) => String(offer?.toAmount))
  const price = [offered, deposit.type, payTo?.reference ?? null, quote.fingerprint]
  return createHash('sha256')
    .update(JSON.stringify([shown, price]))
    .digest('base64url')
    .slice(0, 12)
}
