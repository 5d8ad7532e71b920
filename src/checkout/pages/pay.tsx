import type { Page, PageProps } from '../page.ts'
import { mayChangeAddress, wasDeclined } from '../step.ts'
import { Address } from '../ui/address.tsx'
import { Form, Submit } from '../ui/form.tsx'
import { Notice } from '../ui/notice.tsx'

/** Shows once more where the coins go, whole, and leads on to the processor's own page. */
export function payPage({ visit, language, here, home }: PageProps): Page {
  const { say, amount } = language
  const { view } = visit
  return {
    title: say('pay.title'),
    body: (
      <>
        {wasDeclined(view) ? <Notice kind="bad">{say('pay.declined')}</Notice> : null}
        <div class="destination">
          <h2>{say('pay.address', { network: view.to.network.name })}</h2>
          <Address text={view.payoutAddress ?? ''} />
          {view.extraId ? (
            <p>
              {view.to.network.chain?.memo?.name} <strong>{view.extraId}</strong>
            </p>
          ) : null}
          <p class="hint">{say('pay.warning')}</p>
          {mayChangeAddress(view) ? <a href={`${home}&ask=payout_address`}>{say('pay.change')}</a> : null}
        </div>
        <Form here={here} does="pay">
          <Submit>{say('pay.submit', { amount: amount(view.fromAmount, view.from) })}</Submit>
        </Form>
        <p class="hint">{say('pay.lead')}</p>
      </>
    ),
  }
}

/** The customer is back from the processor, whose word has not come yet. */
export function checkingPage({ language: { say }, here }: PageProps): Page {
  return {
    title: say('checking.title'),
    body: (
      <>
        <p class="lead">{say('checking.lead')}</p>
        <div class="spinner" aria-hidden="true" />
        <div class="others">
          <p>{say('checking.unpaid')}</p>
          <Form here={here} does="pay">
            <button type="submit" class="quiet">
              {say('checking.again')}
            </button>
          </Form>
        </div>
      </>
    ),
  }
}
