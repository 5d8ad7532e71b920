import { resolve } from '../availability/resolve.ts'
import type { Ctx } from '../context.ts'
import { badField, Refusal } from '../../platform/lib/refusal.ts'
import { type InstructedMethod, methodsInstructed, payableUntil } from './await-deposit.ts'
import type { StepInput } from './step.ts'
import type { Change } from '../transactions/advance.ts'
import { depositMethodOf, flowOf } from '../transactions/method.ts'
import { askOfTransaction, momentOf, termsOfPartner } from '../transactions/policy.ts'
import { reprice } from '../settlement/reprice.ts'
import type { Transaction } from '../transactions/transaction.ts'

/** Every change of method or price adds a quote that is kept forever. */
const mostQuotes = 20

/** Whether the customer can choose another way to pay: the partner allows it, and they haven't changed it too often. */
export const mayChangeMethod = ({ terms, quoteNumber }: Pick<Transaction, 'terms' | 'quoteNumber'>): boolean =>
  !terms.skipChoosePaymentCategory && quoteNumber < mostQuotes

/** Switches an order to another way to pay, at its current price there; `wanted` may be a category, in any letter case. */
export async function switchMethod(input: StepInput, wanted: string, country: string | undefined): Promise<Change> {
  const { ctx, partner, transaction } = input
  if (wanted === transaction.depositMethod) return {}
  const outcome = resolve(momentOf(ctx, ctx.clock.now()), termsOfPartner(partner), {
    ...askOfTransaction({ ...transaction, depositMethod: wanted }),
    country: country ?? transaction.country ?? undefined,
    amount: { direction: 'direct', value: transaction.quote.fromAmount },
  })
  const method = outcome.available ? outcome.exchange.deposit.type : undefined
  if (method === transaction.depositMethod) return {}
  if (transaction.terms.skipChoosePaymentCategory) {
    throw badField('payment_method', 'The way to pay was set by the site that sent you and cannot be changed.')
  }
  if (!mayChangeMethod(transaction)) {
    throw new Refusal('CONFLICT', 'The way to pay has been changed too often and can no longer be changed.')
  }
  const change = method === undefined ? undefined : await repriced(input, method)
  if (change) return change
  const problem = outcome.available ? undefined : outcome.failures[0].problem
  const message = problem?.message ?? 'This way to pay is not available right now.'
  const isAmount = problem?.code === 'AMOUNT_OUT_OF_RANGE'
  throw badField('payment_method', message, isAmount ? problem.code : 'METHOD_NOT_AVAILABLE')
}

/** Another way to pay if the current one does not reach the country; undefined if it does, or if there is no other. */
export function methodForCountry({ ctx, partner, transaction }: StepInput, country: string): string | undefined {
  if (transaction.terms.skipChoosePaymentCategory) return undefined
  const moment = momentOf(ctx, ctx.clock.now())
  const ask = { ...askOfTransaction(transaction), country }
  const current = resolve(moment, termsOfPartner(partner), ask)
  if (current.available || current.failures[0].rule !== 'the deposit method reaches the country') return undefined
  const { depositType: _, ...anyMethod } = ask
  const amount = { direction: 'direct', value: transaction.quote.fromAmount } as const
  const other = resolve(moment, termsOfPartner(partner), { ...anyMethod, amount })
  return other.available ? other.exchange.deposit.type : undefined
}

/** Gives an order the current price once the agreed one has expired, if the new price would be held. */
export async function priceNow(input: StepInput): Promise<Change> {
  const { ctx, transaction } = input
  const isHeld = flowOf(depositMethodOf(transaction).category) !== 'transfer'
  if (!isHeld || transaction.quoteExpiresAt > ctx.clock.now()) return {}
  if (transaction.quoteNumber >= mostQuotes) {
    throw new Refusal('CONFLICT', 'The price has been renewed too often. It is set when the money arrives.')
  }
  const change = await repriced(input, transaction.depositMethod)
  if (change) return change
  throw new Refusal('SERVICE_UNAVAILABLE', 'No price is available right now. Please try again in a minute.')
}

/** The current price by a method; undefined if there is none. Changing back and forth gains no time: an expired method is refused. */
async function repriced({ ctx, db, partner, transaction }: StepInput, method: string): Promise<Change | undefined> {
  const instructed = await methodsInstructed(db, transaction)
  const until = timeToPay(ctx, instructed, { ...transaction, depositMethod: method })
  const repriced = reprice(ctx, partner, transaction, { method, until })?.transaction
  if (repriced === undefined) return undefined
  if (payableUntil(ctx, instructed, repriced) <= ctx.clock.now()) {
    throw badField('payment_method', 'The time to pay this way is over.', 'METHOD_NOT_AVAILABLE')
  }
  const { depositMethod, quote, quoteNumber, quoteExpiresAt, expectedTo } = repriced
  return { depositMethod, quote, quoteNumber, quoteExpiresAt, expectedTo }
}

/** When the time to pay ends: until payment details have been shown, that of the order itself. */
const timeToPay = (ctx: Ctx, instructed: InstructedMethod[], transaction: Transaction): Date =>
  instructed.length === 0 ? transaction.expiresAt : payableUntil(ctx, instructed, transaction)
