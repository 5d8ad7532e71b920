import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { type Forms, formsOn, titleOf } from '../support/checkout-forms.ts'
import { createBuy, recordOfBuy, someAddress } from '../support/customer.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { advance, arrive, assertBooksHold, lookup, pay } from '../support/journey.ts'
import { type StillMarket, stopMarket } from '../support/still-market.ts'

let exchange: Exchange
let market: StillMarket
let forms: Forms
before(async () => {
  exchange = await startExchange({ RATE_LIMITS: 'off' })
  forms = formsOn(exchange)
  market = stopMarket(exchange)
})
after(() => exchange.stop())

type Customer = { id: string; url: string; browser: { cookie: string } }
let customers = 0

/** A customer whose address is proven, and who has come as far as is said. */
async function customer(until: 'country' | 'address' | 'pay', passed = {}): Promise<Customer> {
  customers += 1
  const { id, url } = await createBuy(exchange, passed)
  const browser = await forms.prove(url, `truth-${customers}@example.com`)
  if (until !== 'country') await forms.post(url, { do: 'country', country: 'NL' }, browser)
  if (until === 'pay')
    await forms.post(url, { do: 'payout_address', payout_address: someAddress, confirms: someAddress }, browser)
  return { id, url, browser }
}

const page = ({ url, browser }: Customer) => forms.get(url, browser)
const send = ({ url, browser }: Customer, form: Record<string, string>) => forms.post(url, form, browser)
const versionOf = async ({ url, browser }: Customer): Promise<string> =>
  (JSON.parse((await forms.get(url.replace('/checkout?', '/checkout/status?'), browser)).text) as { version: string })
    .version
const pricesOf = async (id: string): Promise<number> =>
  (
    await lookup(exchange, 'select 1 from quotes join transactions t on t.id = transaction_id where public_id = $1', [
      id,
    ])
  ).length

const over = /This price has expired\./
const renewal = /<div class="renew" data-renew="true"( hidden)?>/

describe('a price that has ended', () => {
  it('is shown as such, and one press makes one that holds, which is then paid', async () => {
    market.setPrice('BTC', 1_000n)
    const visit = await customer('pay')
    const before = (await recordOfBuy(exchange, visit.id)).expected_to_amount
    assert.equal(renewal.exec((await page(visit)).text)?.[1], ' hidden')

    // Before the time passes: a price that moved within the last minute makes new ones hold for less.
    market.setPrice('BTC', 1_020n)
    await advance(exchange, 'PT16M')
    const late = (await page(visit)).text
    assert.match(late, over)
    assert.deepEqual([renewal.test(late), renewal.exec(late)?.[1]], [true, undefined])

    assert.equal((await send(visit, { do: 'renew' })).status, 303)
    const renewed = await page(visit)
    assert.match(renewed.text, /This price holds for 1[34] minutes/)
    assert.equal(titleOf(renewed), 'Review and pay')
    const agreed = (await recordOfBuy(exchange, visit.id)).expected_to_amount
    assert.notEqual(agreed, before)

    await pay(exchange, visit.id)
    assert.equal((await arrive(exchange, visit.id, 'finished')).to_amount, agreed)
    await assertBooksHold(exchange)
  })

  it('is renewed before the customer is known, too, and at every step', async () => {
    const { id, url } = await createBuy(exchange)
    await forms.get(url)
    await advance(exchange, 'PT16M')
    const first = await forms.get(url)
    assert.match(first.text, over)
    await forms.post(url, { do: 'renew' })
    assert.match((await forms.get(url)).text, /This price holds for/)
    assert.equal(titleOf(await forms.get(url)), titleOf(first))
    assert.equal(await pricesOf(id), 2)
  })

  it('is renewed once, however often it is pressed; one that holds stays as it is', async () => {
    const visit = await customer('address')
    await send(visit, { do: 'renew' })
    assert.equal(await pricesOf(visit.id), 1)
    await advance(exchange, 'PT16M')
    await Promise.all([1, 2, 3, 4].map(() => send(visit, { do: 'renew' })))
    assert.equal(await pricesOf(visit.id), 2)
  })

  for (const [what, form] of [
    ['renewed', { do: 'renew' }],
    ['made by another way to pay', { do: 'method', method: 'APPLE_PAY' }],
  ] as const) {
    it(`and is ${what} late holds no longer than there is to pay`, async () => {
      const visit = await customer('pay')
      await advance(exchange, 'PT17M')
      await send(visit, form)
      assert.equal(await pricesOf(visit.id), 2)
      const record = await recordOfBuy(exchange, visit.id)
      const [holdsUntil, payUntil] = [record.quote_expires_at, record.expires_at].map((at) => Date.parse(String(at)))
      assert(holdsUntil !== undefined && payUntil !== undefined)
      assert(holdsUntil <= payUntil && payUntil - holdsUntil < 1_000, 'a price holds whole seconds')
      const { text } = await page(visit)
      assert.match(text, /This price holds for 12 minutes\./)
      assert.match(text, /Pay within 12 minutes\./)
      await assertBooksHold(exchange)
    })
  }

  it('is not renewed by a stranger once the order is somebody’s, nor once money was seen', async () => {
    const visit = await customer('pay')
    await advance(exchange, 'PT16M')
    assert.equal((await forms.post(visit.url, { do: 'renew' })).status, 403)
    assert.equal(await pricesOf(visit.id), 1)
    await pay(exchange, visit.id)
    await arrive(exchange, visit.id, 'finished')
    const settled = await pricesOf(visit.id)
    await send(visit, { do: 'renew' })
    assert.equal(await pricesOf(visit.id), settled)
  })
})

describe('two tabs', () => {
  it('hear of each other on every step that asks for something', async () => {
    const visit = await customer('country')
    const open = await page(visit)
    assert.match(open.text, /<main[^>]* data-watch="\/checkout\/status\?tid=[\w-]{24}"[^>]* data-step="country"/)
    const seen = await versionOf(visit)
    assert.match(open.text, new RegExp(`data-version="${seen}"`))
    await send(visit, { do: 'country', country: 'NL' })
    assert.notEqual(await versionOf(visit), seen)
    const asked = await versionOf(visit)
    await send(visit, { do: 'payout_address', payout_address: someAddress, confirms: someAddress })
    assert.notEqual(await versionOf(visit), asked)
  })
})

describe('a payment', () => {
  it('that is under way is not begun anew by a reload, the back button or a slow line', async () => {
    const visit = await customer('pay')
    const pressed = await Promise.all([1, 2, 3].map(() => send(visit, { do: 'pay' })))
    const places = new Set(pressed.map(({ headers }) => headers.get('location')))
    assert.equal(places.size, 1, 'every press leads to one payment')
    const returned = await forms.get(`${visit.url}&returned=1`, visit.browser)
    assert.equal(titleOf(returned), titleOf(await forms.get(`${visit.url}&returned=1`, visit.browser)))

    await pay(exchange, visit.id)
    await arrive(exchange, visit.id, 'finished')
    for (const form of [
      { do: 'pay' },
      { do: 'method', method: 'SEPA_1' },
      { do: 'cancel' },
      { do: 'country', country: 'DE' },
    ]) {
      const answer = await send(visit, form)
      assert.equal(exchange.url + (answer.headers.get('location') ?? ''), visit.url, form.do)
    }
    assert.equal(titleOf(await forms.get(`${visit.url}&returned=1`, visit.browser)), 'Your Bitcoin was sent')
    const { status, from_amount: paid } = await recordOfBuy(exchange, visit.id)
    assert.deepEqual([status, paid], ['finished', '100'])
    await assertBooksHold(exchange)
  })

  it('is found again after the phone was closed, in the same browser and by the link alone', async () => {
    const visit = await customer('pay')
    await pay(exchange, visit.id)
    await arrive(exchange, visit.id, 'finished')
    assert.equal(titleOf(await page(visit)), 'Your Bitcoin was sent')
    const stranger = await forms.get(visit.url)
    assert.equal(titleOf(stranger), 'Your Bitcoin was sent')
    assert.doesNotMatch(stranger.text, /truth-|bc1q/)
  })
})
