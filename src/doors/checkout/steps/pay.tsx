import { chooseMethod } from '../choose-method.ts'
import { openPayment } from '../open-payment.ts'
import type { CheckoutStep } from '../checkout-step.ts'
import type { Page, PageProps } from '../page.ts'
import { wasDeclined } from '../step.ts'
import { BillingOnFile } from '../ui/billing.tsx'
import { Deadlines } from '../ui/deadlines.tsx'
import { Destination } from '../ui/destination.tsx'
import { Form, Submit } from '../../ui/form.tsx'
import { OtherWays, RefreshLink } from '../ui/links.tsx'
import { Notice } from '../../ui/notice.tsx'
import { coinPage } from '../ui/pay-coin.tsx'
import { transferPage } from '../ui/pay-transfer.tsx'

/** Everything is known: what to pay, how, and where the payout goes. */
export const pay: CheckoutStep = {
  phase: 'payment',
  page: payPage,
  actions: { pay: openPayment, method: chooseMethod },
}

function payPage(props: PageProps): Page {
  const { payTo } = props.visit.view
  switch (payTo?.kind) {
    case 'address':
      return coinPage(props, payTo)
    case 'account':
      return transferPage(props, payTo)
    case 'page':
      return processorPage(props)
    case undefined:
      return preparingPage(props)
  }
}

/** Shows the destination once more, and leads to the payment page. */
function processorPage(props: PageProps): Page {
  const { visit, language, here } = props
  const { say, find, amount } = language
  const { view } = visit
  const { category } = view.deposit
  const declined = find(`pay.declined.${category}`) ?? say('pay.declined.other')
  const values = { amount: amount(view.fromAmount, view.from) }
  return {
    title: say('pay.title'),
    body: (
      <>
        {wasDeclined(view) ? <Notice kind="bad">{declined}</Notice> : null}
        {visit.isBack && !wasDeclined(view) ? <Notice kind="plain">{say('pay.unpaid')}</Notice> : null}
        <Destination {...props} />
        <BillingOnFile {...props} />
        <Deadlines {...props} />
        <Form here={here} does="pay">
          <Submit>{find(`pay.by.${category}`, values) ?? say('pay.by.other', values)}</Submit>
        </Form>
        <p class="hint">{find(`pay.at.${category}`) ?? say('pay.at.other')}</p>
        <OtherWays {...props} />
      </>
    ),
  }
}

/** The rail has not provided payment details yet. */
function preparingPage(props: PageProps): Page {
  const { say } = props.language
  return {
    title: say('pay.preparing'),
    body: (
      <>
        <p class="lead">{say('pay.preparingLead')}</p>
        <div class="spinner" aria-hidden="true" />
        <RefreshLink {...props} />
      </>
    ),
  }
}
