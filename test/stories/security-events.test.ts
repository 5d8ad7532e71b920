import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { metricsOf } from '../../src/app/metrics.ts'
import { buildAdmin } from '../../src/doors/api/admin.ts'
import { setPartner } from '../../src/exchange/partners/change.ts'
import { silentLog } from '../../src/platform/lib/log.ts'
import {
  openSecurityEvents,
  type SecurityEventKind,
  securityEventKinds,
  type SecurityFacts,
} from '../../src/platform/lib/security-events.ts'
import { bankAccount } from '../support/b2b.ts'
import { cookieOf, formsOn } from '../support/checkout-forms.ts'
import { codeFor } from '../support/customer.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { create } from '../support/journey.ts'
import { asOwner } from '../support/server.ts'
import { until } from '../support/telling.ts'
import { typedAt } from '../support/page-forms.ts'

/** What happens, and the event that it is. */
type Case = [SecurityEventKind | undefined, () => Promise<unknown>]
type Noted = SecurityFacts & { kind: SecurityEventKind }

let exchange: Exchange
const noted: Noted[] = []
before(async () => {
  exchange = await startExchange({ TRUSTED_PROXIES: '127.0.0.1', RATE_LIMITS: 'on' })
  const { security } = ctx()
  const { record } = security
  security.record = (kind, facts = {}) => {
    noted.push({ kind, ...facts })
    record(kind, facts)
  }
})
after(() => exchange.stop())

const ctx = () => exchange.service.composition.ctx
const counts = (): [SecurityEventKind, number][] => securityEventKinds.map((kind) => [kind, ctx().security.count(kind)])

const answered = (): number =>
  ctx()
    .requests.all()
    .reduce((sum, { count }) => sum + count, 0)

/** The kinds that were counted while requests were made: one, or as many as `work` says. An answer is counted once it has left. */
async function countedBy(work: () => Promise<unknown>): Promise<string[]> {
  const [earlier, before] = [new Map(counts()), answered()]
  const made = await work()
  await until(() => answered() >= before + (typeof made === 'number' ? made : 1))
  return counts().flatMap(([kind, value]) => Array.from({ length: value - (earlier.get(kind) ?? 0) }, () => kind))
}

const from = (network: string) => ({ 'x-forwarded-for': `${network}.7` })
const signIn = (area: string, form: { email: string; password: string }): Promise<Response> =>
  ask(`${area}/sign-in`, { method: 'POST', body: typedAt('/sign-in', form) })
const ask = (path: string, options: RequestInit = {}): Promise<Response> =>
  fetch(exchange.url + path, { redirect: 'manual', ...options })

describe('a security event', () => {
  it('is counted for each key, signature, permission and limit that was refused, and for what an attacker would add', async () => {
    const { public_key: publicKey, operator } = exchange.sandbox
    const body = { from_amount: '100', from_currency: 'EUR', to_currency: 'BTC' }
    const wrongAgain: Case = [
      'sign_in_failed',
      () => signIn('/console', { email: 'nobody@example.com', password: 'wrong' }),
    ]
    const cases: Case[] = [
      [undefined, () => exchange.api('/v1/status', { key: null })],
      [undefined, () => exchange.api('/v1/transaction', { body: { ...body, to_currency: 'NOPE' } })],
      ['bad_key', () => exchange.api('/v1/transactions', { key: 'sk_test_wrong' })],
      ['bad_key', () => exchange.api('/v1/transactions', { key: exchange.sandbox.revoked_key })],
      ['bad_key', () => ask('/calculator/v1?partner_api_token=pk_wrong')],
      ['bad_signature', () => ask(`/calculator/v2?partner_id=${exchange.sandbox.partner_id}&signature=wrong`)],
      ['forbidden', () => exchange.api('/v1/webhook-endpoints', { key: publicKey })],
      ['endpoint_added', () => exchange.api('/v1/webhook-endpoints', { body: { url: 'http://127.0.0.1:9/hook' } })],
      ['address_added', () => exchange.api('/v1/b2b/add-bank-account', { body: bankAccount('Security') })],
      [undefined, () => exchange.api('/v1/b2b/add-bank-account', { body: bankAccount('Security') })],
      [
        'refused_origin',
        () =>
          ask('/console/sign-in', {
            method: 'POST',
            body: new URLSearchParams('email=a'),
            headers: { origin: 'https://evil.example' },
          }),
      ],
      ['sign_in_failed', () => signIn('/console', { email: operator.email, password: 'wrong' })],
      ['sign_in_failed', () => signIn('/console', { email: 'nobody@example.com', password: 'wrong' })],
      ['sign_in_failed', () => signIn('/portal', { email: 'nobody@example.com', password: 'wrong' })],
      [undefined, () => signIn('/console', operator)],
      ...Array.from({ length: 4 }, () => wrongAgain),
      ['code_lockout', wrongAgain[1]],
      ['sql_denied', () => ctx().db.sql`delete from audit`.catch(() => 0)],
      [
        'sql_denied',
        () =>
          ctx()
            .db.atomic((db) => db.sql`delete from postings`)
            .catch(() => 0),
      ],
    ]
    for (const [kind, work] of cases) {
      assert.deepEqual(await countedBy(work), kind === undefined ? [] : [kind], `${kind}: ${work.toString()}`)
    }
    const { partner_id: second, secret_key: key } = exchange.sandbox.second_partner
    await setPartner(ctx(), BigInt(second), { key_per_second: '1', key_burst: '1' }, 'test')
    const flood = await countedBy(async () => {
      const asked = Array.from({ length: 60 }, () => exchange.api('/v1/transactions', { key }))
      return (await Promise.all(asked)).length
    })
    assert.deepEqual(new Set(flood), new Set(['rate_limited']))
  })

  it('is counted for each wrong code at the checkout, and for the end of tries', async () => {
    const { redirect_url: url } = await create(exchange)
    const forms = formsOn(exchange)
    const email = 'security@example.com'
    const browser = { cookie: cookieOf(await forms.post(url, { do: 'email', email })) }
    const right = await codeFor(exchange, email)
    const guess = right === '123456' ? '654321' : '123456'
    const wrong = () => forms.post(url, { do: 'code', code: guess }, browser)
    assert.deepEqual(await countedBy(wrong), ['bad_code'])
    assert.deepEqual(
      await countedBy(() => forms.post(url, { do: 'code', code: 'abc' }, browser)),
      [],
      'a slip is no guess',
    )
    const { guessesPerCode: attempts } = ctx().policies.at(ctx().clock.now(), 'caps').rules.oneTimeCodes
    for (let tries = 1; tries < attempts; tries += 1) assert.deepEqual(await countedBy(wrong), ['bad_code'])
    await asOwner(exchange.ownerUrl, (client) => client.query('update sign_in_failures set failures = 1000'))
    assert.deepEqual(await countedBy(wrong), ['code_lockout'])
  })

  it('is a line of the log with the key’s id, the network and the request’s id, and nothing of a person', async () => {
    const answer = await exchange.api('/v1/webhook-endpoints', {
      key: exchange.sandbox.public_key,
      headers: { ...from('203.0.113'), 'x-request-id': 'security-1' },
    })
    assert.equal(answer.status, 403)
    const found = () => noted.find(({ request_id: id }) => id === 'security-1')
    await until(() => found() !== undefined)
    const { key_id: keyId, ...facts } = found() ?? assert.fail()
    assert.match(keyId ?? '', /^\d{15}$/)
    assert.deepEqual(facts, {
      kind: 'forbidden',
      network: '203.0.113.0',
      request_id: 'security-1',
      route: '/v1/webhook-endpoints',
    })
  })
})

it('of many events at once some are written to the log, and all are counted', () => {
  const lines: object[] = []
  const events = openSecurityEvents({ ...silentLog, warn: (fields) => void lines.push(fields) })
  for (let times = 0; times < 10_000; times += 1) events.record('bad_key')
  assert.ok(lines.length >= 1 && lines.length < 1_000)
  assert.equal(events.count('bad_key'), 10_000)
})

it('the metrics show every kind from the start, and every answered request by route and status', async () => {
  await countedBy(() => exchange.api('/v1/transaction/123456789012345'))
  const app = buildAdmin(ctx(), { gauges: metricsOf(ctx()) })
  const { payload } = await app.inject('/metrics')
  await app.close()
  assert.match(payload, /^# TYPE cambio_security_events_total counter$/m)
  for (const kind of securityEventKinds) {
    assert.match(payload, new RegExp(`^cambio_security_events_total\\{kind="${kind}"\\} \\d+$`, 'm'), kind)
  }
  assert.match(payload, /^# TYPE cambio_http_requests_total counter$/m)
  assert.match(payload, /^cambio_http_requests_total\{route="\/v1\/transaction\/:id",status="404"\} \d+$/m)
  assert.ok(!payload.includes('123456789012345'), 'no ids')
})
