import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, it } from 'node:test'

import { pages } from '../../src/doors/portal/portal.ts'
import { createPortalUser } from '../../src/exchange/partners/portal-users.ts'
import { sign, secretBytes } from '../../src/exchange/webhooks/sign.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { buy, create, lookup, readyToPay } from '../support/journey.ts'
import { asOwner } from '../support/server.ts'
import { until } from '../support/telling.ts'
import { typedAt } from '../support/page-forms.ts'

const password = 'a horse on the stairs'
let exchange: Exchange
before(async () => {
  exchange = await startExchange({ RATE_LIMITS: 'off' })
  for (const [email, partner, role] of [
    ['member@one.example', exchange.sandbox.partner_id, 'member'],
    ['admin@two.example', exchange.sandbox.second_partner.partner_id, 'admin'],
  ] as const) {
    await createPortalUser(ctx(), { partnerId: BigInt(partner), email, password, role }, 'test')
  }
})
after(() => exchange.stop())

const ctx = () => exchange.service.composition.ctx

type Seen = { status: number; body: string; headers: Headers }

async function ask(path: string, cookie?: string, form?: Record<string, string>, headers = {}): Promise<Seen> {
  const response = await fetch(exchange.url + path, {
    redirect: 'manual',
    ...(form ? { method: 'POST', body: typedAt(path, form) } : {}),
    headers: { ...(cookie === undefined ? {} : { cookie }), ...headers },
  })
  return { status: response.status, body: await response.text(), headers: response.headers }
}

async function signIn(email: string, own = password): Promise<string> {
  const seen = await ask('/portal/sign-in', undefined, { email, password: own })
  assert.deepEqual([seen.status, seen.headers.get('location')], [303, '/portal'], seen.body)
  return (seen.headers.getSetCookie()[0] ?? '').split(';')[0] ?? ''
}
const asOne = (): Promise<string> => signIn(exchange.sandbox.portal.email, exchange.sandbox.portal.password)
const asTwo = (): Promise<string> => signIn('admin@two.example')

/** Sends a form of a page, with the token that the page carries. */
async function press(path: string, cookie: string, form: Record<string, string>): Promise<Seen> {
  const [, csrf = ''] = /name="csrf" value="([^"]+)"/.exec((await ask(path, cookie)).body) ?? []
  return ask(path, cookie, { csrf, ...form })
}

/** An amount of euros in cents. */
const unitsIn = (text: string): bigint => {
  const [whole = '', fraction = ''] = text.split('.')
  return BigInt(whole + fraction.padEnd(2, '0'))
}

/** A partner's server, which gives the answer that it is set to. */
async function openReceiver() {
  let [status, count] = [200, 0]
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      count += 1
      response.writeHead(status).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    answerWith: (next: number) => {
      status = next
    },
    count: () => count,
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

describe('the portal', () => {
  it('leads everybody without a session to the sign-in page, operators too, and shows no page that can be framed or kept', async () => {
    const { operator } = exchange.sandbox
    const staff = await ask('/console/sign-in', undefined, { email: operator.email, password: operator.password })
    const console = (staff.headers.getSetCookie()[0] ?? '').split(';')[0] ?? ''
    const cookie = await asOne()
    assert.match(cookie, /^portal=/)
    const { id } = await create(exchange)
    for (const { path } of pages) {
      const place = path.replace(':id', id)
      for (const other of [undefined, console, console.replace('console=', 'portal=')]) {
        assert.equal((await ask(place, other)).status, 303, place)
      }
      const seen = await ask(place, cookie)
      assert.equal(seen.status, 200, `${place}: ${seen.body.slice(0, 300)}`)
      assert.match(seen.headers.get('content-security-policy') ?? '', /frame-ancestors 'none'/)
      assert.equal(seen.headers.get('cache-control'), 'no-store')
    }
    assert.equal((await ask('/console', cookie.replace('portal=', 'console='))).status, 303)
  })

  it('shows a partner nothing of another one, whatever is asked for', async () => {
    const own = await buy(exchange)
    const keys = await lookup<{ id: bigint }>(exchange, 'select id from api_keys where partner_id = $1', [
      exchange.sandbox.partner_id,
    ])
    const other = await asTwo()
    assert.equal((await ask(`/portal/orders/${own.id}`, other)).status, 404)
    const searches = [
      '',
      `q=${own.id}`,
      `q=${own.email}`,
      `q=${own.output_hash}`,
      `partner=${exchange.sandbox.partner_id}`,
    ]
    for (const query of searches) {
      for (const path of ['/portal/orders', '/portal/orders.csv']) {
        const { status, body } = await ask(`${path}?${query}`, other)
        assert.equal(status, 200)
        for (const text of [`orders/${own.id}`, `\n${own.id},`]) assert.ok(!body.includes(text), `${path}?${query}`)
      }
    }
    for (const { id } of keys) {
      for (const action of ['revoke', 'restrict']) {
        const seen = await press('/portal/keys', other, { action, key: String(id), allow_ips: '192.0.2.1' })
        assert.equal(seen.status, 404)
      }
    }
    const { body: endpoint } = await exchange.api<{ id: string }>('/v1/webhook-endpoints', {
      body: { url: 'http://127.0.0.1:9/hook' },
    })
    for (const action of ['replay', 'test', 'resume', 'check']) {
      const form = {
        action,
        endpoint: endpoint.id,
        event: `evt_${own.id}000001`,
        id: 'x',
        timestamp: '1',
        signature: 'v1,',
        body: 'x',
      }
      assert.equal((await press('/portal/keys', other, {})).status, 400)
      const [, csrf = ''] = /name="csrf" value="([^"]+)"/.exec((await ask('/portal/keys', other)).body) ?? []
      assert.equal((await ask('/portal/events', other, { csrf, ...form })).status, 404, action)
    }
    assert.equal((await ask(`/portal/events?endpoint=${endpoint.id}`, other)).status, 404)
    const ended = await press('/portal/team', other, { action: 'end-access', email: exchange.sandbox.portal.email })
    assert.equal(ended.status, 404)
  })

  it('shows an order with the fields of the API, and nothing internal', async () => {
    const own = await readyToPay(exchange)
    const { body } = await ask(`/portal/orders/${own.id}`, await asOne())
    const { body: record } = await exchange.api(`/v1/transaction/${own.id}`)
    for (const [name, value] of Object.entries(record)) {
      const isShown = typeof value === 'string' && value !== '' && name !== 'redirect_url'
      if (isShown) assert.ok(body.includes(`<dt>${name}</dt>`), name)
    }
    const names = [...body.matchAll(/<dt>(\w+)<\/dt>/g)].map(([, name = '']) => name)
    assert.ok(names.length > 10 && names.every((name) => name in record || /^[A-Z]/.test(name)), String(names))
  })

  it('finds why a webhook failed, checks its signature, and sends it again', async () => {
    const receiver = await openReceiver()
    receiver.answerWith(500)
    const { body: endpoint } = await exchange.api<{ id: string; secret: string }>('/v1/webhook-endpoints', {
      body: { url: receiver.url },
    })
    const { id } = await create(exchange)
    const cookie = await asOne()
    const page = `/portal/events?endpoint=${endpoint.id}`
    await until(async () => (await ask(page, cookie)).body.includes('(500)'), 'a failed delivery')
    const shown = (await ask(`${page}&event=evt_${id}000001`, cookie)).body
    assert.ok(shown.includes('&quot;transaction.created&quot;') || shown.includes('"transaction.created"'))

    const body = '{"a":1}'
    const timestamp = 1_700_000_000
    const right = sign({ id: 'evt_1', timestamp, body }, [secretBytes(endpoint.secret)])
    const check = (signature: string) =>
      press(page, cookie, {
        action: 'check',
        endpoint: endpoint.id,
        id: 'evt_1',
        timestamp: String(timestamp),
        signature,
        body,
      })
    assert.match((await check(right)).body, /The signature is right/)
    assert.match((await check(`v1,${right.slice(3).toLowerCase()}`)).body, /The signature is wrong/)

    receiver.answerWith(200)
    const before = receiver.count()
    const again = await press(page, cookie, { action: 'replay', endpoint: endpoint.id, event: `evt_${id}000001` })
    assert.equal(again.status, 303)
    await until(() => Promise.resolve(receiver.count() > before), 'another delivery')
    await receiver.close()
  })

  it('makes a key that works, restricts it and revokes it; members may only look', async () => {
    const cookie = await asOne()
    const made = await press('/portal/keys', cookie, { action: 'create', kind: 'secret', label: 'from the portal' })
    const [key = ''] = /sk_test_[\w-]+/.exec(made.body) ?? []
    assert.equal((await exchange.api('/v1/transactions', { key })).status, 200)
    assert.ok(!(await ask('/portal/keys', cookie)).body.includes(key), 'it is shown once')
    const [row] = await lookup<{ id: bigint }>(exchange, `select id from api_keys where label = 'from the portal'`)
    const own = String(row?.id)
    const renamed = { action: 'restrict', key: own, label: 'renamed at the portal', allow_ips: 'any' }
    assert.equal((await press('/portal/keys', cookie, renamed)).status, 303)
    assert.match((await ask('/portal/keys', cookie)).body, /renamed at the portal/)
    assert.equal(
      (await press('/portal/keys', cookie, { action: 'restrict', key: own, allow_ips: 'nowhere' })).status,
      400,
    )
    assert.equal((await press('/portal/keys', cookie, { action: 'revoke', key: own })).status, 303)
    await until(async () => (await exchange.api('/v1/transactions', { key })).status === 401, 'the end of the key')
    const [audit] = await lookup<{ actor: string }>(
      exchange,
      `select actor from audit where subject = 'key:${own}' limit 1`,
    )
    assert.match(audit?.actor ?? '', /^portal:\d+$/)

    const member = await signIn('member@one.example')
    for (const [path, form] of [
      ['/portal/keys', { action: 'create', kind: 'secret' }],
      ['/portal/keys', { action: 'revoke', key: own }],
      ['/portal/team', { action: 'invite', email: 'x@one.example', role: 'admin' }],
    ] as const) {
      const [, csrf = ''] = /name="csrf" value="([^"]+)"/.exec((await ask('/portal/events', member)).body) ?? []
      assert.equal((await ask(path, member, { csrf, ...form })).status, 403, path)
    }
    assert.equal((await ask('/portal/calculator', member)).status, 403)
  })

  it('signs a calculator that opens', async () => {
    const { body } = await ask('/portal/calculator?theme=dark&default_fiat_amount=120', await asOne())
    const [, url = ''] = /<a href="([^"]*\/calculator\/v2[^"]*)"/.exec(body) ?? []
    const opened = await fetch(url.replaceAll('&amp;', '&'))
    assert.equal(opened.status, 200)
    assert.ok((await opened.text()).includes('120'))
  })

  it('shows the commission that the ledger has', async () => {
    const [booked] = await lookup<{ sum: string }>(
      exchange,
      `select sum(case when credit = account then amount else -amount end)::text as sum
       from postings, (select 'partner:' || $1 || ':commission' as account) as own where credit = account or debit = account`,
      [exchange.sandbox.partner_id],
    )
    const { body } = await ask('/portal/statements.csv', await asOne())
    const lines = body.trimEnd().split('\r\n').slice(1)
    const sum = lines.reduce((total, line) => total + unitsIn(line.split(',')[2] ?? ''), 0n)
    assert.equal(sum, BigInt(booked?.sum ?? 0))
  })

  it('invites somebody who chooses a password once; ending the access ends the session', async () => {
    const cookie = await asOne()
    const made = await press('/portal/team', cookie, {
      action: 'invite',
      email: 'New@one.example',
      role: 'member',
      name: 'New',
    })
    const [link = ''] = /\/portal\/invitation\/[\w-]{43}/.exec(made.body) ?? []
    assert.equal((await ask('/portal/sign-in', undefined, { email: 'new@one.example', password: '' })).status, 401)
    assert.match((await ask(link)).body, /invited to the portal as new@one.example/)
    assert.equal((await ask(link, undefined, { password: 'password1234' })).status, 400)
    assert.equal((await ask(link, undefined, { password })).status, 303)
    assert.equal((await ask(link, undefined, { password })).status, 404)
    const theirs = await signIn('new@one.example')
    assert.equal((await ask('/portal', theirs)).status, 200)
    assert.equal((await press('/portal/team', cookie, { action: 'end-access', email: 'new@one.example' })).status, 303)
    assert.equal((await ask('/portal', theirs)).status, 303)
    assert.equal(
      (await press('/portal/team', cookie, { action: 'end-access', email: exchange.sandbox.portal.email })).status,
      409,
    )
    const late = await press('/portal/team', cookie, { action: 'invite', email: 'late@one.example', role: 'member' })
    const [old = ''] = /\/portal\/invitation\/[\w-]{43}/.exec(late.body) ?? []
    await asOwner(exchange.ownerUrl, (client) =>
      client.query(`update portal_users set invited_at = invited_at - interval '73 hours'`),
    )
    assert.equal((await ask(old)).status, 404)
  })

  it('takes no form without the token of this session, and none of another site', async () => {
    const [cookie, other] = [await asOne(), await asTwo()]
    const form = { action: 'create', kind: 'secret', label: 'forged' }
    assert.equal((await ask('/portal/keys', cookie, form)).status, 403)
    const [, csrf = ''] = /name="csrf" value="([^"]+)"/.exec((await ask('/portal/keys', other)).body) ?? []
    assert.equal((await ask('/portal/keys', cookie, { ...form, csrf })).status, 403)
    const evil = await ask('/portal/keys', other, { ...form, csrf }, { origin: 'https://evil.example' })
    assert.equal(evil.status, 403)
    assert.equal((await ask('/portal/sign-out', cookie, {})).status, 303)
    assert.equal((await ask('/portal', cookie)).status, 303)
  })
})
