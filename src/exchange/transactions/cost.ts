import { bookedAsset } from '../../reference/catalog/sync-assets.ts'
import type { Asset } from '../../platform/money/amount.ts'
import { costOfRefund, type TotalCost, totalCostOf } from '../pricing/total-cost.ts'
import type { Transaction } from './transaction.ts'

/** What was sent back: in one asset, that of the first refund. `sent` is `paid` less the cost of sending it. */
export type RefundedMoney = { asset: Asset; paid: bigint; sent: bigint; hash: string | null }

/** Everything that went back of a transaction. */
export function refundedMoney({ refunds, from }: Pick<Transaction, 'refunds' | 'from'>): RefundedMoney {
  const all = refunds.filter(({ state }) => state === 'paid')
  const asset = bookedAsset(all[0]?.asset ?? from.asset.id) ?? from.asset
  const money: RefundedMoney = { asset, paid: 0n, sent: 0n, hash: null }
  for (const { amount, cost, hash } of all.filter((refund) => refund.asset === asset.id)) {
    money.paid += amount
    money.sent += amount - cost
    money.hash = hash
  }
  return money
}

/** What a transaction costs its customer in all: the exchange at its price or, once it is refunded, the cost of sending it back. */
export function costOfTransaction(transaction: Transaction): TotalCost {
  const cost = totalCostOf(transaction.quote)
  if (transaction.status !== 'refunded') return cost
  const { asset, paid, sent } = refundedMoney(transaction)
  return costOfRefund({ asset, paid, sent, marketPrice: cost.marketPrice })
}
