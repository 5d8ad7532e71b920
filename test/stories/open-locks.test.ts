import assert from 'node:assert/strict'
import { after as afterAll, before, beforeEach, describe, it } from 'node:test'

import type { Ctx } from '../../src/exchange/context.ts'
import type { CapsDocument } from '../../src/exchange/policies/caps.ts'
import { policyKinds } from '../../src/exchange/policies/kinds.ts'
import { giveDetails } from '../../src/exchange/orders/checkout.ts'
import { forgetOpenLocks } from '../../src/exchange/transactions/open-locks.ts'
import { after } from '../../src/platform/lib/clock.ts'
import { Refusal } from '../../src/platform/lib/refusal.ts'
import { type ApiAnswer, openTestApi, type TestApi, testContext } from '../support/api.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { advance, arrive, create as createOrder, pay } from '../support/journey.ts'
import { putInForce } from '../support/policies.ts'
import { makeTransaction } from '../support/transaction.ts'

let api: TestApi
let other: Ctx
let now: Date
before(async () => {
  api = await openTestApi()
  other = await testContext(api.database)
  now = api.ctx.clock.now()
  for (const ctx of [api.ctx, other]) ctx.clock = { ...ctx.clock, now: () => now }
})
afterAll(async () => {
  await other.db.close()
  await api.close()
})

/** Every lock of the tests before is over. */
beforeEach(async () => {
  now = after(now, 3_600_000)
  await cap({ customer: '100000', partner: '5000000', asset: '10000000' })
})

async function cap(openLocks: CapsDocument['open_locks'], partnerId?: bigint): Promise<void> {
  const document = { ...policyKinds.caps.shipped(api.ctx.config.environment), open_locks: openLocks }
  const effectiveAt = after(now, -1)
  await putInForce(api.ctx, { kind: 'caps', document, effectiveAt, ...(partnerId === undefined ? {} : { partnerId }) })
  await other.policies.reload(other.db)
}

type Body = Record<string, unknown>
const create = (body: Body = {}, { key = api.all.secret_key, headers = {} } = {}): Promise<ApiAnswer> =>
  api.ask({
    method: 'POST',
    url: '/v1/transaction',
    key,
    headers,
    body: { from_amount: '100', from_currency: 'EUR', to_currency: 'BTC', ...body },
  })

const statuses = (answers: ApiAnswer[]): Record<number, number> => {
  const counts: Record<number, number> = {}
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1
  return counts
}

const many = (count: number, make: () => Promise<ApiAnswer>): Promise<ApiAnswer[]> =>
  Promise.all(Array.from({ length: count }, make))

function assertRefused({ status, body }: ApiAnswer): void {
  const { code, errors } = body as { code: string; errors: { code: string }[] }
  assert.deepEqual([status, code, errors[0]?.code], [409, 'CONFLICT', 'OPEN_LOCKS_LIMIT'])
}

describe('orders whose price is held, at once', () => {
  it('add up to no more than a partner may have: of fifty at once exactly ten pass', async () => {
    await cap({ customer: '1000', partner: '1000', asset: '10000000' })
    const answers = await many(50, () => create())
    assert.deepEqual(statuses(answers), { 201: 10, 409: 40 })
    for (const answer of answers) if (answer.status === 409) assertRefused(answer)
    assert.equal((await create({ from_currency: 'BTC', to_currency: 'EUR', from_amount: '0.01' })).status, 409)
    assert.equal((await create({}, { key: api.plain.secret_key })).status, 201, 'another partner has its own cap')
  })

  it('are counted by two processes together', async () => {
    await cap({ customer: '1000', partner: '1000', asset: '10000000' })
    const { partner } = api.all
    const made = await Promise.allSettled(
      Array.from({ length: 40 }, (_, index) => makeTransaction(index % 2 === 0 ? api.ctx : other, partner)),
    )
    assert.equal(made.filter(({ status }) => status === 'fulfilled').length, 10)
    for (const one of made) {
      if (one.status === 'rejected') assert.ok(one.reason instanceof Refusal && one.reason.code === 'CONFLICT')
    }
  })

  it('in a coin add up to no more than the house holds of it, over all partners', async () => {
    await cap({ customer: '1000', partner: '1000', asset: '1500' })
    const keys = [api.all.secret_key, api.plain.secret_key]
    const answers = await Promise.all(keys.flatMap((key) => Array.from({ length: 10 }, () => create({}, { key }))))
    assert.deepEqual(statuses(answers), { 201: 15, 409: 5 })
    const key = statuses(answers.slice(0, 10))[201] === 10 ? api.plain.secret_key : api.all.secret_key
    assert.equal((await create({ to_currency: 'ETH' }, { key })).status, 201, 'another coin has its own cap')
    assertRefused(await create({ from_currency: 'BTC', to_currency: 'ETH', from_amount: '0.002' }, { key }))
  })

  it('of one customer add up to no more than a customer may have', async () => {
    await cap({ customer: '300', partner: '5000', asset: '10000000' })
    const customer = { contact_info: { email: 'who@example.com' } }
    assert.deepEqual(statuses(await many(9, () => create({ customer }))), { 201: 3, 409: 6 })
    assert.equal((await create({ customer: { contact_info: { email: 'else@example.com' } } })).status, 201)
    assert.equal((await create()).status, 201, 'whose it is, is asked at the checkout')
  })
})

describe('a lock that is over', () => {
  it('makes room: paid, cancelled or expired', async () => {
    await cap({ customer: '500', partner: '500', asset: '10000000' })
    const ids = (await many(5, () => create())).map(({ body }) => String(body['id']))
    assertRefused(await create())
    await api.ctx.db
      .sql`update transactions set status = 'cancelled' where public_id = any(${ids.slice(0, 2).map(BigInt)})`
    assert.deepEqual(statuses(await many(5, () => create())), { 201: 2, 409: 3 })
    now = after(now, 15 * 60_000)
    assert.deepEqual(statuses(await many(7, () => create())), { 201: 5, 409: 2 })
  })

  it('leaves no row behind', async () => {
    await create()
    now = after(now, 3_600_000)
    await forgetOpenLocks(api.ctx)
    assert.deepEqual(await api.ctx.db.sql`select subject from open_lock_totals`, [])
  })
})

describe('what is not locked', () => {
  it('is not counted: a transfer is priced when it arrives', async () => {
    await cap({ customer: '100', partner: '100', asset: '10000000' })
    const transfer = { deposit: { payment_category: 'SEPA' } }
    assert.deepEqual(statuses(await many(5, () => create(transfer))), { 201: 5 })
    assert.equal((await create()).status, 201)
    assertRefused(await create())
    assert.equal((await create(transfer)).status, 201)
  })
})

describe('a refusal', () => {
  it('is not kept: the same request with its key is tried again', async () => {
    await cap({ customer: '100', partner: '100', asset: '10000000' })
    assert.equal((await create()).status, 201)
    const headers = { 'idempotency-key': 'again' }
    assertRefused(await create({}, { headers }))
    now = after(now, 15 * 60_000)
    assert.equal((await create({}, { headers })).status, 201)
  })

  it('leaves nothing behind of the order', async () => {
    await cap({ customer: '100', partner: '100', asset: '10000000' })
    assert.equal((await create()).status, 201)
    const count = async () =>
      api.ctx.db.sql`select (select count(*) from transactions) as orders, (select count(*) from data_keys) as keys`
    const earlier = await count()
    assertRefused(await create())
    assert.deepEqual(await count(), earlier)
  })

  it('follows the partner’s own cap where there is one', async () => {
    await cap({ customer: '100', partner: '100', asset: '10000000' })
    await cap({ customer: '200', partner: '200', asset: '1' }, api.plain.partner.id)
    assert.deepEqual(statuses(await many(4, () => create({}, { key: api.plain.secret_key }))), { 201: 2, 409: 2 })
    assert.deepEqual(statuses(await many(4, () => create())), { 201: 1, 409: 3 })
  })
})

describe('at the checkout', () => {
  let exchange: Exchange
  let ids: string[] = []
  before(async () => {
    exchange = await startExchange({ RATE_LIMITS: 'off' })
    const { ctx } = exchange.service.composition
    const document = policyKinds.caps.shipped(ctx.config.environment)
    const openLocks = { customer: '300', partner: '5000', asset: '5000' }
    await putInForce(ctx, { kind: 'caps', document: { ...document, open_locks: openLocks } })
  })
  afterAll(() => exchange.stop())

  const open = async (): Promise<string> => (await createOrder(exchange)).id
  const proveEmail = (id: string) =>
    exchange.api<{ code: string; errors: { code: string }[] }>(`/v1/sandbox/transaction/${id}/checkout`, {
      body: { email: 'who@example.com' },
    })

  it('orders count for the customer who proves the address, and room comes back when one is paid', async () => {
    ids = [await open(), await open(), await open(), await open()]
    const [first = '', , , last = ''] = ids
    const answers = []
    for (const id of ids) answers.push(await proveEmail(id))
    assert.deepEqual(
      answers.map(({ status }) => status),
      [201, 201, 201, 409],
    )
    assert.equal(answers[3]?.body.errors[0]?.code, 'OPEN_LOCKS_LIMIT')
    await pay(exchange, first)
    await arrive(exchange, first, 'finished')
    assert.equal((await proveEmail(last)).status, 201)
  })

  it('a price is renewed only where the cap leaves room', async () => {
    const { ctx } = exchange.service.composition
    await advance(exchange, 'PT16M')
    const [, second = '', third = '', fourth = ''] = ids
    const renew = (id: string) => giveDetails(ctx, BigInt(id), { renewsPrice: true }, undefined)
    const document = policyKinds.caps.shipped(ctx.config.environment)
    const openLocks = { customer: '200', partner: '5000', asset: '5000' }
    await putInForce(ctx, {
      kind: 'caps',
      document: { ...document, open_locks: openLocks },
      effectiveAt: ctx.clock.now(),
    })
    await renew(second)
    await renew(third)
    await assert.rejects(renew(fourth), ({ problems }: Refusal) => problems[0]?.code === 'OPEN_LOCKS_LIMIT')
  })
})
