import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { after, before, describe, it, type TestContext } from 'node:test'

import type { CustomerRecord } from '../../src/exchange/customers/customer-record.ts'
import { addEndpoint } from '../../src/exchange/webhooks/manage-endpoints.ts'
import { commandLineOf } from '../support/command.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { advance, checkOut, create, lookup, read, type Refused } from '../support/journey.ts'
import {
  contact,
  importNew,
  letSecondShare,
  newEmail,
  newName,
  share,
  statusOf,
  tokenFor,
} from '../support/shared-identity.ts'
import { person, startSumsub, status as answers, type SumsubServer, token as sumsubToken } from '../support/sumsub.ts'
import { startReceiver, until } from '../support/telling.ts'

let exchange: Exchange
let second: string
before(async () => {
  exchange = await startExchange({ RATE_LIMITS: 'off' })
  second = await letSecondShare(exchange)
})
after(() => exchange.stop())

describe('a shared token in a create', () => {
  it('is taken over by a job, and makes the customer known', async () => {
    const kyc_shared_token = tokenFor('approved')
    const { id, customer_id, warnings } = await create(exchange, {
      kyc_shared_token,
      kyc_shared_token_provider: 'sumsub',
    })
    assert.deepEqual([customer_id, warnings], [null, []])
    await until(async () => (await read(exchange, id)).customer_id !== null, 'the import')
    const { customer_id: customer, email } = await read(exchange, id)
    assert.equal((await statusOf(exchange, customer)).body.status, 'approved')
    assert.equal(email, null, 'an address that nobody passed is not the transaction’s')
    const again = await share(exchange, { kyc_shared_token })
    assert.deepEqual([again.status, again.body.id], [200, customer])
  })

  it('stands for the address that came with it', async () => {
    const email = newEmail()
    const { customer_id: id } = await create(exchange, { ...contact(email), kyc_shared_token: tokenFor('review') })
    await until(async () => (await statusOf(exchange, id)).body.status === 'in_review', 'the import')
  })

  it('does no harm when it cannot be used, and is forgotten', async () => {
    const { id } = await create(exchange, { kyc_shared_token: tokenFor('expired') })
    await until(async () => (await jobsFor(id)).length === 0, 'the job')
    assert.deepEqual(
      [(await read(exchange, id)).customer_id, (await checkOut(exchange, id)).status],
      [null, 'waiting_for_deposit'],
    )
  })

  it('waits for a provider that is down', async () => {
    const { id } = await create(exchange, { kyc_shared_token: tokenFor('down') })
    await until(async () => (await jobsFor(id)).some(({ timebase }) => timebase === 'real'), 'the delay')
    assert.equal((await read(exchange, id)).status, 'new')
  })

  it('400: one that is no token, and where', async () => {
    const body = { from_amount: 100, from_currency: 'EUR', to_currency: 'BTC', kyc_shared_token: 'two words' }
    const { status, body: refused } = await exchange.api<Refused>('/v1/transaction', { body })
    assert.deepEqual([status, refused.errors[0]?.path], [400, 'kyc_shared_token'])
  })

  const jobsFor = (id: string) =>
    lookup<{ timebase: string }>(
      exchange,
      "select timebase from jobs where kind = 'transaction.shared_token' and key = $1",
      [id],
    )
})

describe('one person with two partners', () => {
  it('stands by what each partner imported until the address is proven, then by everything', async () => {
    const email = newEmail()
    const { id: first } = await importNew(exchange, 'approved', email)
    const { id: tid, customer_id: other } = await create(exchange, contact(email), { key: second })
    assert.equal((await statusOf(exchange, other, { key: second })).body.status, 'not_started')

    await exchange.api(`/v1/sandbox/transaction/${tid}/checkout`, { body: {}, key: second })
    assert.equal(
      (await statusOf(exchange, other, { key: second })).body.status,
      'not_started',
      'proven with this partner only',
    )

    const { id } = await create(exchange, contact(email))
    await checkOut(exchange, id)
    assert.equal((await statusOf(exchange, other, { key: second })).body.status, 'approved')
    assert.equal((await statusOf(exchange, first)).body.status, 'approved')
    const feed = async () =>
      (await lookup(exchange, "select 1 from events where stream = $1 and type = 'customer.status_changed'", [other]))
        .length
    await until(async () => (await feed()) === 1, 'the event')
  })
})

describe('an operator', () => {
  it('reads which facts and rules made a risk level', async () => {
    const { id, email } = await importNew(exchange, 'high-risk')
    const told = await commandLineOf(exchange).told<{
      customer: CustomerRecord
      email: string
      rules: { name: string; sentence: string; level: string }[]
      facts: Record<string, unknown>
    }>('customer', 'show', id)
    assert.deepEqual([told.customer.risk_level, told.email], ['high', email])
    assert.deepEqual(
      told.rules.map(({ name, level }) => [name, level]),
      [['screening-hit', 'high']],
    )
    assert.deepEqual(told.facts.screening, ['pep'])
  })

  it('blocks a customer, audited and without telling why, and serves them again', async () => {
    const email = newEmail()
    const { id } = await importNew(exchange, 'approved', email)
    const { id: open } = await create(exchange, contact(email))
    const { cambio, told } = commandLineOf(exchange)
    const reason = `Asked for by the ${newName()} department`
    assert.equal((await told<CustomerRecord>('customer', 'block', id, '--reason', reason)).status, 'blocked')
    assert.equal((await statusOf(exchange, id)).body.status, 'blocked')
    assert.equal((await cambio('customer', 'block', id, '--reason', reason)).exitCode, 1, 'blocked already')

    const refused = await exchange.api<Refused>(`/v1/sandbox/transaction/${open}/checkout`, { body: {} })
    assert.deepEqual([refused.status, refused.body.code], [403, 'FORBIDDEN'])
    const audit = await lookup(exchange, 'select action, before, after from audit where subject = $1', [
      `customer:${id}`,
    ])
    assert.deepEqual(audit, [{ action: 'customer.blocked', before: { status: 'approved' }, after: { blocked: true } }])
    const { blocks } = await told<{ blocks: { reason: string }[] }>('customer', 'show', id)
    assert.deepEqual(
      blocks.map((one) => one.reason),
      [reason],
    )
    const sealed = await lookup(exchange, 'select 1 from customer_blocks as row where position($1 in row::text) > 0', [
      reason,
    ])
    assert.deepEqual(sealed, [])

    await told('customer', 'unblock', id, '--reason', 'It was somebody else')
    assert.equal((await statusOf(exchange, id)).body.status, 'approved')
    assert.equal((await checkOut(exchange, open)).status, 'waiting_for_deposit')
  })

  it('is told what a command needs', async () => {
    const { cambio } = commandLineOf(exchange)
    assert.equal((await cambio('customer', 'show', '12')).exitCode, 1)
    assert.equal((await cambio('customer', 'block', '12', '--reason', ' ')).exitCode, 2)
  })
})

describe('a provider’s callback', () => {
  const callback = (change: object = {}): string =>
    JSON.stringify({
      applicantId: person().id,
      type: 'applicantReviewed',
      reviewStatus: 'completed',
      createdAtMs: '2026-11-20 10:00:00.000',
      ...change,
    })
  const send = (body: string, secret = 'w') =>
    exchange.api('/callbacks/sumsub', {
      key: null,
      method: 'POST',
      body,
      headers: {
        'x-payload-digest-alg': 'HMAC_SHA256_HEX',
        'x-payload-digest': createHmac('sha256', secret).update(body).digest('hex'),
      },
    })
  const facts = () => lookup(exchange, 'select 1 from identity_facts')
  const jobs = () => lookup(exchange, "select 1 from jobs where kind = 'identity.review' and key like 'fact:%'")

  /** Lets the exchange ask the real adapter, which asks a stand-in for Sumsub. */
  async function askSumsub(t: TestContext): Promise<SumsubServer> {
    const sumsub = await startSumsub(t)
    const { ctx } = exchange.service.composition
    const real = ctx.identity
    const provider = sumsub.open()
    ctx.identity = {
      ...real,
      named: (name) => (name === 'sumsub' ? provider : real.named(name)),
      forToken: (name, token) => (token === sumsubToken ? provider : real.forToken(name, token)),
    }
    t.after(() => (ctx.identity = real))
    return sumsub
  }

  it('is recorded once, and the partner who wants to know is told how the review stands then', async (t) => {
    const sumsub = await askSumsub(t)
    const { ctx } = exchange.service.composition
    const [wants, doesNot] = [await startReceiver(t), await startReceiver(t)]
    const partnerId = BigInt(exchange.sandbox.partner_id)
    await addEndpoint(ctx, { partnerId, url: wants.url, types: ['customer.status_changed'] }, 'test')
    await addEndpoint(ctx, { partnerId, url: doesNot.url }, 'test')

    sumsub.is({ review: person({ reviewStatus: 'pending', reviewResult: undefined }).review })
    const { status, body } = await share(exchange, {
      kyc_shared_token: sumsubToken,
      kyc_shared_token_provider: 'sumsub',
    })
    assert.deepEqual(
      [status, body.status, body.email, body.kyc.provider],
      [201, 'in_review', 'ada@example.com', 'sumsub'],
    )
    await wants.got(1)

    assert.equal((await send(callback(), 'another')).status, 401)
    assert.equal((await facts()).length, 0)
    sumsub.is({})
    sumsub.instead.push(answers(503), answers(503), answers(503))
    assert.equal((await send(callback())).status, 200)
    assert.equal((await send(callback())).status, 200)
    assert.equal((await facts()).length, 1)
    await until(
      async () => (await statusOf(exchange, body.id)).body.status === 'in_review' && sumsub.instead.length === 0,
      'the look',
    )
    assert.equal((await jobs()).length, 1, 'a provider that is down is asked again later')

    // What is due again later is due now.
    await lookup(
      exchange,
      "update jobs set run_at = now() - interval '1 hour' where kind = 'identity.review' and key like 'fact:%'",
    )
    await wants.got(2)
    const events = wants.all.map(
      (one) => JSON.parse(one.body) as { type: string; sequence: number; payload: CustomerRecord },
    )
    assert.deepEqual(
      events.map(({ type, sequence, payload }) => [type, sequence, payload.id, payload.status]),
      [
        ['customer.status_changed', 1, body.id, 'in_review'],
        ['customer.status_changed', 2, body.id, 'approved'],
      ],
    )
    const { body: now } = await statusOf(exchange, body.id)
    assert.deepEqual(events[1]?.payload, now, 'the event is the status as of that moment')
    assert.equal(now.kyc.expires_at, '2031-05-06T23:59:59.999Z')

    assert.equal((await send(callback({ type: 'applicantActionReviewed' }))).status, 200)
    assert.equal((await facts()).length, 2)
    assert.equal((await jobs()).length, 0, 'what moves nothing is kept and makes no work')
    assert.deepEqual(
      doesNot.all.filter(({ body: text }) => text.includes('customer.status')),
      [],
    )

    await advance(exchange, 'P1700D')
    await until(
      async () => (await statusOf(exchange, body.id)).body.status === 'needs_info',
      'the end of the documents',
    )
    const { risk_level: level, kyc } = (await statusOf(exchange, body.id)).body
    assert.deepEqual([level, kyc.level], ['medium', 'none'])
    await wants.got(3)
  })

  it('404 from a provider that we do not have', async () => {
    assert.equal((await exchange.api('/callbacks/nobody', { key: null, body: '{}' })).status, 404)
  })
})
