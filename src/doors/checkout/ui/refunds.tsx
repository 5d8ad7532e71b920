import type { CheckoutView } from '../../../exchange/orders/checkout-view.ts'
import type { PageProps } from '../page.ts'
import { listed } from '../refunded-asset.ts'

type State = CheckoutView['refunds'][number]['state']

/** What is said of a refund, by where it stands. */
const words = {
  ordered: 'refunds.ordered',
  address_needed: 'refunds.asked',
  sent: 'refunds.pending',
  paid: 'refunds.paid',
  failed: 'refunds.failed',
} as const satisfies Record<Exclude<State, 'cancelled'>, string>

/** What goes back, or has gone: each refund in a sentence. One that was cancelled is none. */
export function Refunds({ visit: { view }, language: { say, amount } }: PageProps) {
  const told = view.refunds.flatMap(({ publicId, asset, amount: whole, cost, state }) =>
    state === 'cancelled'
      ? []
      : [{ key: String(publicId), text: say(words[state], { amount: amount(whole - cost, listed(asset)) }) }],
  )
  if (told.length === 0) return null
  return (
    <section class="refunds">
      <h2>{say('refunds.title')}</h2>
      <ul>
        {told.map(({ key, text }) => (
          <li key={key}>{text}</li>
        ))}
      </ul>
    </section>
  )
}
