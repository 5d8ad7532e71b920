import type { Language } from '../../platform/language/language.ts'
import { formatAmount } from '../../platform/money/amount.ts'
import { costLines, type PricedOrder, totalCostText } from '../../exchange/pricing/cost-lines.ts'
import { exactUnitPrice } from '../../exchange/pricing/price-text.ts'
import type { StoredQuote } from '../../exchange/pricing/quote.ts'
import { totalCostOf } from '../../exchange/pricing/total-cost.ts'
import { Row } from './price.tsx'

/** One line with everything that the exchange costs, which opens to its parts; also without JavaScript. */
export function TotalCost({ language, ...order }: PricedOrder & { quote: StoredQuote; language: Language }) {
  const { say } = language
  const cost = totalCostOf(order.quote)
  const lines = costLines(order, cost, language)
  return (
    <details
      class="cost"
      data-total-cost={formatAmount(cost.amount, cost.asset)}
      data-currency={cost.asset.ticker}
      data-market-price={exactUnitPrice({ ...order, price: cost.marketPrice, side: order.quote.side })}
    >
      <summary>
        <span>{say('summary.totalCost')}</span> <strong>{totalCostText(order, cost, language)}</strong>
      </summary>
      <dl>
        {lines.map(({ name, note, value }) => (
          <Row key={name} name={name} {...(note === undefined ? {} : { note })} value={value} />
        ))}
      </dl>
    </details>
  )
}
