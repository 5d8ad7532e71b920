import { createHash } from 'node:crypto'

import type { Ctx } from '../../exchange/context.ts'
import { provenInBrowser } from '../../exchange/customers/checkout-session.ts'
import { type PendingCode, pendingCode } from '../../exchange/customers/one-time-code.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import { giveDetails, openCheckout } from '../../exchange/orders/checkout.ts'
import { type PaymentWord, paymentAtRails } from '../../exchange/settlement/ask-rails.ts'
import type { CheckoutView } from '../../exchange/orders/checkout-view.ts'
import { type CustomerChoices, customerChoices } from '../../exchange/orders/choose.ts'
import { blockedBrowserCountry } from '../../exchange/transactions/customer-country.ts'
import type { Status } from '../../exchange/transactions/lifecycle.ts'
import { tokenIn } from './session-cookie.ts'
import { asksForProof, type Step, stepOf, testsBrowser, type Wish, wishes } from './step.ts'

/** What a request tells: the query's texts (empty where absent), the cookies, and the browser's address (empty: hidden). */
export type Asked = { tid: string; returned: string; ask: string; cookie: string | undefined; address: string }

/** A customer at the checkout: what the server knows, and the page that follows from it. */
export type Visit = {
  view: CheckoutView
  step: Step
  /** What the customer may decide now; nothing where the address is not proven in this browser. */
  choices: CustomerChoices
  /** What the customer asked to see, if anything. */
  wish: Wish | undefined
  /** The processor has sent the customer back. */
  isBack: boolean
  /** How the payment stands of which the order has not heard yet. */
  payment: PaymentWord
  /** The customer whose address is proven in this browser; undefined: nothing personal may be shown. */
  customerId: bigint | undefined
  /** The code that was sent and can still be answered. */
  code: PendingCode | undefined
  /** The browser is in a country that we do not serve, and no money has arrived: this goes no further. */
  isRefused: boolean
  /** Differs whenever the page would differ. Tells nothing. */
  version: string
}

/** Reads where a transaction stands and who is asking. Undefined for an unknown link. */
export async function readVisit(ctx: Ctx, asked: Asked): Promise<Visit | undefined> {
  const opened = await openCheckout(ctx, asked.tid)
  if (!opened) return undefined

  const customerId = await customerOf(ctx, opened, asked.cookie)
  const view = await catchUp(ctx, opened, customerId)
  const isProven = customerId !== undefined
  const code =
    isProven || view.email === null ? undefined : await pendingCode(ctx, { transactionId: view.id, email: view.email })
  const wish = wishes.find((one) => one === asked.ask)
  const isBack = asked.returned !== ''
  const open = isProven && mayDecide(view) ? await customerChoices(ctx, view.publicId) : {}
  const payment = isProven ? await paymentOf(ctx, view, { isBack, isSeen: !open.cancel }) : 'none'
  const step = stepOf({ view, choices: open, isProven, hasCode: code !== undefined, isBack, payment, wish })
  // Whoever may have paid is not asked to cancel.
  const choices = step === 'checking' ? {} : open
  const isRefused = testsBrowser(view) && blockedBrowserCountry(ctx, asked.address) !== undefined
  const version = versionOf(isProven ? view : { ...view, identity: null }, { step, choices, payment })
  return { view, step, choices, wish, isBack, payment, customerId, code, isRefused, version }
}

/** Ends in which no money has come, as far as the order knows: a payment may have been on its way. */
const mayBePaid: ReadonlySet<Status> = new Set(['waiting_for_deposit', 'expired', 'cancelled', 'failed'])

/**
 * How the payment stands: by what a rail has told of it (`isSeen`), before the order moves; else, for the customer who comes back
 * from the payment, by what the rails say now. They know more than the order while their callback is on its way, or lost.
 */
async function paymentOf(
  ctx: Ctx,
  view: CheckoutView,
  { isBack, isSeen }: { isBack: boolean; isSeen: boolean },
): Promise<PaymentWord> {
  if (view.status === 'waiting_for_deposit' && isSeen) return 'paid'
  return isBack && mayBePaid.has(view.status) ? paymentAtRails(ctx, view) : 'none'
}

/** Where there is something to decide: on hold, or before any money has come. */
const mayDecide = ({ status }: CheckoutView): boolean => status === 'on_hold' || asksForProof(status)

async function customerOf(ctx: Ctx, view: CheckoutView, cookie: string | undefined): Promise<bigint | undefined> {
  const token = tokenIn(cookie, view.publicId)
  if (token === undefined || view.email === null) return undefined
  return provenInBrowser(ctx, { transactionId: view.id, email: view.email, token })
}

/** A crash between the proof and its use leaves a browser that is proven and a transaction that has not heard of it. */
async function catchUp(ctx: Ctx, view: CheckoutView, customerId: bigint | undefined): Promise<CheckoutView> {
  if (customerId !== undefined && view.identity === 'over') return tryAgain(ctx, view)
  const isBehind = view.status === 'waiting_for_customer' && view.missing.includes('code')
  if (customerId === undefined || view.email === null || !isBehind) return view
  return giveDetails(ctx, view.publicId, { email: view.email, provenCustomerId: customerId })
}

/** The check is over: the order goes on as soon as the customer's limits let it. */
async function tryAgain(ctx: Ctx, view: CheckoutView): Promise<CheckoutView> {
  try {
    return await giveDetails(ctx, view.publicId, {})
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
