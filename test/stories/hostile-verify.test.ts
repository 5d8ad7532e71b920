import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'

import { verify } from '../../src/transactions/verify.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { arrive, assertBooksHold, bookBalance, buy, lookup, pay, railEvent, readyToPay } from '../support/journey.ts'
import { until } from '../support/telling.ts'

let exchange: Exchange
let finished: string
let held: string
before(async () => {
  exchange = await startExchange({ RATE_LIMITS: 'off' })
  finished = (await buy(exchange)).id
  held = (await buy(exchange)).id
  await railEvent(exchange, held, 'bounce')
  await arrive(exchange, held, 'on_hold')
  const suspense = await readyToPay(exchange, { from_amount: '250', deposit: { payment_category: 'SEPA' } })
  await pay(exchange, suspense.id, { reference: 'nobody' })
  await until(async () => (await bookBalance(exchange, 'suspense', 'EUR-EUR')) !== 0n, 'suspense')
  await assertBooksHold(exchange)
})
after(() => exchange.stop())

const of = (publicId: string) => `(select id from transactions where public_id = ${publicId})`
type Plant = { table: string; where: () => string; set: string }
const plants: Record<string, Plant> = {
  'the status of a transaction': {
    table: 'transactions',
    where: () => `public_id = ${finished}`,
    set: `status = 'refunded'`,
  },
  'what came in': {
    table: 'transactions',
    where: () => `public_id = ${finished}`,
    set: 'from_amount = from_amount + 1',
  },
  'what went out': { table: 'transactions', where: () => `public_id = ${finished}`, set: 'to_amount = to_amount + 1' },
  'what was promised': {
    table: 'transactions',
    where: () => `public_id = ${finished}`,
    set: 'expected_to = expected_to + 1',
  },
  'the state of a deposit, taken back': {
    table: 'deposits',
    where: () => `transaction_id = ${of(finished)}`,
    set: `state = 'reversed'`,
  },
  'the state of a deposit, lost': {
    table: 'deposits',
    where: () => `transaction_id = ${of(finished)}`,
    set: `state = 'lost'`,
  },
  'a deposit of nobody’s': { table: 'deposits', where: () => 'transaction_id is null', set: 'amount = amount + 1' },
  'the state of a payout': {
    table: 'payouts',
    where: () => `transaction_id = ${of(finished)}`,
    set: `state = 'failed'`,
  },
  'the state of a payout that came back': {
    table: 'payouts',
    where: () => `transaction_id = ${of(held)}`,
    set: `state = 'paid'`,
  },
  'the amount of a payout that came back': {
    table: 'payouts',
    where: () => `transaction_id = ${of(held)}`,
    set: 'amount = amount + 1',
  },
  'the evidence of a plan': {
    table: 'plans',
    where: () => `id = (select plan_id from payouts where transaction_id = ${of(finished)})`,
    set: `evidence = '{"hash": "0"}'`,
  },
  'a move in the middle': {
    table: 'moves',
    where: () => `transaction_id = ${of(finished)} and number = 2`,
    set: `status = 'on_hold'`,
  },
  'a quote': {
    table: 'quotes',
    where: () => `transaction_id = ${of(finished)}`,
    set: `quote = jsonb_set(quote::jsonb, '{toAmount}', '"9"')::json`,
  },
}
for (const [what, { table, where, set }] of Object.entries(plants)) {
  it(`verify sees that somebody has changed ${what}`, async () => {
    const changed = set.split(' = ')[0]
    const rows = await lookup<{ ctid: string; old: string }>(
      exchange,
      `select ctid::text, ${changed}::text as old from ${table} where ${where()}`,
    )
    assert.equal(rows.length, 1)
    await lookup(exchange, `update ${table} set ${set} where ${where()}`)
    try {
      assert.notDeepEqual(await verify(exchange.service.house.ctx), [])
    } finally {
      const type =
        changed === 'quote' || changed === 'evidence'
          ? '::json'
          : changed?.endsWith('amount') || changed === 'expected_to'
            ? '::numeric'
            : ''
      await lookup(exchange, `update ${table} set ${changed} = $1${type} where ${where()}`, [rows[0]?.old])
    }
  })
}

for (const kind of ['deposit', 'exchange', 'payout_sent', 'payout_settled', 'payout_returned']) {
  it(`verify sees that somebody has removed the ${kind} from the books of a held transaction`, async () => {
    const entries = await lookup<{ id: string }>(
      exchange,
      `select id from entries where kind = $1 and transaction_id = ${of(held)}`,
      [kind],
    )
    const id = entries[0]?.id
    assert.ok(id)
    await lookup(exchange, 'create table kept_entry as select * from entries where id = ' + id)
    await lookup(exchange, 'create table kept_postings as select * from postings where entry_id = ' + id)
    await lookup(exchange, `delete from postings where entry_id = ${id}`)
    await lookup(exchange, `delete from entries where id = ${id}`)
    try {
      assert.notDeepEqual(await verify(exchange.service.house.ctx), [])
    } finally {
      await lookup(exchange, 'insert into entries select * from kept_entry')
      await lookup(exchange, 'insert into postings select * from kept_postings')
      await lookup(exchange, 'drop table kept_entry, kept_postings')
    }
  })
}
