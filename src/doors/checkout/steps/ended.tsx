import type { CheckoutStep } from '../checkout-step.ts'
import type { Status } from '../../../exchange/transactions/lifecycle.ts'
import type { Page, PageProps } from '../page.ts'
import { BackLink, ProofLink, ReceiptLink } from '../ui/links.tsx'

/** Expired, canceled, failed or refunded: what happened to the money, and what the customer can do. */
export const ended: CheckoutStep = {
  page: endedPage,
}

function endedPage(props: PageProps): Page {
  const { view } = props.visit
  const { say } = props.language
  const end = endOf(view.status)
  return {
    title: say(`ended.${end}.title`),
    body: (
      <>
        <p class="lead">{say(`ended.${end}.lead`)}</p>
        <p>{say(`ended.${end}.next`, { partner: view.partnerName, order: String(view.publicId) })}</p>
        <ReceiptLink {...props} />
        <ProofLink {...props} />
        <BackLink {...props} url={end === 'cancelled' ? view.redirects.cancelled : view.redirects.failed} />
      </>
    ),
  }
}

function endOf(status: Status): 'expired' | 'cancelled' | 'failed' | 'refunded' {
  if (status === 'expired' || status === 'cancelled' || status === 'refunded') return status
  return 'failed'
}
