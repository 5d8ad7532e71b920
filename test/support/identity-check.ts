import assert from 'node:assert/strict'

import { type Answer, type Forms, formsOn } from './checkout-forms.ts'
import { someAddress } from './customer.ts'
import type { Exchange } from './exchange.ts'
import { create } from './journey.ts'
import { until } from './telling.ts'

/** A customer without a screen who is at the check of the identity, or wherever the order stands. */
export type Visitor = {
  id: string
  /** The checkout's page; `asked` is added to its address. */
  page(asked?: string): Promise<Answer>
  /** What an open page hears when it asks whether something has changed; `isKnown`: in the browser that has proven the address. */
  version(isKnown: boolean): Promise<string>
  /** Posts a form of the checkout. */
  send(form: Record<string, string>): Promise<Answer>
  /** Goes to the provider's page from the checkout, and gives its address. */
  goToCheck(): Promise<string>
  /** Presses a button of the provider's pages. Gives where it leads. */
  press(url: string, button: string): Promise<string>
}

/** Brings a new customer as far as the order lets them: e-mail address, country and payout address are given. */
export async function visitor(
  exchange: Exchange,
  email: string,
  { amount, category = 'SEPA', locale }: { amount: number; category?: string; locale?: string },
): Promise<Visitor> {
  const forms = formsOn(exchange)
  const { id, redirect_url: plainUrl } = await create(exchange, {
    from_amount: amount,
    deposit: { payment_category: category },
  })
  const url = locale === undefined ? plainUrl : plainUrl.replace('/checkout', `/${locale}/checkout`)
  const { cookie } = await forms.prove(url, email)
  const visit = visitorOn(forms, { id, url, cookie })
  await visit.send({ do: 'country', country: 'NL' })
  await visit.send({ do: 'payout_address', payout_address: someAddress, confirms: someAddress })
  return visit
}

function visitorOn(forms: Forms, { id, url, cookie }: { id: string; url: string; cookie: string }): Visitor {
  const visit: Visitor = {
    id,
    page: (asked = '') => forms.get(url + asked, { cookie }),
    version: async (isKnown) => {
      const status = url.replace('/checkout?', '/checkout/status?')
      return (JSON.parse((await forms.get(status, isKnown ? { cookie } : {})).text) as { version: string }).version
    },
    send: (form) => forms.post(url, form, { cookie }),
    goToCheck: async () => {
      const { status, headers } = await visit.send({ do: 'identity' })
      assert.equal(status, 303)
      return headers.get('location') ?? ''
    },
    press: async (page, button) => {
      const { status, headers } = await forms.post(page, { do: button })
      assert.equal(status, 303)
      return headers.get('location') ?? ''
    },
  }
  return visit
}

/** Waits until the page of a customer is as wanted. */
export const shows = (visit: Visitor, what: RegExp): Promise<void> =>
  until(async () => what.test((await visit.page()).text), `a page with ${what}`)
