import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import pg from 'pg'

import { serviceUrlOf } from '../../src/app/database.ts'
import { updateBalanceSnapshot } from '../../src/exchange/ledger/balance.ts'
import { everythingValued } from '../support/profit.ts'
import { verify } from '../../src/exchange/checks/verify.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { advance, arrive, assertBooksHold, buy, create, lookup, pay, readyToPay } from '../support/journey.ts'
import { until } from '../support/telling.ts'
import { whileChanged } from '../support/while-changed.ts'

let exchange: Exchange
before(async () => {
  exchange = await startExchange({ RATE_LIMITS: 'off' })
})
after(() => exchange.stop())

describe('the service’s own role', () => {
  const growOnly = ['entries', 'postings', 'status_history', 'quotes', 'rail_events', 'audit', 'assets']
  const forbidden = [
    ...growOnly.flatMap((table) => [
      `update ${table} set ${columnOf(table)} = ${columnOf(table)}`,
      `delete from ${table}`,
      `truncate ${table} cascade`,
    ]),
    ...['deposits set amount = amount', 'deposits set transaction_id = null', 'deposits set rail = rail'].map(update),
    ...['payouts set amount = amount', 'payouts set destination = destination', 'payouts set place = place'].map(
      update,
    ),
    ...[
      'plans set body = body',
      'disputes set amount = amount',
      'plans set plan_key = plan_key',
      'deposit_instructions set pay_to = pay_to',
    ].map(update),
    'delete from deposit_instructions',
    'update deposit_reinstatements set amount = amount',
    'delete from deposit_reinstatements',
    'update deposit_rests set amount = amount',
    'delete from deposit_rests',
    'delete from disputes',
    'delete from payouts',
    'delete from schema_migrations',
    'update schema_migrations set name = name',
    'alter table postings add column x integer',
    'alter table postings disable trigger all',
    'drop table postings',
    'drop view audit_postings',
    'create table public.mine (x integer)',
    'create rule sly as on insert to postings do instead nothing',
    'set session_replication_role = replica',
  ]
  function update(what: string): string {
    return `update ${what}`
  }
  function columnOf(table: string): string {
    return (
      {
        entries: 'kind',
        postings: 'amount',
        status_history: 'status',
        quotes: 'quote',
        rail_events: 'body',
        audit: 'actor',
        assets: 'decimals',
      }[table] ?? ''
    )
  }

  it('can add to the books and to what happened, and change or remove nothing of it', async () => {
    await buy(exchange)
    const client = new pg.Client({
      connectionString: serviceUrlOf(exchange.ownerUrl, exchange.service.composition.ctx.secrets),
    })
    await client.connect()
    try {
      for (const table of growOnly)
        assert.ok((await client.query(`select 1 from ${table}`)).rowCount, `${table} can be read, and has rows`)
      for (const sql of forbidden) {
        await assert.rejects(client.query(sql), (error: Error & { code?: string }) => error.code === '42501', sql)
      }
      const { rows } = await client.query<{ rolsuper: boolean; rolbypassrls: boolean }>(
        'select rolsuper, rolbypassrls, rolcreaterole from pg_roles where rolname = current_user',
      )
      assert.deepEqual(rows, [{ rolsuper: false, rolbypassrls: false, rolcreaterole: false }])
    } finally {
      await client.end()
    }
    await assertBooksHold(exchange)
  })
})

/** One thing that someone with the owner's rights changes behind the service's back, and the sentence that tells of it. */
type Plant = { what: string; change: string; mend: string; told: RegExp }

const finished = `(select id from transactions where status = 'finished' order by id limit 1)`
const waiting = `(select id from transactions where status = 'waiting_for_deposit' order by id limit 1)`
const held = `(select id from transactions where status_details = 'underpaid' or status = 'refunded' order by id limit 1)`
const entryOf = (kind: string) => `(select id from entries where kind = '${kind}' and transaction_id = ${finished})`

/** Plants that a plain statement takes back. */
const plants: Plant[] = [
  {
    what: 'the amount of a posting',
    change: `update postings set amount = amount + 1 where entry_id = ${entryOf('exchange')} and line = 1`,
    mend: `update postings set amount = amount - 1 where entry_id = ${entryOf('exchange')} and line = 1`,
    told: /^Entry \d+ \(exchange\) of transaction \d+ was changed after it was booked\.$/,
  },
  {
    what: 'the account of a posting',
    change: `update postings set credit = 'capital' where entry_id = ${entryOf('exchange')} and credit = 'position'`,
    mend: `update postings set credit = 'position' where entry_id = ${entryOf('exchange')} and credit = 'capital'`,
    told: /^Entry \d+ \(exchange\) of transaction \d+ was changed after it was booked\.$/,
  },
  {
    what: 'a posting too many',
    change: `insert into postings values (${entryOf('deposit')}, 9, 'position', 'capital', 'EUR-EUR', 5)`,
    mend: `delete from postings where line = 9`,
    told: /^Entry \d+ \(deposit\) of transaction \d+ was changed after it was booked\.$/,
  },
  {
    what: 'the time of an entry',
    change: `update entries set at = at - interval '1 day' where id = ${entryOf('deposit')}`,
    mend: `update entries set at = at + interval '1 day' where id = ${entryOf('deposit')}`,
    told: /^Entry \d+ \(deposit\) of transaction \d+ was changed after it was booked\.$/,
  },
  {
    what: 'a status without its entries',
    change: `update transactions set status = 'exchanging' where id = ${waiting}`,
    mend: `update transactions set status = 'waiting_for_deposit' where status = 'exchanging'`,
    told: /^Transaction \d+ is exchanging without deposit\.$/,
  },
  {
    what: 'a status that its history does not end at',
    change: `update transactions set status = 'cancelled' where id = ${waiting}`,
    mend: `update transactions set status = 'waiting_for_deposit' where status = 'cancelled'`,
    told: /^Transaction \d+ is cancelled, but its history ends at waiting_for_deposit\.$/,
  },
  {
    what: 'an end that still owes its customer',
    change: `update transactions set status = 'refunded' where id = ${held}`,
    mend: `update transactions set status = 'on_hold' where status = 'refunded'`,
    told: /^Transaction \d+ is refunded and still owes its customer\.$/,
  },
  {
    what: 'an end although money came',
    change: `update transactions set status = 'expired', status_details = 'review' where id = ${held}`,
    mend: `update transactions set status = 'on_hold', status_details = 'underpaid' where status_details = 'review'`,
    told: /^Transaction \d+ is expired with deposit\.$/,
  },
  {
    what: 'what was deposited',
    change: `update transactions set from_amount = from_amount + 1 where id = ${finished}`,
    mend: `update transactions set from_amount = from_amount - 1 where id = ${finished}`,
    told: /^Transaction \d+ does not show what was deposited\.$/,
  },
  {
    what: 'what was paid out',
    change: `update transactions set to_amount = to_amount + 1 where id = ${finished}`,
    mend: `update transactions set to_amount = to_amount - 1 where id = ${finished}`,
    told: /^Transaction \d+ does not show what was paid out\.$/,
  },
  {
    what: 'a payout without evidence',
    change: `update plans set state = 'submitted' where id = (select plan_id from payouts where transaction_id = ${finished})`,
    mend: `update plans set state = 'done' where state = 'submitted'`,
    told: /^Transaction \d+ has a payout without evidence\.$/,
  },
  {
    what: 'a payout without a plan',
    change: `alter table payouts drop constraint payouts_check; update payouts set state = 'waiting' where transaction_id = ${finished}`,
    mend: `update payouts set state = 'paid' where state = 'waiting'`,
    told: /^Transaction \d+ has a payout without a plan\.$/,
  },
  {
    what: 'a balance snapshot',
    change: `update folded_balances set amount = amount + 1 where account = 'position' and asset = 'BTC-BTC'`,
    mend: `update folded_balances set amount = amount - 1 where account = 'position' and asset = 'BTC-BTC'`,
    told: /^The balance snapshot of position in BTC-BTC is not the sum of its postings\.$/,
  },
  {
    what: 'a reserve',
    change: `update reserves set reserved = reserved + 1 where asset = 'BTC-BTC'`,
    mend: `update reserves set reserved = reserved - 1 where asset = 'BTC-BTC'`,
    told: /^BTC-BTC reserves at wallet-btc differ from its open payouts\.$/,
  },
  {
    what: 'a wallet that holds less than the books say',
    change: `update sandbox.wallets set balance = balance - 1 where chain = 'BTC' and address in (select sender from sandbox.transfers)`,
    mend: `update sandbox.wallets set balance = balance + 1 where chain = 'BTC' and address in (select sender from sandbox.transfers)`,
    told: /^sandbox-btc holds [\d.]+ BTC, the books say [\d.]+ BTC\.$/,
  },
]

/** Rows that someone removes; they are put back as they were. */
const removals: { what: string; table: string; rows: string; told: RegExp }[] = [
  {
    what: 'a posting',
    table: 'postings',
    rows: `entry_id = ${entryOf('exchange')} and line = 2`,
    told: /^Entry \d+ \(exchange\) of transaction \d+ was changed after it was booked\.$/,
  },
  {
    what: 'all postings of an entry',
    table: 'postings',
    rows: `entry_id = ${entryOf('payout_sent')}`,
    told: /^Entry \d+ \(payout_sent\) of transaction \d+ has no postings\.$/,
  },
  {
    what: 'a part of the history',
    table: 'status_history',
    rows: `transaction_id = ${finished} and status = 'exchanging'`,
    told: /^Transaction \d+ has lost a part of its history\.$/,
  },
  {
    what: 'an event',
    table: 'events',
    rows: `stream = (select public_id from transactions where id = ${finished}) and sequence = 3`,
    told: /^Transaction \d+ has lost an event\.$/,
  },
]

describe('verify finds what was changed behind the service’s back:', () => {
  before(async () => {
    await buy(exchange)
    await readyToPay(exchange)
    const { id } = await readyToPay(exchange)
    await create(exchange)
    await pay(exchange, id, { amount: '60' })
    await arrive(exchange, id, 'on_hold')
    await advance(exchange, 'PT31M')
    await readyToPay(exchange)
    const { ctx } = exchange.service.composition
    // The snapshot ends before the oldest running transaction of the server, those of other databases included.
    await until(async () => {
      await updateBalanceSnapshot(ctx.db)
      return (
        (await lookup(exchange, `select from folded_balances where account = 'position' and asset = 'BTC-BTC'`))
          .length > 0
      )
    }, 'a balance snapshot')
    // Each entry is valued once: one that is valued while a test has changed it would keep a wrong value.
    await everythingValued(ctx)
    await assertBooksHold(exchange)
  })

  /** What `verify` tells while something is wrong; afterwards it has nothing to tell again. */
  async function assertTold(change: string, mend: string, told: RegExp): Promise<void> {
    const problems = await whileChanged(exchange, { change, mend }, () => verify(exchange.service.composition.ctx))
    assert.ok(
      problems.some((problem) => told.test(problem)),
      `${told} is not among:\n${problems.join('\n')}`,
    )
    await assertBooksHold(exchange)
  }

  for (const { what, change, mend, told } of plants) it(what, () => assertTold(change, mend, told))

  for (const { what, table, rows, told } of removals) {
    it(`${what} that is gone`, async () => {
      await lookup(exchange, `create table taken as select * from ${table} where ${rows}`)
      const columns = table === 'events' ? 'overriding system value' : ''
      await assertTold(
        `delete from ${table} where ${rows}`,
        `insert into ${table} ${columns} select * from taken; drop table taken`,
        told,
      )
    })
  }

  it('an entry that is gone with its postings', async () => {
    const id = (await lookup<{ id: string }>(exchange, `select ${entryOf('payout_settled')} as id`))[0]?.id
    await lookup(
      exchange,
      `create table lines as select * from postings where entry_id = ${id}; create table taken as select * from entries where id = ${id}`,
    )
    await assertTold(
      `delete from postings where entry_id = ${id}; delete from entries where id = ${id}`,
      'insert into entries select * from taken; insert into postings select * from lines; drop table taken; drop table lines',
      /^Transaction \d+ is finished without payout_settled\.$/,
    )
  })
})
