import { Refusal } from '../../platform/lib/refusal.ts'
import type { Billing, BillingField } from '../customers/billing-field.ts'
import { isSameEmail } from '../customers/email.ts'
import { maskText } from '../customers/mask.ts'
import { isIncomplete } from '../transactions/lifecycle.ts'
import type { PassedFacts, Personal, Transaction } from '../transactions/transaction.ts'

/**
 * Who gives details of an order: the customer whose email address is proven in this browser, or undefined for a visitor, who has nothing
 * but the link.
 *
 * This file alone tells apart whose an order's facts are: the email address, the name, the billing information and the payout
 * destination. While the email address is unproven (`customerId` is null), all of them are the partner's and bind. Who proves
 * the address that the partner passed owns them. Who proves an address for an order that was passed without one owns what they give
 * themselves. What the partner passed (`Personal.passed`) is shown masked; its destination and holder still bind, its billing
 * information can be corrected. A visitor has none: nothing that a visitor types is stored before the address is proven.
 */
export type Giver = bigint | undefined

type Subject = Pick<Transaction, 'customerId' | 'personal'>
type Order = Subject & Pick<Transaction, 'status' | 'statusDetails'>

/**
 * The order's email address: the proven one, or the one that the partner passed. Earlier versions let a visitor replace the partner's;
 * what was passed along with it still names the right one.
 */
export const emailOf = ({ customerId, personal }: Subject): string | null =>
  customerId === null ? (personal.destinationEmail ?? personal.billingEmail ?? personal.email) : personal.email

/** The details of an order that may be somebody else's to give; all names count. */
type OrderFacts = {
  email?: string
  provenCustomerId?: bigint
  payoutAddress?: string
  extraId?: string
  payoutHolder?: string
}

/** What a visitor may give, besides a proof of the email address. */
const visitorDetails: ReadonlySet<string> = new Set(['renewsPrice'])

/** Refuses what a visitor may not give, a proof of another address than the partner passed, and changes of what it passed. */
export function refuseUnproven(transaction: Order, details: OrderFacts, giver: Giver): void {
  const { email, provenCustomerId } = details
  const isProof = giver !== undefined && giver === provenCustomerId
  if (isProof) {
    const owned = takesProofs(transaction) ? null : emailOf(transaction)
    if (owned !== null && email !== undefined && !isSameEmail(owned, email)) throw notProven()
  } else if (giver === undefined || giver !== transaction.customerId) {
    if (Object.keys(details).some((name) => !visitorDetails.has(name))) throw notProven()
  }
  const [path] = boundPathsOf(transaction, details)
  if (path !== undefined) throw bindingFact(path)
}

/** The answer to a visitor who tries to change an order. */
export const notProven = (): Refusal =>
  new Refusal('NOT_PROVEN', 'Confirm the email address of this order first. Until then, nothing in it can be changed.')

/** The answer to a customer of an order without an email address who tries to change what the partner passed. */
export function bindingFact(path = ''): Refusal {
  const message = 'This was set by the site that sent you and cannot be changed.'
  return new Refusal('NOT_PROVEN', message, [{ path, code: 'FIXED', message }])
}

/** What is masked for a customer whose address the partner has not passed; the destination and the holder cannot be changed either. */
export type Bound = {
  /** The fields that the customer has not corrected. */
  billing: readonly BillingField[]
  destination: boolean
  holder: boolean
}

type Masked = { passed?: PassedFacts | undefined; corrected?: Personal['corrected'] | undefined }

/** What binds an order's customer; nothing in an order whose email address the partner passed. */
export function boundIn({ passed, corrected = [] }: Masked): Bound {
  return {
    billing: (Object.keys(passed?.billing ?? {}) as BillingField[]).filter((field) => !corrected.includes(field)),
    destination: passed?.payoutAddress !== undefined,
    holder: passed?.payoutHolder !== undefined,
  }
}

/** Whether anything was passed for an order without an email address. */
export function isBound({ passed }: Pick<Personal, 'passed'>): boolean {
  const { billing, destination, holder } = boundIn({ passed })
  return billing.length > 0 || destination || holder
}

/** Whether an order's customer may end it: not if the partner passed something for it and somebody else may still prove an address. */
export const mayCancel = (transaction: Order): boolean => !isBound(transaction.personal) || !takesProofs(transaction)

/** Which fields would change what binds. A payout that was returned needs another destination, which only its payer can give. */
function boundPathsOf({ personal, status, statusDetails }: Order, details: OrderFacts): string[] {
  const { destination, holder } = boundIn(personal)
  const isReturned = status === 'on_hold' && statusDetails === 'address_needed'
  const { passed } = personal
  const { payoutAddress, extraId, payoutHolder } = details
  const differs = (isBound: boolean, given: string | undefined, own: string | null | undefined) =>
    isBound && !isReturned && given !== undefined && given !== (own ?? '')
  return [
    ...(differs(destination, payoutAddress, passed?.payoutAddress) ? ['payout_address'] : []),
    ...(differs(destination, extraId, passed?.payoutExtraId) ? ['payout_address'] : []),
    ...(differs(holder, payoutHolder, passed?.payoutHolder) ? ['payout_holder'] : []),
  ]
}

/**
 * Whether who has the link may prove an address of their own: the partner passed none, and the order is not complete. Once somebody was
 * shown how to pay, they may have paid: the order stays theirs.
 */
export function takesProofs(transaction: Order): boolean {
  const { customerId, personal } = transaction
  const isOpen = customerId === null ? emailOf(transaction) === null : personal.passed !== undefined
  return isOpen && isIncomplete(transaction)
}

/** What the partner passed, as the first proof of an address finds it. */
export function passedIn({ personal, country }: Pick<Transaction, 'personal' | 'country'>): PassedFacts {
  const { passed, billing, payoutAddress, payoutExtraId, payoutHolder } = personal
  if (passed) return passed
  return {
    ...(billing === null ? {} : { billing }),
    ...(payoutAddress === null ? {} : { payoutAddress }),
    ...(payoutExtraId === null ? {} : { payoutExtraId }),
    // A name alone names no holder: it was filled in from the billing information.
    ...(payoutAddress === null || payoutHolder === null ? {} : { payoutHolder }),
    ...(country === null ? {} : { country }),
  }
}

/** An order's personal data without what an earlier customer gave. */
export function asPassed(given: Personal, passed: PassedFacts): Personal {
  const { accepted: _, asked: __, answers: ___, corrected: ____, ...personal } = given
  const { billing = null, payoutAddress = null, payoutExtraId = null, payoutHolder = null } = passed
  return { ...personal, billing, payoutAddress, payoutExtraId, payoutHolder, passed }
}

/** Whether a payout's transaction on its chain names an address that its customer sees masked: explorers show it whole. */
export const masksPayout = (personal: Personal): boolean =>
  shownFacts(personal).payoutAddress !== personal.payoutAddress

/** The facts of an order that its customer may see. */
export type ShownFacts = Pick<Personal, 'billing' | 'payoutAddress' | 'payoutExtraId' | 'payoutHolder'>

/** What an order's pages, e-mails and receipts show its customer: what binds them is masked. A country is no secret. */
export function shownFacts(personal: Personal): ShownFacts {
  const { billing, payoutAddress, payoutExtraId, payoutHolder, passed } = personal
  const bound = boundIn(personal)
  const hide = (text: string | null, own: string | null | undefined): string | null =>
    text !== null && own !== undefined && text === own ? maskText(text) : text
  const masked = Object.fromEntries(
    bound.billing.flatMap((field) => {
      const text = billing?.[field]
      return field === 'countryAlpha2' || text === undefined ? [] : [[field, maskText(text)]]
    }),
  )
  return {
    billing: billing && ({ ...billing, ...masked } satisfies Billing),
    payoutAddress: hide(payoutAddress, passed?.payoutAddress),
    payoutExtraId: hide(payoutExtraId, passed?.payoutExtraId),
    payoutHolder: hide(payoutHolder, passed?.payoutHolder),
  }
}
