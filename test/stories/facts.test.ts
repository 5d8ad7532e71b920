import assert from 'node:assert/strict'
import { after, before, describe, it, test } from 'node:test'

import { callBack, captured, referenceOf, type Said } from '../support/callback.ts'
import { type Exchange, startExchange, steady } from '../support/exchange.ts'
import {
  advance,
  arrive,
  assertBooksHold,
  bookBalance,
  buy,
  lookup,
  pay,
  railEvent,
  read,
  readyToPay,
  statusesOf,
} from '../support/journey.ts'
import { silence } from '../support/silent-rail.ts'
import { until } from '../support/telling.ts'

let exchange: Exchange
before(async () => {
  exchange = await startExchange({ RATE_LIMITS: 'off' }, steady)
})
after(() => exchange.stop())
const booksHold = () => assertBooksHold(exchange)

const count = async (sql: string, ...values: unknown[]): Promise<number> =>
  Number((await lookup<{ count: string }>(exchange, `select count(*) from ${sql}`, values))[0]?.count)

/** Waits until every fact that was told has been dealt with. */
const settled = () =>
  until(async () => (await count(`jobs where kind = 'fact.received'`)) === 0, 'every fact to be settled')

describe('what a rail tells', () => {
  it('is booked once, told fifty times at once', async () => {
    const { id } = await readyToPay(exchange)
    const said = captured(await referenceOf(exchange, id), { event: 'pay_50_1' })
    const answers = await Promise.all(Array.from({ length: 50 }, () => callBack(exchange, said)))
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]))

    const record = await arrive(exchange, id, 'finished')
    await callBack(exchange, said)
    await settled()
    assert.equal(record.from_amount, '100')
    assert.equal(await count('rail_events where event_key = $1', said.event), 1)
    assert.equal(await bookBalance(exchange, `customer:${id}`, 'EUR-EUR'), 0n)
    assert.deepEqual(await read(exchange, id), record)
    await booksHold()
  })

  it('is told again by the rail itself and changes nothing', async () => {
    const record = await buy(exchange)
    await railEvent(exchange, record.id, 'duplicate')
    await until(async () => (await count('sandbox.callbacks')) === 0)
    await settled()
    assert.deepEqual(await read(exchange, record.id), record)
  })

  it('is refused without the rail’s own signature, and nothing of it is kept', async () => {
    const { id } = await readyToPay(exchange)
    const said = captured(await referenceOf(exchange, id), { event: 'pay_forged_1' })
    for (const signature of ['', '0', 'f'.repeat(64), 'F'.repeat(64), 'é'.repeat(32)]) {
      const { status, body } = await callBack(exchange, said, encodeURIComponent(signature))
      assert.deepEqual([status, body.code], [401, 'SIGNATURE_INVALID'], signature)
    }
    const unsigned = await exchange.api('/callbacks/sandbox-card', { key: null, body: said })
    assert.deepEqual([unsigned.status, unsigned.body.code], [401, 'SIGNATURE_INVALID'])
    const elsewhere = await exchange.api('/callbacks/no-such-rail', { key: null, body: said })
    assert.deepEqual([elsewhere.status, elsewhere.body.code], [404, 'NOT_FOUND'])
    assert.equal(await count('rail_events where event_key = $1', said.event), 0)
    assert.equal((await read(exchange, id)).status, 'waiting_for_deposit')
  })

  it('is refused when it is signed and still no fact', async () => {
    const said = captured('of-nobody', { event: 'pay_odd_form' })
    const { amount: _, ...short } = said
    const forms = ['', 'x', '{}', '[]', 'null', '5', JSON.stringify(short), JSON.stringify({ ...said, amount: 5 })]
    const changed = [{ amount: '' }, { amount: '-5' }, { amount: '1.5' }, { amount: '9'.repeat(39) }, { event: 'a\0b' }]
    for (const body of [...forms, ...changed.map((change) => JSON.stringify({ ...said, ...change }))]) {
      const { status, body: refused } = await callBack(exchange, body)
      assert.deepEqual([status, refused.code], [400, 'BAD_REQUEST'], body)
    }
    assert.equal(await count('rail_events where reference = $1', said.merchant_reference), 0)
  })

  it('moves no money in a word that nobody has met', async () => {
    const { id } = await readyToPay(exchange)
    const reference = await referenceOf(exchange, id)
    for (const status of [
      'FROBNICATED',
      'captured',
      'CAPTURED ',
      '',
      'PENDING',
      'CAPTURE',
      'constructor',
      '__proto__',
    ]) {
      assert.equal((await callBack(exchange, captured(reference, { status, event: `pay_word_${status}` }))).status, 200)
    }
    await settled()
    assert.deepEqual(
      await lookup(exchange, 'select distinct kind from rail_events where reference = $1', [reference]),
      [{ kind: 'unknown' }],
    )
    const record = await read(exchange, id)
    assert.deepEqual([record.status, record.from_amount], ['waiting_for_deposit', '0'])
    assert.equal(await bookBalance(exchange, `customer:${id}`, 'EUR-EUR'), 0n)
    await pay(exchange, id)
    await arrive(exchange, id, 'finished')
    await railEvent(exchange, id, 'unknown_word')
    await settled()
    assert.equal((await read(exchange, id)).status, 'finished')
    await booksHold()
  })

  it('lies in suspense when the reference is nobody’s, and the books balance', async () => {
    const { id } = await readyToPay(exchange)
    await pay(exchange, id, { reference: 'nobody-has-this-reference' })
    await until(async () => (await bookBalance(exchange, 'suspense', 'EUR-EUR')) === -10_000n, 'money in suspense')
    assert.equal((await read(exchange, id)).status, 'waiting_for_deposit')
    await booksHold()
  })

  it('does not end a transaction whose money has been told of but not booked yet', async () => {
    const { id } = await readyToPay(exchange)
    const reference = await referenceOf(exchange, id)
    await lookup(
      exchange,
      `insert into rail_events (rail, event_key, kind, reference, payment, asset, amount, reverses, body, received_at)
      values ('sandbox-card', 'seen', 'deposit_seen', $1, 'pay_seen', 'EUR-EUR', 10000, false, '{}', now())`,
      [reference],
    )
    await advance(exchange, 'PT31M')
    assert.equal((await read(exchange, id)).status, 'waiting_for_deposit')
    await callBack(exchange, captured(reference, { event: 'pay_seen_2' }))
    await arrive(exchange, id, 'finished')
  })
})

type Odd = { what: string; change: Partial<Said>; details: string; shown: string; owed: [asset: string, units: bigint] }

const odd: Odd[] = [
  { what: 'a euro less', change: { amount: '9900' }, details: 'underpaid', shown: '99', owed: ['EUR-EUR', 9_900n] },
  { what: 'one cent', change: { amount: '1' }, details: 'underpaid', shown: '0.01', owed: ['EUR-EUR', 1n] },
  {
    what: 'a fortune',
    change: { amount: '9'.repeat(30) },
    details: 'review',
    shown: `${'9'.repeat(28)}.99`,
    owed: ['EUR-EUR', BigInt('9'.repeat(30))],
  },
  { what: 'dollars', change: { asset: 'USD-USD' }, details: 'wrong_asset', shown: '0', owed: ['USD-USD', 10_000n] },
  {
    what: 'the coin that was to be bought',
    change: { asset: 'BTC-BTC' },
    details: 'wrong_asset',
    shown: '0',
    owed: ['BTC-BTC', 10_000n],
  },
]

describe('money that is not what was agreed', () => {
  for (const [index, { what, change, details, shown, owed }] of odd.entries()) {
    it(`is held and not exchanged: ${what}`, async () => {
      const { id } = await readyToPay(exchange)
      await callBack(exchange, captured(await referenceOf(exchange, id), { event: `pay_odd_${index}`, ...change }))
      const record = await arrive(exchange, id, 'on_hold')
      assert.deepEqual([record.status_details, record.from_amount, record.to_amount], [details, shown, null])
      assert.equal(await bookBalance(exchange, `customer:${id}`, owed[0]), -owed[1])
      await booksHold()
    })
  }

  it('is a deposit too when it comes a second time, and goes on what has ended', async () => {
    const { id, to_amount: first } = await buy(exchange)
    await callBack(exchange, captured(await referenceOf(exchange, id), { event: 'pay_second_1' }))
    await until(async () => statusesOf(await read(exchange, id)).includes('on_hold'), 'the second payment')
    const record = await arrive(exchange, id, 'finished')
    assert.deepEqual(statusesOf(record).slice(-5), ['finished', 'on_hold', 'exchanging', 'sending', 'finished'])
    assert.equal(record.from_amount, '200')
    assert.ok(Number(record.to_amount) > Number(first))
    assert.equal(await bookBalance(exchange, `customer:${id}`, 'EUR-EUR'), 0n)
    await booksHold()
  })

  for (const { what, change } of [odd[1], odd[3]] as Odd[]) {
    it(`keeps a transaction from its end when it comes while the payout is on its way: ${what}`, async () => {
      const { id } = await readyToPay(exchange)
      const reference = await referenceOf(exchange, id)
      // The rail answers late, so that the payout is under way long enough.
      const { answer } = silence(exchange, 'sandbox-btc')
      await railEvent(exchange, id, 'timeout')
      await pay(exchange, id)
      await arrive(exchange, id, 'sending')
      await callBack(exchange, captured(reference, { event: `pay_more_${id}`, ...change }))
      await settled()
      answer()
      const record = await arrive(exchange, id, 'on_hold')
      assert.deepEqual(statusesOf(record).at(-2), 'sending')
      assert.ok(record.to_amount, 'what was agreed is paid out')
      assert.ok(record.status_details, 'and it says why it stopped')
      await booksHold()
    })
  }
})

describe('a declined card', () => {
  it('leaves the status, is told, and a later payment works', async () => {
    const { id } = await readyToPay(exchange)
    for (const declines of [1, 2, 3]) {
      await railEvent(exchange, id, 'decline')
      await until(async () => (await read(exchange, id)).errors.length === declines, 'the decline to be told')
      const record = await read(exchange, id)
      assert.equal(record.status, 'waiting_for_deposit')
      assert.deepEqual(new Set(record.errors.map(({ code }) => code)), new Set(['card_declined']))
      assert.ok(record.errors.every(({ reason }) => reason.length > 0))
    }
    await pay(exchange, id)
    const record = await arrive(exchange, id, 'finished')
    assert.deepEqual(record.errors, [])
    await booksHold()
  })

  it('does not lengthen the deadline', async () => {
    const { id } = await readyToPay(exchange)
    await railEvent(exchange, id, 'decline')
    await until(async () => (await read(exchange, id)).errors.length === 1)
    await advance(exchange, 'PT31M')
    assert.equal((await read(exchange, id)).status, 'expired')
  })

  it('changes nothing after the end', async () => {
    const record = await buy(exchange)
    await railEvent(exchange, record.id, 'decline')
    await callBack(
      exchange,
      captured(await referenceOf(exchange, record.id), { event: 'pay_late_no', status: 'DECLINED' }),
    )
    await settled()
    assert.deepEqual(await read(exchange, record.id), record)
  })
})

test('rails are asked for nothing that is not there', async () => {
  const { id } = await readyToPay(exchange)
  for (const type of ['duplicate', 'unknown_word']) {
    const { status, body } = await exchange.api(`/v1/sandbox/transaction/${id}/rail-event`, { body: { type } })
    assert.deepEqual([status, body.code], [409, 'CONFLICT'])
  }
})
