import { QuietSubmit } from '../../ui/form.tsx'
import type { PageProps } from '../page.ts'
import { hasOtherWays } from '../way-to-pay.ts'

/** Offers to verify the e-mail address where details are hidden from this browser. */
export function ProofLink({ visit: { view, customerId }, language: { say }, home }: PageProps) {
  if (customerId !== undefined || view.email === null) return null
  return (
    <p class="others">
      {say('proof.lead')} <a href={`${home}&ask=proof`}>{say('proof.submit')}</a>
    </p>
  )
}

/** A link to the receipt, for a customer who has verified the email address. */
export function ReceiptLink({ visit: { view, customerId }, language: { say } }: PageProps) {
  if (customerId === undefined || view.receiptUrl === null) return null
  return (
    <p class="others">
      <a href={view.receiptUrl}>{say('receipt.view')}</a>
    </p>
  )
}

/** A link back to the partner's site, if it has set one. */
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

/** Collapsed, so that an order isn't canceled by accident. */
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

/** A link to the other payment methods, while one can be chosen. */
export function OtherWays({ visit: { view }, language: { say }, home }: PageProps) {
  if (!view.mayChooseMethod || !hasOtherWays(view)) return null
  return (
    <p class="others">
      <a href={`${home}&ask=method`}>{say('pay.another')}</a>
    </p>
  )
}

/** Without scripts, a link to reload. Pages never reload while somebody reads them (WCAG 2.2.1, F41). */
export function RefreshLink({ language: { say }, home }: PageProps) {
  return (
    <noscript>
      <p class="others">
        <a href={home}>{say('progress.refresh')}</a>
      </p>
    </noscript>
  )
}

/** The same for this page's own URL, which says that the customer is back from somewhere. */
export const RefreshHere = (props: PageProps) => <RefreshLink {...props} home={props.here} />
