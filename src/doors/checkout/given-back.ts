import type { CheckoutView } from '../../exchange/orders/checkout-view.ts'

/** Whether everything that arrived is refunded, so that nothing is exchanged. */
export function isGivenBack({ refunds, arrived, from }: Pick<CheckoutView, 'refunds' | 'arrived' | 'from'>): boolean {
  const current = refunds.filter(({ state }) => state !== 'cancelled')
  const back = current.filter(({ asset }) => asset === from.asset.id)
  return current.length > 0 && back.reduce((sum, { amount }) => sum + amount, 0n) >= arrived
}
