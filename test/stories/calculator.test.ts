import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { setPartner } from '../../src/exchange/partners/change.ts'
import { idBehind } from '../support/checkout-link.ts'
import { openPath, postForm, signedCalculator } from '../support/calculator.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { read } from '../support/journey.ts'
import { until } from '../support/telling.ts'

let exchange: Exchange
before(async () => {
  exchange = await startExchange()
})
after(() => exchange.stop())

const signed = (query: string): string => signedCalculator(exchange, query)

const open = (path: string) => openPath(exchange, path)

const post = (path: string, fields: Record<string, string>, origin = exchange.url) =>
  postForm(exchange, path, fields, { origin })

/** What stands in a box of the page. */
const boxIn = (html: string, name: string): string =>
  new RegExp(`<input[^>]*name="${name}"[^>]*>`).exec(html)?.[0].match(/value="([^"]*)"/)?.[1] ?? ''

const secondsFromNow = (seconds: number): number =>
  Math.floor(exchange.service.composition.ctx.clock.realNow().getTime() / 1_000) + seconds

describe('who may show a calculator', () => {
  it('a signed address, until it expires', async () => {
    for (const query of ['locale=en', `expires_at=${secondsFromNow(60)}`, 'email=ann%40example.com&theme=dark']) {
      const answer = await open(signed(query))
      assert.equal(answer.status, 200, query)
      assert.match(await answer.text(), /data-calculator/)
    }
    const unescaped = signed('redirects_successful=https://shop.example/done?id=$$&locale=en')
    assert.equal((await open(unescaped)).status, 200, 'a question mark may stand in a value as it is')
    assert.equal((await open(`${unescaped}?theme=dark`)).status, 401)
    for (const query of [`expires_at=${secondsFromNow(-1)}`, 'expires_at=soon', 'expires_at=']) {
      const answer = await open(signed(query))
      assert.deepEqual([answer.status, /has expired/.test(await answer.text())], [401, true], query)
    }
  })

  it('no address that was changed after it was signed, that is signed by another, or that says something twice', async () => {
    const { partner_id: id, second_partner: second } = exchange.sandbox
    const right = signed('default_fiat_amount=100')
    const tried = [
      right.replace('=100', '=900'),
      `${right}&theme=dark`,
      right.replace(/signature=./, 'signature=0').slice(0, -1),
      right.replace(`partner_id=${id}`, `partner_id=${second.partner_id}`),
      right.replace(/&signature=.*/, ''),
      right.replace(/partner_id=\d+&/, ''),
      `${right}&default_fiat_amount=100`,
      '/calculator/v2',
      `/calculator/v2?partner_id=1&signature=${'a'.repeat(64)}`,
    ]
    for (const path of tried) {
      const answer = await open(path)
      assert.equal(answer.status, 401, path)
      assert.match(await answer.text(), /We can’t show this calculator/)
    }
  })

  it('a public key in the old form; never a secret, a revoked or an unknown one', async () => {
    const { public_key: open1, secret_key: secret, revoked_key: revoked } = exchange.sandbox
    assert.equal((await open(`/calculator/v1?partner_api_token=${open1}`)).status, 200)
    for (const key of [secret, revoked, 'pk_test_nobody', ''])
      assert.equal((await open(`/calculator/v1?partner_api_token=${key}`)).status, 401)
    assert.equal((await open(`/calculator/v1?partner_api_token=${open1}&partner_api_token=${open1}`)).status, 401)
  })

  it('not without a version: the page says which addresses there are', async () => {
    const answer = await open(`/calculator?partner_api_token=${exchange.sandbox.public_key}`)
    assert.equal(answer.status, 404)
    assert.match(await answer.text(), /\/calculator\/v2 with a signature/)
  })
})

describe('the calculator', () => {
  it('shows what the estimate of the interface says, both ways', async () => {
    const html = await (await open(signed('default_fiat_amount=250&default_crypto_currency=ETH'))).text()
    const asked = '/v1/estimate?from_currency=EUR&to_currency=ETH'
    const direct = await exchange.api<{ value: string }>(`${asked}&from_amount=250`)
    assert.deepEqual([boxIn(html, 'from_amount'), boxIn(html, 'to_amount')], ['250', direct.body.value])

    const path = signed('default_crypto_currency=ETH')
    const reversed = await (
      await post(path, { to_amount: '0.1', edited: 'reverse', from: 'EUR-EUR', to: 'ETH-ETH' })
    ).text()
    const reverse = await exchange.api<{ value: string }>(`${asked}&to_amount=0.1`)
    assert.deepEqual([boxIn(reversed, 'from_amount'), boxIn(reversed, 'to_amount')], [reverse.body.value, '0.1'])
  })

  it('knows without scripts which box was typed into, and turns round with both currencies kept', async () => {
    const path = signed('locale=en')
    const before = await (await open(path)).text()
    const stood = {
      was_side: 'buy',
      was_from: 'EUR-EUR',
      was_from_amount: boxIn(before, 'from_amount'),
      was_to_amount: boxIn(before, 'to_amount'),
      from: 'EUR-EUR',
      to: 'BTC-BTC',
      from_amount: boxIn(before, 'from_amount'),
    }
    const typed = await (await post(path, { ...stood, to_amount: '0.01' })).text()
    assert.equal(boxIn(typed, 'to_amount'), '0.01')
    const turned = await (
      await post(path, { ...stood, to_amount: stood.was_to_amount, side: 'sell', to: 'ETH-ETH' })
    ).text()
    assert.match(turned, /name="was_from" value="ETH-ETH"/)
  })

  it('offers only what the partner lists, and keeps to the side that it sets', async () => {
    const lists = new URLSearchParams({
      crypto_currencies_list: '[{"ticker":"USDT","network":"TRX"},{"ticker":"ETH"}]',
      fiat_currencies_list: '[{"ticker":"GBP"},{"ticker":"EUR"}]',
      side_toggle_disabled: 'true',
      default_side: 'sell_crypto',
    })
    const path = signed(lists.toString())
    const html = await (await post(path, { side: 'buy', from: 'BTC-BTC' })).text()
    const options = [...html.matchAll(/<option value="([^"]+)"[^>]*data-ticker/g)].map(([, id]) => id)
    assert.ok(options.includes('USDT-TRX') && options.includes('ETH-ETH') && options.includes('GBP-GBP'))
    assert.ok(
      options.every((id) => /^(USDT-TRX|ETH-.*|GBP-GBP|EUR-EUR)$/.test(id ?? '')),
      options.join(),
    )
    assert.doesNotMatch(html, /name="side"/)
    assert.match(html, /name="was_side" value="sell"/)
  })

  it('shows and reads amounts in the form of its reader, and tells the page around it plain ones', async () => {
    const path = signed('locale=de')
    const html = await (
      await post(path, { from_amount: '1.250,5', edited: 'direct', from: 'EUR-EUR', to: 'BTC-BTC' })
    ).text()
    const { body } = await exchange.api<{ value: string }>(
      '/v1/estimate?from_currency=EUR&to_currency=BTC&from_amount=1250.5',
    )
    assert.deepEqual([boxIn(html, 'from_amount'), boxIn(html, 'to_amount')], ['1.250,5', body.value.replace('.', ',')])
    assert.deepEqual(
      [...html.matchAll(/data-plain="([^"]*)"/g)].map(([, plain]) => plain),
      ['1250.5', body.value],
    )
    assert.match(await (await post(path, { from_amount: '1.250', edited: 'direct' })).text(), /class="problem"/)
  })

  it('says between which amounts, where one is out of range or unreadable', async () => {
    const path = signed('locale=en')
    const say = async (amount: string) => (await post(path, { from_amount: amount, edited: 'direct' })).text()
    assert.match(await say('1'), /Enter an amount from 20\.00.EUR to 15,000\.00.EUR\./)
    for (const amount of ['', 'ten', '1e3', '-5']) assert.match(await say(amount), /class="problem"/, amount)
    assert.match(await say('100,5'), /value="100.5"/, 'a comma is a point to many')
  })

  it('says how to write what can mean two amounts, in the form of each language', async () => {
    const say = async (locale: string, amount: string) =>
      (await post(signed(`locale=${locale}`), { from_amount: amount, edited: 'direct' })).text()
    assert.doesNotMatch(await say('en', '1,000'), /class="problem"/)
    assert.match(await say('ar', '1,000'), /class="problem"[^<]*1000[^<]*1\.000/)
    for (const locale of ['de', 'es', 'fr'])
      assert.match(await say(locale, '1.000'), /class="problem"[^<]*1000[^<]*1,000/, locale)
    for (const amount of ['ten', '1,2,3', '']) assert.match(await say('en', amount), /such as 100 or 0\.5/, amount)
  })

  it('pays what is usual for a new coin, where the amount of the old one came to nothing', async () => {
    const path = signed('locale=en')
    const form = { was_from: 'EUR-EUR', was_to: 'BTC-BTC', from: 'EUR-EUR', to: 'USDT-TRX', edited: '' }
    const html = await (
      await post(path, {
        ...form,
        from_amount: '',
        was_from_amount: '',
        to_amount: '0.00001',
        was_to_amount: '0.00001',
      })
    ).text()
    assert.notEqual(boxIn(html, 'from_amount'), '')
    assert.notEqual(boxIn(html, 'to_amount'), '')
    assert.doesNotMatch(html, /class="problem"/)
  })

  it('goes on to the checkout by a real create, with what the partner passed', async () => {
    const query = new URLSearchParams({
      email: 'ann@example.com',
      payout_address: 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq',
      skip_choose_payout_address: 'true',
      external_partner_link_id: 'order 9',
      redirects_successful: 'https://shop.example/done?id=$$',
      locale: 'de',
    })
    const answer = await post(signed(query.toString()), { do: 'continue', from_amount: '120', edited: 'direct' })
    assert.equal(answer.status, 303)
    const record = await read(exchange, await idBehind(exchange, answer.headers.get('location') ?? ''))
    assert.deepEqual(
      [
        record.status,
        record.email,
        record.external_partner_link_id,
        record.payout?.address,
        record.expected_from_amount,
      ],
      ['new', 'ann@example.com', 'order 9', 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq', '120'],
    )
    assert.equal(record.partner_id, exchange.sandbox.partner_id)
  })

  it('shows what a create refuses, and makes nothing of a form from another site', async () => {
    const bad = signed('payout_address=bc1qnot')
    const refused = await post(bad, { do: 'continue', from_amount: '120', edited: 'direct' })
    assert.deepEqual([refused.status, /We couldn’t start your order/.test(await refused.text())], [400, true])
    const foreign = await post(signed('locale=en'), { do: 'continue', from_amount: '120' }, 'https://evil.example')
    const told = await foreign.text()
    assert.deepEqual([foreign.status, /came from another site/.test(told)], [403, true])
    assert.doesNotMatch(told, /signed|the order/)
    const json = await fetch(exchange.url + signed('locale=en'), {
      method: 'POST',
      body: '{}',
      headers: { origin: exchange.url, 'content-type': 'application/json' },
    })
    const unread = await json.text()
    assert.deepEqual([json.status, /Open the calculator again/.test(unread)], [415, true])
    assert.doesNotMatch(unread, /the order/)
  })

  it('may be framed by the partner’s pages only', async () => {
    const ancestors = async (path = signed('locale=en')) =>
      /frame-ancestors ([^;]+)/.exec((await open(path)).headers.get('content-security-policy') ?? '')?.[1]
    assert.equal(await ancestors(), "'self' http://localhost:* http://127.0.0.1:*")
    const { ctx } = exchange.service.composition
    const id = BigInt(exchange.sandbox.partner_id)
    await setPartner(ctx, id, { frame_origins: 'https://shop.example, https://www.shop.example:8443/' }, 'test')
    await until(async () => (await ancestors())?.includes('shop.example') === true, 'the change')
    assert.equal(
      await ancestors(),
      "'self' https://shop.example https://www.shop.example:8443 http://localhost:* http://127.0.0.1:*",
    )
    for (const denied of [signed('expires_at=1'), `${signed('locale=en')}&theme=dark`])
      assert.equal(await ancestors(denied), await ancestors(), 'what is wrong is told where it is looked at')
    assert.equal(
      await ancestors('/calculator/v2?partner_id=1&signature=a'),
      "'self' http://localhost:* http://127.0.0.1:*",
    )
    for (const text of ['*', 'https://*', 'http://shop.example', 'https://shop.example/path', "'none'; script-src *"])
      await assert.rejects(setPartner(ctx, id, { frame_origins: text }, 'test'), /origins/)
  })

  it('is embedded by a script of less than two kilobytes, which any page may load', async () => {
    const answer = await open('/calculator/embed.js')
    const script = await answer.text()
    assert.ok(Buffer.byteLength(script) < 2_000, `${Buffer.byteLength(script)} bytes`)
    assert.doesNotMatch(script, /\b(import|export)\b/, 'it runs as a plain script, too')
    assert.equal(answer.headers.get('cross-origin-resource-policy'), 'cross-origin')
  })
})
