import type { CheckoutView } from '../../../exchange/orders/checkout-view.ts'
import type { PageProps } from '../page.ts'
import { listed } from '../refunded-asset.ts'

type State = CheckoutView['refunds'][number]['state']

/** The sentence for each state of a refund. */
const sentences = {
  ordered: 'refunds.ordered',
  address_needed: 'refunds.asked',
  sent: 'refunds.pending',
  paid: 'refunds.paid',
  failed: 'refunds.failed',
} as const satisfies Record<Exclude<State, 'cancelled'>, string>

/** One sentence per refund. Canceled refunds are left out. */
export function Refunds({ visit: { view }, language: { say, amount } }: PageProps) {
  const lines = view.refunds.flatMap(({ publicId, asset, amount: whole, cost, state }) =>
    state === 'cancelled'
      ? []
      : [{ key: String(publicId), text: say(sentences[state], { amount: amount(whole - cost, listed(asset)) }) }],
  )
  if (lines.length === 0) return null
  return (
    <section class="refunds">
      <h2>{say('refunds.title')}</h2>
      <ul>
        {lines.map(({ key, text }) => (
          <li key={key}>{text}</li>
        ))}
      </ul>
    </section>
  )
}
