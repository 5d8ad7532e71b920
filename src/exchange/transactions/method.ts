import type { Listing } from '../../reference/catalog/asset.ts'
import type { PaymentMethod } from '../../reference/catalog/payment-method.ts'
import { findPaymentCategory, type Category, type Flow } from '../../reference/catalog/payment-category.ts'
import type { Ctx } from '../context.ts'
import type { DepositRail, PayoutRail, Rail } from '../../rails/rail.ts'
import { chooseRail } from '../../rails/registry.ts'
import type { Transaction } from './transaction.ts'

/** A method of a currency's network by its type. A stored one that the catalog no longer has is a fault. */
export function methodOf({ network }: Listing, type: string): PaymentMethod {
  const method = network.paymentMethods.find((candidate) => candidate.type === type)
  if (!method) throw new Error(`The catalog has lost the method ${type} of ${network.code}.`)
  return method
}

/** How money moves in a category. */
export function flowOf(category: Category): Flow {
  const found = findPaymentCategory(category)
  if (!found) throw new Error(`There is no payment category ${category}.`)
  return found.flow
}

/** How a transaction's money comes in. */
export const depositMethodOf = ({ from, depositMethod }: Pick<Transaction, 'from' | 'depositMethod'>): PaymentMethod =>
  methodOf(from, depositMethod)

/** How a transaction's money goes out. */
export const payoutMethodOf = ({ to, payoutMethod }: Pick<Transaction, 'to' | 'payoutMethod'>): PaymentMethod =>
  methodOf(to, payoutMethod)

/**
 * The rail that takes a transaction's payment from now on: by preference, without rails that an operator has halted or that fail to
 * open their pages. What was instructed before stays with its rail.
 */
export function chooseDepositRail(
  { rails, halts }: Pick<Ctx, 'rails' | 'halts'>,
  transaction: Pick<Transaction, 'id' | 'from' | 'depositMethod'>,
): DepositRail {
  const { category } = depositMethodOf(transaction)
  const { code } = transaction.from.network
  const halted = halts.now().rails
  const isUsable = ({ name }: Rail): boolean => !halted.has(name) && rails.health.isUp(name)
  const rail = chooseRail(rails.depositRails(category, code), transaction.id, isUsable)
  if (!rail) throw new Error(`No rail takes ${transaction.depositMethod} of ${code}.`)
  return rail
}

/** The preferred rail of a transaction's deposit. */
export function depositRailOf(
  { rails }: Pick<Ctx, 'rails'>,
  transaction: Pick<Transaction, 'from' | 'depositMethod'>,
): DepositRail {
  const rail = rails.forDeposit(depositMethodOf(transaction).category, transaction.from.network.code)
  if (!rail) throw new Error(`No rail takes ${transaction.depositMethod} of ${transaction.from.network.code}.`)
  return rail
}

/** The rail of a transaction's payout. */
export function payoutRailOf(
  { rails }: Pick<Ctx, 'rails'>,
  transaction: Pick<Transaction, 'to' | 'payoutMethod'>,
): PayoutRail {
  const rail = rails.forPayout(payoutMethodOf(transaction).category, transaction.to.network.code)
  if (!rail) throw new Error(`No rail pays ${transaction.payoutMethod} out on ${transaction.to.network.code}.`)
  return rail
}
