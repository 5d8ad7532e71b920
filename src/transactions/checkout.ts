import { resolve } from '../availability/resolve.ts'
import type { Rule } from '../availability/rule.ts'
import { findCountry } from '../catalog/country.ts'
import type { Ctx } from '../context.ts'
import { findOrMakePartnerCustomer } from '../customers/partner-customer.ts'
import type { Atomic } from '../db/sql.ts'
import { instruct, instructionOf } from '../deposits/deposit.ts'
import { after } from '../lib/clock.ts'
import { badField, Refusal } from '../lib/refusal.ts'
import { findPartners } from '../partners/known.ts'
import type { Partner } from '../partners/partner.ts'
import { ownKeys } from '../privacy/own-keys.ts'
import type { DepositRail } from '../rails/rail.ts'
import { advance, amend, type Change } from './advance.ts'
import type { CheckoutView, Missing } from './checkout-view.ts'
import { checkPayoutAddress } from './payout-address.ts'
import { lockTransaction, readTransactionWhole } from './load.ts'
import { askOfTransaction, momentOf, payDeadlineMs, termsOfPartner } from './policy.ts'
import { recordOf } from './record.ts'
import type { Transaction } from './transaction.ts'

/** What a customer gives at the checkout. `provenCustomerId`: the e-mail address has just been proven to be this customer's. */
export type Details = {
  email?: string
  provenCustomerId?: bigint
  /** What the partner knows of that address, where the caller has it at hand. */
  partnerCustomerId?: bigint
  country?: string
  payoutAddress?: string
  extraId?: string
}

/** Shows a transaction to its customer; the first visit moves it on from `new`. Undefined for an unknown id. */
export async function openCheckout(ctx: Ctx, publicId: bigint): Promise<CheckoutView | undefined> {
  const seen = await readTransactionWhole(ctx, ctx.db, publicId)
  if (seen?.status !== 'new') return seen && viewOf(ctx, seen)
  return giveDetails(ctx, publicId, {})
}

/**
 * Takes what the customer gave. Refuses, with the field at fault, what cannot be; when nothing is missing any more, fixes how
 * to pay and waits for the deposit. Details of a transaction that is past that are refused: the page shows where it is.
 */
export async function giveDetails(ctx: Ctx, publicId: bigint, details: Details): Promise<CheckoutView> {
  const completed = await ctx.db.atomic(async (db) => {
    const transaction = await lockTransaction(ctx, db, publicId)
    if (!transaction) throw new Refusal('NOT_FOUND', 'There is no such transaction.')
    return completeDetails(ctx, db, transaction, details)
  })
  return viewOf(ctx, completed)
}

/** The same for a transaction that the caller's block has locked. */
export async function completeDetails(
  ctx: Ctx,
  db: Atomic,
  transaction: Transaction,
  details: Details,
): Promise<Transaction> {
  if (!takesDetails(transaction, details)) {
    if (Object.keys(details).length === 0) return transaction
    throw new Refusal('CONFLICT', 'This transaction has moved on.')
  }
  const change = await changeOf(ctx, db, transaction, details)

  // From here on nothing may refuse.
  if (transaction.status === 'waiting_for_deposit') return amend(ctx, db, transaction, change)
  const given = { ...transaction, ...change }
  if (missingOf(given).length > 0) {
    if (transaction.status === 'waiting_for_customer') return amend(ctx, db, transaction, change)
    return single(await advance(ctx, db, [{ transaction, fact: 'opened', to: 'waiting_for_customer', change }]))
  }
  const deadline = payDeadlineMs(ctx.config, railCategory(given), ctx.clock.now())
  const { name } = depositRail(ctx, given)
  instruct(ctx, db, { transactionId: given.id, rail: name, asset: given.from.asset.id, amount: given.expectedFrom })
  return single(
    await advance(ctx, db, [
      {
        transaction,
        fact: 'complete',
        to: 'waiting_for_deposit',
        change: { ...change, expiresAt: after(ctx.clock.now(), deadline) },
      },
    ]),
  )
}

/** Once everything is known, and until money is seen, the payout address alone can still be changed. */
function takesDetails({ status, statusDetails }: Transaction, details: Details): boolean {
  if (status === 'new' || status === 'waiting_for_customer') return true
  const names = Object.keys(details)
  const isAddress = names.length > 0 && names.every((name) => name === 'payoutAddress' || name === 'extraId')
  return status === 'waiting_for_deposit' && statusDetails === null && isAddress
}

/** Gives where the customer pays. Safe to repeat: one transaction has one reference at the processor. */
export async function startPayment(ctx: Ctx, publicId: bigint): Promise<{ payAt: string }> {
  const transaction = await readTransactionWhole(ctx, ctx.db, publicId)
  if (!transaction) throw new Refusal('NOT_FOUND', 'There is no such transaction.')
  if (transaction.status !== 'waiting_for_deposit')
    throw new Refusal('CONFLICT', 'This transaction is not waiting for a payment.')
  const instruction = await instructionOf(ctx.db, transaction.id)
  if (!instruction) throw new Error('A transaction waits for a deposit that nobody was told to make.')

  return depositRail(ctx, transaction).open({
    reference: instruction.reference,
    asset: instruction.asset,
    amount: instruction.amount,
    returnUrl: `${recordOf(ctx, transaction).redirect_url}&returned=1`,
    locale: transaction.terms.locale ?? 'en',
  })
}

/** Whether the rail says that money is there, while its callback is still on the way. */
export async function isPaidAtRail(ctx: Ctx, { id, status }: Pick<Transaction, 'id' | 'status'>): Promise<boolean> {
  const instruction = status === 'waiting_for_deposit' ? await instructionOf(ctx.db, id) : undefined
  const facts = await ctx.rails.deposit.get(instruction?.rail ?? '')?.look(instruction?.reference ?? '')
  return (facts ?? []).some(({ kind }) => kind === 'deposit.seen' || kind === 'deposit.final')
}

/** What still has to be known before the customer can pay, in the order in which it is asked. */
function missingOf({ personal, customerId, country }: Transaction): Missing[] {
  const missing: Missing[] = []
  if (personal.email === null) missing.push('email')
  if (customerId === null) missing.push('code')
  if (country === null) missing.push('country')
  if (personal.payoutAddress === null) missing.push('payout_address')
  return missing
}

async function changeOf(ctx: Ctx, db: Atomic, transaction: Transaction, details: Details): Promise<Change> {
  const personal = { ...transaction.personal }
  const change: Change = {}
  if (details.country !== undefined) change.country = await judgedCountry(ctx, transaction, details.country)
  if (details.payoutAddress !== undefined) {
    personal.payoutAddress = judgedAddress(ctx, transaction, details.payoutAddress)
    personal.payoutExtraId = judgedMemo(transaction, details.extraId ?? '')
  }
  if (details.email !== undefined && details.email !== personal.email) {
    if (transaction.customerId !== null)
      throw badField('email', 'The e-mail address has been proven and cannot be changed.')
    personal.email = details.email
    change.partnerCustomerId =
      details.partnerCustomerId ?? (await partnerCustomerOf(ctx, db, transaction, details.email))
  }
  if (details.provenCustomerId !== undefined) {
    change.customerId = details.provenCustomerId
    ownKeys(db, details.provenCustomerId, [transaction.dataKey.id])
  }
  return { ...change, personal }
}

async function partnerCustomerOf(ctx: Ctx, db: Atomic, { partnerId }: Transaction, email: string): Promise<bigint> {
  const { id } = await findOrMakePartnerCustomer(ctx, db, { partnerId, email })
  return id
}

/** The country must be served, and reached by the ways to pay and to be paid: the one resolver says. */
async function judgedCountry(ctx: Ctx, transaction: Transaction, code: string): Promise<string> {
  const country = findCountry(code)
  if (!country) throw badField('country', 'Choose a country.')
  const partner = await partnerOf(ctx, transaction)
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

function judgedAddress(ctx: Ctx, { terms, personal, to }: Transaction, address: string): string {
  if (!terms.payoutAddressChangeable && address !== personal.payoutAddress) {
    throw badField('payout_address', 'The address was set by the site that sent you and cannot be changed.')
  }
  const check = checkPayoutAddress(ctx, to, address)
  if (!check.ok) throw badField('payout_address', check.reason, 'INVALID_ADDRESS')
  return check.canonical
}

/** The memo beside an address, as its network demands it; null where there is none. */
function judgedMemo({ to }: Transaction, extraId: string): string | null {
  const { chain, name } = to.network
  const memo = chain?.memo
  if (!memo || (extraId === '' && !memo.required)) return extraId || null
  if (extraId === '') throw badField('extra_id', `${name} needs a ${memo.name}.`, 'REQUIRED')
  if (!new RegExp(memo.regex).test(extraId)) throw badField('extra_id', `This is not a ${memo.name} of ${name}.`)
  return extraId
}

/** What the customer's pages show. */
async function viewOf(ctx: Ctx, transaction: Transaction): Promise<CheckoutView> {
  const partner = await partnerOf(ctx, transaction)
  const { personal, terms, to, outputHash } = transaction
  const mask = to.network.chain?.explorerMask
  return {
    id: transaction.id,
    publicId: transaction.publicId,
    partnerId: transaction.partnerId,
    partnerName: partner.name,
    status: transaction.status,
    statusDetails: transaction.statusDetails,
    errors: transaction.errors,
    missing: missingOf(transaction),
    email: personal.email,
    country: transaction.country,
    from: transaction.from,
    to,
    fromAmount: transaction.expectedFrom,
    toAmount: transaction.toAmount ?? transaction.expectedTo,
    quote: transaction.quote,
    quoteExpiresAt: transaction.quoteExpiresAt,
    expiresAt: transaction.expiresAt,
    payoutAddress: personal.payoutAddress,
    extraId: personal.payoutExtraId,
    payoutAddressChangeable: terms.payoutAddressChangeable,
    redirects: personal.redirects,
    outputHash,
    explorerUrl: mask && outputHash ? mask.split('$$').join(outputHash) : null,
    locale: terms.locale,
    history: transaction.history.map(({ status, at }) => ({ status, at })),
  }
}

async function partnerOf(ctx: Ctx, { partnerId }: Transaction): Promise<Partner> {
  const partner = (await findPartners(ctx, [partnerId])).get(partnerId)
  if (!partner) throw new Error('A transaction has no partner.')
  return partner
}

const railCategory = ({ from, depositMethod }: Transaction) => {
  const method = from.network.paymentMethods.find(({ type }) => type === depositMethod)
  if (!method) throw new Error(`The catalogue has lost the method ${depositMethod}.`)
  return method.category
}

/** The rail by which a transaction's money comes in. */
function depositRail({ rails }: Pick<Ctx, 'rails'>, transaction: Transaction): DepositRail {
  const rail = rails.forDeposit(railCategory(transaction), transaction.from.network.code)
  if (!rail) throw new Error(`No rail takes ${transaction.depositMethod}.`)
  return rail
}

function single(moved: Transaction[]): Transaction {
  const [transaction] = moved
  if (!transaction) throw new Error('The transaction did not move.')
  return transaction
}
