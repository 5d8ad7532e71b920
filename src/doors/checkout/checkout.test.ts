import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, describe, it } from 'node:test'

import { cookieOf, type Forms, formsOn, shownTerms, titleOf } from '../../../test/support/checkout-forms.ts'
import { codeFor, createBuy, recordOfBuy, someAddress } from '../../../test/support/customer.ts'
import { type Exchange, startExchange } from '../../../test/support/exchange.ts'

const hashOfStyles = (html: string): string =>
  `sha256-${createHash('sha256')
    .update(/<style>(.*)<\/style>/s.exec(html)?.[1] ?? '')
    .digest('base64')}`

describe('the checkout over HTTP', () => {
  let exchange: Exchange
  let get: Forms['get']
  let post: Forms['post']
  let prove: Forms['prove']
  before(async () => {
    exchange = await startExchange()
    ;({ get, post, prove } = formsOn(exchange))
  })
  after(() => exchange.stop())

  it('404: an unknown, an ill-formed or a missing id is a page, not an error', async () => {
    for (const tid of [
      '?tid=4815162342108642359',
      '?tid=abc',
      '?tid=-1',
      '?tid=99999999999999999999',
      '?tid=1&tid=2',
      '',
    ]) {
      for (const path of ['/checkout', '/de/checkout']) {
        const answer = await get(`${exchange.url}${path}${tid}`)
        assert.equal(answer.status, 404, tid)
        assert.equal(answer.headers.get('cache-control'), 'no-store')
        assert.equal(titleOf(answer), 'Order not found')
      }
    }
    assert.equal((await get(`${exchange.url}/checkout/status?tid=1`)).status, 404)
    for (const path of ['/v1/checkout', '/a/checkout', '/toolong/checkout', '/v1%2F..%2Fcheckout']) {
      assert.equal((await get(`${exchange.url}${path}?tid=1`)).status, 404, path)
    }
  })

  it('200: the first visit makes a new transaction wait for its customer', async () => {
    const buy = await createBuy(exchange)
    const answer = await get(buy.url.replace('/checkout', '/de-DE/checkout'))
    assert.equal(answer.status, 200)
    assert.equal(titleOf(answer), 'E-Mail-Adresse bestätigen')
    assert.equal((await recordOfBuy(exchange, buy.id)).status, 'waiting_for_customer')
  })

  it('200: pages are kept by nobody, framed by nobody, and load nothing from elsewhere', async () => {
    const { url } = await createBuy(exchange)
    const { headers, text } = await get(url)
    assert.equal(headers.get('cache-control'), 'no-store')
    assert.equal(headers.get('x-content-type-options'), 'nosniff')
    assert.equal(headers.get('referrer-policy'), 'same-origin')
    assert.equal(headers.get('set-cookie'), null)
    const policy = headers.get('content-security-policy') ?? ''
    for (const rule of [
      "default-src 'none'",
      "script-src 'self'",
      `style-src '${hashOfStyles(text)}';`,
      "frame-ancestors 'none'",
      "base-uri 'none'",
    ]) {
      assert(policy.includes(rule), rule)
    }
    assert.doesNotMatch(policy, /unsafe|\*|data:/)
  })

  it('200: styles and scripts may be kept for ever, under names that change with them', async () => {
    const { url } = await createBuy(exchange)
    const { text } = await get(url)
    const files = [...text.matchAll(/"(\/assets\/[^"]+)"/g)].map(([, file = '']) => file)
    assert.equal(files.length, 2)
    for (const file of files) {
      const answer = await get(exchange.url + file)
      assert.equal(answer.status, 200, file)
      assert.match(answer.headers.get('cache-control') ?? '', /max-age=31536000, immutable/)
      assert.doesNotMatch(answer.text, /sourceMappingURL/)
    }
  })

  it('403: a form from another site does nothing', async () => {
    const email = 'foreign@example.com'
    const { id, url } = await createBuy(exchange)
    const foreign = [
      'https://evil.example',
      'null',
      '',
      `${exchange.url}.evil.example`,
      exchange.url.replace('http', 'https'),
    ]
    for (const origin of foreign) {
      assert.equal((await post(url, { do: 'email', email }, { origin })).status, 403, origin)
    }
    const silent = (headers: Record<string, string>) =>
      fetch(url, {
        method: 'POST',
        redirect: 'manual',
        headers,
        body: new URLSearchParams({ do: 'email', email: 'x@example.com' }),
      })
    for (const site of ['cross-site', 'same-site']) {
      assert.equal((await silent({ 'sec-fetch-site': site })).status, 403, site)
    }
    assert.equal((await recordOfBuy(exchange, id)).email, null)
    assert.equal((await silent({ 'sec-fetch-site': 'same-origin' })).status, 303)
    assert.equal((await silent({})).status, 303)
    assert.equal((await post(url, { do: 'email', email })).status, 303)
    assert.equal((await recordOfBuy(exchange, id)).email, null, 'nothing is written before it is proven')
    await prove(url, email)
    assert.equal((await recordOfBuy(exchange, id)).email, email)
  })

  it('303: a form that was taken leads back to the page, which a reload may ask for again', async () => {
    const { url } = await createBuy(exchange)
    const answer = await post(`${url}&ask=email`, { do: 'email', email: 'reload@example.com' })
    assert.equal(answer.status, 303)
    assert.equal(exchange.url + answer.headers.get('location'), url)
    assert.equal(answer.headers.get('cache-control'), 'no-store')
  })

  it('the cookie is for this order, out of reach of scripts and of other sites', async () => {
    const email = 'cookie@example.com'
    const buy = await createBuy(exchange)
    const claim = cookieOf(await post(buy.url, { do: 'email', email }))
    const form = { do: 'code', code: await codeFor(exchange, email), accepts: shownTerms }
    const answer = await post(buy.url, form, { cookie: claim })
    const [cookie = '', device = '', ...more] = answer.headers.getSetCookie()
    assert.deepEqual(more, [])
    assert.match(device, /^customer-device=[\w.-]{60}; Path=\/; Max-Age=15552000; HttpOnly; SameSite=Lax$/)
    assert.match(cookie, new RegExp(`^checkout-${buy.id}=[\\w-]{43}; Path=/; Max-Age=86400; HttpOnly; SameSite=Lax$`))

    const value = cookie.split(';')[0] ?? ''
    assert.equal(titleOf(await get(buy.url, { cookie: `other=1; ${value}` })), 'Where do you live?')
    assert.equal(titleOf(await get(buy.url)), 'Confirm your email')
    const other = await createBuy(exchange, { customer: { contact_info: { email } } })
    assert.equal(titleOf(await get(other.url, { cookie: value.replace(buy.id, other.id) })), 'Confirm your email')
  })

  it('a form from a step that is past, or not reached yet, does nothing and shows the true step', async () => {
    const { id, url } = await createBuy(exchange)
    for (const form of [
      { do: 'country', country: 'NL' },
      { do: 'payout_address', payout_address: someAddress },
      { do: 'pay' },
    ]) {
      const answer = await post(url, form)
      assert.equal(answer.status, 403, JSON.stringify(form))
      assert.equal(titleOf(answer), 'Confirm your email')
    }
    for (const form of [{ do: 'x' }, {}]) {
      const answer = await post(url, form)
      assert.equal(answer.status, 303, JSON.stringify(form))
      assert.equal(exchange.url + answer.headers.get('location'), url)
    }
    const record = await recordOfBuy(exchange, id)
    assert.equal(record.location, 'ZZ')
    assert.equal(record.payout, null)

    const browser = await prove(url, 'past@example.com')
    await post(url, { do: 'country', country: 'NL' }, browser)
    await post(url, { do: 'country', country: 'DE' }, browser)
    await post(url, { do: 'email', email: 'thief@example.com' }, browser)
    assert.equal((await recordOfBuy(exchange, id)).location, 'NL')
    assert.equal((await recordOfBuy(exchange, id)).email, 'past@example.com')
  })

  it('400: a card number in any field is refused, shown nowhere again and stored nowhere', async () => {
    const card = '4242 4242 4242 4242'
    const { url } = await createBuy(exchange)
    const refused = async (form: Record<string, string>, headers: Record<string, string> = {}) => {
      const answer = await post(url, form, headers)
      assert.equal(answer.status, 400)
      assert.match(answer.text, /looks like a card number/)
      assert.doesNotMatch(answer.text, /4242 ?4242/)
    }
    await refused({ do: 'email', email: `${card.replaceAll(' ', '')}@example.com` })
    await refused({ do: 'email', email: 'a@example.com', other: card })
    const browser = await prove(url, 'card@example.com')
    await refused({ do: 'country', country: card }, browser)
    await post(url, { do: 'country', country: 'NL' }, browser)
    await refused({ do: 'payout_address', payout_address: card }, browser)
  })

  it('400: a country that is not served and an address of another network are refused at their field', async () => {
    const { url } = await createBuy(exchange)
    const browser = await prove(url, 'refused@example.com')
    for (const country of ['KP', 'XX', '', 'nl nl', '__proto__']) {
      const answer = await post(url, { do: 'country', country }, browser)
      assert([400, 403].includes(answer.status), `${country}: ${answer.status}`)
      assert.match(answer.text, /id="country-problem"/)
    }
    await post(url, { do: 'country', country: 'NL' }, browser)
    for (const address of [
      '',
      'x',
      '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
      `${someAddress}0`,
      '<b>',
      'a'.repeat(9_000),
    ]) {
      const answer = await post(url, { do: 'payout_address', payout_address: address }, browser)
      assert.equal(answer.status, 400, address)
      assert.match(answer.text, /id="payout_address-problem"/)
      assert.doesNotMatch(answer.text, /<b>/)
    }
  })

  it('the payout address can be changed until money is seen, unless the partner has fixed it', async () => {
    const other = 'BC1QRP33G0Q5C5TXSP9ARYSRX4K6ZDKFS4NCE4XJ0GDCCCEFVPYSXF3QCCFMV3'.toLowerCase()
    const { id, url } = await createBuy(exchange)
    const browser = await prove(url, 'change@example.com')
    await post(url, { do: 'country', country: 'NL' }, browser)
    await post(url, { do: 'payout_address', payout_address: someAddress }, browser)
    assert.equal(titleOf(await get(url, browser)), 'Review and pay')
    assert.equal(titleOf(await get(`${url}&ask=payout_address`, browser)), 'Where should we send your Bitcoin?')
    await post(`${url}&ask=payout_address`, { do: 'payout_address', payout_address: other }, browser)
    const { payout, status } = await recordOfBuy(exchange, id)
    assert.deepEqual(payout, { address: other, extra_id: '' })
    assert.equal(status, 'waiting_for_deposit')

    const passed = { payout_info: { payout_address: someAddress, skip_choose_payout_address: true } }
    const fixed = await createBuy(exchange, passed)
    const second = await prove(fixed.url, 'change@example.com')
    await post(`${fixed.url}&ask=payout_address`, { do: 'payout_address', payout_address: other }, second)
    assert.deepEqual((await recordOfBuy(exchange, fixed.id)).payout, { address: someAddress, extra_id: '' })
  })

  it('4xx: what is no form, or too large a one, is answered with a page', async () => {
    const { url } = await createBuy(exchange)
    const send = (body: string, type: string) =>
      fetch(url, { method: 'POST', body, headers: { origin: exchange.url, 'content-type': type } })
    for (const [answer, status] of [
      [await send('{}', 'application/json'), 415],
      [await send('a=b', 'text/plain'), 415],
      [await send(`do=email&email=${'a'.repeat(20_000)}`, 'application/x-www-form-urlencoded'), 413],
    ] as const) {
      assert.equal(answer.status, status)
      assert.match(await answer.text(), /couldn’t read/)
    }
    assert.equal((await post(url, { do: 'email', email: 'a@b.c\u0000' })).status, 400)
    assert.equal((await post(url, { do: '\u0000', constructor: 'x' })).status, 400)
    assert.equal((await post(url, { do: 'x', constructor: 'x' })).status, 303)
  })

  it('a second email within seconds is not sent, and the page says when it can be', async () => {
    const { url } = await createBuy(exchange)
    const browser = { cookie: cookieOf(await post(url, { do: 'email', email: 'soon@example.com' })) }
    const answer = await post(url, { do: 'resend' }, browser)
    assert.equal(answer.status, 303)
    const { body } = await exchange.api<unknown[]>('/v1/sandbox/mail?to=soon@example.com')
    assert.equal(body.length, 1)
    assert.match((await get(url, browser)).text, /data-text="[^"]*You can request a new code in \{time\}\."/)
  })

  it('an order whose time to pay is over says so, and what to do', async () => {
    const buy = await createBuy(exchange, { redirects: { failed: 'https://shop.example/late?order=$$' } })
    await get(buy.url)
    await exchange.api('/v1/sandbox/clock', { body: { advance: 'PT24H' } })
    const answer = await get(buy.url)
    assert.equal(titleOf(answer), 'This order has expired')
    assert(answer.text.includes(`https://shop.example/late?order=${buy.id}`))
  })
})
