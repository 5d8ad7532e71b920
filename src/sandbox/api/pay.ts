import { assetById, assetOf, listingById } from '../../reference/catalog/asset.ts'
import type { Ctx } from '../../exchange/context.ts'
import { on, within } from '../../platform/db/within.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import type { Asset } from '../../platform/money/amount.ts'
import { readAmount } from '../../platform/money/amount-in.ts'
import { ErasedPerson } from '../../platform/privacy/data-key.ts'
import { isPaid, pay, type Payment, type World } from '../rails.ts'
import { lockTransaction } from '../../exchange/transactions/load.ts'
import { methodOf } from '../../exchange/transactions/method.ts'
import { checkoutUrl } from '../../exchange/transactions/record.ts'
import * as queries from './queries.ts'

/**
 * What a test customer pays unless it is the amount due: an amount as it was written, or in `units` of the asset due. `isPooled`:
 * from a wallet that many people share.
 */
export type TestDeposit = {
  amount?: unknown
  units?: bigint
  currency?: string
  network?: string
  reference?: string
  isPooled?: boolean
}

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
  const units = deposit.units ?? payment.amount
  const amount = deposit.amount === undefined ? units : readAmount(deposit.amount, asset, 'amount')
  const rail = railFor(ctx, payment, asset)
  const { isPooled = false } = deposit
  const how = { ...optionalReference(deposit), isPooled }
  const { id, hash } = await pay(world, { ...payment, rail, asset: asset.id, amount }, how)
  return { deposit_id: id, hash }
}

const optionalReference = ({ reference }: TestDeposit) => (reference === undefined ? {} : { reference })

/** Coins that are sent on another chain arrive there, not where they were awaited. */
function railFor({ rails }: Ctx, { rail, payTo, category }: Payment, asset: Asset): string {
  if (payTo.kind !== 'address') return rail
  const other = rails.forDeposit(category, asset.network)
  if (!other) throw new Refusal('BAD_REQUEST', 'Coins can only move on a chain.')
  return other.name
}

/**
 * Pays what a customer would pay by hand, once however often it is asked for; nothing where somebody has paid, where there is nothing
 * to pay, and where it is paid at a page. Refuses (NOT_FOUND) an unknown id.
 */
export const payOnce = (ctx: Ctx, world: World, publicId: bigint): Promise<void> =>
  ctx.db.atomic(async (db) => {
    const transaction = await lockTransaction(ctx, db, publicId)
    if (!transaction) throw new Refusal('NOT_FOUND', 'There is no such transaction.')
    if (transaction.status !== 'waiting_for_deposit') return
    const { partnerId } = transaction
    const [ours, theirs] = [on(ctx, within(db)), on(world, within(db))]
    const payment = await paymentOf(ours, partnerId, publicId)
    if (payment.payTo.kind === 'page' || (await isPaid(theirs, payment))) return
    await payDeposit(ours, theirs, { partnerId, publicId, deposit: {} })
  })

/** What the customer of a partner's own transaction has to pay, and how. CONFLICT before the checkout is complete. */
export async function paymentOf(ctx: Ctx, partnerId: bigint, publicId: bigint): Promise<Payment> {
  const [row] = await queries.payable(ctx.db, partnerId, publicId)
  if (!row) throw new Refusal('NOT_FOUND', 'There is no such transaction.')
  if (row.is_erased) throw new ErasedPerson()
  const { rail, reference, method, pay_to: payTo, asset, amount, locale } = row
  if (rail === null || reference === null || method === null || payTo === null || asset === null || amount === null) {
    throw new Refusal('CONFLICT', 'The checkout is not complete: there are no payment details yet.')
  }
  const listing = listingById(asset)
  if (!listing) throw new Error(`The catalog has lost ${asset}.`)
  const { category } = methodOf(listing, method)
  const returnUrl = checkoutUrl(ctx, { publicId, checkoutToken: row.checkout_token })
  const holder = `Customer ${row.customer_id ?? publicId}`
  return { rail, reference, payTo, category, asset, amount, returnUrl, locale: locale ?? 'en', holder }
}
