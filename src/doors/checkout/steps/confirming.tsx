import type { CheckoutStep } from '../checkout-step.ts'
import type { Page, PageProps } from '../page.ts'
import { RefreshLink } from '../ui/links.tsx'
import { Way } from '../ui/way.tsx'
import { flowOf } from '../way-to-pay.ts'

/** Money was seen but is not final: what it is waiting for, and how long that usually takes. */
export const confirming: CheckoutStep = {
  phase: 'payment',
  page: confirmingPage,
}

function confirmingPage(props: PageProps): Page {
  const { visit, language } = props
  const { say, count: sayCount, duration } = language
  const { view } = visit
  const { chain, name: network } = view.from.network
  const isCoin = flowOf(view.deposit) === 'coin'
  const count = view.confirmations ?? chain?.minConfirmations ?? 1
  const usualMs = Math.ceil((chain?.blockSeconds ?? 0) * count) * 1_000
  const values = { asset: view.from.asset.ticker, network, time: duration(usualMs) }
  return {
    title: say('confirming.title'),
    body: (
      <>
        <p class="lead">{isCoin ? sayCount('confirming.coin', count, values) : say('confirming.bank')}</p>
        <Way
          label={say('progress.label')}
          now={1}
          stages={[
            isCoin ? say('confirming.seen', values) : say('confirming.announced'),
            isCoin ? sayCount('confirming.final', count, values) : say('confirming.arrived'),
            say('confirming.exchange'),
          ]}
        />
        <p class="hint">{say('confirming.safe')}</p>
        <RefreshLink {...props} />
      </>
    ),
  }
}
