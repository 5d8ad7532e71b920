import type { CheckoutStep } from '../checkout-step.ts'
import { isGivenBack } from '../given-back.ts'
import type { Page, PageProps } from '../page.ts'
import { Notice } from '../../ui/notice.tsx'
import { Unbroken } from '../../ui/unbroken.tsx'
import { ProofLink, RefreshLink } from '../ui/links.tsx'

/** The order is on hold. The customer learns what it waits for, never why it is reviewed. */
export const hold: CheckoutStep = {
  page: holdPage,
}

/** Holds that the customer can resolve once the e-mail address is verified in this browser. */
const asksCustomer: ReadonlySet<string | null> = new Set(['underpaid', 'late', 'wrong_asset', 'address_needed'])

function holdPage(props: PageProps): Page {
  const { visit, language } = props
  const { say, find } = language
  const { view, customerId } = visit
  if (customerId === undefined && view.email !== null && asksCustomer.has(view.statusDetails)) return askPage(props)
  if (view.statusDetails === 'refund_pending') return refundPage(props)
  return {
    title: say('hold.title'),
    body: (
      <>
        <p class="lead">{say('hold.lead')}</p>
        {view.statusDetails === null ? null : <Detail text={find(`hold.${view.statusDetails}`)} />}
        <ProofLink {...props} />
        <RefreshLink {...props} />
      </>
    ),
  }
}

/** The decision is made: all of the money or the excess is refunded. The amount is shown below. */
function refundPage(props: PageProps): Page {
  const { say } = props.language
  return {
    title: say(isGivenBack(props.visit.view) ? 'hold.refundTitle' : 'hold.restTitle'),
    body: (
      <>
        <p class="lead">{say('hold.refundLead')}</p>
        <ProofLink {...props} />
        <RefreshLink {...props} />
      </>
    ),
  }
}

/** The order waits for its customer, who has to verify the e-mail address first. */
function askPage(props: PageProps): Page {
  const { visit, language, home } = props
  const { say, find } = language
  return {
    title: say('hold.askTitle'),
    body: (
      <>
        <p class="lead">{say('hold.askLead')}</p>
        <Detail text={find(`hold.${visit.view.statusDetails}`)} />
        <p>
          <a class="button" href={`${home}&ask=proof`}>
            <Unbroken text={say('hold.askSubmit')} />
          </a>
        </p>
        <RefreshLink {...props} />
      </>
    ),
  }
}

/** Details without a text are nothing that the customer could act on. */
function Detail({ text }: { text: string | undefined }) {
  return text === undefined ? null : <Notice kind="plain">{text}</Notice>
}
