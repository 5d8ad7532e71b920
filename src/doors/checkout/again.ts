import type { Ctx } from '../../exchange/context.ts'
import type { CheckoutView } from '../../exchange/orders/checkout-view.ts'
import { readPartnerSecrets } from '../../exchange/partners/secrets.ts'
import { signWidgetQuery } from '../../exchange/partners/widget-signature.ts'
import { formatAmount } from '../../platform/money/amount.ts'

type Ordered = Pick<CheckoutView, 'partnerId' | 'quote' | 'from' | 'to' | 'fromAmount' | 'locale'>

/** The partner's calculator with what was just exchanged, to do the same again. It takes one coin: of a swap, the one that was paid. */
export async function orderAgain(
  ctx: Ctx,
  { partnerId, quote: { side }, from, to, fromAmount, locale }: Ordered,
): Promise<string> {
  const [money, coin] = side === 'buy' ? [from, to] : [to, from]
  const query = new URLSearchParams({
    partner_id: String(partnerId),
    default_side: `${side}_crypto`,
    ...(side === 'swap' ? {} : { default_fiat_currency: money.currency.ticker }),
    default_crypto_currency: coin.currency.ticker,
    default_crypto_network: coin.network.code,
    ...(side === 'buy' ? { default_fiat_amount: formatAmount(fromAmount, from.asset) } : {}),
    ...(locale === null ? {} : { locale }),
  })
  const { widgetSecret } = await readPartnerSecrets(ctx, partnerId)
  query.set('signature', signWidgetQuery(widgetSecret, partnerId, query.toString()))
  return `/calculator/v2?${query.toString()}`
}
