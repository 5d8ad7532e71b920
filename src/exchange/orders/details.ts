import { resolve } from '../availability/resolve.ts'
import type { Rule } from '../availability/rule.ts'
import { findCountry } from '../../reference/catalog/country.ts'
import type { Ctx } from '../context.ts'
import { saveOwnBilling } from '../customers/billing.ts'
import { type Billing, isBillingComplete, mergeBilling } from '../customers/billing-field.ts'
import { isSameEmail } from '../customers/email.ts'
import { findOrMakePartnerCustomer } from '../customers/partner-customer.ts'
import type { Atomic } from '../../platform/db/sql.ts'
import { badField, Refusal } from '../../platform/lib/refusal.ts'
import type { Partner } from '../partners/partner.ts'
import { ownKeys } from '../../platform/privacy/own-keys.ts'
import { acceptable, lacksTerms } from './accept-terms.ts'
import type { Change } from '../transactions/advance.ts'
import { toldMethods } from './await-deposit.ts'
import { filledBilling, judgedBilling } from './billing.ts'
import type { Missing } from './checkout-view.ts'
import { resemblingEarlier } from './earlier-addresses.ts'
import { judgedPrice, refuseTimeOver } from './judge-price.ts'
import { payoutMethodOf } from '../transactions/method.ts'
import { partnerOf } from '../transactions/partner-of.ts'
import { checkDestination, type DestinationCheck, holderFault } from '../transactions/payout-destination.ts'
import { askOfTransaction, momentOf, termsOfPartner } from '../transactions/policy.ts'
import type { Personal, Transaction } from '../transactions/transaction.ts'

/** What a customer gives at the checkout. `provenCustomerId`: the e-mail address has just been proven to be this customer's. */
export type Details = {
  email?: string
  provenCustomerId?: bigint
  /** What the partner knows of that address, where the caller has it at hand. */
  partnerCustomerId?: bigint
  country?: string
  /** Whole, as the customer typed or confirmed it. */
  billing?: Billing
  /** A deposit method by type (`SEPA_1`), in place of the one that was chosen before. */
  depositMethod?: string
  /** An address, or an account. */
  payoutAddress?: string
  /** Its memo or tag, or its bank's BIC. */
  extraId?: string
  /** The account's holder. */
  payoutHolder?: string
  /** The customer has seen that the address resembles an earlier one, and means it. */
  confirmsResembling?: boolean
  /** The versions of the terms and of the privacy notice that the customer was shown and accepts. */
  accepts?: string
  /** The language that the customer reads in. */
  locale?: string
  /** A price that has ended shall be made anew; one that still holds stays. */
  renewsPrice?: boolean
}

/** What still has to be known before the customer can pay, in the order in which it is asked. */
export function missingOf(ctx: Pick<Ctx, 'config'>, transaction: Transaction): Missing[] {
  const { personal, customerId, country } = transaction
  const missing: Missing[] = []
  if (personal.email === null) missing.push('email')
  if (customerId === null) missing.push('code')
  if (lacksTerms(ctx, transaction)) missing.push('terms')
  if (country === null) missing.push('country')
  if (personal.billing !== null && !isBillingComplete(personal.billing)) missing.push('billing')
  if (!hasDestination(transaction)) missing.push('payout_address')
  return missing
}

const hasDestination = ({ to, personal }: Transaction): boolean =>
  personal.payoutAddress !== null && (to.network.chain !== null || personal.payoutHolder !== null)

/** What a transaction becomes by details, judged; `quoted` when it has a new price. */
export type Detailed = { change: Change; quoted: boolean }

/** Judges details, and says what they change. Refuses, with the field at fault, what cannot be. */
export async function judgeDetails(
  ctx: Ctx,
  db: Atomic,
  transaction: Transaction,
  details: Details,
): Promise<Detailed> {
  const partner = await partnerOf(ctx, transaction)
  const told = await toldMethods(db, transaction)
  const priced = judgedPrice(ctx, partner, { transaction, told }, details)
  if (priced !== transaction) refuseTimeOver(ctx, { transaction: priced, told })
  const change: Change = priced === transaction ? {} : pricedChange(priced)
  if (details.country !== undefined) change.country = judgedCountry(ctx, partner, priced, details.country)

  Object.assign(change, await judgedPerson(ctx, db, transaction, details))
  const personal = await judgedProof(ctx, db, { ...transaction, ...change }, partner, details)
  if (details.billing !== undefined) {
    const { customerId } = { ...transaction, ...change }
    personal.billing = await judgedOwnBilling(ctx, db, personal, customerId, details.billing)
  }
  if (details.accepts === acceptable(ctx)) personal.accepted = details.accepts
  if (details.locale !== undefined) personal.locale = details.locale
  if (details.payoutAddress !== undefined)
    Object.assign(personal, await judgedDestination(ctx, db, transaction, details))
  if (details.payoutHolder !== undefined) personal.payoutHolder = judgedHolder(transaction, details.payoutHolder)
  return { change: { ...change, personal }, quoted: priced !== transaction }
}

/** The e-mail address, which cannot be another one once it is proven, and whose it is. */
async function judgedPerson(ctx: Ctx, db: Atomic, transaction: Transaction, details: Details): Promise<Change> {
  const { email, provenCustomerId } = details
  const change: Change = {}
  if (email !== undefined && email !== transaction.personal.email) {
    if (transaction.customerId !== null)
      throw badField('email', 'The e-mail address has been proven and cannot be changed.')
    change.personal = { ...transaction.personal, email }
    change.partnerCustomerId = details.partnerCustomerId ?? (await partnerCustomerOf(ctx, db, transaction, email))
  }
  if (provenCustomerId !== undefined) change.customerId = provenCustomerId
  return change
}

/** What is personal; a proof makes what is sealed the customer's, and brings what is known of them. */
async function judgedProof(
  ctx: Ctx,
  db: Atomic,
  transaction: Transaction,
  partner: Partner,
  { provenCustomerId: customerId }: Details,
): Promise<Personal> {
  const { personal, partnerCustomerId, dataKey } = transaction
  if (customerId === undefined || personal.email === null) return { ...personal }
  ownKeys(db, customerId, [dataKey.id])
  const proof = { email: personal.email, customerId, partnerCustomerId }
  const own = { ...transaction, personal: withOwnDestination(transaction, personal.email) }
  return { ...(await filledBilling(ctx, db, own, partner, proof)) }
}

/** A destination that was passed of another address is another person's: it is not shown, and asked for where it may be chosen. */
function withOwnDestination({ personal, terms }: Transaction, proven: string): Personal {
  const { destinationEmail, ...own } = personal
  if (destinationEmail === undefined || isSameEmail(destinationEmail, proven)) return own
  return terms.payoutAddressChangeable ? { ...own, payoutAddress: null, payoutExtraId: null, payoutHolder: null } : own
}

/** What was typed stays the customer's own, for this checkout and later ones. */
async function judgedOwnBilling(
  ctx: Ctx,
  db: Atomic,
  { email, billing }: Personal,
  customerId: bigint | null,
  typed: Billing,
): Promise<Billing> {
  const own = judgedBilling(typed, ctx.clock.now())
  if (customerId !== null && email !== null) await saveOwnBilling(ctx, db, { customerId, email, billing: own })
  return mergeBilling(billing ?? {}, own)
}

const pricedChange = ({ depositMethod, quote, quoteNumber, quoteExpiresAt, expectedTo }: Transaction): Change => ({
  depositMethod,
  quote,
  quoteNumber,
  quoteExpiresAt,
  expectedTo,
})

async function partnerCustomerOf(ctx: Ctx, db: Atomic, { partnerId }: Transaction, email: string): Promise<bigint> {
  const { id } = await findOrMakePartnerCustomer(ctx, db, { partnerId, email })
  return id
}

/** The country must be served, and reached by the ways to pay and to be paid: the one resolver says. */
function judgedCountry(ctx: Ctx, partner: Partner, transaction: Transaction, code: string): string {
  const country = findCountry(code)
  if (!country) throw badField('country', 'Choose a country.')
  const outcome = resolve(momentOf(ctx, ctx.clock.now()), termsOfPartner(partner), {
    ...askOfTransaction(transaction),
    country: country.alpha2,
  })
  const problem = outcome.available ? undefined : outcome.failures.find(({ rule }) => countryRules.has(rule))?.problem
  if (problem) throw new Refusal('COUNTRY_NOT_SUPPORTED', problem.message, [{ ...problem, path: 'country' }])
  return country.alpha2
}

const countryRules: ReadonlySet<Rule> = new Set<Rule>([
  'the country is served',
  'the deposit method reaches the country',
  'the payout method reaches the country',
])

type Destination = Pick<Personal, 'payoutAddress' | 'payoutExtraId'>

async function judgedDestination(
  ctx: Ctx,
  db: Atomic,
  transaction: Transaction,
  { payoutAddress = '', extraId, confirmsResembling, provenCustomerId }: Details,
): Promise<Destination> {
  const { personal, to } = transaction
  const what = { listing: to, method: payoutMethodOf(transaction) }
  const set = { address: personal.payoutAddress ?? '', extraId: personal.payoutExtraId ?? '' }
  const isFixed = isDestinationFixed(transaction)
  const check = checkDestination(ctx, what, {
    address: payoutAddress,
    extraId: extraId ?? (isFixed ? set.extraId : ''),
  })
  if (isFixed && !isSameDestination(check, checkDestination(ctx, what, set))) {
    throw badField('payout_address', 'The address was set by the site that sent you and cannot be changed.')
  }
  if (!check.ok) throw badField(check.field === 'address' ? 'payout_address' : 'extra_id', check.reason, check.code)

  const customerId = provenCustomerId ?? transaction.customerId
  if (to.network.chain && customerId !== null && confirmsResembling !== true) {
    const earlier = await resemblingEarlier(ctx, db, { customerId, id: transaction.id, address: check.address })
    if (earlier !== undefined) {
      const message = 'This address begins and ends like one that you have used before, and is another one.'
      throw badField('payout_address', message, 'RESEMBLES_EARLIER')
    }
  }
  return { payoutAddress: check.address, payoutExtraId: check.extraId || null }
}

/** A partner that sets where the money goes sets all of it, until a payout has come back from there. */
const isDestinationFixed = ({ terms, status, statusDetails }: Transaction): boolean =>
  !terms.payoutAddressChangeable && !(status === 'on_hold' && statusDetails === 'address_needed')

const isSameDestination = (one: DestinationCheck, other: DestinationCheck): boolean =>
  one.ok && other.ok && one.address === other.address && one.extraId === other.extraId

/** The holder's name; of a fixed account it may be given where the partner has not, and is fixed like the account then. */
function judgedHolder(transaction: Transaction, text: string): string | null {
  const { to, personal } = transaction
  if (to.network.chain) return null
  const holder = text.trim()
  if (isDestinationFixed(transaction) && personal.payoutHolder !== null) {
    if (spelledName(holder) === spelledName(personal.payoutHolder)) return personal.payoutHolder
    throw badField('payout_holder', 'The holder was set by the site that sent you and cannot be changed.')
  }
  if (holder === '') throw badField('payout_holder', "Enter the account holder's full name.", 'REQUIRED')
  const fault = holderFault(holder)
  if (fault) throw badField('payout_holder', fault)
  return holder
}

const spelledName = (name: string): string => name.normalize('NFC').replace(/\s+/g, ' ').trim()
