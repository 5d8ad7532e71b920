import { scale } from '../../money/amount.ts'
import { parseAmount } from '../../money/amount.ts'
import { percentText } from '../../pricing/fees.ts'
import type { CheckoutView } from '../../transactions/checkout-view.ts'
import type { Language } from '../language.ts'
import type { PageProps } from '../page.ts'

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
export function Summary({ visit: { view, step }, language, now }: PageProps) {
  const { say, amount } = language
  const { quote, from, to } = view
  const fees = quote.fees.filter((fee) => fee.amount !== '0')
  return (
    <aside class="summary" aria-labelledby="summary-title">
      <h2 id="summary-title">{say('summary.label')}</h2>
      <dl>
        <Row name={say('summary.pay')} value={amount(view.fromAmount, from)} strong />
        {fees.map((fee) => (
          <Row
            key={fee.kind}
            name={say(`summary.fee.${fee.kind}`)}
            note={percentText(fee.basisPoints)}
            value={amount(-parseAmount(fee.amount, from.asset), from)}
          />
        ))}
        <Row name={say('summary.exchanged')} value={amount(parseAmount(quote.convertedAmount, from.asset), from)} />
        <Row name={say('summary.rate')} value={rateText(view, language)} />
        <Row name={say('summary.networkFee')} value={amount(-parseAmount(quote.networkFee, to.asset), to)} />
        <Row
          name={say('summary.receive')}
          note={say('summary.receiveOn', { network: to.network.name })}
          value={amount(view.toAmount, to)}
          strong
        />
      </dl>
      {step === 'pay' || step === 'country' || step === 'payout_address' || step === 'email' || step === 'code' ? (
        <Deadlines view={view} language={language} now={now} />
      ) : null}
    </aside>
  )
}

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

/** What one coin costs, in the money that is paid; rounded up, since we sell. */
function rateText({ quote, from, to }: CheckoutView, { say, amount }: Language): string {
  const oneUnit = 10n ** BigInt(from.asset.decimals)
  const price = scale(oneUnit, BigInt(quote.price.denominator), BigInt(quote.price.numerator), 'up')
  return say('summary.rateValue', { unit: to.asset.ticker, price: amount(price, from) })
}

/** How long the price holds and how long it can be paid. A script makes the first tick; without one it stands. */
function Deadlines({ view, language, now }: { view: CheckoutView; language: Language; now: Date }) {
  const { say, duration } = language
  const holdsMs = view.quoteExpiresAt.getTime() - now.getTime()
  const over = say('summary.over')
  const text = holdsMs > 0 ? say('summary.holds', { time: duration(holdsMs) }) : over
  return (
    <div class="deadlines">
      <p data-countdown-ms={Math.max(0, holdsMs)} data-text={say('summary.holds', { time: '{time}' })} data-over={over}>
        {text}
      </p>
      <p>{say('summary.payWithin', { time: duration(view.expiresAt.getTime() - now.getTime()) })}</p>
    </div>
  )
}
