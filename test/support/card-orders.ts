import { createBuy, someAddress } from './customer.ts'
import type { Forms } from './checkout-forms.ts'
import type { Exchange } from './exchange.ts'

/** A buy whose customer sees the button to pay. */
export type CardOrder = { id: string; press(): Promise<{ status: number; payAt: string }> }

/** Makes such orders, each of another customer. */
export function cardOrders(exchange: Exchange, forms: Forms): () => Promise<CardOrder> {
  let customers = 0
  return async () => {
    customers += 1
    const { id, url } = await createBuy(exchange)
    const browser = await forms.prove(url, `card-${customers}@example.com`)
    await forms.post(url, { do: 'country', country: 'NL' }, browser)
    await forms.post(url, { do: 'payout_address', payout_address: someAddress, confirms: someAddress }, browser)
    const press = async () => {
      const { status, headers } = await forms.post(url, { do: 'pay' }, browser)
      return { status, payAt: headers.get('location') ?? '' }
    }
    return { id, press }
  }
}
