import type { PageProps } from '../page.ts'
import { BillingOnFile } from '../ui/billing.tsx'
import { Destination } from '../ui/destination.tsx'
import { OtherWays, RefreshLink } from '../ui/links.tsx'

/** Below what has to be paid by hand: that nothing has to be pressed, what comes out and where it goes. */
export function AfterPaying(props: PageProps) {
  const { visit, language, isSandbox } = props
  const { view } = visit
  const play = `POST /v1/sandbox/transaction/${view.publicId}/deposit`
  const received = language.amount(view.toAmount, view.to)
  return (
    <>
      <p class="watched">
        <span class="pulse" aria-hidden="true" />
        <span>{language.say('pay.watched')}</span>
      </p>
      {isSandbox ? <p class="hint">{language.say('pay.sandbox', { play })}</p> : null}
      <RefreshLink {...props} />
      <section class="then">
        <h2 class="received">{language.say('pay.receive', { amount: received })}</h2>
        <Destination {...props} />
        <BillingOnFile {...props} />
      </section>
      <OtherWays {...props} />
    </>
  )
}
