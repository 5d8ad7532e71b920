import type { Listing } from '../../catalog/asset.ts'
import type { PaymentMethod } from '../../catalog/payment-method.ts'
import { parseAmount, scale } from '../../money/amount.ts'
import { percentText } from '../../pricing/fees.ts'
import type { CheckoutView } from '../../transactions/checkout-view.ts'
import type { Language } from '../../language/language.ts'
import type { PageProps } from '../page.ts'
import type { Step } from '../step.ts'
import type { Visit } from '../visit.ts'
import { flowOf, methodName } from '../way-to-pay.ts'
import { Deadlines } from './deadlines.tsx'

/** What the customer pays and receives, in one line, where the whole price stands further down. */
export function Headline({ visit: { view }, language }: PageProps) {
  return (
    <p class="headline">
      <span>{language.amount(view.fromAmount, view.from)}</span>
      <svg class="arrow" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
        <path d="M4 12h15m-6-6 6 6-6 6" />
      </svg>
      <span class="visually-hidden">{language.say('summary.receive')}</span>
      <span>{language.amount(view.toAmount, view.to)}</span>
    </p>
  )
}

/** The whole price: every amount between what is paid and what is received, none folded away. */
export function Summary(props: PageProps) {
  const { visit, language } = props
  const { say, amount } = language
  const { quote, from, to, fromAmount, toAmount, deposit, payout } = visit.view
  const fees = quote.fees.filter((fee) => fee.amount !== '0')
  const networkFee = parseAmount(quote.networkFee, to.asset)
  return (
    <aside class="summary" aria-labelledby="summary-title">
      <h2 id="summary-title">{say('summary.label')}</h2>
      <dl>
        <Row name={say('summary.pay')} note={by(from, deposit, language)} value={amount(fromAmount, from)} strong />
        {fees.map((fee) => (
          <Row
            key={fee.kind}
            name={say(`summary.fee.${fee.kind}`)}
            note={percentText(fee.basisPoints)}
            value={amount(-parseAmount(fee.amount, from.asset), from)}
          />
        ))}
        <Row name={say('summary.exchanged')} value={amount(parseAmount(quote.convertedAmount, from.asset), from)} />
        <Row name={say('summary.rate')} value={rateText(visit.view, language)} />
        {networkFee === 0n ? null : <Row name={say('summary.networkFee')} value={amount(-networkFee, to)} />}
        <Row name={say('summary.receive')} note={by(to, payout, language)} value={amount(toAmount, to)} strong />
      </dl>
      {showsDeadlines(visit) ? <Deadlines {...props} /> : null}
    </aside>
  )
}

const stepsBeforePaying: ReadonlySet<Step> = new Set(['email', 'code', 'country', 'payout_address', 'method', 'pay'])

/** Where the customer pays by hand, they stand beside what has to be paid. */
const showsDeadlines = ({ step, view }: Visit): boolean =>
  stepsBeforePaying.has(step) && view.status !== 'on_hold' && (step !== 'pay' || flowOf(view.deposit) === 'page')

/** On which network coins move, by which method money does. */
const by = ({ currency, network }: Listing, { category }: PaymentMethod, language: Language): string =>
  currency.kind === 'FIAT' ? methodName(category, language) : language.say('summary.on', { network: network.name })

function Row({ name, note, value, strong = false }: { name: string; note?: string; value: string; strong?: boolean }) {
  return (
    <div class={strong ? 'row strong' : 'row'}>
      <dt>
        {name} {note === undefined ? null : <span class="note">{note}</span>}
      </dt>
      <dd>{value}</dd>
    </div>
  )
}

/** So many digits of a price are shown at least: a coin of 0.0812 cents has a price, too. */
const leastDigits = 10n ** 4n
const mostDecimals = 18

/**
 * What one coin costs or brings; of two coins, the dearer one in the other. Rounded up where the customer pays it, down where
 * the customer gets it, with more decimals than the money has where it is cheap.
 */
function rateText({ quote, from, to }: CheckoutView, { say, price }: Language): string {
  const [perFrom, perTo] = [BigInt(quote.price.numerator), BigInt(quote.price.denominator)]
  const isOfTarget = quote.side === 'buy' || (quote.side === 'swap' && perFrom < perTo)
  const [unit, money] = isOfTarget ? [to, from] : [from, to]
  const [times, over] = isOfTarget ? [perTo, perFrom] : [perFrom, perTo]
  const rounding = isOfTarget ? 'up' : 'down'
  let { decimals } = money.asset
  while (decimals < mostDecimals && scale(10n ** BigInt(decimals), times, over, 'down') < leastDigits) decimals += 1
  const units = scale(10n ** BigInt(decimals), times, over, rounding)
  return say('summary.rateValue', { unit: unit.asset.ticker, price: price(units, decimals, money) })
}
