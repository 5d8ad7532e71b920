import { QuietSubmit } from '../../ui/form.tsx'
import type { PageProps } from '../page.ts'
import { hasOtherWays } from '../way-to-pay.ts'

/** In a browser where the e-mail address is not proven: the way to what is hidden. Nothing is hidden otherwise. */
export function ProofLink({ visit: { view, customerId }, language: { say }, home }: PageProps) {
  if (customerId !== undefined || view.email === null) return null
  return (
    <p class="others">
      {say('proof.lead')} <a href={`${home}&ask=proof`}>{say('proof.submit')}</a>
    </p>
  )
}

/** Back to the partner's site, where the partner has named one. */
export function BackLink({ url, visit: { view }, language: { say } }: PageProps & { url: string | undefined }) {
  const target = url?.split('$$').join(String(view.publicId))
  if (target === undefined || !/^https?:\/\//i.test(target)) return null
  return (
    <p>
      <a class="button" href={target} rel="noreferrer">
        {say('layout.back', { partner: view.partnerName })}
      </a>
    </p>
  )
}

/** Folded, so that nobody ends an order by the way. */
export function CancelOrder({ visit: { choices }, language: { say }, here }: PageProps) {
  if (!choices.cancel) return null
  return (
    <details class="cancel">
      <summary>{say('cancel.open')}</summary>
      <p class="hint">{say('cancel.lead')}</p>
      <QuietSubmit here={here} does="cancel">
        {say('cancel.submit')}
      </QuietSubmit>
    </details>
  )
}

/** The way to the list of other ways to pay, while one may be chosen. */
export function OtherWays({ visit: { view }, language: { say }, home }: PageProps) {
  if (!view.mayChooseMethod || !hasOtherWays(view)) return null
  return (
    <p class="others">
      <a href={`${home}&ask=method`}>{say('pay.another')}</a>
    </p>
  )
}

/** Where no script moves the page on: a link to ask again. Nothing is loaded anew under somebody who reads (WCAG 2.2.1, F41). */
export function RefreshLink({ language: { say }, home }: PageProps) {
  return (
    <noscript>
      <p class="others">
        <a href={home}>{say('progress.refresh')}</a>
      </p>
    </noscript>
  )
}

/** The same, to this very page, which knows that the customer is back from somewhere. */
export const RefreshHere = (props: PageProps) => <RefreshLink {...props} home={props.here} />
