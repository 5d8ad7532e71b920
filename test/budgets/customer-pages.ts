import { setPartner } from '../../src/exchange/partners/change.ts'
import { createPartner } from '../../src/exchange/partners/create.ts'
import type { TransactionRecord } from '../../src/exchange/transactions/record.ts'
import { signedCalculator } from '../support/calculator.ts'
import { formsOn } from '../support/checkout-forms.ts'
import { codeFor } from '../support/customer.ts'
import type { Exchange } from '../support/exchange.ts'
import { arrive, type Body, buy, create, pay, readyToPay } from '../support/journey.ts'

/** Where a customer's browser is, and the cookie by which it is known; empty where nothing has been proven. */
export type CustomerPage = { url: string; cookie: string }

type Bring = (exchange: Exchange) => Promise<CustomerPage>

const sale = { from_amount: '0.01', from_currency: 'BTC', to_currency: 'EUR' }
const bySepa = { deposit: { payment_category: 'SEPA' } }

/** The pages on which the budgets are measured, by name: how an exchange's customer gets there. */
export const customerPages: Record<string, Bring> = {
  'calculator v1': async ({ url, sandbox }) => open(`${url}/calculator/v1?partner_api_token=${sandbox.public_key}`),
  'calculator v2': async (exchange) =>
    open(exchange.url + signedCalculator(exchange, 'locale=en&default_fiat_amount=250')),
  'first step': async (exchange) => open((await create(exchange)).redirect_url),
  'themed step': async (exchange) => {
    const { ctx } = exchange.service.composition
    const { partner, secret_key: key } = await createPartner(ctx, { name: 'Tulip' }, 'test')
    await setPartner(ctx, partner.id, { theme: JSON.stringify({ accent: '#0a7cff', corner: 3 }) }, 'test')
    return open((await create(exchange, {}, { key })).redirect_url)
  },
  country: async (exchange) => newcomer(exchange, {}),
  'payout address': async (exchange) => {
    const page = await newcomer(exchange, {})
    return fillIn(exchange, page, { do: 'country', country: 'NL' })
  },
  'payout account': async (exchange) => {
    const page = await newcomer(exchange, sale)
    return fillIn(exchange, page, { do: 'country', country: 'NL' })
  },
  'ways to pay': async (exchange) => {
    const { url, cookie } = await prove(exchange, await readyToPay(exchange))
    return { url: `${url}&ask=method`, cookie }
  },
  'pay by card': async (exchange) => prove(exchange, await readyToPay(exchange)),
  'SEPA details': async (exchange) => prove(exchange, await readyToPay(exchange, bySepa)),
  'coin address': async (exchange) => prove(exchange, await readyToPay(exchange, sale)),
  done: async (exchange) => prove(exchange, await buy(exchange)),
  refused: async (exchange) => {
    const page = await prove(exchange, await readyToPay(exchange))
    return fillIn(exchange, page, { do: 'cancel' })
  },
  progress: async (exchange) => {
    // The last one: from here on there are no blocks, and what was sent stays on its way.
    exchange.world.blockMs = 3_600_000
    const { id } = await readyToPay(exchange)
    await pay(exchange, id)
    return prove(exchange, await arrive(exchange, id, 'sending'))
  },
}

const open = (url: string): CustomerPage => ({ url, cookie: '' })

/** Somebody who has come with a new order and has proven the e-mail address. */
async function newcomer(exchange: Exchange, body: Body): Promise<CustomerPage> {
  const { id, redirect_url: url } = await create(exchange, body)
  const { cookie } = await formsOn(exchange).prove(url, `c${id.slice(0, 9)}@example.com`)
  return { url, cookie }
}

async function fillIn(
  exchange: Exchange,
  { url, cookie }: CustomerPage,
  form: Record<string, string>,
): Promise<CustomerPage> {
  const { status, text } = await formsOn(exchange).post(url, form, { cookie })
  if (status !== 303) throw new Error(`The page took no ${JSON.stringify(form)}: ${text}`)
  return { url, cookie }
}

/** The customer of an order that was filled in elsewhere, in a browser in which the address is proven. */
async function prove(exchange: Exchange, record: TransactionRecord): Promise<CustomerPage> {
  const forms = formsOn(exchange)
  const url = record.redirect_url.replace('/checkout', '/en/checkout')
  await forms.post(`${url}&ask=proof`, { do: 'send' })
  const code = await codeFor(exchange, record.email ?? '')
  const { headers } = await forms.post(`${url}&ask=proof`, { do: 'code', code })
  return { url, cookie: headers.get('set-cookie')?.split(';')[0] ?? '' }
}
