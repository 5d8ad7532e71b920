import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { fingerprintOf } from '../../src/exchange/pricing/quote.ts'
import { verify } from '../../src/exchange/checks/verify.ts'
import { everythingValued } from '../support/profit.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import {
  arrive,
  assertBooksHold,
  bookBalance,
  buy,
  lookup,
  pay,
  railEvent,
  read,
  readyToPay,
} from '../support/journey.ts'
import { until } from '../support/telling.ts'
import { whileChanged } from '../support/while-changed.ts'

let exchange: Exchange
let finished: string
let held: string
let lost: string
before(async () => {
  exchange = await startExchange({ RATE_LIMITS: 'off' })
  finished = (await buy(exchange)).id
  held = (await buy(exchange)).id
  await railEvent(exchange, held, 'bounce')
  await arrive(exchange, held, 'on_hold')
  lost = (await buy(exchange)).id
  await railEvent(exchange, lost, 'chargeback')
  await until(async () => (await read(exchange, lost)).errors.length > 0, 'the chargeback')
  const suspense = await readyToPay(exchange, { from_amount: '250', deposit: { payment_category: 'SEPA' } })
  await pay(exchange, suspense.id, { reference: 'nobody' })
  await until(async () => (await bookBalance(exchange, 'suspense', 'EUR-EUR')) !== 0n, 'suspense')
  await assertBooksHold(exchange)
})
after(() => exchange.stop())

const of = (publicId: string) => `(select id from transactions where public_id = ${publicId})`

/** Rows that someone with the owner's rights changes behind the service's back, one column at a time. */
type Planted = { table: string; where: () => string; plants: Plant[] }

/** What is changed; the column; its new value; the sentence that tells of it. */
type Plant = [what: string, column: string, to: string, told: RegExp]

const ofTransaction = (publicId: () => string, more = '') => ({
  where: () => `transaction_id = ${of(publicId())}${more}`,
})
const ofFinished = (more = '') => ofTransaction(() => finished, more)

const unlike = {
  deposit: /^Transaction \d+ and the ledger differ in deposit \d+\.$/,
  reversed: /^Transaction \d+ and the ledger differ in deposit_reversed \d+\.$/,
  sent: /^Transaction \d+ and the ledger differ in payout_sent \d+\.$/,
  settled: /^Transaction \d+ and the ledger differ in payout_settled \d+\.$/,
  returned: /^Transaction \d+ and the ledger differ in payout_returned \d+\.$/,
  price: /^Quote 1 of transaction \d+ is not what its transaction says\.$/,
  end: /^Quote 1 of transaction \d+ does not end when it is said to\.$/,
}

const planted: Planted[] = [
  {
    table: 'transactions',
    where: () => `public_id = ${finished}`,
    plants: [
      ['the status of a transaction', 'status', `'refunded'`, /is refunded, but its history ends at finished\.$/],
      ['what came in', 'from_amount', 'from_amount + 1', /does not show what was deposited\.$/],
      ['what went out', 'to_amount', 'to_amount + 1', /does not show what was paid out\.$/],
      ['the hash of what went out', 'output_hash', `'00'`, /does not show the proof of its payout\.$/],
      ['how often its partner was told', 'events', 'events + 1', /has lost an event\.$/],
      ['what was promised', 'expected_to', 'expected_to + 1', unlike.price],
      ['until when its price holds', 'quote_expires_at', `quote_expires_at + interval '1 second'`, unlike.end],
      ['which price it is at', 'quote_number', '2', /has lost a quote\.$/],
    ],
  },
  {
    table: 'transactions',
    where: () => `public_id = ${held}`,
    plants: [['what was to come in', 'expected_from', 'expected_from + 1', unlike.price]],
  },
  {
    table: 'transactions',
    where: () => `public_id = ${lost}`,
    plants: [['what came in and was lost', 'from_amount', '0', /does not show what was deposited\.$/]],
  },
  {
    table: 'deposits',
    ...ofFinished(),
    plants: [
      ['the state of a deposit, taken back', 'state', `'reversed'`, unlike.reversed],
      ['the state of a deposit, lost', 'state', `'lost'`, unlike.reversed],
      ['the amount of a deposit', 'amount', 'amount + 1', unlike.deposit],
      ['the rail of a deposit', 'rail', `'sandbox-bank'`, unlike.deposit],
      ['whose a deposit is', 'transaction_id', 'null', unlike.deposit],
    ],
  },
  {
    table: 'deposits',
    ...ofTransaction(() => lost),
    plants: [
      ['the state of a deposit that was lost', 'state', `'final'`, unlike.reversed],
      ['at whose expense a deposit was taken back', 'state', `'reversed'`, unlike.reversed],
    ],
  },
  {
    table: 'deposits',
    where: () => 'transaction_id is null',
    plants: [['a deposit in suspense', 'amount', 'amount + 1', /^Suspense and the ledger differ in deposit \d+\.$/]],
  },
  {
    table: 'payouts',
    ...ofFinished(),
    plants: [
      ['the state of a payout', 'state', `'failed'`, unlike.returned],
      ['where a payout was taken from', 'place', `'bank'`, unlike.settled],
    ],
  },
  {
    table: 'payouts',
    ...ofTransaction(() => held),
    plants: [
      ['the state of a payout that came back', 'state', `'paid'`, unlike.returned],
      ['the amount of a payout that came back', 'amount', 'amount + 1', unlike.sent],
    ],
  },
  {
    table: 'plans',
    where: () => `id = (select plan_id from payouts where transaction_id = ${of(finished)})`,
    plants: [
      ['the evidence of a plan', 'evidence', `'{"hash": "0"}'`, /does not show the proof of its payout\.$/],
      ['what sending has cost', 'evidence', `jsonb_set(evidence::jsonb, '{fee,amount}', '"1"')::json`, unlike.settled],
    ],
  },
  {
    table: 'status_history',
    ...ofFinished(' and number = 2'),
    plants: [
      ['a status change in the middle', 'status', `'on_hold'`, /went from new to on_hold\.$/],
      ['the order of status changes', 'number', '20', /has a gap in its history\.$/],
    ],
  },
  {
    table: 'status_history',
    ...ofFinished(' and number = 1'),
    plants: [
      ['the beginning of a history', 'kind', `'opened'`, /has a history that does not begin with its creation\.$/],
    ],
  },
  {
    table: 'status_history',
    ...ofFinished(` and kind = 'payout_prepared'`),
    plants: [['what a fact led to', 'status', `'exchanging'`, /is said to be exchanging by payout_prepared \d+\.$/]],
  },
  {
    table: 'status_history',
    ...ofFinished(` and kind = 'deposit_final'`),
    plants: [['which deposit it was', 'subject_id', '1', /has deposit \d+ in the books and not in its history\.$/]],
  },
  {
    table: 'quotes',
    ...ofFinished(),
    plants: [
      [
        'a quote',
        'quote',
        `jsonb_set(quote::jsonb, '{toAmount}', '"9"')::json`,
        /^Quote 1 of transaction \d+ is not what was quoted\.$/,
      ],
      ['what a quote is', 'quote', `'null'`, /^Quote 1 of transaction \d+ cannot be read: /],
      ['the end of a quote', 'valid_until', `valid_until + interval '1 second'`, unlike.end],
    ],
  },
  {
    table: 'sandbox.card_payments',
    where: () => `reference = (select reference from deposit_instructions where transaction_id = ${of(finished)})`,
    plants: [['what the card processor has', 'amount', 'amount - 1', /^sandbox-card holds [\d.]+ EUR, the/]],
  },
  {
    table: 'reserves',
    where: () => `asset = 'BTC-BTC' and place = 'wallet-btc'`,
    plants: [
      ['what counts as held', 'covered', 'covered * 2', /^BTC-BTC reserves at wallet-btc exceed its balance\.$/],
    ],
  },
  {
    table: 'sandbox.bank_balances',
    where: () => `asset = 'EUR-EUR'`,
    plants: [['what the bank has', 'balance', 'balance + 1', /^sandbox-bank holds [\d.]+ EUR, the books/]],
  },
]

/** Among what `verify` says is this. */
async function assertTold(told: RegExp): Promise<void> {
  const problems = await verify(exchange.service.composition.ctx)
  assert.ok(
    problems.some((problem) => told.test(problem)),
    `${told} is not among:\n${problems.join('\n')}`,
  )
}

describe('verify sees that somebody has changed', () => {
  for (const { table, where, plants } of planted) {
    for (const [what, column, to, told] of plants) {
      it(what, async () => {
        const was = await lookup<{ old: unknown; type: string }>(
          exchange,
          `select ${column}::text as old, pg_typeof(${column})::text as type from ${table} where ${where()}`,
        )
        assert.equal(was.length, 1)
        const [changed] = await lookup<{ row: string }>(
          exchange,
          `update ${table} set ${column} = ${to} where ${where()} returning ctid::text as row`,
        )
        try {
          await assertTold(told)
        } finally {
          const mend = `update ${table} set ${column} = $1::${was[0]?.type} where ctid = $2::tid`
          await lookup(exchange, mend, [was[0]?.old, changed?.row])
        }
        await assertBooksHold(exchange)
      })
    }
  }

  it('a quote and its fingerprint', async () => {
    const where = `where transaction_id = ${of(finished)}`
    const rows = await lookup<{ quote: Record<string, unknown> }>(exchange, `select quote from quotes ${where}`)
    const quote = rows[0]?.quote
    assert.ok(quote)
    const put = (value: object) =>
      lookup(exchange, `update quotes set quote = $1::json ${where}`, [JSON.stringify(value)])
    const better = { ...quote, networkFee: '0' }
    await put({ ...better, fingerprint: fingerprintOf(better) })
    await assertTold(/^Quote 1 of transaction \d+ is not what was exchanged\.$/)
    await put(quote)
    await assertBooksHold(exchange)
  })
})

describe('verify sees that somebody has removed from the books of a held transaction', () => {
  // What is valued stays valued: an entry that is gone while the others are valued would never be.
  before(() => everythingValued(exchange.service.composition.ctx))
  for (const [kind, told] of [
    ['deposit', /has no deposit \d+ in the books\.$/],
    ['exchange', /was exchanged 0 times and not 1\.$/],
    ['payout_sent', /has no payout_sent \d+ in the books\.$/],
    ['payout_settled', /has no payout_settled \d+ in the books\.$/],
    ['payout_returned', /has no payout_returned \d+ in the books\.$/],
  ] as const) {
    it(`the ${kind}`, async () => {
      const entries = await lookup<{ id: string }>(
        exchange,
        `select id from entries where kind = $1 and transaction_id = ${of(held)}`,
        [kind],
      )
      const id = entries[0]?.id
      assert.ok(id)
      const change = `create table kept_entry as select * from entries where id = ${id};
        create table kept_postings as select * from postings where entry_id = ${id};
        delete from postings where entry_id = ${id}; delete from entries where id = ${id}`
      const mend = `insert into entries select * from kept_entry; insert into postings select * from kept_postings;
        drop table kept_entry, kept_postings`
      await whileChanged(exchange, { change, mend }, () => assertTold(told))
      await assertBooksHold(exchange)
    })
  }
})

describe('verify', () => {
  it('says nothing while work is under way', async () => {
    const { ctx } = exchange.service.composition
    let isOver = false
    const work = Promise.all(
      Array.from({ length: 24 }, async (_, index) => {
        const { id } = await buy(exchange)
        if (index % 3 > 0) await railEvent(exchange, id, index % 3 === 1 ? 'chargeback' : 'bounce')
      }),
    ).finally(() => (isOver = true))
    while (!isOver) assert.deepEqual(await verify(ctx), [])
    await work
    assert.deepEqual(await verify(ctx), [])
  })
})
