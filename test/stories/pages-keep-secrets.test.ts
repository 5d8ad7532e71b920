import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { formsOn, shownTerms } from '../support/checkout-forms.ts'
import { codeFor, createBuy, someAddress } from '../support/customer.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { arrive, pay } from '../support/journey.ts'

let exchange: Exchange
before(async () => {
  exchange = await startExchange({ RATE_LIMITS: 'off' })
})
after(() => exchange.stop())

type Seen = { url: string; status: number; headers: Headers; text: string }

/** Every answer of a whole checkout: pages, refused forms, redirects, what scripts ask for. */
async function wholeCheckout(email: string): Promise<Seen[]> {
  const forms = formsOn(exchange)
  const seen: Seen[] = []
  const { id, url } = await createBuy(exchange, { customer: { contact_info: { email } } })
  let browser = {}
  const keep = (at: string, answer: Omit<Seen, 'url'>): void => void seen.push({ url: at, ...answer })
  const get = async (at: string) => keep(at, await forms.get(at, browser))
  const post = async (form: Record<string, string>, at = url) => {
    const answer = await forms.post(at, form, browser)
    const [cookie] = answer.headers.get('set-cookie')?.split(';') ?? []
    if (cookie !== undefined) browser = { cookie }
    keep(at, answer)
    await get(url)
  }
  await get(url)
  await post({ do: 'send' })
  await post({ do: 'code', code: '000000' })
  await post({ do: 'code', code: await codeFor(exchange, email), accepts: shownTerms })
  await post({ do: 'country', country: 'NL' })
  await post({ do: 'payout_address', payout_address: `${someAddress}x` })
  await post(
    { do: 'payout_address', field: 'payout_address', payout_address: 'x' },
    url.replace('/checkout?', '/checkout/check?'),
  )
  await post({ do: 'payout_address', payout_address: someAddress, confirms: someAddress })
  for (const asked of ['email', 'payout_address', 'method', 'billing', 'proof']) await get(`${url}&ask=${asked}`)
  await get(url.replace('/checkout?', '/checkout/status?'))
  await get(url.replace('/checkout?', '/de/checkout?'))
  await post({ do: 'pay' })
  await get(`${url}&returned=1`)
  await pay(exchange, id)
  await arrive(exchange, id, 'finished')
  await get(url)
  await get(url.replace(/tid=[\w-]+/, 'tid=1'))
  return seen
}

const isPage = ({ headers }: Seen): boolean => headers.get('content-type')?.startsWith('text/html') === true
/** Addresses that a page loads, leads to or sends to. */
const addressesIn = (html: string): string[] =>
  [...html.matchAll(/\s(?:href|src|action|data-watch|data-check|data-scanner)="([^"]*)"/g)].map(
    ([, found = '']) => found,
  )

describe('the pages of a whole checkout', () => {
  let seen: Seen[]
  const email = 'secret.keeper@private.example'
  before(async () => {
    seen = await wholeCheckout(email)
  })

  it('are kept by nobody, read no other page, and tell no other site where somebody comes from', () => {
    assert.ok(seen.length > 20)
    for (const { url, headers } of seen) {
      assert.equal(headers.get('cache-control'), 'no-store', url)
      assert.equal(headers.get('referrer-policy'), 'same-origin', url)
      assert.equal(headers.get('x-content-type-options'), 'nosniff', url)
      assert.equal(headers.get('cross-origin-opener-policy'), 'same-origin', url)
      const policy = headers.get('content-security-policy') ?? ''
      assert.match(policy, /^default-src 'none'; script-src 'self'; style-src 'sha256-[\w+/]{43}=';/, url)
      assert.match(policy, /base-uri 'none'; frame-ancestors 'none'$/, url)
      assert.doesNotMatch(policy, /unsafe|\*|data:/, url)
    }
  })

  it('load nothing from elsewhere, and have no script of their own, and no style but the one that their policy knows', () => {
    for (const one of seen.filter(isPage)) {
      assert.doesNotMatch(
        one.text,
        /<script(?![^>]* src="\/assets\/)|<style.*<style|\sstyle="|\son[a-z]+="|javascript:|<iframe/s,
        one.url,
      )
      const loaded = [...one.text.matchAll(/<(?:link|script|img)[^>]*(?:href|src)="([^"]*)"/g)].map(([, at = '']) => at)
      assert.deepEqual(
        loaded.filter((at) => !/^\/(assets|logos)\//.test(at)),
        [],
        one.url,
      )
    }
  })

  it('have nothing of a person in any address', () => {
    const personal = /secret\.?keeper|private|bc1q|w508/i
    for (const one of seen) {
      const addresses = [one.url, one.headers.get('location') ?? '', ...addressesIn(isPage(one) ? one.text : '')]
      for (const at of addresses) if (!at.startsWith('bitcoin:')) assert.doesNotMatch(decodeURIComponent(at), personal)
    }
  })

  it('give the camera to the page that reads an address from a code, and to no other', () => {
    for (const { url, headers, text } of seen.filter(isPage)) {
      const asks = text.includes('data-scanner=')
      const rule = asks ? 'camera=(self), geolocation=(), microphone=()' : 'camera=(), geolocation=(), microphone=()'
      assert.equal(headers.get('permissions-policy'), rule, url)
    }
    assert.ok(seen.some(({ text }) => text.includes('data-scanner=')))
  })

  it('say nothing saved to whoever has the link alone, at any time', async () => {
    const forms = formsOn(exchange)
    const other = 'known.person@private.example'
    const { id, url } = await createBuy(exchange, {
      customer: { contact_info: { email: other } },
      payout_info: { payout_address: someAddress },
    })
    const personal = /known\.person|private\.example|bc1q|w508/
    const look = async (): Promise<void> => {
      for (const asked of [
        '',
        '&ask=email',
        '&ask=billing',
        '&ask=payout_address',
        '&ask=method',
        '&ask=proof',
        '&returned=1',
      ])
        assert.doesNotMatch((await forms.get(url + asked)).text, personal, asked)
      for (const form of [{ do: 'pay' }, { do: 'payout_address', payout_address: 'x' }, { do: 'code', code: '000000' }])
        assert.doesNotMatch((await forms.post(url, form)).text, personal, form.do)
    }
    await look()
    const browser = await forms.prove(url, other)
    await forms.post(url, { do: 'country', country: 'NL' }, browser)
    await look()
    await pay(exchange, id)
    await arrive(exchange, id, 'finished')
    await look()
  })
})

describe('a form of another site', () => {
  it('does nothing at any of our doors', async () => {
    const { url } = await createBuy(exchange)
    const { public_key: key } = exchange.sandbox
    const doors = [
      url,
      url.replace('/checkout?', '/checkout/check?'),
      `${exchange.url}/calculator/v1?partner_api_token=${key}`,
    ]
    for (const door of doors) {
      for (const headers of [
        { origin: 'https://elsewhere.example' },
        { origin: 'null' },
        { 'sec-fetch-site': 'cross-site' },
      ]) {
        const body = new URLSearchParams({ do: 'continue', field: 'email', email: 'a@example.com' })
        const { status } = await fetch(door, { method: 'POST', body, headers: { ...headers }, redirect: 'manual' })
        assert.ok(status >= 400 && status < 500, `${door} ${JSON.stringify(headers)}: ${status}`)
      }
    }
  })
})

describe('framing', () => {
  it('is for nothing but the calculator', async () => {
    const ancestorsOf = async (path: string): Promise<string> => {
      const { headers } = await fetch(exchange.url + path)
      return /frame-ancestors ([^;]*)/.exec(headers.get('content-security-policy') ?? '')?.[1] ?? 'anybody'
    }
    for (const path of ['/', '/docs', '/docs/api/createTransaction', '/en/terms', '/en/privacy', '/checkout?tid=1'])
      assert.equal(await ancestorsOf(path), "'none'", path)
  })
})
