import { waysToPay as resolveWays } from '../availability/ways-to-pay.ts'
import type { PaymentMethod } from '../../reference/catalog/payment-method.ts'
import { findPaymentCategory } from '../../reference/catalog/payment-category.ts'
import type { Ctx } from '../context.ts'
import { progressOf } from '../settlement/ask-rails.ts'
import { instruct, type Instruction, instructionOf } from '../settlement/instruction.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import { payableUntil, methodsInstructed } from './await-deposit.ts'
import { checkoutUrl } from '../transactions/record.ts'
import type { WayToPay } from './checkout-view.ts'
import { partnerOf } from '../transactions/partner-of.ts'
import { lockTransaction, readTransactionWhole } from '../transactions/load.ts'
import { chooseDepositRail, depositMethodOf } from '../transactions/method.ts'
import type { Transaction } from '../transactions/transaction.ts'
import { askOfTransaction, momentOf, termsOfPartner } from '../transactions/policy.ts'

/**
 * Returns the payment page's URL, in the language of the checkout page. Safe to repeat: the payment's reference stays the same, as
 * long as its rail opens pages. Where the page does not open, the next press may lead to another rail. CONFLICT then.
 */
export async function startPayment(
  ctx: Ctx,
  publicId: bigint,
  { locale }: { locale: string },
): Promise<{ payAt: string }> {
  const transaction = await readTransactionWhole(ctx, ctx.db, publicId)
  if (!transaction) throw new Refusal('NOT_FOUND', 'Transaction not found.')
  if (transaction.status !== 'waiting_for_deposit')
    throw new Refusal('CONFLICT', 'This transaction is not waiting for a payment.')
  const instruction = await instructionToPay(ctx, transaction)
  const { rail, reference, asset, amount } = instruction
  const deposit = ctx.rails.deposit(rail)?.deposit
  if (!deposit?.open) throw new Refusal('CONFLICT', 'This transaction is not paid on a payment page.')
  try {
    const opened = await deposit.open({
      reference,
      asset,
      amount,
      category: depositMethodOf(transaction).category,
      returnUrl: `${checkoutUrl(ctx, transaction, locale)}&returned=1`,
      locale,
    })
    ctx.rails.health.record(rail, 'opened')
    return opened
  } catch (error) {
    if (error instanceof Refusal) throw error
    ctx.rails.health.record(rail, 'open_failed')
    ctx.log.warn({ err: error, rail }, 'A payment page could not be opened.')
    throw new Refusal('CONFLICT', 'The payment page cannot be opened at the moment. Try again.')
  }
}

/** The instruction that is paid: the last one, or another on a better rail where that one's rail does not open its pages. */
async function instructionToPay(ctx: Ctx, transaction: Transaction): Promise<Instruction> {
  const last = await instructionOf(ctx.db, transaction.id)
  if (!last) throw new Error('A transaction awaits its deposit without payment details.')
  const better = chooseDepositRail(ctx, transaction)
  const isWorking = ctx.rails.health.isUp(last.rail) && !ctx.halts.now().rails.has(last.rail)
  if (isWorking || better.name === last.rail || !better.deposit.open || (await isBegun(ctx, last))) return last

  return ctx.db.atomic(async (db) => {
    const locked = await lockTransaction(ctx, db, transaction.publicId)
    const latest = await instructionOf(db, transaction.id)
    const isAsBefore = locked?.status === 'waiting_for_deposit' && locked.depositMethod === transaction.depositMethod
    // Another press came first, or the order has moved on.
    if (!isAsBefore || latest?.reference !== last.reference) return latest ?? last
    const { asset, amount } = last
    const method = depositMethodOf(transaction)
    return instruct(ctx, db, { transactionId: transaction.id, rail: better, method, asset, amount })
  })
}

/** Whether the customer is already paying there, as far as the rail answers: then nobody is sent elsewhere. */
async function isBegun(ctx: Ctx, { rail, reference }: Instruction): Promise<boolean> {
  try {
    const events = (await ctx.rails.deposit(rail)?.deposit.look(reference)) ?? []
    return progressOf(events, reference) !== 'none'
  } catch {
    return false
  }
}

const compare = (one: bigint, other: bigint): number => (one === other ? 0 : one < other ? -1 : 1)

/** The ways to pay that are currently open for a transaction, with what the customer would receive: the best comes first. */
export async function waysToPay(ctx: Ctx, publicId: bigint): Promise<WayToPay[]> {
  const transaction = await readTransactionWhole(ctx, ctx.db, publicId)
  if (!transaction) throw new Refusal('NOT_FOUND', 'Transaction not found.')
  const instructed = await methodsInstructed(ctx.db, transaction)
  const isInTime = ({ type }: PaymentMethod): boolean =>
    payableUntil(ctx, instructed, { ...transaction, depositMethod: type }) > ctx.clock.now()
  const { depositType: _, ...anyWay } = askOfTransaction(transaction)
  const ways = resolveWays(momentOf(ctx, ctx.clock.now()), termsOfPartner(await partnerOf(ctx, transaction)), {
    ...anyWay,
    country: transaction.country ?? undefined,
    amount: { direction: 'direct', value: transaction.quote.fromAmount },
  })
  const open = ways
    .filter(({ method }) => isInTime(method))
    .toSorted((one, other) => compare(other.sum.toAmount, one.sum.toAmount))
  return open.map(({ method, sum }) => ({
    method,
    name: findPaymentCategory(method.category)?.name ?? method.category,
    toAmount: sum.toAmount,
  }))
}
