import { breakable } from '../../ui/copy.tsx'
import type { PayButton } from '../notices.ts'
import type { PageProps } from '../page.ts'
import { BillingOnFile } from './billing.tsx'
import { Destination } from './destination.tsx'
import { OtherWays, RefreshLink } from './links.tsx'

/** Below the payment details: that the page updates by itself (with scripts), what the customer receives, and where it goes. */
export function AfterPaying(props: PageProps) {
  const { visit, language, aids } = props
  const { view } = visit
  const received = breakable(language.amount(view.toAmount, view.to))
  return (
    <>
      <p class="watched">
        <span class="pulse" aria-hidden="true" />
        <span>{language.say('pay.watched')}</span>
      </p>
      <noscript>
        <p class="hint">{language.say('pay.unwatched')}</p>
      </noscript>
      {aids.button === undefined ? null : <Pay button={aids.button} language={language} />}
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

/** A button that pays for the customer. */
function Pay({ button, language }: { button: PayButton } & Pick<PageProps, 'language'>) {
  return (
    <form method="post" action={button.action}>
      <p class="hint">{button.hint(language)}</p>
      <button type="submit" class="button second">
        {button.label(language)}
      </button>
    </form>
  )
}
