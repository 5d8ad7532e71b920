import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { buyOf, whole } from '../support/billing.ts'
import { signedCalculator } from '../support/calculator.ts'
import { cookieOf, type Forms, formsOn, shownTerms } from '../support/checkout-forms.ts'
import { idBehind, tidOf } from '../support/checkout-link.ts'
import { codeFor, createBuy, someAddress } from '../support/customer.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { formsOf } from '../support/form-routes.ts'
import { advance, arrive, type Body, lookup, pay, railEvent, read, readyToPay, seen } from '../support/journey.ts'
import { formsIn, valuesOf } from '../support/page-forms.ts'
import { routesOf } from '../support/routes.ts'
import { newEmail } from '../support/shared-identity.ts'
import { whileStill } from '../support/still-clock.ts'
import { stopMarket } from '../support/still-market.ts'
import { until } from '../support/telling.ts'

let exchange: Exchange
let forms: Forms
before(async () => {
  exchange = await startExchange({ RATE_LIMITS: 'off', CONFIRMATIONS: 'BTC=1' })
  // What a form leaves behind depends on whether the price has moved.
  stopMarket(exchange)
  forms = formsOn(exchange)
})
after(() => exchange.stop())

/** A page with a form, what is typed into it, and how to wait for what comes of it. */
type Ready = { url: string; cookie?: string; typed?: Record<string, string>; ends?: () => Promise<unknown> }

const urlOf = async (id: string): Promise<string> => `${exchange.url}/en/checkout?tid=${await tidOf(exchange, id)}`

/** Somebody who has proven the address of an order. */
async function proven(url: string, email: string, accepts = shownTerms): Promise<Ready> {
  await forms.post(url, { do: 'send' })
  const answer = await forms.post(url, { do: 'code', code: await codeFor(exchange, email), accepts })
  return { url, cookie: cookieOf(answer) }
}

const fresh = async (passed: Body = {}): Promise<Ready & { id: string; email: string }> => {
  const email = newEmail()
  const { id, url } = await createBuy(exchange, { customer: { contact_info: { email } }, ...passed })
  return { id, email, url }
}
const known = async (passed: Body = {}, accepts = shownTerms): Promise<Ready> => {
  const { url, email } = await fresh(passed)
  return proven(url, email, accepts)
}

/** An order that is ready to be paid. */
async function payable(body: Body = {}): Promise<Ready & { id: string }> {
  const { id, email } = await readyToPay(exchange, body)
  return { id, ...(await proven(`${await urlOf(id)}&ask=proof`, email ?? '')), url: await urlOf(id) }
}

/** One on hold, because too little was paid. */
async function underpaid(body: Body = {}, amount = '60'): Promise<Ready & { id: string }> {
  const { id, email } = await readyToPay(exchange, body)
  await pay(exchange, id, { amount })
  await arrive(exchange, id, 'on_hold')
  return { id, ...(await proven(`${await urlOf(id)}&ask=proof`, email ?? '')), url: await urlOf(id) }
}
const sell = { from_amount: '0.01', from_currency: 'BTC', to_currency: 'EUR' }

async function unsent(): Promise<Ready & { id: string }> {
  const back = await underpaid(sell, '0.002')
  await forms.post(back.url, { do: 'refund' }, { cookie: back.cookie ?? '' })
  await arrive(exchange, back.id, 'refunded')
  await railEvent(exchange, back.id, 'bounce')
  await seen(exchange, back.id, 'the bounce', ({ status_details: details }) => details === 'address_needed')
  return back
}

/** An order whose price holds no more. */
async function outdated(): Promise<Ready> {
  const { id, ...ready } = await payable()
  const { quote_expires_at: until } = await read(exchange, id)
  const leftMs = Date.parse(until) - exchange.service.composition.ctx.clock.now().getTime()
  await advance(exchange, `PT${Math.ceil(leftMs / 1_000)}S`)
  return ready
}

const askedOnce = async (): Promise<Ready> => {
  const { url, email } = await fresh()
  const cookie = cookieOf(await forms.post(url, { do: 'send' }))
  return { url, cookie, typed: { code: await codeFor(exchange, email), accepts: shownTerms } }
}

const calculators: Record<string, () => string> = {
  '/calculator/v1': () => `/calculator/v1?locale=en&partner_api_token=${exchange.sandbox.public_key}`,
  '/calculator/v2': () => signedCalculator(exchange, 'locale=en'),
}
const calculator = (name: string) => (): Promise<Ready> =>
  Promise.resolve({
    url: exchange.url + (calculators[name]?.() ?? ''),
    typed: { side: 'buy', from_amount: '120', edited: 'direct' },
  })
const start =
  (typed: Record<string, string> = {}) =>
  (): Promise<Ready> =>
    Promise.resolve({ url: `${exchange.url}/`, typed })

/** How each form comes to be on a page. A new form of customers is named here, or the first test fails. */
const samples: Record<string, () => Promise<Ready>> = {
  '/ buy': start(),
  '/ console': start(),
  '/ portal': start(),
  '/ play': start({ name: 'never-opened' }),
  ...Object.fromEntries(
    Object.keys(calculators).flatMap((name) =>
      ['update', 'continue'].map((does) => [`${name} ${does}`, calculator(name)]),
    ),
  ),
  '/checkout email': async () => ({ url: (await createBuy(exchange)).url, typed: { email: newEmail() } }),
  '/checkout send': () => fresh(),
  '/checkout resend': async () => {
    const { url, cookie = '' } = await askedOnce()
    await lookup(exchange, `update one_time_codes set sent_at = sent_at - interval '1 h'`)
    return { url, cookie }
  },
  '/checkout code': askedOnce,
  '/checkout terms': () => known({}, '0 1'),
  '/checkout country': async () => ({ ...(await known()), typed: { country: 'DE' } }),
  '/checkout billing': async () => {
    const email = newEmail()
    const { id } = await buyOf(exchange, email, { city: whole.city })
    return { ...(await proven(await urlOf(id), email)), typed: whole }
  },
  '/checkout payout_address': async () => {
    const ready = await known()
    await forms.post(ready.url, { do: 'country', country: 'DE' }, { cookie: ready.cookie ?? '' })
    return { ...ready, typed: { payout_address: someAddress } }
  },
  '/checkout identity': async () => {
    const email = newEmail()
    let ready: Ready = { url: '' }
    for (const _ of ['what may be bought without a check', 'more']) {
      const passed = { from_amount: 14_000, deposit: { payment_category: 'SEPA' } }
      const { url } = await createBuy(exchange, { customer: { contact_info: { email } }, ...passed })
      ready = await proven(url, email)
      const details = [
        { do: 'country', country: 'NL' },
        { do: 'payout_address', payout_address: someAddress, confirms: someAddress },
      ]
      for (const form of details) await forms.post(url, form, { cookie: ready.cookie ?? '' })
    }
    return ready
  },
  '/checkout pay': payable,
  '/checkout method': async () => {
    const ready = await payable()
    return { ...ready, url: `${ready.url}&ask=method` }
  },
  '/checkout accept': async () => {
    const less = await underpaid()
    return { ...less, ends: () => arrive(exchange, less.id, 'finished') }
  },
  '/checkout refund': async () => {
    const back = await underpaid(sell, '0.002')
    return { ...back, ends: () => arrive(exchange, back.id, 'refunded') }
  },
  '/checkout refund_address': async () => {
    const back = await unsent()
    return { ...back, typed: { refund_address: someAddress }, ends: () => arrive(exchange, back.id, 'refunded') }
  },
  '/checkout cancel': () => known(),
  '/sandbox/pay': async () => {
    const { id, ...ready } = await payable({ deposit: { payment_category: 'SEPA' } })
    return { ...ready, ends: () => arrive(exchange, id, 'finished') }
  },
  // Last: the clock is later from here on.
  '/checkout renew': outdated,
}

/** Forms that only show something, or lead to where one pays. */
const withoutTraces: readonly string[] = ['/calculator/v1 update', '/calculator/v2 update', '/checkout pay']

/** What forms leave behind: of an order, its row and how many name it; of all of them, how many there are, and how many mails. */
async function traces(id: string | undefined): Promise<Record<string, string>> {
  const named = await lookup<{ name: string }>(
    exchange,
    `select format('%I.%I', table_schema, table_name) as name from information_schema.columns
     join information_schema.tables using (table_schema, table_name)
     where column_name = 'transaction_id' and table_type = 'BASE TABLE' and table_schema in ('public', 'sandbox')`,
  )
  const own = `(select id from transactions where public_id = ${id ?? 0})`
  const counts = [
    ...named.map(({ name }) => [name, `${name} where transaction_id = ${own}`]),
    ['events', `events where stream = ${id ?? 0}`],
    ...['transactions', 'operator_sessions', 'portal_sessions', 'mails', 'sandbox.identity_applicants'].map((name) => [
      `all ${name}`,
      name,
    ]),
  ]
  const [row] = await lookup<{ counts: Record<string, string> }>(
    exchange,
    `select json_build_object(${counts.map(([name, from]) => `'${name}', (select count(*) from ${from})::text`).join(', ')},
       'row', (select md5(transactions::text) from transactions where public_id = ${id ?? 0})) as counts`,
  )
  return row?.counts ?? {}
}

/** Whether nothing is due: no mail, and no work. */
const rested = (): Promise<void> =>
  until(
    async () => (await lookup(exchange, `select 1 from jobs where kind in ('mail.due', 'fact.received')`)).length === 0,
    'the work to be done',
  )

type Sent = { answers: string[]; grown: Record<string, number> }

/** Sends a form: once, or twice at once and once more later. Gives the answers, and what they have left. */
async function send(name: string, times: 'once' | 'thrice'): Promise<Sent> {
  const [path = '', does] = name.split(' ')
  const { url, cookie = '', typed = {}, ends } = (await samples[name]?.()) ?? assert.fail(name)
  const id = url.includes('tid=') ? await idBehind(exchange, url) : undefined
  const page = await forms.get(url, { cookie })
  const form = formsIn(page.text, url).find((one) =>
    does === undefined
      ? one.path.startsWith(path)
      : one.fields.some((field) => field.name === 'do' && field.value === does) &&
        (typed.name === undefined || valuesOf(one).name === typed.name),
  )
  assert.ok(form, `${name} is on no page: ${page.status} ${/<h1[^>]*>[^<]*/.exec(page.text)?.[0]}`)
  const button = form.fields.filter(({ kind }) => kind === 'button').map((field) => [field.name, field.value])
  const values = { ...valuesOf(form), ...(Object.fromEntries(button) as Record<string, string>), ...typed }
  const to = new URL(form.path, url).href
  const post = () => forms.post(to, values, { cookie })
  await rested()
  const earlier = await traces(id)
  const { ctx } = exchange.service.composition
  // Another code may be asked for after a while, which does not pass here.
  ctx.config.rateLimits.on = true
  const answers = await whileStill(ctx, async () =>
    times === 'once' ? [await post()] : [...(await Promise.all([post(), post()])), await post()],
  )
  ctx.config.rateLimits.on = false
  const [first, second] = answers.map(({ headers }) => headers.getSetCookie().map((line) => line.split('=')[0]))
  // A browser shows only the last answer to a double click, and may keep its cookies alone.
  if (times === 'thrice') assert.deepEqual(second, first)
  await ends?.()
  await rested()
  const later = await traces(id)
  const grown = Object.entries(later).map(
    ([what, now]) =>
      [what, what === 'row' ? Number(now !== earlier.row) : Number(now) - Number(earlier[what])] as const,
  )
  return {
    answers: answers.map(({ status, headers }) => `${status} ${headers.get('location')}`),
    grown: Object.fromEntries(grown.filter(([, by]) => by !== 0)),
  }
}

describe('every form of the checkout, the calculator and the start page', () => {
  it('is known here', async () => {
    const all = formsOf(await routesOf(exchange.service)).map(({ name }) => name)
    const those = all.filter((name) => !/^\/(console|portal)\//.test(name) && name !== '/checkout/check')
    assert.deepEqual(those.toSorted(), Object.keys(samples).toSorted())
  })

  for (const name of Object.keys(samples))
    it(`${name}: has one effect, and leads to one place, where it is sent twice at once and once more later`, async () => {
      const [once, thrice] = [await send(name, 'once'), await send(name, 'thrice')]
      assert.equal(Object.keys(once.grown).length === 0, withoutTraces.includes(name), JSON.stringify(once.grown))
      assert.deepEqual(thrice.grown, once.grown)
      assert.equal(new Set(thrice.answers).size, 1, thrice.answers.join(' | '))
    })
})
