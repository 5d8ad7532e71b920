import { listed, type Order } from './checkout-views.ts'
import type { PageProps } from '../../src/doors/checkout/page.ts'
import type { Step, Wish } from '../../src/doors/checkout/step.ts'
import type { PaymentProgress } from '../../src/exchange/settlement/ask-rails.ts'
import type { CheckoutView, WayToPay } from '../../src/exchange/orders/checkout-view.ts'
import type { CustomerChoices } from '../../src/exchange/orders/choose.ts'

/** What a sample page differs by from the usual one. */
export type Sample = {
  step: Step
  view?: Partial<CheckoutView>
  order?: Order
  ways?: WayToPay[]
  more?: Partial<PageProps>
  isProven?: boolean
  choices?: CustomerChoices
  wish?: Wish
  /** How the payment stands that the customer comes back from; absent: from none. */
  payment?: PaymentProgress
}

/** What sample orders are about. */
export const [btc, eth, xrp, usdt, doge, card] = [
  listed('BTC'),
  listed('ETH'),
  listed('XRP'),
  listed('USDT', 'TRX'),
  listed('DOGE'),
  listed('EUR'),
]

export const sellOfBtc: Order = { from: btc, to: card, amount: '0.05' }

/** A sell into a currency, paid out in a way. */
export const sellInto = (currency: string, payout: NonNullable<Order['payout']>): Order => ({
  from: eth,
  to: listed(currency),
  amount: '1.5',
  payout,
})

export const swap: Order = { from: xrp, to: usdt, amount: '2500.5' }
