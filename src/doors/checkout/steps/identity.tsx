import { startIdentity } from '../../../exchange/orders/identity.ts'
import type { CheckoutStep } from '../checkout-step.ts'
import type { Page, PageProps } from '../page.ts'
import { Form, QuietSubmit, Submit } from '../../ui/form.tsx'
import { RefreshHere, RefreshLink } from '../ui/links.tsx'
import { Way } from '../ui/way.tsx'
import type { Visit } from '../visit.ts'

/** The order needs an identity check: why, how it works and how long it takes; then its progress. The provider's opinion of a customer is never shown. */
export const identity: CheckoutStep = {
  phase: 'details',
  page: identityPage,
  actions: {
    async identity({ ctx, visit: { view, customerId }, locale }) {
      if (customerId === undefined) return {}
      const returnUrl = `${ctx.publicUrl}/${locale}/checkout?tid=${view.tid}&ask=identity`
      const started = await startIdentity(ctx, { view, customerId }, { returnUrl, locale })
      return started ? { redirect: started.goTo } : {}
    },
  },
}

/** How long a check usually takes with a document at hand, in milliseconds. */
const usualMs = 180_000

function identityPage(props: PageProps): Page {
  const { view } = props.visit
  if (waitsForResult(props.visit)) return view.identity === 'review' ? reviewPage(props) : resultPage(props)
  return view.identity === 'over' ? overPage(props) : askPage(props)
}

/** Whether the provider's result is awaited, so that the customer has nothing to do. */
const waitsForResult = ({ view: { identity }, wish }: Visit): boolean =>
  identity === 'review' || (identity === 'start' && wish === 'identity')

function askPage({ visit: { view }, language: { say, duration }, here }: PageProps): Page {
  const isAgain = view.identity === 'again'
  return {
    title: isAgain ? say('identity.again.title') : say('identity.title'),
    body: (
      <>
        <p class="lead">{isAgain ? say('identity.again.lead') : say('identity.lead')}</p>
        <Way
          label={say('identity.label')}
          now={0}
          stages={[say('identity.document'), say('identity.face'), say('identity.return')]}
        />
        <p class="hint">{say('identity.time', { time: duration(usualMs) })}</p>
        <Form here={here} does="identity">
          <Submit>{isAgain ? say('identity.again.submit') : say('identity.submit')}</Submit>
        </Form>
        <p class="hint">{say('identity.kept')}</p>
      </>
    ),
  }
}

/** The customer is back before the provider's result, or has stopped halfway. */
function resultPage(props: PageProps): Page {
  const { say } = props.language
  return {
    title: say('identity.result.title'),
    body: (
      <>
        <p class="lead">{say('identity.result.lead')}</p>
        <div class="spinner" aria-hidden="true" />
        <RefreshHere {...props} />
        <div class="others">
          <p>{say('identity.result.unfinished')}</p>
          <QuietSubmit here={props.here} does="identity">
            {say('identity.result.back')}
          </QuietSubmit>
        </div>
      </>
    ),
  }
}

function reviewPage(props: PageProps): Page {
  const { say } = props.language
  return {
    title: say('identity.review.title'),
    body: (
      <>
        <p class="lead">{say('identity.review.lead')}</p>
        <p class="hint">{say('identity.review.close')}</p>
        <RefreshLink {...props} />
      </>
    ),
  }
}

function overPage(props: PageProps): Page {
  const { say } = props.language
  return {
    title: say('identity.over.title'),
    body: (
      <>
        <p class="lead">{say('problem.CUSTOMER_LIMIT')}</p>
        <RefreshLink {...props} />
      </>
    ),
  }
}
