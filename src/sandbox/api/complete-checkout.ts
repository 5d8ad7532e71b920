import { createHash } from 'node:crypto'

import { makeSandboxAddress } from '../../reference/addresses/address.ts'
import { accountFormOf } from '../../reference/bank/account.ts'
import { exampleAccount } from '../../reference/bank/example-account.ts'
import { findCountry, servesCountry } from '../../reference/catalog/country.ts'
import type { Ctx } from '../../exchange/context.ts'
import { type Billing, noApartment } from '../../exchange/customers/billing-field.ts'
import type { Atomic } from '../../platform/db/sql.ts'
import { on, within } from '../../platform/db/within.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import { acceptable } from '../../exchange/orders/accept-terms.ts'
import { completeDetails } from '../../exchange/orders/checkout.ts'
import { boundIn, emailOf } from '../../exchange/orders/giver.ts'
import { type Details, missingSteps } from '../../exchange/orders/steps.ts'
import { lockTransaction } from '../../exchange/transactions/load.ts'
import { depositMethodOf, payoutMethodOf } from '../../exchange/transactions/method.ts'
import { anyRecordOf, type B2bRecord, type TransactionRecord } from '../../exchange/transactions/record.ts'
import type { Transaction } from '../../exchange/transactions/transaction.ts'
import { proveEmail } from './prove-email.ts'

/** What a test customer gives at the checkout; the rest is made up. */
export type TestCustomer = {
  email?: string
  country?: string
  paymentCategory?: string
  payoutAddress?: string
  extraId?: string
}

/** Where test customers live unless the caller says; the further ones have payment methods that the first doesn't. */
const homes = ['DE', 'GB', 'BR', 'MX', 'CO'] as const

/**
 * Completes the checkout as a test customer would, e-mail address and code included, and gives the record; its order may still
 * wait for an identity check. What the partner passed is used as it is.
 */
export async function completeCheckout(
  ctx: Ctx,
  partnerId: bigint,
  publicId: bigint,
  customer: TestCustomer,
): Promise<TransactionRecord | B2bRecord> {
  return ctx.db.atomic(async (db) => {
    const transaction = await lockTransaction(ctx, db, publicId)
    if (!transaction || transaction.partnerId !== partnerId)
      throw new Refusal('NOT_FOUND', 'There is no such transaction.')
    const { status, statusDetails, kind } = transaction
    const depositMethod = methodAsked(transaction, customer.paymentCategory)
    if (status === 'on_hold' && statusDetails === 'address_needed') {
      if (kind === 'b2b') throw new Refusal('CONFLICT', 'A B2B transaction is paid to registered addresses only.')
      return anyRecordOf(
        ctx,
        await completeDetails(ctx, db, transaction, otherDestination(transaction, customer), ownerOf(transaction)),
      )
    }
    if (status === 'waiting_for_deposit') {
      const other = depositMethod === transaction.depositMethod ? {} : { depositMethod }
      return anyRecordOf(ctx, await completeDetails(ctx, db, transaction, other, ownerOf(transaction)))
    }

    const email = customer.email ?? emailOf(transaction) ?? `customer-${publicId}@sandbox.invalid`
    const { customerId, partnerCustomerId } = await proveEmail(on(ctx, within(db)), transaction, email)
    const details: Details = {
      email,
      provenCustomerId: customerId,
      partnerCustomerId,
      depositMethod,
      accepts: acceptable(ctx),
      country: customer.country ?? transaction.country ?? homeFor({ ...transaction, depositMethod }),
      ...destinationOf(transaction, customer),
    }
    const completed = await completeDetails(ctx, db, transaction, details, customerId)
    return anyRecordOf(ctx, await completeBilling(ctx, db, completed))
  })
}

/** Who completes an order again: the test customer who has proven its email address. */
const ownerOf = ({ customerId }: Transaction): bigint | undefined => customerId ?? undefined

/** Fills in what the partner has passed in part; the rest is a test customer's, in the country of the address. */
async function completeBilling(ctx: Ctx, db: Atomic, transaction: Transaction): Promise<Transaction> {
  const { billing } = transaction.personal
  if (!missingSteps(ctx, transaction).includes('billing')) return transaction
  const whole: Billing = { countryAlpha2: transaction.country ?? homes[0], ...testBilling, ...billing }
  for (const field of boundIn(transaction.personal).billing) delete whole[field]
  return completeDetails(ctx, db, transaction, { billing: whole }, ownerOf(transaction))
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

/** The payment method that a test customer should use; defaults to the one chosen earlier. */
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

const afterReturn = ({ statusDetails, statusChanges }: Transaction): string =>
  statusDetails === 'address_needed' ? ` after ${statusChanges}` : ''
