import type { Ctx } from '../../exchange/context.ts'
import { checkCode } from '../../exchange/customers/check-code.ts'
import { startSession } from '../../exchange/customers/checkout-session.ts'
import { isEmail } from '../../exchange/customers/email.ts'
import { sendCode } from '../../exchange/customers/send-code.ts'
import { badField, Refusal } from '../../platform/lib/refusal.ts'
import { giveDetails } from '../../exchange/orders/checkout.ts'
import { startPayment } from '../../exchange/orders/pay.ts'
import { acceptNow, askForRefund, cancelByCustomer, giveRefundAddress } from '../../exchange/orders/choose.ts'
import { startIdentity } from '../../exchange/orders/identity.ts'
import { readAccount } from './account-form.ts'
import { readBillingForm } from './billing-form.ts'
import { isCard } from './card-field.ts'
import { mayChangeEmail, mayRenew } from './step.ts'
import type { Visit } from './visit.ts'

/** What a form sent. Absent fields are empty texts. */
export type Typed = Record<string, string>

/**
 * What came of a form: where the browser goes (the order's own page where nothing is said; `stays`: the page that it was sent from),
 * and a cookie's token.
 */
export type Done = { leadsTo?: string; stays?: boolean; token?: string }

/**
 * Does what a form asks, if that is what the true step asks for; a form from an old tab does nothing, and its sender is
 * shown the true step. Letters are written, and others' pages opened, in `locale`, the language of the page. Refuses, naming the field, what cannot be.
 */
export async function act(ctx: Ctx, visit: Visit, typed: Typed, locale: string): Promise<Done> {
  const { step, customerId } = visit
  const reader = { ...visit, view: { ...visit.view, locale } }
  refuseCards(visit, typed)
  switch (typed.do ?? '') {
    case 'email':
      return step === 'email' || step === 'code' ? giveEmail(ctx, reader, typed) : {}
    case 'send':
      return step === 'email' ? send(ctx, reader) : {}
    case 'resend':
      return step === 'code' ? sendAgain(ctx, reader) : {}
    case 'code':
      return step === 'code' || step === 'email' ? answerCode(ctx, reader, typed) : {}
    case 'terms':
      return step === 'terms' && customerId !== undefined ? acceptTerms(ctx, visit, typed) : {}
    case 'country':
      return step === 'country' && customerId !== undefined ? giveCountry(ctx, visit, typed) : {}
    case 'billing':
      return step === 'billing' && customerId !== undefined ? giveBilling(ctx, visit, typed) : {}
    case 'payout_address':
      return step === 'payout_address' && customerId !== undefined ? giveAddress(ctx, visit, typed) : {}
    case 'identity':
      return step === 'identity' && customerId !== undefined ? checkIdentity(ctx, visit, customerId, locale) : {}
    case 'renew':
      return mayRenew(visit) ? renew(ctx, visit) : {}
    case 'pay':
      return (step === 'pay' || step === 'checking') && customerId !== undefined ? pay(ctx, visit, locale) : {}
    case 'method':
      return (step === 'method' || step === 'pay') && customerId !== undefined ? chooseMethod(ctx, visit, typed) : {}
    case 'accept':
      return step === 'decide' && customerId !== undefined ? accept(ctx, visit, typed) : {}
    case 'refund':
      return step === 'decide' && customerId !== undefined ? refund(ctx, visit) : {}
    case 'refund_address':
      return step === 'refund_address' && customerId !== undefined ? giveWayBack(ctx, visit, typed) : {}
    case 'cancel':
      return visit.choices.cancel && customerId !== undefined ? cancel(ctx, visit) : {}
    default:
      return {}
  }
}

/** Refuses a form that holds a card number, wherever it stands: it is for the processor only. */
export function refuseCards({ view }: Visit, typed: Typed): void {
  const field = Object.entries(typed).find(([name, text]) => isCard(view.payout.category, name, text))?.[0]
  if (field !== undefined) throw badField(field, 'This looks like a card number. Never enter one here.', 'CARD_NUMBER')
}

async function giveEmail(ctx: Ctx, visit: Visit, typed: Typed): Promise<Done> {
  const email = (typed.email ?? '').trim()
  if (!isEmail(email)) throw badField('email', 'This is not an e-mail address.', 'EMAIL_ILL_FORMED')
  if (!mayChangeEmail(visit.view)) return {}

  const view = await giveDetails(ctx, visit.view.publicId, { email })
  return send(ctx, { ...visit, view: { ...view, locale: visit.view.locale } })
}

/** A second click while the letter is on its way is answered like the first. */
async function send(ctx: Ctx, visit: Visit): Promise<Done> {
  try {
    await sendAgain(ctx, visit)
  } catch (error) {
    const isDouble = error instanceof Refusal && error.problems[0]?.code === 'CODE_TOO_SOON'
    if (!isDouble) throw error
  }
  return {}
}

async function sendAgain(ctx: Ctx, { view }: Visit): Promise<Done> {
  const { id, email } = view
  if (email !== null) await sendCode(ctx, { ...view, transactionId: id, email })
  return {}
}

async function answerCode(ctx: Ctx, { view }: Visit, typed: Typed): Promise<Done> {
  const { id: transactionId, partnerId, publicId, email, locale } = view
  if (email === null) return {}
  const { customerId } = await checkCode(ctx, { transactionId, partnerId, email, code: typed.code ?? '' })
  const token = await startSession(ctx, transactionId, customerId)
  if (view.missing.includes('code') && mayChangeEmail(view)) {
    const proven = { email, provenCustomerId: customerId, accepts: typed.accepts ?? '' }
    await giveDetails(ctx, publicId, { ...proven, ...(locale === null ? {} : { locale }) })
  }
  return { token }
}

/** The page names the versions that it showed: others are shown first. */
async function acceptTerms(ctx: Ctx, { view }: Visit, { accepts = '' }: Typed): Promise<Done> {
  await giveDetails(ctx, view.publicId, { accepts })
  return {}
}

async function checkIdentity(ctx: Ctx, { view }: Visit, customerId: bigint, locale: string): Promise<Done> {
  const returnUrl = `${ctx.publicUrl}/${locale}/checkout?tid=${view.tid}&ask=identity`
  const started = await startIdentity(ctx, { view, customerId }, { returnUrl, locale })
  return started ? { leadsTo: started.goTo } : {}
}

async function giveCountry(ctx: Ctx, { view }: Visit, { country = '' }: Typed): Promise<Done> {
  if (country === '') throw badField('country', 'Please choose your country.', 'COUNTRY_MISSING')
  await giveDetails(ctx, view.publicId, { country })
  return {}
}

async function giveBilling(ctx: Ctx, { view }: Visit, typed: Typed): Promise<Done> {
  await giveDetails(ctx, view.publicId, { billing: readBillingForm(typed) })
  return {}
}

async function giveAddress(ctx: Ctx, { view }: Visit, typed: Typed): Promise<Done> {
  if (view.to.currency.kind === 'FIAT') {
    await giveDetails(ctx, view.publicId, readAccount(view.payout.category, typed))
    return {}
  }
  const payoutAddress = (typed.payout_address ?? '').trim()
  const extraId = (typed.extra_id ?? '').trim()
  if (payoutAddress === '') throw badField('payout_address', 'Please enter the address.', 'ADDRESS_MISSING')
  // The box to tick names the address that was compared: another one is judged anew.
  const confirmsResembling = typed.confirms === payoutAddress
  await giveDetails(ctx, view.publicId, { payoutAddress, extraId, confirmsResembling })
  return {}
}

async function renew(ctx: Ctx, { view }: Visit): Promise<Done> {
  await giveDetails(ctx, view.publicId, { renewsPrice: true })
  return { stays: true }
}

async function chooseMethod(ctx: Ctx, { view }: Visit, { method = '' }: Typed): Promise<Done> {
  if (!view.mayChooseMethod || method === '' || method === view.deposit.type) return {}
  await giveDetails(ctx, view.publicId, { depositMethod: method })
  return {}
}

/** What was shown is the least that is taken: where the price has moved since, the page shows the new one first. */
async function accept(ctx: Ctx, { view }: Visit, { at_least = '' }: Typed): Promise<Done> {
  if (!/^\d{1,38}$/.test(at_least)) return {}
  await acceptNow(ctx, view.publicId, { atLeast: BigInt(at_least) })
  return {}
}

async function refund(ctx: Ctx, { view }: Visit): Promise<Done> {
  await askForRefund(ctx, view.publicId)
  return {}
}

async function giveWayBack(ctx: Ctx, { view }: Visit, typed: Typed): Promise<Done> {
  const address = (typed.refund_address ?? '').trim()
  if (address === '') throw badField('refund_address', 'Please enter the address.', 'ADDRESS_MISSING')
  await giveRefundAddress(ctx, view.publicId, { address, extraId: (typed.extra_id ?? '').trim() })
  return {}
}

async function cancel(ctx: Ctx, { view }: Visit): Promise<Done> {
  await cancelByCustomer(ctx, view.publicId)
  return {}
}

async function pay(ctx: Ctx, { view }: Visit, locale: string): Promise<Done> {
  const { payAt } = await startPayment(ctx, view.publicId, { locale })
  return { leadsTo: payAt }
}
