import type { Available } from '../../exchange/availability/resolve.ts'
import type { Language } from '../../platform/language/language.ts'
import { formatAmount } from '../../platform/money/amount.ts'
import { costLines, totalCostText } from '../../exchange/pricing/cost-lines.ts'
import { totalCostOfSum } from '../../exchange/pricing/total-cost.ts'
import { bareSum, type Sum } from '../../exchange/pricing/sum.ts'
import { rateText } from '../../exchange/pricing/price-text.ts'
import { Row } from '../ui/price.tsx'
import type { Choice } from './choice.ts'
import type { Outcome } from './outcome.ts'

type ResultProps = { outcome: Outcome; choice: Choice; language: Language }

/** The price with each fee; or, in one sentence, why it can't be calculated and which amounts are possible. */
export function Result({ outcome, choice, language }: ResultProps) {
  const { exchange, sum, failure } = outcome
  if (exchange && sum) return <Price exchange={exchange} sum={sum} language={language} />
  const ends = exchange && endsOf(exchange, choice.direction, language)
  return <p class="problem">{sentence(failure?.rule, ends, { typed: choice.amount.typed, language })}</p>
}

function Price({ exchange, sum, language }: { exchange: Available['exchange']; sum: Sum; language: Language }) {
  const { say } = language
  const { source, target, terms, side } = exchange
  const order = {
    from: source,
    to: target,
    quote: { side, networkFee: formatAmount(terms.networkFee, target.asset) },
  }
  const cost = totalCostOfSum(terms, sum)
  return (
    <>
      <h2 class="visually-hidden">{say('calculator.fees')}</h2>
      <dl data-total-cost={formatAmount(cost.amount, cost.asset)} data-currency={cost.asset.ticker}>
        {costLines(order, cost, language).map(({ name, note, value }) => (
          <Row key={name} name={name} {...(note === undefined ? {} : { note })} value={value} />
        ))}
        <Row name={say('summary.totalCost')} value={totalCostText(order, cost, language)} />
        <Row
          name={say('summary.rate')}
          value={rateText({ price: terms.price, side, from: source, to: target }, language)}
        />
      </dl>
    </>
  )
}

type Ends = { min: string; max: string }

/** The range, in what the reader typed. */
function endsOf(
  { source, target, terms, range: { min, max } }: Available['exchange'],
  direction: 'direct' | 'reverse',
  { amount }: Language,
): Ends {
  const shown = (units: bigint): string =>
    direction === 'direct'
      ? amount(units, source)
      : amount(bareSum(terms, units, { feesIncluded: true }).toAmount, target)
  return { min: shown(min), max: shown(max) }
}

function sentence(
  rule: string | undefined,
  ends: Ends | undefined,
  { typed, language: { say, twoReadings } }: { typed: string; language: Language },
): string {
  if (ends === undefined) return say('calculator.closed')
  const isForm = rule === 'the amount is an amount' || rule === 'the amount fits its currency'
  if (!isForm) return say('calculator.outOfRange', ends)
  const readings = twoReadings(typed)
  return readings ? say('calculator.twoReadings', readings) : say('calculator.unreadable')
}
