import { createHash } from 'node:crypto'

import { makeSandboxAddress } from '../addresses/address.ts'
import { assetById, assetOf } from '../catalog/asset.ts'
import type { Ctx } from '../context.ts'
import { proveEmail } from '../customers/check-code.ts'
import { Refusal } from '../lib/refusal.ts'
import { readAmount } from '../money/amount-in.ts'
import { ErasedPerson } from '../privacy/data-key.ts'
import type { DepositOrder } from '../rails/rail.ts'
import { armTimeout, oweCallbacks, payByCard, payForSure, type Processor } from '../rails/sandbox.ts'
import { completeDetails } from '../transactions/checkout.ts'
import { lockTransaction, readTransactionWhole } from '../transactions/load.ts'
import { checkoutUrl, recordOf, type TransactionRecord } from '../transactions/record.ts'
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

/**
 * Completes the checkout as a test customer would, e-mail address and code included, and gives the record. What the partner
 * passed is used as it is. One that is paid for or past that is given as it stands.
 */
export async function completeCheckout(
  ctx: Ctx,
  partnerId: bigint,
  publicId: bigint,
  customer: TestCustomer,
): Promise<TransactionRecord> {
  return ctx.db.atomic(async (db) => {
    const transaction = await lockTransaction(ctx, db, publicId)
    if (!transaction || transaction.partnerId !== partnerId) throw notFound()
    refuseOtherCategory(transaction, customer.paymentCategory)
    if (transaction.status === 'waiting_for_deposit') return recordOf(ctx, transaction)

    const email = customer.email ?? transaction.personal.email ?? `customer-${publicId}@sandbox.invalid`
    const { customerId, partnerCustomerId } = await proveEmail(ctx, db, { partnerId, email })
    const address = customer.payoutAddress ?? transaction.personal.payoutAddress ?? testAddress(transaction)
    const completed = await completeDetails(ctx, db, transaction, {
      email,
      provenCustomerId: customerId,
      partnerCustomerId,
      country: customer.country ?? transaction.country ?? 'DE',
      payoutAddress: address,
      ...(customer.extraId === undefined ? {} : { extraId: customer.extraId }),
    })
    return recordOf(ctx, completed)
  })
}

/** A transaction has one way to pay, chosen when it was created; another is refused as create would refuse it. */
function refuseOtherCategory({ from, depositMethod }: Transaction, asked: string | undefined): void {
  const method = from.network.paymentMethods.find(({ type }) => type === depositMethod)
  if (asked === undefined || asked.toUpperCase() === method?.category) return
  const message = 'This transaction cannot be paid that way.'
  throw new Refusal('PAIR_NOT_AVAILABLE', message, [
    { path: 'payment_category', code: 'METHOD_NOT_AVAILABLE', message },
  ])
}

/** An address of the right network that belongs to nobody, always the same for a transaction. */
function testAddress({ publicId, to }: Transaction): string {
  const { chain } = to.network
  if (!chain) throw new Refusal('CONFLICT', 'This transaction is not paid out on a chain.')
  return makeSandboxAddress(chain.family, createHash('sha256').update(String(publicId)).digest())
}

/** How much a test customer pays instead of what is due. */
export type TestDeposit = { amount?: unknown; currency?: string; network?: string; reference?: string }

/** Pays as the customer would, exactly what is due if nothing else is said. Gives the rail's ids of the payment. */
export async function payDeposit(
  ctx: Ctx,
  processor: Processor,
  { partnerId, publicId, deposit }: { partnerId: bigint; publicId: bigint; deposit: TestDeposit },
): Promise<{ deposit_id: string; hash: string }> {
  const order = await orderOf(ctx, partnerId, publicId)
  const due = assetById(order.asset)
  const asset = deposit.currency
    ? assetOf(deposit.currency, deposit.network)
    : due && assetOf(due.ticker, deposit.network ?? due.network)
  if (!asset)
    throw new Refusal('BAD_REQUEST', 'We do not know this currency.', [
      { path: 'currency', code: 'CURRENCY_UNKNOWN', message: 'We do not know this currency.' },
    ])
  const amount = deposit.amount === undefined ? order.amount : readAmount(deposit.amount, asset, 'amount')

  const paid = { ...order, asset: asset.id, amount, reference: deposit.reference ?? order.reference }
  const id = await payForSure(processor, paid)
  return { deposit_id: id, hash: createHash('sha256').update(id).digest('hex') }
}

/** What a rail may do besides, at a word. Those of the first road; the others belong to endings that do not exist yet. */
const railEvents = ['decline', 'duplicate', 'timeout', 'unknown_word'] as const

/** Makes a rail misbehave, or say something, about a transaction. */
export async function playRailEvent(
  ctx: Ctx,
  processor: Processor,
  { partnerId, publicId, type }: { partnerId: bigint; publicId: bigint; type: string },
): Promise<void> {
  const transaction = await ownTransaction(ctx, partnerId, publicId)
  switch (type) {
    case 'decline':
      await payByCard(processor, await orderOf(ctx, partnerId, publicId), { number: '4000 0000 0000 0002' })
      return
    case 'timeout':
      if (transaction.personal.payoutAddress === null) throw new Refusal('CONFLICT', 'There is no payout address yet.')
      await armTimeout(processor, transaction.personal.payoutAddress)
      return
    case 'duplicate':
    case 'unknown_word':
      await say(ctx, processor, transaction, type)
      return
    default: {
      const message = `The type must be one of ${railEvents.join(', ')}.`
      throw new Refusal('BAD_REQUEST', message, [{ path: 'type', code: 'INVALID_VALUE', message }])
    }
  }
}

/** The processor tells of a payment again, or in a word that nobody has met. */
async function say(
  ctx: Ctx,
  processor: Processor,
  transaction: Transaction,
  type: 'duplicate' | 'unknown_word',
): Promise<void> {
  const { reference } = await orderOf(ctx, transaction.partnerId, transaction.publicId)
  const [fact] = await cardFacts(ctx, reference)
  if (!fact) throw new Refusal('CONFLICT', 'Nothing has been paid yet.')
  const { payment = '', status = '' } = fact.body
  const again = type === 'duplicate'
  const body = {
    event: again ? fact.key : `${payment}_unknown`,
    payment,
    status: again ? status : 'FROBNICATED',
    merchant_reference: reference,
    asset: fact.asset,
    amount: String(fact.amount),
  }
  await ctx.db.atomic((db) => oweCallbacks(processor, db, [JSON.stringify(body)]))
}

const cardFacts = ({ rails }: Ctx, reference: string) => rails.deposit.get('sandbox-card')?.look(reference) ?? []

async function ownTransaction(ctx: Ctx, partnerId: bigint, publicId: bigint): Promise<Transaction> {
  const transaction = await readTransactionWhole(ctx, ctx.db, publicId)
  if (!transaction || transaction.partnerId !== partnerId) throw notFound()
  return transaction
}

/** What the customer was told to pay, as the processor is asked for it. */
async function orderOf(ctx: Ctx, partnerId: bigint, publicId: bigint): Promise<DepositOrder> {
  const [row] = await queries.payable(ctx.db, partnerId, publicId)
  if (!row) throw notFound()
  if (row.is_erased) throw new ErasedPerson()
  const { reference, asset, amount, locale } = row
  if (reference === null || asset === null || amount === null) {
    throw new Refusal('CONFLICT', 'The checkout is not complete: nobody was told how to pay yet.')
  }
  return { reference, asset, amount, returnUrl: checkoutUrl(ctx, publicId), locale: locale ?? 'en' }
}

const notFound = (): Refusal => new Refusal('NOT_FOUND', 'There is no such transaction.')
