import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { checkoutSteps } from '../../src/doors/checkout/steps.ts'
import { type Forms, formsOn, shownTerms, titleOf } from '../support/checkout-forms.ts'
import { someAddress } from '../support/customer.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { arrive, type Body, create, pay, read } from '../support/journey.ts'

let exchange: Exchange
let forms: Forms
before(async () => {
  exchange = await startExchange({ RATE_LIMITS: 'off', LOG_LEVEL: 'fatal' })
  forms = formsOn(exchange)
})
after(() => exchange.stop())

const ip = '46.4.0.1'
const thiefs = 'bc1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3qccfmv3'
const iban = 'NL91ABNA0417164300'
const holder = 'Wilhelmina Oudezijdsvoort'
const whole = {
  country_alpha_2: 'NL',
  region: 'Noord-Holland',
  city: 'Zwanenburgerdam',
  street_address: 'Quellinusstraat 4711',
  apt_number: '77b',
  post_index: '1016 XY',
  first_name: 'Wilhelmina',
  last_name: 'Oudezijdsvoort',
}
const names = { first_name: whole.first_name, last_name: whole.last_name }

const sides: Record<string, { order: Body; payout: Body; address: string }> = {
  buy: { order: { from_amount: '100' }, payout: { payout_address: someAddress }, address: someAddress },
  sell: {
    order: { from_amount: '0.002', from_currency: 'BTC', to_currency: 'EUR' },
    payout: { payout_address: iban, full_name: holder },
    address: iban,
  },
  swap: {
    order: { from_amount: '0.05', from_currency: 'ETH', to_currency: 'BTC' },
    payout: { payout_address: someAddress },
    address: someAddress,
  },
}

/** What a partner may pass without an email address: the destination, fixed or not, and none, some or all of the billing information. */
const cases = Object.entries(sides).flatMap(([side, values]) =>
  [undefined, false, true].flatMap((isFixed) =>
    [undefined, names, whole].map((billing) => ({ side, ...values, isFixed, billing })),
  ),
)
type Case = (typeof cases)[number]

let orders = 0
async function orderOf({ order, payout, isFixed, billing }: Case) {
  const at = (orders += 1)
  const made = await create(exchange, {
    ...order,
    external_partner_link_id: `external-${at}`,
    customer: { ip, ...(billing === undefined ? {} : { billing_info: billing }) },
    ...(isFixed === undefined ? {} : { payout_info: { ...payout, skip_choose_payout_address: isFixed } }),
  })
  return { ...made, owner: `owner${at}@bare.example`, thief: `thief${at}@bare.example` }
}

/** Every form of every step, as somebody would send it who has proven another address. */
const tries: Record<string, string>[] = [
  ...new Set(Object.values(checkoutSteps).flatMap(({ actions = {} }) => Object.keys(actions))),
  'renew',
  'cancel',
].map((name) => ({
  do: name,
  email: 'third@bare.example',
  code: '000000',
  payout_address: thiefs,
  refund_address: thiefs,
  payout_holder: 'Terry Thief',
  extra_id: '',
  sort_code: '',
  country: 'DE',
  method: 'SEPA_1',
  at_least: '0',
  accepts: shownTerms,
  ...Object.fromEntries(Object.keys(whole).map((field) => [field, 'Thief'])),
}))
const asks = ['', ...Object.keys(checkoutSteps), 'proof']

/** What nobody is shown whose address the partner has not passed. */
function showsNothing(text: string, { isFixed, billing, address, side }: Case): void {
  const plain = text.replaceAll(/<[^>]*>/g, '').replaceAll(/\s/g, '')
  const { country_alpha_2: _, apt_number: __, ...secrets }: Partial<typeof whole> = billing ?? {}
  const destination = isFixed === undefined ? [] : [address, ...(side === 'sell' ? [holder] : [])]
  for (const secret of [...destination, ...Object.values(secrets)])
    assert.ok(!text.includes(secret) && !plain.includes(secret.replaceAll(/\s/g, '')), `a page shows ${secret}`)
}

/** Nothing is left to ask: the order is that of who has proven an address. */
const isComplete = ({ isFixed, billing }: Case): boolean => isFixed !== undefined && billing !== names

/** What a form would change of what was passed. Billing information can be corrected, and a complete order canceled. */
const changes = (one: Case, name: string | undefined): boolean =>
  (name === 'payout_address' && one.isFixed !== undefined) ||
  (name === 'cancel' && !isComplete(one) && (one.isFixed !== undefined || one.billing !== undefined))

/** The next page of its owner asks for what the partner has not passed. Another way to pay is everybody's to choose. */
function nextTitle({ isFixed, billing }: Case): RegExp {
  if (billing === names) return /^Billing information$/
  return isFixed === undefined ? /^Where should we send your/ : /^(Review and pay|Send .*)$/
}

describe('an order whose partner passed no email address', () => {
  it('shows who proves one nothing whole, lets them change nothing passed, and lets its owner get on', async () => {
    let attempts = 0
    for (const one of cases) {
      const order = await orderOf(one)
      const passed = (await read(exchange, order.id)).payout
      const browser = await forms.prove(order.redirect_url, order.thief)
      for (const ask of asks) showsNothing((await forms.get(`${order.redirect_url}&ask=${ask}`, browser)).text, one)
      for (const form of tries.filter(
        ({ do: name }) => changes(one, name) || (one.isFixed !== undefined && name !== 'cancel'),
      )) {
        const { status, text } = await forms.post(order.redirect_url, form, browser)
        attempts += 1
        assert.ok(status < 500, form.do)
        if (changes(one, form.do))
          assert.deepEqual([form.do, status, /was set by the site/.test(text)], [form.do, 403, true], one.side)
        showsNothing(text, one)
      }
      const left = await read(exchange, order.id)
      assert.deepEqual(left.payout, passed)
      if (left.status === 'waiting_for_deposit') continue

      const own = await forms.prove(order.redirect_url, order.owner)
      const page = await forms.get(order.redirect_url, own)
      showsNothing(page.text, one)
      const record = await read(exchange, order.id)
      assert.deepEqual([record.email, record.payout], [order.owner, passed], `${one.side} ${one.isFixed}`)
      assert.match(titleOf(page), nextTitle(one), one.side)
      const before = await forms.get(order.redirect_url, browser)
      assert.equal(titleOf(before), 'Confirm your email', 'who proved another address before is a visitor again')
      assert.ok(!before.text.includes(order.owner))
    }
    assert.ok(attempts >= 200, `${attempts} tries`)
  })

  it('answers a program with 403 NOT_PROVEN', async () => {
    const order = await orderOf({ ...cases[4], isFixed: false, billing: names } as Case)
    const browser = await forms.prove(order.redirect_url, order.thief)
    for (const form of tries.filter(({ do: name }) => ['payout_address', 'cancel'].includes(name ?? ''))) {
      const answer = await forms.post(order.redirect_url, form, { ...browser, accept: 'application/json' })
      assert.deepEqual(
        [answer.status, (JSON.parse(answer.text) as { code: string }).code],
        [403, 'NOT_PROVEN'],
        form.do,
      )
    }
  })

  it('goes to the end for its owner, to the destination that was passed, and no page, e-mail or receipt has it whole or leads to it', async () => {
    for (const one of cases.filter(({ isFixed, billing }) => isFixed === false && billing === whole)) {
      const order = await orderOf(one)
      const browser = await forms.prove(order.redirect_url, order.owner)
      assert.equal((await forms.post(order.redirect_url, { do: 'email', email: order.thief })).status, 403)
      const before = await read(exchange, order.id)
      assert.equal(before.status, 'waiting_for_deposit')
      await pay(exchange, order.id)
      const record = await arrive(exchange, order.id, 'finished')
      assert.equal(record.payout?.address, one.address, one.side)
      const { body: mails } = await exchange.api<{ text: string; html: string }[]>(
        `/v1/sandbox/mail?to=${encodeURIComponent(order.owner)}`,
      )
      assert.ok(mails.some(({ text }) => text.includes('/receipt')))
      const hash = one.side === 'sell' ? '' : (record.output_hash ?? assert.fail())
      const showsNoPayout = (text: string) => {
        showsNothing(text, one)
        // Explorers show the address that a transaction on a chain pays. Banks show nobody anything.
        if (hash !== '') assert.ok(!text.includes(hash), 'the payout on its chain')
      }
      for (const { text, html } of mails) showsNoPayout(`${text}\n${html}`)
      const done = await forms.get(order.redirect_url, browser)
      assert.match(titleOf(done), /sent/)
      showsNoPayout(done.text)
      const receipt = mails.flatMap(({ text }) => /http\S+\/receipt\S*/.exec(text)?.[0] ?? [])[0] ?? assert.fail()
      for (const suffix of ['', '?format=json']) showsNoPayout((await forms.get(`${receipt}${suffix}`)).text)
    }
  })

  it('that is complete is its customer’s: another visitor is led back to the partner', async () => {
    for (const one of cases.filter(({ side, billing }) => side === 'buy' && billing !== names)) {
      const order = await orderOf(one)
      const browser = await forms.prove(order.redirect_url, order.owner)
      if (one.isFixed === undefined)
        await forms.post(order.redirect_url, { do: 'payout_address', payout_address: someAddress }, browser)
      const record = await read(exchange, order.id)
      assert.equal(record.status, 'waiting_for_deposit')
      assert.equal((await forms.post(order.redirect_url, { do: 'email', email: order.thief })).status, 403)
      assert.equal(titleOf(await forms.get(`${order.redirect_url}&ask=email`)), 'This order is for someone else')
      const after = await read(exchange, order.id)
      assert.deepEqual([after.email, after.payout, after.status], [record.email, record.payout, record.status])
    }
  })

  it('lets its customer correct the billing information, a field at a time, and shows none of what was passed', async () => {
    const one: Case = { ...sides.buy, side: 'buy', isFixed: false, billing: whole } as Case
    const order = await orderOf(one)
    const browser = await forms.prove(order.redirect_url, order.owner)
    const passed = (await read(exchange, order.id)).payout
    const url = `${order.redirect_url}&ask=billing`
    const form = await forms.get(url, browser)
    assert.equal(titleOf(form), 'Billing information')
    assert.match(form.text, /O••••[^<]*<\/p><input type="text" id="last_name"/)
    showsNothing(form.text, one)

    const changed = { do: 'billing', last_name: 'van Dijk', street_address: 'Herengracht 1' }
    assert.equal((await forms.post(url, changed, browser)).status, 303)
    const page = await forms.get(order.redirect_url, browser)
    assert.match(page.text, /W•••• van Dijk.*Herengracht 1 7••••/s)
    showsNothing(page.text, one)
    assert.deepEqual((await read(exchange, order.id)).payout, passed)

    await forms.post(url, { ...changed, first_name: whole.first_name, country_alpha_2: 'NL' }, browser)
    const own = (await forms.get(order.redirect_url, browser)).text
    assert.ok(own.includes(whole.first_name), 'what a customer types is theirs: it says nothing of what was passed')
  })

  it('has of a customer’s corrections nothing left for the next one who proves an address', async () => {
    const one: Case = { ...sides.buy, side: 'buy', isFixed: undefined, billing: whole } as Case
    const order = await orderOf(one)
    const url = `${order.redirect_url}&ask=billing`
    const thief = await forms.prove(order.redirect_url, order.thief)
    assert.equal((await forms.post(url, { do: 'billing', last_name: 'Thief' }, thief)).status, 303)
    assert.match((await forms.get(url, thief)).text, /value="Thief"/)

    const own = await forms.prove(order.redirect_url, order.owner)
    const page = (await forms.get(url, own)).text
    assert.match(page, /O••••[^<]*<\/p><input type="text" id="last_name"/)
    assert.ok(!page.includes('Thief'))
  })

  it('is canceled by its customer once it is complete, and by none of those who may still take it over', async () => {
    for (const { isFixed, billing } of [{ isFixed: false, billing: whole }, { billing: whole }, { billing: names }]) {
      const one: Case = { ...sides.buy, side: 'buy', isFixed, billing } as Case
      const order = await orderOf(one)
      const browser = await forms.prove(order.redirect_url, order.owner)
      const isComplete = isFixed !== undefined
      assert.equal(
        /value="cancel"/.test((await forms.get(order.redirect_url, browser)).text),
        isComplete,
        JSON.stringify(billing),
      )
      const { status } = await forms.post(order.redirect_url, { do: 'cancel' }, browser)
      assert.equal(status, isComplete ? 303 : 403)
      assert.equal((await read(exchange, order.id)).status, isComplete ? 'cancelled' : 'waiting_for_customer')
    }
  })

  it('lets a seller whose name was passed say whose account it is', async () => {
    const order = await orderOf({ ...sides.sell, side: 'sell', isFixed: undefined, billing: whole } as Case)
    const browser = await forms.prove(order.redirect_url, order.owner)
    const page = await forms.get(order.redirect_url, browser)
    assert.ok(!/name="payout_holder"[^>]*value="[^"]*•/.test(page.text))
    const form = { do: 'payout_address', payout_address: iban, payout_holder: 'W. Oudezijdsvoort and partner' }
    await forms.post(order.redirect_url, form, browser)
    assert.equal((await read(exchange, order.id)).status, 'waiting_for_deposit')
  })
})
