import assert from 'node:assert/strict'
import { request } from 'node:http'
import { after, before, describe, it } from 'node:test'

import { scenarios } from '../../src/sandbox/api/scenarios.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'

let exchange: Exchange
before(async () => {
  exchange = await startExchange({ RATE_LIMITS: 'off' })
})
after(() => exchange.stop())

const open = async (): Promise<string> => (await fetch(exchange.url)).text()

/** The status of a page, read to its end: a body that is not read keeps its connection. */
async function statusOf(path: string): Promise<number> {
  const answer = await fetch(exchange.url + path)
  await answer.arrayBuffer()
  return answer.status
}

const press = (form: Record<string, string>, headers: Record<string, string> = {}) =>
  fetch(exchange.url, { method: 'POST', body: new URLSearchParams(form), redirect: 'manual', headers })

/** The page as it is answered to a browser that asked for it by another name. */
const openAs = (host: string): Promise<string> =>
  new Promise((resolve, reject) => {
    request(exchange.url, { headers: { host } }, (answer) => {
      let text = ''
      answer.setEncoding('utf8').on('data', (part: string) => (text += part))
      answer.on('end', () => resolve(text))
    })
      .on('error', reject)
      .end()
  })

const secretsOf = ({ sandbox }: Exchange): string[] => [
  sandbox.secret_key,
  sandbox.widget_secret,
  sandbox.webhook_secret,
  sandbox.operator.password,
  sandbox.portal.password,
]

it('security.txt names its own address', async () => {
  const answer = await fetch(`${exchange.url}/.well-known/security.txt`)
  assert.match(await answer.text(), new RegExp(`^Canonical: ${exchange.url}/\\.well-known/security\\.txt$`, 'm'))
})

describe('the start page of the sandbox', () => {
  it('opens a real checkout with one button, and lists the call that created the order', async () => {
    const pressed = await press({ do: 'buy' })
    assert.equal(pressed.status, 303)
    const checkout = pressed.headers.get('location') ?? ''
    assert.match(checkout, /^\/checkout\?tid=/)
    const page = await fetch(exchange.url + checkout)
    assert.equal(page.status, 200)
    assert.match(await page.text(), /100/)
    assert.match(await open(), /<code>POST \/v1\/transaction<\/code><\/td><td>201</)
  })

  it('has a button for every scenario, and playing one lists its call and its events', async () => {
    const before = await open()
    for (const { name } of scenarios) assert.ok(before.includes(`name="name" value="${name}"`), name)
    const [scenario] = scenarios
    assert.ok(scenario)
    const played = await press({ do: 'play', name: scenario.name })
    assert.equal(played.status, 200)
    const id = /Played: .*?\/console\/orders\/(\d+)/.exec(await played.text())?.[1] ?? ''
    assert.equal((await exchange.api(`/v1/transaction/${id}`)).body.status, scenario.ends_in)
    const after = await open()
    assert.match(after, /POST \/v1\/sandbox\/scenarios\/:name/)
    assert.ok(after.includes(`/console/orders/${id}`), 'its events are listed')
  })

  it('leads to a calculator whose signature is valid, and every other link answers', async () => {
    const page = await open()
    const links = [...page.matchAll(/href="(\/[^"]*)"/g)].map(([, path = '']) => path.replaceAll('&amp;', '&'))
    assert.ok(links.some((path) => path.startsWith('/calculator/v2?')))
    for (const path of links) assert.equal(await statusOf(path), 200, path)
  })

  it('opens the console and the portal with one button, on this machine only', async () => {
    for (const area of ['console', 'portal']) {
      const pressed = await press({ do: area })
      assert.deepEqual([pressed.status, pressed.headers.get('location')], [303, `/${area}`])
      const cookie = pressed.headers
        .getSetCookie()
        .map((one) => one.split(';')[0] ?? '')
        .join('; ')
      const page = await fetch(`${exchange.url}/${area}`, { headers: { cookie }, redirect: 'manual' })
      assert.equal(page.status, 200)
      assert.match(await page.text(), /Sign out/)
    }
    assert.ok(!(await openAs('attacker.example')).includes('Open the console'))
  })

  it('has the changes of the API where the Link header of deprecated calls leads', async () => {
    assert.match(await open(), /<h2 id="changes">Changes<\/h2>\s*<table>.*2026-09-25/s)
  })

  it('shows the keys on the machine itself, and to nobody who asks by another name', async () => {
    const [here, elsewhere] = [await open(), await openAs('attacker.example')]
    for (const secret of secretsOf(exchange)) {
      assert.ok(here.includes(secret))
      assert.ok(!elsewhere.includes(secret))
    }
    assert.match(elsewhere, /sandbox\.json/)
  })

  it('403: a form of another site does nothing', async () => {
    const answer = await press({ do: 'buy' }, { origin: 'https://attacker.example' })
    assert.equal(answer.status, 403)
  })

  it('400: an unknown action or scenario', async () => {
    for (const form of [{}, { do: 'sell' }, { do: 'play', name: 'none' }]) assert.equal((await press(form)).status, 400)
  })

  it('loads nothing from elsewhere and runs no scripts', async () => {
    const answer = await fetch(exchange.url)
    assert.match(answer.headers.get('content-security-policy') ?? '', /^default-src 'none'; style-src 'sha256-/)
    assert.doesNotMatch(await answer.text(), /<script|\sstyle=/)
  })
})

it('a sandbox that listens on all networks shows no secrets, whatever name a request gives', async () => {
  const open = await startExchange({ HOST: '0.0.0.0', PUBLIC_URL: 'http://localhost:3000' })
  try {
    const page = await (await fetch(open.url)).text()
    for (const secret of secretsOf(open)) assert.ok(!page.includes(secret))
  } finally {
    await open.stop()
  }
})

describe('a sandbox at a public address', () => {
  let published: Exchange
  before(async () => {
    published = await startExchange({ PUBLIC_URL: 'https://sandbox.example.com' })
  })
  after(() => published.stop())

  it('shows no secrets on its start page', async () => {
    const page = await (await fetch(published.url)).text()
    for (const secret of secretsOf(published)) assert.ok(!page.includes(secret))
    assert.match(page, /sandbox\.json/)
    const signIn = await fetch(published.url, {
      method: 'POST',
      body: new URLSearchParams({ do: 'portal' }),
      redirect: 'manual',
    })
    assert.equal(signIn.status, 403)
    assert.deepEqual(signIn.headers.getSetCookie(), [])
  })
})
