import type { Listing } from '../../../reference/catalog/asset.ts'
import type { PaymentMethod } from '../../../reference/catalog/payment-method.ts'
import { formatAmount, parseAmount } from '../../../platform/money/amount.ts'
import { ratioFrom } from '../../../platform/money/ratio.ts'
import { CurrencyMark } from '../../ui/mark.tsx'
import { rateText } from '../../../exchange/pricing/price-text.ts'
import { EndRow, Row } from '../../ui/price.tsx'
import { asPromised, pricePromiseOf } from '../../../exchange/transactions/price-promise.ts'
import type { Language } from '../../../platform/language/language.ts'
import type { PageProps } from '../page.ts'
import { isTyped } from '../steps.ts'
import type { Visit } from '../visit.ts'
import { TotalCost } from '../../ui/total-cost.tsx'
import { methodName } from '../../ui/method-name.ts'
import { Deadlines } from './deadlines.tsx'

/** What the customer pays and receives, above the page; the full price is below. */
export function Headline({ visit: { view }, language, now }: PageProps) {
  const { say, amount } = language
  const promise = pricePromiseOf(view, now)
  return (
    <dl class="headline">
      <EndRow
        name={say('summary.pay')}
        value={amount(view.fromAmount, view.from)}
        plain={formatAmount(view.fromAmount, view.from.asset)}
        mark={<CurrencyMark {...view.from} />}
      />
      <EndRow
        name={say('summary.receive')}
        value={asPromised(amount(view.toAmount, view.to), promise, language)}
        plain={formatAmount(view.toAmount, view.to.asset)}
        price={promise}
        mark={<CurrencyMark {...view.to} />}
      />
    </dl>
  )
}

/** The full price: what is paid, what it costs in all, the rate, and what is received. */
export function Summary(props: PageProps) {
  const { visit, language } = props
  const { say, amount } = language
  const { view } = visit
  const { quote, from, to, fromAmount, toAmount, deposit, payout } = view
  const promise = pricePromiseOf(view, props.now)
  return (
    <aside class="summary" aria-labelledby="summary-title">
      <h2 id="summary-title">{say('summary.label')}</h2>
      <dl>
        <EndRow
          name={say('summary.pay')}
          note={by(from, deposit, language)}
          value={amount(fromAmount, from)}
          plain={formatAmount(fromAmount, from.asset)}
          mark={<CurrencyMark {...from} />}
        />
      </dl>
      <TotalCost {...view} language={language} />
      <dl>
        <Row
          name={say('summary.rate')}
          value={rateText({ price: ratioFrom(quote.price), side: quote.side, from, to }, language)}
        />
        {quote.excess ? (
          <Row
            name={say('summary.excessRate', { amount: amount(parseAmount(quote.excess.fromAmount, from.asset), from) })}
            value={rateText({ price: ratioFrom(quote.excess.price), side: quote.side, from, to }, language)}
          />
        ) : null}
        <EndRow
          name={say('summary.receive')}
          note={by(to, payout, language)}
          value={asPromised(amount(toAmount, to), promise, language)}
          plain={formatAmount(toAmount, to.asset)}
          price={promise}
          mark={<CurrencyMark {...to} />}
        />
      </dl>
      {showsDeadlines(visit) ? <Deadlines {...props} /> : null}
    </aside>
  )
}

/** The payment pages show them next to the button, or to what has to be paid. */
const showsDeadlines = ({ step, view }: Visit): boolean =>
  (isTyped(step) || step === 'method') && view.status !== 'on_hold'

/** The network for coins, the method for money. */
const by = ({ currency, network }: Listing, { category }: PaymentMethod, language: Language): string =>
  currency.kind === 'FIAT' ? methodName(category, language) : language.say('summary.on', { network: network.name })
