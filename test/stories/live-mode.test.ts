import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'

import { ConfigError, readConfig } from '../../src/app/config/config.ts'
import { type Service, startService } from '../../src/app/start.ts'
import { examine } from '../../src/exchange/checks/doctor.ts'
import { verify } from '../../src/exchange/checks/verify.ts'
import { capital, held } from '../../src/exchange/ledger/account.ts'
import { entry } from '../../src/exchange/ledger/entry.ts'
import { post } from '../../src/exchange/ledger/post.ts'
import { setPartner } from '../../src/exchange/partners/change.ts'
import { createPartner } from '../../src/exchange/partners/create.ts'
import { listPartners } from '../../src/exchange/partners/find.ts'
import { forgetPartners } from '../../src/exchange/partners/known.ts'
import { silentLog } from '../../src/platform/lib/log.ts'
import type { TransactionRecord } from '../../src/exchange/transactions/record.ts'
import { sandboxAnswers } from '../../src/sandbox/api/shapes.ts'
import { someAddress } from '../support/customer.ts'
import { testDatabase } from '../support/database.ts'
import { startExchange } from '../support/exchange.ts'
import { codesIn, mailServer } from '../support/mail-server.ts'
import { letExchange } from '../support/policies.ts'
import { routesOf } from '../support/routes.ts'
import { asOwner } from '../support/server.ts'
import { until } from '../support/telling.ts'
import { testSignature, testWorld } from '../support/test-world.ts'

const folder = mkdtempSync(join(tmpdir(), 'cambio-live-'))
const world = testWorld()
let mails: Awaited<ReturnType<typeof mailServer>>
let service: Service
let database: Awaited<ReturnType<typeof testDatabase>>
let key: string

const liveSettings = () => ({
  MODE: 'live',
  DATABASE_URL: database.url,
  DATA_DIR: folder,
  MASTER_KEY_FILE: join(folder, 'master.key'),
  CONFIG_FILE: join(folder, 'config.yaml'),
  PUBLIC_URL: 'https://exchange.example',
  SMTP_URL: mails.url,
  MAIL_FROM: 'Exchange <exchange@example.com>',
  TERMS_URL: 'https://exchange.example/terms-of-use',
  PRIVACY_URL: 'https://exchange.example/privacy-notice',
  PORT: '0',
  LOG_LEVEL: 'error',
  DB_POOL_SIZE: '6',
})

before(async () => {
  mails = await mailServer()
  database = await testDatabase()
  writeFileSync(join(folder, 'master.key'), `${'5a'.repeat(32)}\n`, { mode: 0o600 })
  const company = 'company: { name: Example Ltd, address: "1 Street, City", support: help@example.com }'
  writeFileSync(join(folder, 'config.yaml'), company)
  service = await startService(readConfig(liveSettings()), silentLog, [world.open])
  await letExchange(service.composition.ctx)
  const { ctx } = service.composition
  key = (await createPartner(ctx, { name: 'Live Wallet' }, 'test')).secret_key
  await ctx.db.atomic(async (db) => {
    const brought = { transactionId: null, kind: 'capital', ref: await ctx.rowIds.next(), at: ctx.clock.now() } as const
    const amount = world.capital
    await post(db, ctx, [entry(brought, [{ debit: held('test-wallet'), credit: capital, asset: 'BTC-BTC', amount }])])
  })
})
after(async () => {
  await service.stop()
  await mails.close()
  rmSync(folder, { recursive: true })
})

const api = async <Body = TransactionRecord>(path: string, body?: object): Promise<Body> => {
  const answer = await fetch(`${service.url}${path}`, {
    method: body ? 'POST' : 'GET',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
  const read = (await answer.json()) as Body
  assert.ok(answer.status < 300, JSON.stringify(read))
  return read
}

/** A customer's browser at the checkout of one order: the public origin leads to the listener. */
function browserAt(redirectUrl: string) {
  const at = redirectUrl.replace('https://exchange.example', service.url)
  let cookie = ''
  const send = async (form: Record<string, string>): Promise<string> => {
    const body = new URLSearchParams(form)
    const answer = await fetch(at, { method: 'POST', redirect: 'manual', headers: { cookie }, body })
    assert.equal(answer.status, 303, await answer.text())
    cookie = answer.headers.get('set-cookie')?.split(';')[0] ?? cookie
    return answer.headers.get('location') ?? ''
  }
  return { send, page: async () => (await fetch(at, { headers: { cookie } })).text() }
}

const codeFor = async (count: number): Promise<string> => {
  await until(() => Promise.resolve(codesIn(mails.mails).length >= count), 'the e-mail with the code')
  return codesIn(mails.mails).at(-1) ?? 'no code came'
}

/** Brings an order for 14,000 euro as far as paying, or as far as the identity check. */
async function checkOut() {
  const order = { from_amount: '14000', from_currency: 'EUR', to_currency: 'BTC' }
  const { id, redirect_url: url } = await api('/v1/transaction', { ...order, deposit: { payment_category: 'VISA_MC' } })
  const browser = browserAt(url)
  const count = codesIn(mails.mails).length
  await browser.send({ do: 'email', email: 'ada@example.com' })
  await browser.send({ do: 'code', code: await codeFor(count + 1), accepts: '1 1' })
  await browser.send({ do: 'country', country: 'NL' })
  await browser.send({ do: 'payout_address', payout_address: someAddress, confirms: someAddress })
  return { id, ...browser }
}

const callBack = async (name: string, body: string, headers: Record<string, string> = testSignature): Promise<number> =>
  (await fetch(`${service.url}/callbacks/${name}`, { method: 'POST', body, headers })).status

/** Pays at the processor's page, which reports it, and waits for the end. */
async function payAndFinish({ id, send }: Awaited<ReturnType<typeof checkOut>>): Promise<TransactionRecord> {
  const payAt = await send({ do: 'pay' })
  assert.match(payAt, /^https:\/\/cards\.example\/pay\//)
  const reference = payAt.split('/').at(-1) ?? ''
  const { amount, asset } = world.orders.get(reference) ?? assert.fail('the processor knows the order')
  const captured = JSON.stringify({ reference, amount: String(amount), asset })
  assert.equal(await callBack('test-card', captured, {}), 401)
  assert.equal(await callBack('test-card', captured), 200)
  let record = await api(`/v1/transaction/${id}`)
  await until(async () => {
    record = await api(`/v1/transaction/${id}`)
    return record.status === 'finished'
  }, 'the end')
  return record
}

describe('an exchange with MODE=live and rails, a market and an identity provider of its operator', () => {
  it('takes an order from the first request to its end, with real keys and mails', async () => {
    assert.match(key, /^sk_live_/)
    const order = await checkOut()
    const { status, status_history: history } = await payAndFinish(order)
    assert.equal(status, 'finished')
    assert.deepEqual(
      history.map((one) => one.status),
      ['new', 'waiting_for_customer', 'waiting_for_deposit', 'exchanging', 'sending', 'finished'],
    )
    assert.deepEqual(
      [...world.sent.values()].map(({ address }) => address),
      [someAddress],
    )
  })

  it('says who its operator is, on its pages and in its e-mails, which a partner may put its name on', async () => {
    const { ctx } = service.composition
    const partner = (await listPartners(ctx)).find(({ name }) => name === 'Live Wallet')
    await setPartner(ctx, partner?.id ?? 0n, { sender_name: 'Live Wallet' }, 'test')
    forgetPartners(ctx)
    const count = codesIn(mails.mails).length
    const order = await checkOut()
    assert.match(await order.page(), /Example Ltd, 1 Street, City/)
    const text = mails.mails.filter((mail) => codesIn([mail]).length > 0)[count]?.text ?? ''
    assert.match(text, /^From: Live Wallet via Example Ltd <exchange@example\.com>\r$/m)
    assert.match(text, /Example Ltd, 1 Street, City/)
  })

  it('checks the identity of a customer at the operator’s provider, and resumes the order', async () => {
    const order = await checkOut()
    assert.equal((await api(`/v1/transaction/${order.id}`)).status_details, 'kyc_required')
    assert.match(await order.send({ do: 'identity' }), /^https:\/\/identity\.example\//)
    assert.equal(await callBack('test-identity', world.applicant?.review.applicantId ?? ''), 200)
    await until(
      async () => (await api(`/v1/transaction/${order.id}`)).status === 'waiting_for_deposit',
      'the order to be paid for',
    )
    assert.equal((await payAndFinish(order)).status, 'finished')
    assert.equal(world.sent.size, 2)
    assert.deepEqual(await verify(service.composition.ctx), [])
  })

  it('says nothing of a sandbox on its pages and in its interface', async () => {
    const order = await checkOut()
    const pages = [
      await order.page(),
      await (await fetch(service.url)).text(),
      await (await fetch(`${service.url}/openapi.json`)).text(),
    ]
    for (const page of pages) assert.doesNotMatch(page, /nothing here is real|\/sandbox\/|This sandbox/)
  })

  it('is seeded with nothing, and writes down nothing but what it has seen of its database', async () => {
    const counts = await asOwner(database.ownerUrl, async (client) => {
      const { rows } = await client.query<{ count: string }>(
        `select (select count(*) from partners) - 1 + (select count(*) from operators)
           + (select count(*) from sandbox.wallets) + (select count(*) from sandbox.bank_balances) as count`,
      )
      return rows
    })
    assert.deepEqual(counts, [{ count: '0' }])
    assert.deepEqual(readdirSync(folder).toSorted(), ['config.yaml', 'last-seen.json', 'master.key'])
    assert.equal(service.welcome, '')
  })

  it('lacks a confirmed copy of its master key, as its doctor reports', async () => {
    const count = mails.mails.length
    const checks = await examine(service.composition.ctx, { mailTo: 'ada@example.com' })
    assert.deepEqual(
      checks.filter(({ state }) => state === 'fail').map(({ check }) => check),
      ['master key'],
    )
    assert.equal(mails.mails.length, count + 1)
    assert.match(checks.find(({ check }) => check === 'company')?.message ?? '', /^Example Ltd, /)
  })

  it('refuses to start, with every reason at once, where nothing real is set up', async () => {
    await assert.rejects(startService(readConfig(liveSettings()), silentLog), (error) => {
      assert.ok(error instanceof ConfigError)
      assert.match(error.message, /a rail that takes money in/)
      assert.match(error.message, /a rail that pays out/)
      assert.match(error.message, /a source of prices/)
      return true
    })
  })
})

/** Every route of a service, as `GET /v1/status`. */
const namesOf = async (of: Service): Promise<string[]> =>
  (await routesOf(of)).map(({ method, url }) => `${method} ${url}`).toSorted()

it('a sandbox has the routes of an exchange with real money, its controls and its plain pages of terms, and no more', async () => {
  const exchange = await startExchange()
  const [real, played] = [await namesOf(service), await namesOf(exchange.service)]
  await exchange.stop()
  const controls = Object.keys(sandboxAnswers).map((route) => route.replace(' ', ' /v1'))
  // The sandbox's start page takes the place of the exchange's own, and has buttons.
  const pages = ['GET /', 'POST /', 'GET /sandbox/mail', 'POST /sandbox/pay']
  const terms = ['/terms', '/:locale(^[a-z]{2}$)/terms', '/privacy', '/:locale(^[a-z]{2}$)/privacy']
  const added = [...controls, ...pages, ...terms.map((path) => `GET ${path}`)]
  const withHeads = added.flatMap((route) =>
    route.startsWith('GET ') ? [route, route.replace('GET', 'HEAD')] : [route],
  )

  assert.ok(real.includes('POST /v1/transaction') && real.includes('POST /checkout'))
  assert.deepEqual(
    real.filter((route) => !played.includes(route)),
    [],
  )
  assert.deepEqual(
    played.filter((route) => !real.includes(route)),
    withHeads.toSorted(),
  )
  assert.deepEqual(
    real.filter((route) => route.includes('sandbox')),
    [],
  )
})
