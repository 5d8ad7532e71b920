import assert from 'node:assert/strict'

import type { TransactionRecord } from '../../src/exchange/transactions/record.ts'
import { type Answer, formsOn } from './checkout-forms.ts'
import { someAddress } from './customer.ts'
import type { Exchange } from './exchange.ts'
import { type Body, create } from './journey.ts'

/** An address of this country, so that the country is not asked. */
export const inGermany = '46.4.0.1'

/** Every required field, in words that stand nowhere else. */
export const whole = {
  country_alpha_2: 'NL',
  region: 'Noord-Holland',
  city: 'Zwanenburgerdam',
  street_address: 'Quellinusstraat 4711',
  apt_number: '77b',
  post_index: '1016 XY',
  first_name: 'Wilhelmina',
  last_name: 'Oudezijdsvoort',
}

let persons = 0
/** An address that nobody has used. */
export const newEmail = (): string => `person-${(persons += 1)}@billing.example`

/** A buy whose customer is asked for nothing but the e-mail address and what it is about. */
export const buyOf = (
  exchange: Exchange,
  email: string | undefined,
  billing?: Body,
  body: Body = {},
): Promise<TransactionRecord> =>
  create(exchange, {
    customer: {
      ip: inGermany,
      ...(email === undefined ? {} : { contact_info: { email } }),
      ...(billing ? { billing_info: billing } : {}),
    },
    payout_info: { payout_address: someAddress },
    ...body,
  })

/** A customer's browser at an order, where the address has been proven. */
export type Customer = {
  get(ask?: string): Promise<Answer>
  post(form: Record<string, string>, ask?: string): Promise<Answer>
}

/** Proves an address at an order. `key` is the partner's, who reads the letter for us. */
export async function arriveAt(
  exchange: Exchange,
  url: string,
  email: string,
  key = exchange.sandbox.secret_key,
): Promise<Customer> {
  const forms = formsOn({ ...exchange, api: (path, asking) => exchange.api(path, { key, ...asking }) })
  const { cookie } = await forms.prove(url, email)
  assert.notEqual(cookie, '', 'the address is proven')
  const at = (ask: string) => (ask === '' ? url : `${url}&ask=${ask}`)
  return {
    get: (ask = '') => forms.get(at(ask), { cookie }),
    post: (form, ask = '') => forms.post(at(ask), form, { cookie }),
  }
}

/** The page that asks for billing information. */
export const asked = 'Billing information'
/** The page that shows everything once more before it is paid. */
export const ready = 'Review and pay'

/** What a field of a page holds. */
export function valueIn(html: string, name: string): string | undefined {
  const select = new RegExp(`<select id="${name}".*?</select>`, 's').exec(html)?.[0]
  if (select !== undefined) {
    const option = /<option[^>]* selected[^>]*>/.exec(select)?.[0] ?? ''
    return /value="([^"]*)"/.exec(option)?.[1] ?? ''
  }
  const input = new RegExp(`<input[^>]* name="${name}"[^>]*>`).exec(html)?.[0]
  return input === undefined ? undefined : (/ value="([^"]*)"/.exec(input)?.[1] ?? '')
}

/** What the required fields of a page hold. */
export const valuesIn = (html: string): Record<string, string | undefined> =>
  Object.fromEntries(Object.keys(whole).map((name) => [name, valueIn(html, name)]))
