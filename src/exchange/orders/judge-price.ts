import { resolve } from '../availability/resolve.ts'
import type { Ctx } from '../context.ts'
import { badField, Refusal } from '../../platform/lib/refusal.ts'
import type { Partner } from '../partners/partner.ts'
import { payableUntil, type ToldMethod } from './await-deposit.ts'
import type { Details } from './details.ts'
import { depositMethodOf, flowOf } from '../transactions/method.ts'
import { askOfTransaction, momentOf, termsOfPartner } from '../transactions/policy.ts'
import { requote } from '../settlement/requote.ts'
import type { Transaction } from '../transactions/transaction.ts'

/**
 * The transaction by the way to pay that the customer wants now, at that way's price: the one that was asked for, or, where the
 * way so far does not reach the customer's country, the first that does. Or, where that is asked for, at the price of this moment.
 */
export function judgedPrice(
  ctx: Ctx,
  partner: Partner,
  { transaction, told }: Priceable,
  details: Details,
): Transaction {
  if (details.renewsPrice === true) return renewedPrice(ctx, partner, { transaction, told })
  const wanted = details.depositMethod ?? methodForCountry(ctx, partner, transaction, details.country)
  if (wanted === undefined || wanted === transaction.depositMethod) return transaction
  const outcome = resolve(momentOf(ctx, ctx.clock.now()), termsOfPartner(partner), {
    ...askOfTransaction({ ...transaction, depositMethod: wanted }),
    country: details.country ?? transaction.country ?? undefined,
    amount: { direction: 'direct', value: transaction.quote.fromAmount },
  })
  // A category and any letter case name a method too: what is kept is the method.
  const method = outcome.available ? outcome.exchange.deposit.type : undefined
  if (method === transaction.depositMethod) return transaction
  if (transaction.terms.skipChoosePaymentCategory) {
    throw badField('payment_method', 'The way to pay was set by the site that sent you and cannot be changed.')
  }
  if (!mayChangeMethod(transaction)) {
    throw new Refusal('CONFLICT', 'The way to pay has been changed too often and stays as it is.')
  }
  const again =
    method === undefined
      ? undefined
      : requote(ctx, partner, transaction, {
          method,
          until: timeToPay(ctx, told, { ...transaction, depositMethod: method }),
        })
  if (again) return again.transaction
  const problem = outcome.available ? undefined : outcome.failures[0].problem
  const message = problem?.message ?? 'This way to pay is not available at the moment.'
  throw badField(
    'payment_method',
    message,
    problem?.code === 'AMOUNT_OUT_OF_RANGE' ? problem.code : 'METHOD_NOT_AVAILABLE',
  )
}

/** A transaction, and how its customer was told to pay until now. */
type Priceable = { transaction: Transaction; told: ToldMethod[] }

/** Until when a transaction can be paid by its method, as its customer knows it: the time of its page, until it is told how. */
const timeToPay = (ctx: Ctx, told: ToldMethod[], transaction: Transaction): Date =>
  told.length === 0 ? transaction.expiresAt : payableUntil(ctx, told, transaction)

/** The same at the price of this moment, where the one that was agreed is over and the next one would hold. */
function renewedPrice(ctx: Ctx, partner: Partner, { transaction, told }: Priceable): Transaction {
  const isHeld = flowOf(depositMethodOf(transaction).category) !== 'transfer'
  if (!isHeld || transaction.quoteExpiresAt > ctx.clock.now()) return transaction
  if (transaction.quoteNumber >= mostPrices) {
    throw new Refusal('CONFLICT', 'The price has been renewed too often. It is made when the money arrives.')
  }
  const again = requote(ctx, partner, transaction, { until: timeToPay(ctx, told, transaction) })
  if (again) return again.transaction
  throw new Refusal('SERVICE_UNAVAILABLE', 'No price can be made at the moment. Please try again in a minute.')
}

/** Each change of the way to pay costs a price and an instruction that are kept for ever. */
const mostPrices = 20

/** Whether the way to pay can still be another one: its partner allows it, and the customer has not changed it too often. */
export const mayChangeMethod = ({ terms, quoteNumber }: Pick<Transaction, 'terms' | 'quoteNumber'>): boolean =>
  !terms.skipChoosePaymentCategory && quoteNumber < mostPrices

/** Nobody gains time by changing to and fro: a way whose time has passed cannot be chosen again. */
export function refuseTimeOver(ctx: Ctx, { transaction, told }: Priceable): void {
  if (payableUntil(ctx, told, transaction) > ctx.clock.now()) return
  throw badField('payment_method', 'The time to pay this way has passed.', 'METHOD_NOT_AVAILABLE')
}

/** Another way to pay where the one so far does not reach the country; undefined: there is no need, or no other way. */
function methodForCountry(
  ctx: Ctx,
  partner: Partner,
  transaction: Transaction,
  country: string | undefined,
): string | undefined {
  if (country === undefined || transaction.terms.skipChoosePaymentCategory) return undefined
  const moment = momentOf(ctx, ctx.clock.now())
  const ask = { ...askOfTransaction(transaction), country }
  const asIs = resolve(moment, termsOfPartner(partner), ask)
  if (asIs.available || asIs.failures[0].rule !== 'the deposit method reaches the country') return undefined
  const { depositType: _, ...anyWay } = ask
  const amount = { direction: 'direct', value: transaction.quote.fromAmount } as const
  const other = resolve(moment, termsOfPartner(partner), { ...anyWay, amount })
  return other.available ? other.exchange.deposit.type : undefined
}
