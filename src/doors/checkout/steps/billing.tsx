import { checkDetails, giveDetails } from '../../../exchange/orders/checkout.ts'
import { mayChangeBilling } from '../step.ts'
import type { CheckoutStep } from '../checkout-step.ts'
import { findCountry } from '../../../reference/catalog/country.ts'
import {
  type Billing,
  type BillingField,
  billingFields,
  isBillingComplete,
  noApartment,
  usRegions,
} from '../../../exchange/customers/billing-field.ts'
import { noApartmentBox, readBillingForm } from '../billing-form.ts'
import type { Page, PageProps } from '../page.ts'
import { countryChoices } from '../served-countries.ts'
import { ChoiceField, Form, Submit, TextField } from '../../ui/form.tsx'
import { Notice } from '../../ui/notice.tsx'

/** Asks for missing billing information, and shows what is known so that it can be changed. */
export const billing: CheckoutStep = {
  phase: 'details',
  page: billingPage,
  fields: billingFields.map(([, name]) => name),
  actions: {
    async billing({ ctx, visit, fields }) {
      await giveDetails(ctx, visit.view.publicId, { billing: readBillingForm(fields) }, visit.customerId)
      return {}
    },
  },
  checkField: ({ ctx, visit, fields }) =>
    checkDetails(ctx, visit.view.publicId, { billing: readBillingForm(fields) }, visit.customerId),
  mayReopen: mayChangeBilling,
}

function billingPage(props: PageProps): Page {
  const { visit, language, here, home } = props
  const { say } = language
  const billing = visit.view.billing ?? {}
  return {
    title: say('billing.title'),
    body: (
      <>
        {isRefused(props, billing) ? (
          <Notice kind="bad">
            <p>{say('billing.refused')}</p>
          </Notice>
        ) : (
          <p class="lead">{say('billing.lead')}</p>
        )}
        <Form here={here} does="billing">
          <Fields {...props} />
          <Submit>{say('billing.submit')}</Submit>
        </Form>
        {isBillingComplete(billing) ? (
          <p class="others">
            <a href={home}>{say('billing.keep')}</a>
          </p>
        ) : null}
      </>
    ),
  }
}

/** The known country isn't served, and nothing has been typed yet. */
const isRefused = ({ typed }: PageProps, { countryAlpha2 }: Billing): boolean =>
  typed.country_alpha_2 === undefined && countryAlpha2 !== undefined && findCountry(countryAlpha2)?.supported !== true

function Fields(props: PageProps) {
  const { language, problems } = props
  const { say } = language
  const { name, value } = known(props, 'countryAlpha2')
  return (
    <>
      <Line {...props} field="firstName" autocomplete="given-name" />
      <Line {...props} field="lastName" autocomplete="family-name" />
      {isLeftOut(props, 'countryAlpha2') ? null : (
        <ChoiceField
          name={name}
          label={say('billing.countryAlpha2')}
          problems={problems}
          choices={countryChoices(language, props.visit).served}
          empty={say('billing.choose')}
          value={value ?? props.visit.view.country ?? undefined}
          autocomplete="country"
        />
      )}
      {value === 'US' ? <UsRegion {...props} /> : null}
      <Line {...props} field="region" autocomplete="address-level1" />
      <Line {...props} field="city" autocomplete="address-level2" />
      <Line {...props} field="streetAddress" autocomplete="address-line1" />
      <Apartment {...props} />
      <Line {...props} field="postIndex" autocomplete="postal-code" />
      <Birth {...props} />
    </>
  )
}

/** While the rest is asked for, what was passed is not; it can be corrected before payment. */
const isLeftOut = ({ visit: { view } }: PageProps, field: BillingField): boolean =>
  view.missing.includes('billing') && view.bound.billing.includes(field)

type FieldValue = { name: string; value: string | undefined; hint?: string; required?: boolean }

/** The field's name in the form, and what was typed or is already known. What is masked stays as it is if the field is left empty. */
function known({ visit, typed, language }: PageProps, field: BillingField): FieldValue {
  const name = billingFields.find(([one]) => one === field)?.[1] ?? field
  const { billing, bound } = visit.view
  const own = billing?.[field]
  if (own === undefined || field === 'countryAlpha2' || !bound.billing.includes(field))
    return { name, value: typed[name] ?? own }
  return { name, value: typed[name], hint: language.say('billing.masked', { text: own }), required: false }
}

function Line(props: PageProps & { field: BillingField; autocomplete: string; required?: boolean; hint?: string }) {
  const { field, autocomplete, required = true, hint, language, problems } = props
  if (isLeftOut(props, field)) return null
  return (
    <TextField
      {...(hint === undefined ? {} : { hint })}
      required={required}
      {...known(props, field)}
      label={language.say(`billing.${field}`)}
      problems={problems}
      autocomplete={autocomplete}
      autocapitalize="words"
    />
  )
}

function Apartment(props: PageProps) {
  const { language, problems, typed } = props
  const { name, value, hint } = known(props, 'aptNumber')
  if (isLeftOut(props, 'aptNumber')) return null
  const hasNoNumber = typed[name] === undefined ? value === noApartment : typed[noApartmentBox] === 'yes'
  return (
    <>
      <TextField
        name={name}
        hint={hint}
        label={language.say('billing.aptNumber')}
        problems={problems}
        value={hasNoNumber && value === noApartment ? '' : value}
        autocomplete="address-line2"
        class="short"
        required={false}
      />
      <label class="tick">
        <input type="checkbox" name={noApartmentBox} value="yes" checked={hasNoNumber} />
        <span>{language.say('billing.noApartment')}</span>
      </label>
    </>
  )
}

/** Optional, for addresses in the United States. */
function UsRegion(props: PageProps) {
  const { language, problems } = props
  if (isLeftOut(props, 'usRegionAlpha2')) return null
  return (
    <ChoiceField
      {...known(props, 'usRegionAlpha2')}
      label={language.say('billing.usRegionAlpha2')}
      problems={problems}
      choices={[...usRegions].toSorted().map((code) => ({ value: code, text: code }))}
      empty={language.say('billing.choose')}
      autocomplete="off"
      required={false}
    />
  )
}

/** Never asked for; if the partner passed them, the customer can change them. */
function Birth(props: PageProps) {
  const { visit, language, problems } = props
  const { say } = language
  const { dateOfBirthday, gender } = visit.view.billing ?? {}
  return (
    <>
      {dateOfBirthday === undefined ? null : (
        <Line
          {...props}
          field="dateOfBirthday"
          autocomplete="off"
          hint={say('billing.birthdayHint')}
          required={false}
        />
      )}
      {gender === undefined || isLeftOut(props, 'gender') ? null : (
        <ChoiceField
          {...known(props, 'gender')}
          label={say('billing.gender')}
          problems={problems}
          choices={(['F', 'M', 'O'] as const).map((value) => ({ value, text: say(`billing.gender.${value}`) }))}
          empty={say('billing.choose')}
          autocomplete="off"
          required={false}
        />
      )}
    </>
  )
}
