import { Form } from '../../ui/form.tsx'
import type { PageProps } from '../page.ts'
import { mayRenew } from '../step.ts'
import { flowOf } from '../way-to-pay.ts'

/** How long the price holds and how long it can be paid. A script makes the first tick; without one it stands. */
export function Deadlines(props: PageProps) {
  const { visit, language } = props
  return (
    <div class="deadlines">
      {flowOf(visit.view.deposit) === 'transfer' ? (
        <p>{language.say('deadline.atArrival')}</p>
      ) : (
        <>
          <PriceEnd {...props} />
          <Renew {...props} />
        </>
      )}
      <p>{payText(props)}</p>
    </div>
  )
}

function PriceEnd({ visit: { view }, language: { say, duration }, now }: PageProps) {
  const holdsMs = view.quoteExpiresAt.getTime() - now.getTime()
  const over = say('deadline.over')
  return (
    <p data-countdown-ms={Math.max(0, holdsMs)} data-text={say('deadline.holds', { time: '{time}' })} data-over={over}>
      {holdsMs > 0 ? say('deadline.holds', { time: duration(holdsMs) }) : over}
    </p>
  )
}

/** One press for a price that holds again. There from the start, so that a script can show it when the price ends. */
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

/** By when to pay: the time left, or the day where that is days away. Empty while it is not known how to pay. */
function payText({ visit: { view }, language: { say, duration, moment }, now }: PageProps): string {
  const flow = flowOf(view.deposit)
  const time = duration(view.expiresAt.getTime() - now.getTime())
  if (flow === 'page') return say('deadline.payWithin', { time })
  if (view.payTo === null) return ''
  return flow === 'coin'
    ? say('deadline.sendWithin', { time })
    : say('deadline.arriveBy', { moment: moment(view.expiresAt) })
}
