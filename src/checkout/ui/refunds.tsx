import type { PageProps } from '../page.ts'
import { listed } from '../refunded-asset.ts'

/** What goes back, or has gone: each refund in a sentence. */
export function Refunds({ visit: { view }, language: { say, amount } }: PageProps) {
  if (view.refunds.length === 0) return null
  return (
    <section class="refunds">
      <h2>{say('refunds.title')}</h2>
      <ul>
        {view.refunds.map(({ publicId, asset, amount: whole, cost, state }) => {
          const key = state === 'paid' ? 'paid' : state === 'failed' ? 'failed' : 'pending'
          return (
            <li key={String(publicId)}>{say(`refunds.${key}`, { amount: amount(whole - cost, listed(asset)) })}</li>
          )
        })}
      </ul>
    </section>
  )
}
