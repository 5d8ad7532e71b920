import { Form } from '../../ui/form.tsx'
import { timeLeft } from './time-left.ts'
import type { PageProps } from '../page.ts'
import { mayRenew } from '../step.ts'
import { flowOf } from '../way-to-pay.ts'

/** When the price and the order expire. A script counts down; without one the time shown is that of loading. */
export function Deadlines(props: PageProps) {
  const { visit, language } = props
  const { deposit, mostWorse } = visit.view
  return (
    <div class="deadlines">
      {flowOf(deposit) === 'transfer' ? (
        <p>{language.say('deadline.atArrival', { share: language.percent(mostWorse) })}</p>
      ) : (
        <>
          <PriceEnd {...props} />
          <Renew {...props} />
        </>
      )}
      <PayEnd {...props} />
    </div>
  )
}

function PriceEnd({ visit: { view }, language: { say, duration, percent }, now }: PageProps) {
  const holdsMs = view.quoteExpiresAt.getTime() - now.getTime()
  const over = say('deadline.over', { share: percent(view.mostWorse) })
  return (
    <p>
      <time
        dateTime={view.quoteExpiresAt.toISOString()}
        data-ends={view.quoteExpiresAt.getTime()}
        data-text={say('deadline.holds', { time: '{time}' })}
        data-over={over}
      >
        {holdsMs > 0 ? say('deadline.holds', { time: duration(holdsMs) }) : over}
      </time>
    </p>
  )
}

/** A button for a new price. Rendered from the start, so that a script can show it when the price expires. */
function Renew({ visit, language: { say }, here, now }: PageProps) {
  if (!mayRenew(visit)) return null
  return (
    <div class="renew" data-renew hidden={visit.view.quoteExpiresAt > now}>
      <Form here={here} does="renew">
        <button type="submit" class="button second">
          {say('deadline.renew')}
        </button>
      </Form>
    </div>
  )
}

/** The time left to pay, or the date if that is days away. Nothing until the payment details are known. */
function PayEnd({ visit: { view }, language, now }: PageProps) {
  const { say, moment } = language
  const flow = flowOf(view.deposit)
  if (flow !== 'page' && view.payTo === null) return null
  const dateTime = view.expiresAt.toISOString()
  if (flow === 'transfer')
    return (
      <p>
        <time dateTime={dateTime}>{say('deadline.arriveBy', { moment: moment(view.expiresAt) })}</time>
      </p>
    )
  const key = flow === 'page' ? 'deadline.payWithin' : 'deadline.sendWithin'
  return (
    <p>
      <time dateTime={dateTime} {...timeLeft(view.expiresAt, now, (time) => say(key, { time }), language)} />
    </p>
  )
}
