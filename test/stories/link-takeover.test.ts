import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { checkoutSteps } from '../../src/doors/checkout/steps.ts'
import type { TransactionRecord } from '../../src/exchange/transactions/record.ts'
import { maskEmail } from '../../src/exchange/customers/email.ts'
import { cookieOf, type Forms, formsOn, shownTerms, titleOf } from '../support/checkout-forms.ts'
import { codeFor, someAddress } from '../support/customer.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { type Body, create, lookup, read } from '../support/journey.ts'

let exchange: Exchange
let forms: Forms
before(async () => {
  exchange = await startExchange({ RATE_LIMITS: 'off', LOG_LEVEL: 'fatal' })
  forms = formsOn(exchange)
})
after(() => exchange.stop())

const ip = '46.4.0.1'
const iban = 'NL91ABNA0417164300'
const thiefs = {
  coins: 'bc1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3qccfmv3',
  money: 'DE89370400440532013000',
}
const billing = {
  country_alpha_2: 'NL',
  region: 'Noord-Holland',
  city: 'Zwanenburgerdam',
  street_address: 'Quellinusstraat 4711',
  apt_number: '77b',
  post_index: '1016 XY',
  first_name: 'Wilhelmina',
  last_name: 'Oudezijdsvoort',
}

const sides: Record<string, { order: Body; payout: Body; address: string }> = {
  buy: { order: { from_amount: '100' }, payout: { payout_address: someAddress }, address: someAddress },
  sell: {
    order: { from_amount: '0.05', from_currency: 'BTC', to_currency: 'EUR' },
    payout: { payout_address: iban, full_name: 'Wilhelmina Oudezijdsvoort' },
    address: iban,
  },
  swap: {
    order: { from_amount: '1', from_currency: 'ETH', to_currency: 'BTC' },
    payout: { payout_address: someAddress },
    address: someAddress,
  },
}

/** What a partner may pass besides the email address: every combination, on every side. */
const passed = [false, true].flatMap((isPayout) =>
  [false, true].flatMap((isFixed) =>
    isFixed && !isPayout ? [] : [false, true].map((isBilled) => ({ isPayout, isFixed, isBilled })),
  ),
)
const cases = Object.entries(sides).flatMap(([side, values]) => passed.map((what) => ({ side, ...values, ...what })))

let orders = 0

/** An order of a partner that knows its customer, and what only that customer may read. */
async function orderOf({ order, payout, isPayout, isFixed, isBilled }: (typeof cases)[number]) {
  const owner = `owner${(orders += 1)}@takeover.example`
  const customer = { ip, contact_info: { email: owner }, ...(isBilled ? { billing_info: billing } : {}) }
  const destination = isPayout
    ? { payout_info: { ...payout, skip_choose_payout_address: isFixed } }
    : { payout_info: {} }
  return { owner, ...(await create(exchange, { ...order, customer, ...destination })) }
}

/** Every form of every step, by the name in `do`, with what a thief would send. */
const tries: Record<string, string>[] = [
  ...new Set(Object.values(checkoutSteps).flatMap(({ actions = {} }) => Object.keys(actions))),
  'renew',
  'cancel',
].map((name) => ({
  do: name,
  email: 'thief@takeover.example',
  code: '000000',
  payout_address: thiefs.coins,
  refund_address: thiefs.coins,
  payout_holder: 'Terry Thief',
  extra_id: '',
  country: 'DE',
  method: 'SEPA_1',
  at_least: '0',
  accepts: shownTerms,
  ...Object.fromEntries(Object.keys(billing).map((field) => [field, 'Thief'])),
}))
const asks = ['', ...Object.keys(checkoutSteps), 'proof']

/** What a visitor may do without a proof. Nothing else: this list is short, and stays so. */
const open = ['code', 'renew', 'resend', 'send']

/** What may differ once a page was opened: the customer has been there. */
const comparable = (record: TransactionRecord): object => ({
  ...record,
  updated_at: null,
  status: null,
  status_history: null,
})

describe('an order whose partner passed an email address', () => {
  it('is not changed by a visitor, on whichever side, whatever was passed, by any form of any step', async () => {
    let attempts = 0
    for (const one of cases) {
      const order = await orderOf(one)
      const before = comparable(await read(exchange, order.id))
      for (const form of tries) {
        const { status, text } = await forms.post(order.redirect_url, form)
        attempts += 1
        if (open.includes(form.do ?? '')) assert.ok(status < 500, form.do)
        else assert.deepEqual([form.do, status, /Confirm the email address/.test(text)], [form.do, 403, true])
        showsNothing(text, order.owner, one.address)
      }
      assert.deepEqual(comparable(await read(exchange, order.id)), before, `${one.side} ${JSON.stringify(one.order)}`)
    }
    assert.ok(attempts >= 200, `${attempts} tries`)
  })

  it('shows a visitor nothing whole, whatever is asked for, and no form for another address', async () => {
    for (const one of cases) {
      const order = await orderOf(one)
      for (const ask of asks) {
        const page = await forms.get(`${order.redirect_url}&ask=${ask}`)
        assert.equal(page.status, 200)
        showsNothing(page.text, order.owner, one.address)
        assert.ok(!/name="(email|payout_address|first_name|payout_holder)"/.test(page.text), `${one.side} ${ask}`)
      }
      const notMe = await forms.get(`${order.redirect_url}&ask=email`)
      assert.equal(titleOf(notMe), 'This order is for someone else')
      assert.ok(notMe.text.includes(maskEmail(order.owner)))
      assert.deepEqual(/<main.*<\/main>/s.exec(notMe.text)?.[0].match(/<form/g) ?? [], [], 'a sentence, not a form')
    }
  })

  it('answers the page’s own calls with 403 NOT_PROVEN', async () => {
    const { redirect_url: url } = await orderOf(cases[0] ?? assert.fail())
    const json = { accept: 'application/json' }
    for (const form of tries.filter(({ do: name }) => !open.includes(name ?? ''))) {
      const answer = await forms.post(url, form, json)
      const { code, statusCode } = JSON.parse(answer.text) as { code: string; statusCode: number }
      assert.deepEqual([answer.status, statusCode, code], [403, 403, 'NOT_PROVEN'], form.do)
    }
    for (const field of ['email', 'payout_address', 'payout_holder', 'first_name', 'country']) {
      const checked = await forms.post(url.replace('/checkout', '/checkout/check'), {
        do: 'email',
        field,
        [field]: 'x',
      })
      assert.deepEqual(
        [checked.status, (JSON.parse(checked.text) as { code: string }).code],
        [403, 'NOT_PROVEN'],
        field,
      )
    }
  })

  it('still belongs to its owner afterwards, who proves the address and gets on', async () => {
    for (const one of cases) {
      const order = await orderOf(one)
      for (const form of tries.filter(({ do: name }) => name !== 'code')) await forms.post(order.redirect_url, form)
      const browser = await forms.prove(order.redirect_url, order.owner)
      const page = await forms.get(order.redirect_url, browser)
      assert.notEqual(titleOf(page), 'Confirm your email')
      const record = await read(exchange, order.id)
      assert.equal(record.email, order.owner)
      if (one.isPayout) assert.equal(record.payout?.address, one.address)
    }
  })

  it('is not taken over where the address has been proven, either', async () => {
    const order = await orderOf(cases.at(-1) ?? assert.fail())
    await forms.prove(order.redirect_url, order.owner)
    const before = comparable(await read(exchange, order.id))
    for (const form of tries.filter(({ do: name }) => !['code', 'resend', 'send'].includes(name ?? '')))
      assert.equal((await forms.post(order.redirect_url, form)).status, 403, form.do)
    assert.deepEqual(comparable(await read(exchange, order.id)), before)
  })

  it('and was given another one by a visitor of an earlier version, is still its owner’s', async () => {
    const order = await orderOf(cases[0] ?? assert.fail())
    const { ctx } = exchange.service.composition
    const [row] = await lookup<{ data_key_id: string }>(
      exchange,
      'select data_key_id from transactions where public_id = $1',
      [order.id],
    )
    const place = `transactions:${order.id}`
    const key = await ctx.keyring.get(ctx.db, BigInt(row?.data_key_id ?? ''))
    const [sealed] = await ctx.db.sql<{
      personal: Buffer
    }>`select personal from transactions where public_id = ${BigInt(order.id)}`
    const personal = key.open<object>(sealed?.personal ?? assert.fail(), place)
    const replaced = key.seal({ ...personal, email: 'thief@takeover.example', destinationEmail: order.owner }, place)
    await ctx.db.sql`update transactions set personal = ${replaced} where public_id = ${BigInt(order.id)}`

    const page = await forms.get(order.redirect_url)
    assert.ok(page.text.includes(maskEmail(order.owner)))
    await forms.prove(order.redirect_url, order.owner)
    assert.equal((await read(exchange, order.id)).email, order.owner)
  })
})

describe('an order without an email address', () => {
  const bare: Body = { from_amount: '100', customer: { ip } }

  it('takes none before it is proven, even where the email with the code is refused', async () => {
    const { id, redirect_url: url } = await create(exchange, bare)
    const cookie = cookieOf(await forms.post(url, { do: 'email', email: 'typo@takeover.example' }))
    assert.equal((await read(exchange, id)).email, null)
    assert.equal((await read(exchange, id)).customer_id, null)
    const owner = `bare${id}@takeover.example`
    const own = cookieOf(await forms.post(url, { do: 'email', email: owner }, { cookie }))
    assert.ok((await forms.get(url, { cookie: own })).text.includes(owner), 'a typo can be corrected')
    const form = { do: 'code', code: await codeFor(exchange, owner), accepts: shownTerms }
    assert.equal((await forms.post(url, form, { cookie: own })).status, 303)
    assert.equal((await read(exchange, id)).email, owner)
  })

  it('tells no browser what another one has typed, and belongs to who proved one last while it is not complete', async () => {
    const { id, redirect_url: url } = await create(exchange, bare)
    const [first, second] = [`first${id}@takeover.example`, `second${id}@takeover.example`]
    const one = { cookie: cookieOf(await forms.post(url, { do: 'email', email: first })) }
    const two = { cookie: cookieOf(await forms.post(url, { do: 'email', email: second })) }
    assert.ok((await forms.get(url, one)).text.includes(first))
    assert.ok(!(await forms.get(url, two)).text.includes(first))
    const code = await codeFor(exchange, second)
    const proven = await forms.post(url, { do: 'code', code: await codeFor(exchange, first), accepts: shownTerms }, one)
    assert.equal((await read(exchange, id)).email, first)
    assert.equal(titleOf(await forms.get(url, two)), 'Enter your code')
    assert.ok(!(await forms.get(`${url}&ask=proof`, two)).text.includes(first))
    await forms.post(url, { do: 'code', code, accepts: shownTerms }, two)
    assert.equal((await read(exchange, id)).email, second)
    const left = await forms.get(url, { cookie: `${one.cookie}; ${cookieOf(proven)}` })
    assert.equal(titleOf(left), 'Confirm your email')
    assert.ok(!left.text.includes(second))
  })

  it('keeps a claim of one order, or a changed one, out of another', async () => {
    const [first, second] = [await create(exchange, bare), await create(exchange, bare)]
    const email = 'claim@takeover.example'
    const cookie = cookieOf(await forms.post(first.redirect_url, { do: 'email', email }))
    for (const forged of [cookie.replace(first.id, second.id), `claim-${second.id}=${'A'.repeat(64)}`]) {
      const page = await forms.get(second.redirect_url, { cookie: forged })
      assert.deepEqual([page.status, page.text.includes(email)], [200, false])
    }
  })
})

/** Nothing that identifies the owner or their money is in a page. */
function showsNothing(text: string, owner: string, address: string): void {
  const plain = text.replaceAll(/<[^>]*>/g, '').replaceAll(/\s/g, '')
  const { country_alpha_2: _, apt_number: __, ...told } = billing
  for (const secret of [owner, address, ...Object.values(told)])
    assert.ok(!text.includes(secret) && !plain.includes(secret.replaceAll(/\s/g, '')), `a page shows ${secret}`)
}
