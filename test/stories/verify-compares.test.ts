import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import type { Db } from '../../src/platform/db/sql.ts'
import { verify } from '../../src/exchange/checks/verify.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { assertBooksHold, buy, lookup } from '../support/journey.ts'
import { whileChanged } from '../support/while-changed.ts'

let exchange: Exchange
const ids: Record<string, string> = {}
before(async () => {
  exchange = await startExchange({ RATE_LIMITS: 'off' })
  ids.one = (await buy(exchange)).id
  ids.two = (await buy(exchange)).id
  for (const name of ['held-refunded', 'payout-refused', 'chargeback-before-exchange', 'suspense-returned']) {
    const { body } = await exchange.api<{ transaction_id: string }>(`/v1/sandbox/scenarios/${name}`, { body: {} })
    ids[name] = body.transaction_id
  }
  await assertBooksHold(exchange)
  await does(unguard)
})
after(() => exchange.stop())

/** What somebody with the owner's rights does behind the service's back; `mend` takes it back, and is the same for what changes places. */
type Plant = { what: string; change: () => string; mend?: () => string; told: RegExp; of: string[] }

const of = (name: string) => `(select id from transactions where public_id = ${ids[name]})`
const rowOf = (table: string, name: string) => `(select min(id) from ${table} where transaction_id = ${of(name)})`
const planOf = (name: string) => `(select min(plan_id) from payouts where transaction_id = ${of(name)})`
const entryOf = (name: string, kind: string) =>
  `(select id from entries where kind = '${kind}' and transaction_id = ${of(name)})`

/** Two rows give each other one of their columns. */
const trade = (table: string, column: string, first: string, second: string, key = 'id'): string => `
  update ${table} as mine set ${column} = other.${column} from ${table} as other
  where mine.${key} in (${first}, ${second}) and other.${key} in (${first}, ${second}) and mine.${key} <> other.${key}`

/** Two entries, with their postings, change places. */
const tradeIds = (first: string, second: string): string => `
  create temporary table pair as select ${first} as a, ${second} as b;
  update postings set entry_id = -entry_id where entry_id in (select a from pair union select b from pair);
  update entries set id = -id where id in (select a from pair union select b from pair);
  update postings set entry_id = case when -entry_id = a then b else a end from pair where entry_id < 0;
  update entries set id = case when -id = a then b else a end from pair where id < 0;
  drop table pair`

/** One column of a row is changed to something, and back. */
const set = (table: string, column: string, to: string, where: () => string) => ({
  change: () => `
    create table kept as select ${column} as was from ${table} where ${where()};
    update ${table} set ${column} = ${to} where ${where()}`,
  mend: () => `update ${table} set ${column} = (select was from kept) where ${where()}; drop table kept`,
})

/** Rows are taken out, and put back. */
const remove = (table: string, where: () => string) => ({
  change: () => `
    create table kept as select * from ${table} where ${where()};
    delete from ${table} where ${where()}`,
  mend: () => `insert into ${table} overriding system value select * from kept; drop table kept`,
})

const refund = () => `transaction_id = ${of('held-refunded')}`
const fact = () => `id = (select event_id from deposits where transaction_id = ${of('one')})`
const elsewhere = /^Payout \d+ of transaction \d+ goes elsewhere than was ordered\.$/
const unlike = /^Deposit \d+ of transaction \d+ is not what its rail told\.$/
const back = /^Transaction \d+ has a history that goes back in time\.$/

const plants: Plant[] = [
  {
    what: 'the places of two entries of a transaction',
    change: () => tradeIds(entryOf('one', 'deposit'), entryOf('one', 'exchange')),
    told: /^Entry \d+ \(deposit\) of transaction \d+ was changed after it was booked\.$/,
    of: ['one'],
  },
  {
    what: 'the places of entries of two transactions',
    change: () => tradeIds(entryOf('one', 'payout_sent'), entryOf('two', 'payout_sent')),
    told: /^Entry \d+ \(payout_sent\) of transaction \d+ was changed after it was booked\.$/,
    of: ['one', 'two'],
  },
  {
    what: 'when two things happened',
    change: () =>
      trade('status_history', 'at', '3', '4', 'number').replace(
        'where',
        `where mine.transaction_id = ${of('one')}
        and other.transaction_id = ${of('one')} and`,
      ),
    told: back,
    of: ['one'],
  },
  {
    what: 'in which order events were told',
    change: () => `
      update events set sequence = sequence + 1000 where stream = ${ids.one} and sequence in (3, 4);
      update events set sequence = 1007 - sequence where stream = ${ids.one} and sequence > 1000`,
    told: back,
    of: ['one'],
  },
  {
    what: 'whose two deposits are',
    change: () => trade('deposits', 'transaction_id', rowOf('deposits', 'one'), rowOf('deposits', 'two')),
    told: /^Deposit \d+ of transaction \d+ was told for another transaction, or for none\.$/,
    of: ['one', 'two'],
  },
  {
    what: 'where two payouts went',
    change: () => trade('payouts', 'destination', rowOf('payouts', 'one'), rowOf('payouts', 'two')),
    told: elsewhere,
    of: ['one', 'two'],
  },
  {
    what: 'where a refund went',
    ...set('payouts', 'destination', `'\\x00'::bytea`, refund),
    told: elsewhere,
    of: ['held-refunded'],
  },
  {
    what: 'what a plan says',
    ...set('plans', 'body', `'\\x00'::bytea`, () => `id = ${planOf('one')}`),
    told: elsewhere,
    of: ['one'],
  },
  {
    what: 'what a refund gives back',
    ...set('refunds', 'asset', `'USD-USD'`, refund),
    told: /^Payout \d+ of transaction \d+ is not what its refund is\.$/,
    of: ['held-refunded'],
  },
  {
    what: 'whether a refund was paid',
    ...set('refunds', 'state', `'failed'`, refund),
    told: /^Refund \d+ of transaction \d+ is failed, and its payouts are not\.$/,
    of: ['held-refunded'],
  },
  {
    what: 'which deposit a refund gives back',
    ...set('refunds', 'deposit_id', '(select min(id) from deposits)', refund),
    told: /^Refund \d+ of transaction \d+ gives back another deposit\.$/,
    of: ['held-refunded'],
  },
  {
    what: 'what a refund of nobody’s gives back',
    ...set('refunds', 'amount', 'amount - 1', () => 'transaction_id is null'),
    told: /^Payout \d+ is not what its refund is\.$/,
    of: [],
  },
  {
    what: 'the end of a plan that returned nobody’s money',
    ...set('plans', 'state', `'submitted'`, () => `id = (select plan_id from payouts where transaction_id is null)`),
    told: /^Payout \d+ is paid, and its plan is submitted\.$/,
    of: [],
  },
  {
    what: 'what became of a plan that was refused',
    ...set('plans', 'state', `'submitted'`, () => `id = ${planOf('payout-refused')}`),
    told: /^Payout \d+ of transaction \d+ is failed, and its plan is submitted\.$/,
    of: ['payout-refused'],
  },
  {
    what: 'the rail of a plan',
    ...set('plans', 'rail', `'sandbox-eth'`, () => `id = ${planOf('one')}`),
    told: /^Payout \d+ of transaction \d+ is planned on another rail\.$/,
    of: ['one'],
  },
  {
    what: 'the plan of a refund, which is gone',
    ...remove('plans', () => `id = ${planOf('held-refunded')}`),
    told: /^Payout \d+ of transaction \d+ has lost its plan\.$/,
    of: ['held-refunded'],
  },
  {
    what: 'plans: one more, which pays nothing',
    change: () => `
      create table kept as select * from plans where id = ${planOf('one')};
      update kept set id = 1, plan_key = 'another'; insert into plans select * from kept`,
    mend: () => `delete from plans where id = 1; drop table kept`,
    told: /^Plan 1 pays nothing\.$/,
    of: [],
  },
  {
    what: 'how much a rail told of',
    ...set('rail_events', 'amount', '1', fact),
    told: unlike,
    of: ['one'],
  },
  { what: 'what a rail told', ...set('rail_events', 'kind', `'deposit_declined'`, fact), told: unlike, of: ['one'] },
  {
    what: 'the payment that a deposit is',
    ...set('deposits', 'payment', `'another'`, () => `transaction_id = ${of('one')}`),
    told: unlike,
    of: ['one'],
  },
  {
    what: 'what a rail told, which is gone',
    ...remove('rail_events', () => 'id = (select event_id from deposits where transaction_id is null)'),
    told: /^Deposit \d+ has lost the rail event that reported it\.$/,
    of: [],
  },
  {
    what: 'a transaction, which is gone',
    ...remove('transactions', () => `public_id = ${ids.one}`),
    told: /^Entry \d+ \(exchange\) belongs to a missing transaction\.$/,
    of: [],
  },
  {
    what: 'whose a transaction is',
    ...set(
      'transactions',
      'partner_id',
      '(select min(id) from partners where partners.id <> partner_id)',
      () => `public_id = ${ids.one}`,
    ),
    told: /^Transaction \d+ has an event of another partner\.$/,
    of: ['one'],
  },
  {
    what: 'a status to `refunded`, although nothing was given back',
    change: () => `
      update transactions set status = 'refunded' where public_id = ${ids['chargeback-before-exchange']};
      update status_history set status = 'refunded' where transaction_id = ${of('chargeback-before-exchange')} and status = 'cancelled'`,
    mend: () => `
      update transactions set status = 'cancelled' where public_id = ${ids['chargeback-before-exchange']};
      update status_history set status = 'cancelled' where transaction_id = ${of('chargeback-before-exchange')} and status = 'refunded'`,
    told: /^Transaction \d+ is refunded and has given nothing back\.$/,
    of: ['chargeback-before-exchange'],
  },
]

const does = (sql: string): Promise<unknown> => lookup(exchange, `begin; ${sql}; commit`)

/** What the owner of the tables can do first: from then on no foreign key and no trigger has a say. */
const unguard = `
  do $$ declare one record; begin
    for one in select conrelid::regclass as name, conname from pg_constraint where contype = 'f' and connamespace = 'public'::regnamespace
    loop execute format('alter table %s drop constraint %I', one.name, one.conname); end loop;
  end $$;
  alter table deposits disable trigger user`

describe('verify compares, and sees that somebody has changed', () => {
  for (const { what, change, mend = change, told, of: whose } of plants) {
    it(what, async () => {
      const problems = await whileChanged(exchange, { change: change(), mend: mend() }, () =>
        verify(exchange.service.composition.ctx),
      )
      const said = problems.filter((problem) => told.test(problem))
      assert.ok(said.length > 0, `${told} is not said`)
      for (const name of whose)
        assert.ok(
          said.some((problem) => problem.includes(ids[name] ?? '')),
          `${name} is not named`,
        )
      await assertBooksHold(exchange)
    })
  }
})

describe('verify', () => {
  it('reads no more at a time, however much there is', async () => {
    const { ctx } = exchange.service.composition
    const more = 'generate_series(1000000000001, 1000000002500) as more'
    await does(`
      create table first as select * from transactions where public_id = ${ids.one};
      insert into transactions select (jsonb_populate_record(first, jsonb_build_object('id', more, 'public_id', more, 'checkout_token', null))).* from first, ${more};
      insert into quotes select more, number, valid_until, quote from quotes, ${more} where transaction_id = (select id from first);
      insert into status_history select (jsonb_populate_record(status_history, jsonb_build_object('transaction_id', more))).*
        from status_history, ${more} where transaction_id = (select id from first);
      insert into entries (id, kind, ref, at, digest) select more, 'wallet_cost', more, now(), '' from ${more};
      insert into plans select (jsonb_populate_record(plans, jsonb_build_object('id', more, 'plan_key', more))).* from plans, ${more}
        where id = ${planOf('one')};
      insert into payouts select (jsonb_populate_record(payouts, jsonb_build_object('id', more, 'plan_id', more, 'number', more - 999999999900))).*
        from payouts, ${more} where id = ${rowOf('payouts', 'one')};
      insert into refunds select (jsonb_populate_record(refunds, jsonb_build_object('id', more, 'public_id', more))).* from refunds, ${more}
        where ${refund()};
      insert into deposits select (jsonb_populate_record(deposits, jsonb_build_object('id', more, 'event_id', more, 'payment', more))).*
        from deposits, ${more} where id = ${rowOf('deposits', 'one')};
      drop table first`)
    let most = 0
    const counting: Db = {
      sql: async <Row>(strings: TemplateStringsArray, ...values: unknown[]): Promise<Row[]> => {
        const rows = await ctx.db.sql<Row>(strings, ...values)
        most = Math.max(most, rows.length)
        return rows
      },
    }
    await verify({ ...ctx, db: { ...ctx.db, ...counting } })
    assert.ok(most >= 1_000 && most <= 2_000, `${most} rows at a time`)
  })
})
