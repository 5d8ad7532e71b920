import type { Available } from '../../exchange/availability/resolve.ts'
import type { Language } from '../../platform/language/language.ts'
import { sharePaid } from '../../exchange/pricing/fees.ts'
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
  const { say, amount, percent } = language
  const { source, target, terms, side } = exchange
  const fees = sum.fees.filter((fee) => fee.amount > 0n)
  return (
    <>
      <h2 class="visually-hidden">{say('calculator.fees')}</h2>
      <dl>
        {fees.map(({ rule, amount: fee }) => (
          <Row
            key={rule.kind}
            name={say(`summary.fee.${rule.kind}`)}
            note={percent(sharePaid(rule, fee, sum.fromAmount))}
            value={amount(-fee, source)}
          />
        ))}
        <Row
          name={say('summary.rate')}
          value={rateText({ price: terms.price, side, from: source, to: target }, language)}
        />
        {terms.networkFee === 0n ? null : (
          <Row name={say('summary.networkFee')} value={amount(-terms.networkFee, target)} />
        )}
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
