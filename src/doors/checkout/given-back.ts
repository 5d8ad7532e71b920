import type { CheckoutView } from '../../exchange/orders/checkout-view.ts'

/** Whether all that came goes back, or has gone: nothing is exchanged, and what was agreed is promised to nobody any more. */
export function isGivenBack({ refunds, arrived, from }: Pick<CheckoutView, 'refunds' | 'arrived' | 'from'>): boolean {
  const standing = refunds.filter(({ state }) => state !== 'cancelled')
  const back = standing.filter(({ asset }) => asset === from.asset.id)
  return standing.length > 0 && back.reduce((sum, { amount }) => sum + amount, 0n) >= arrived
}
