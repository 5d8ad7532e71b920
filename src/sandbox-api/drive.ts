import { createHash } from 'node:crypto'

import { makeSandboxAddress } from '../addresses/address.ts'
import { accountFormOf } from '../bank/account.ts'
import { exampleAccount } from '../bank/example-account.ts'
import { assetById, assetOf, listingById } from '../catalog/asset.ts'
import { findCountry, servesCountry } from '../catalog/country.ts'
import type { Ctx } from '../context.ts'
import { type Billing, noApartment } from '../customers/billing-field.ts'
import { proveEmail } from '../customers/check-code.ts'
import type { Atomic } from '../db/sql.ts'
import { Refusal } from '../lib/refusal.ts'
import type { Asset } from '../money/amount.ts'
import { readAmount } from '../money/amount-in.ts'
import { ErasedPerson } from '../privacy/data-key.ts'
import {
  armTimeout,
  bounce,
  chargeback,
  decline,
  duplicate,
  pay,
  type Payment,
  reorg,
  unknownWord,
  type World,
} from '../rails/sandbox.ts'
import { completeDetails, type Details } from '../transactions/checkout.ts'
import { missingOf } from '../transactions/details.ts'
import { lockTransaction, readTransactionWhole } from '../transactions/load.ts'
import { depositMethodOf, methodOf, payoutMethodOf } from '../transactions/method.ts'
import { checkDestination } from '../transactions/payout-destination.ts'
import { anyRecordOf, type B2bRecord, checkoutUrl, type TransactionRecord } from '../transactions/record.ts'
import type { Transaction } from '../transactions/transaction.ts'
import * as queries from './queries.ts'

/** What a test customer may be told to give at the checkout; the rest is made up. */
export type TestCustomer = {
  email?: string
  country?: string
  paymentCategory?: string
  payoutAddress?: string
  extraId?: string
}

/** Where a test customer lives that is told nothing else, and where a way to pay that is not open there is. */
const homes = ['DE', 'GB', 'BR', 'MX', 'CO'] as const

/**
 * Completes the checkout as a test customer would, e-mail address and code included, and gives the record. What the partner
 * passed is used as it is. One that is paid for or past that is given as it stands.
 */
export async function completeCheckout(
  ctx: Ctx,
  partnerId: bigint,
  publicId: bigint,
  customer: TestCustomer,
): Promise<TransactionRecord | B2bRecord> {
  return ctx.db.atomic(async (db) => {
    const transaction = await lockTransaction(ctx, db, publicId)
    if (!transaction || transaction.partnerId !== partnerId) throw notFound()
    const { status, statusDetails, personal } = transaction
    const depositMethod = methodAsked(transaction, customer.paymentCategory)
    if (status === 'on_hold' && statusDetails === 'address_needed') {
      return anyRecordOf(ctx, await completeDetails(ctx, db, transaction, otherDestination(transaction, customer)))
    }
    if (status === 'waiting_for_deposit') {
      const other = depositMethod === transaction.depositMethod ? {} : { depositMethod }
      return anyRecordOf(ctx, await completeDetails(ctx, db, transaction, other))
    }

    const email = customer.email ?? personal.email ?? `customer-${publicId}@sandbox.invalid`
    const { customerId, partnerCustomerId } = await proveEmail(ctx, db, { partnerId, email })
    const completed = await completeDetails(ctx, db, transaction, {
      email,
      provenCustomerId: customerId,
      partnerCustomerId,
      depositMethod,
      country: customer.country ?? transaction.country ?? homeFor({ ...transaction, depositMethod }),
      ...destinationOf(transaction, customer),
    })
    return anyRecordOf(ctx, await completeBilling(ctx, db, completed))
  })
}

/** Fills in what the partner has passed in part; the rest is a test customer's, in the country of the address. */
async function completeBilling(ctx: Ctx, db: Atomic, transaction: Transaction): Promise<Transaction> {
  const { billing } = transaction.personal
  if (!missingOf(transaction).includes('billing')) return transaction
  const whole: Billing = { countryAlpha2: transaction.country ?? homes[0], ...testBilling, ...billing }
  return completeDetails(ctx, db, transaction, { billing: whole })
}

const testBilling: Billing = {
  region: 'Test Region',
  city: 'Testville',
  streetAddress: '1 Sample Street',
  aptNumber: noApartment,
  postIndex: '10000',
  firstName: 'Terry',
  lastName: 'Test',
}

/** The way to pay that a test customer is to use: the one that was chosen before, if nothing is said. */
function methodAsked({ from, depositMethod }: Transaction, asked: string | undefined): string {
  if (asked === undefined) return depositMethod
  const wanted = asked.toUpperCase()
  const method = from.network.paymentMethods.find(({ category, deposit }) => deposit && category === wanted)
  if (method) return method.type
  const message = 'This transaction cannot be paid that way.'
  throw new Refusal('PAIR_NOT_AVAILABLE', message, [
    { path: 'payment_category', code: 'METHOD_NOT_AVAILABLE', message },
  ])
}

/** A country in which both the way to pay and the way to be paid can be used. */
function homeFor(transaction: Transaction): string {
  const categories = [depositMethodOf(transaction).category, payoutMethodOf(transaction).category]
  const home = homes.find((code) => {
    const country = findCountry(code)
    return country && categories.every((category) => servesCountry(category, country))
  })
  return home ?? homes[0]
}

/** What the caller says, else what was given before, else a destination that is made up. */
function destinationOf(transaction: Transaction, { payoutAddress, extraId }: TestCustomer): Details {
  const { personal, to } = transaction
  const made = testDestination(transaction)
  const given =
    personal.payoutAddress === null
      ? made
      : { payoutAddress: personal.payoutAddress, extraId: personal.payoutExtraId ?? '' }
  const wanted = payoutAddress === undefined ? given : { payoutAddress, extraId: '' }
  const holder = to.network.chain ? {} : { payoutHolder: personal.payoutHolder ?? made.payoutHolder }
  return { ...wanted, ...(extraId === undefined ? {} : { extraId }), confirmsResembling: true, ...holder }
}

/** Where a test customer wants what came back: somewhere else than before, if nothing is said. */
const otherDestination = (transaction: Transaction, { payoutAddress, extraId }: TestCustomer): Details =>
  payoutAddress === undefined
    ? destinationOf({ ...transaction, personal: { ...transaction.personal, payoutAddress: null } }, {})
    : destinationOf(transaction, { payoutAddress, ...(extraId === undefined ? {} : { extraId }) })

/** A destination of the right kind that belongs to nobody, always the same for a transaction. */
function testDestination(
  transaction: Transaction,
): Required<Pick<Details, 'payoutAddress' | 'extraId' | 'payoutHolder'>> {
  const seed = createHash('sha256')
    .update(`${transaction.publicId}${afterReturn(transaction)}`)
    .digest()
  const { chain } = transaction.to.network
  if (chain) return { payoutAddress: makeSandboxAddress(chain.family, seed), extraId: '', payoutHolder: '' }
  const form = accountFormOf(payoutMethodOf(transaction).category)
  if (!form) throw new Refusal('CONFLICT', 'This transaction is paid out to no account.')
  const { account, bic, holder } = exampleAccount(form, seed)
  return { payoutAddress: account, extraId: bic, payoutHolder: holder }
}

const afterReturn = ({ statusDetails, moves }: Transaction): string =>
  statusDetails === 'address_needed' ? ` after ${moves}` : ''

/** How much a test customer pays instead of what is due. */
export type TestDeposit = { amount?: unknown; currency?: string; network?: string; reference?: string }

/** Pays as the customer would, exactly what is due if nothing else is said. Gives the rail's id of the payment. */
export async function payDeposit(
  ctx: Ctx,
  world: World,
  { partnerId, publicId, deposit }: { partnerId: bigint; publicId: bigint; deposit: TestDeposit },
): Promise<{ deposit_id: string; hash: string }> {
  const payment = await paymentOf(ctx, partnerId, publicId)
  const due = assetById(payment.asset)
  const asset = deposit.currency
    ? assetOf(deposit.currency, deposit.network)
    : due && assetOf(due.ticker, deposit.network ?? due.network)
  if (!asset)
    throw new Refusal('BAD_REQUEST', 'We do not know this currency.', [
      { path: 'currency', code: 'CURRENCY_UNKNOWN', message: 'We do not know this currency.' },
    ])
  const amount = deposit.amount === undefined ? payment.amount : readAmount(deposit.amount, asset, 'amount')
  const rail = railFor(ctx, payment, asset)
  const { id, hash } = await pay(world, { ...payment, rail, asset: asset.id, amount }, optionalReference(deposit))
  return { deposit_id: id, hash }
}

const optionalReference = ({ reference }: TestDeposit) => (reference === undefined ? {} : { reference })

/** Coins that are sent on another chain arrive there, not where they were awaited. */
function railFor({ rails }: Ctx, { rail, payTo, category }: Payment, asset: Asset): string {
  if (payTo.kind !== 'address') return rail
  const other = rails.forDeposit(category, asset.network)
  if (!other) throw new Refusal('BAD_REQUEST', 'Coins move on chains only.')
  return other.name
}

/** What a rail may do besides, at a word (wire.md, section 8). */
const railEvents = ['chargeback', 'bounce', 'decline', 'reorg', 'timeout', 'duplicate', 'unknown_word'] as const

type Actor = { partnerId: bigint; publicId: bigint }

/** Makes a rail misbehave, or say something, about a transaction. */
export async function playRailEvent(
  ctx: Ctx,
  world: World,
  { type, ...actor }: Actor & { type: string },
): Promise<void> {
  const transaction = await ownTransaction(ctx, actor)
  switch (type) {
    case 'decline':
      return decline(world, await paymentOf(ctx, actor.partnerId, actor.publicId))
    case 'chargeback':
      return chargeback(world, await paymentOf(ctx, actor.partnerId, actor.publicId))
    case 'duplicate':
      return duplicate(world, await paymentOf(ctx, actor.partnerId, actor.publicId))
    case 'unknown_word':
      return unknownWord(world, await paymentOf(ctx, actor.partnerId, actor.publicId))
    case 'timeout':
      return armTimeout(world, recipientOf(ctx, transaction))
    case 'bounce':
      return bounceLast(ctx, world, actor)
    case 'reorg':
      return undoBlocks(ctx, world, transaction, actor)
    default: {
      const message = `The type must be one of ${railEvents.join(', ')}.`
      throw new Refusal('BAD_REQUEST', message, [{ path: 'type', code: 'INVALID_VALUE', message }])
    }
  }
}

/** Where a transaction is paid out, as the rail is told. */
function recipientOf(ctx: Ctx, transaction: Transaction): string {
  const { payoutAddress, payoutExtraId } = transaction.personal
  if (payoutAddress === null) throw new Refusal('CONFLICT', 'There is no payout address yet.')
  const what = { listing: transaction.to, method: payoutMethodOf(transaction) }
  const check = checkDestination(ctx, what, { address: payoutAddress, extraId: payoutExtraId ?? '' })
  return check.ok ? check.address : payoutAddress
}

async function bounceLast(ctx: Ctx, world: World, { partnerId, publicId }: Actor): Promise<void> {
  const [last] = await queries.planned(ctx.db, partnerId, publicId)
  if (!last) throw new Refusal('CONFLICT', 'Nothing has been paid out yet.')
  await bounce(world, { rail: last.rail, planKey: last.plan_key })
}

/** Undoes the blocks with a transaction's transfers: its deposit where it was paid in coins, else its payout. */
async function undoBlocks(ctx: Ctx, world: World, { from, to }: Transaction, actor: Actor): Promise<void> {
  if (from.network.chain) {
    const { reference } = await paymentOf(ctx, actor.partnerId, actor.publicId)
    return reorg(world, { network: from.network.code, reference })
  }
  const plans = await queries.planned(ctx.db, actor.partnerId, actor.publicId)
  if (plans.length === 0) throw new Refusal('CONFLICT', 'Nothing of this transaction is on a chain yet.')
  return reorg(world, { network: to.network.code, planKeys: plans.map(({ plan_key }) => plan_key) })
}

async function ownTransaction(ctx: Ctx, { partnerId, publicId }: Actor): Promise<Transaction> {
  const transaction = await readTransactionWhole(ctx, ctx.db, publicId)
  if (!transaction || transaction.partnerId !== partnerId) throw notFound()
  return transaction
}

/** What the customer was told to pay, and how. */
async function paymentOf(ctx: Ctx, partnerId: bigint, publicId: bigint): Promise<Payment> {
  const [row] = await queries.payable(ctx.db, partnerId, publicId)
  if (!row) throw notFound()
  if (row.is_erased) throw new ErasedPerson()
  const { rail, reference, method, pay_to: payTo, asset, amount, locale } = row
  if (rail === null || reference === null || method === null || payTo === null || asset === null || amount === null) {
    throw new Refusal('CONFLICT', 'The checkout is not complete: nobody was told how to pay yet.')
  }
  const listing = listingById(asset)
  if (!listing) throw new Error(`The catalogue has lost ${asset}.`)
  const { category } = methodOf(listing, method)
  const returnUrl = checkoutUrl(ctx, publicId)
  return { rail, reference, payTo, category, asset, amount, returnUrl, locale: locale ?? 'en' }
}

const notFound = (): Refusal => new Refusal('NOT_FOUND', 'There is no such transaction.')
