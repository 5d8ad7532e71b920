import { Fragment } from 'preact'

import { noApartment } from '../../../exchange/customers/billing-field.ts'
import type { PageProps } from '../page.ts'
import { mayChangeBilling } from '../step.ts'

/** The billing information, once more before payment; nothing if the order asks for none. */
export function BillingOnFile({ visit: { view }, language, home }: PageProps) {
  const { say, country } = language
  const { billing } = view
  if (billing === null) return null
  const { firstName, lastName, streetAddress, aptNumber, postIndex, city, region, countryAlpha2 = '' } = billing
  const lines = [
    [firstName, lastName],
    [streetAddress, aptNumber === noApartment ? undefined : aptNumber],
    [postIndex, city],
    [region],
    [countryAlpha2 === '' ? undefined : country(countryAlpha2, countryAlpha2)],
  ].map((parts) => parts.filter((part) => part !== undefined).join(' '))
  return (
    <div class="destination">
      <h2>{say('billing.onFile')}</h2>
      <p class="account">
        {lines
          .filter((line) => line !== '')
          .map((line) => (
            <Fragment key={line}>
              <bdi>{line}</bdi>
              <br />
            </Fragment>
          ))}
      </p>
      {mayChangeBilling(view) ? <a href={`${home}&ask=billing`}>{say('billing.change')}</a> : null}
    </div>
  )
}
