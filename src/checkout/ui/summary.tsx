import type { Listing } from '../../catalog/asset.ts'
import type { PaymentMethod } from '../../catalog/payment-method.ts'
import { parseAmount } from '../../money/amount.ts'
import { ratioFrom } from '../../money/ratio.ts'
import { percentText } from '../../pricing/fees.ts'
import { Row, rateText } from '../../ui/price.tsx'
import type { Language } from '../../language/language.ts'
import type { PageProps } from '../page.ts'
import type { Step } from '../step.ts'
import type { Visit } from '../visit.ts'
import { methodName } from '../../ui/method-name.ts'
import { flowOf } from '../way-to-pay.ts'
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
        <Row
          name={say('summary.rate')}
          value={rateText({ price: ratioFrom(quote.price), side: quote.side, from, to }, language)}
        />
        {networkFee === 0n ? null : <Row name={say('summary.networkFee')} value={amount(-networkFee, to)} />}
        <Row name={say('summary.receive')} note={by(to, payout, language)} value={amount(toAmount, to)} strong />
      </dl>
      {showsDeadlines(visit) ? <Deadlines {...props} /> : null}
    </aside>
  )
}

const stepsBeforePaying: ReadonlySet<Step> = new Set([
  'email',
  'code',
  'terms',
  'country',
  'payout_address',
  'method',
  'pay',
])

/** Where the customer pays by hand, they stand beside what has to be paid. */
const showsDeadlines = ({ step, view }: Visit): boolean =>
  stepsBeforePaying.has(step) && view.status !== 'on_hold' && (step !== 'pay' || flowOf(view.deposit) === 'page')

/** On which network coins move, by which method money does. */
const by = ({ currency, network }: Listing, { category }: PaymentMethod, language: Language): string =>
  currency.kind === 'FIAT' ? methodName(category, language) : language.say('summary.on', { network: network.name })
