import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { buildAdmin } from '../../src/doors/api/admin.ts'
import { metricsOf } from '../../src/app/metrics.ts'
import { findStuck, stuckStates } from '../../src/exchange/checks/stuck.ts'
import { addEndpoint } from '../../src/exchange/webhooks/manage-endpoints.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { buy, lookup } from '../support/journey.ts'
import { read } from '../support/papers.ts'

let exchange: Exchange
let id: string
let plants: Plant[]

/** Something that waits for too long: how it is planted, taken away again, and told. */
type Plant = { found: string; change: string; mend: string; waitsFor: RegExp; holdsUp?: false }

before(async () => {
  exchange = await startExchange()
  id = (await buy(exchange, { to_currency: 'USDT', to_network: 'TRX' })).id
  const { ctx } = exchange.service.composition
  const url = 'http://127.0.0.1:9/hook'
  const { endpoint } = await addEndpoint(ctx, { partnerId: BigInt(exchange.sandbox.partner_id), url }, 'test')
  plants = [...held, ...onTheirWay, ...outside(String(endpoint.id))]
})
after(() => exchange.stop())

const old = (age: string) => `now() - interval '${age}'`

/** The buy is in another status than it should be, and came there long ago. */
const held = (
  [
    ['on_hold', '25 h', /^an operator to decide$/],
    ['on_hold review', '5 h', /^an operator to decide$/],
    ['on_hold kyc_required', '73 h', /^its customer to pass the identity check$/],
    ['on_hold underpaid', '73 h', /^its customer to pay the rest, /],
    ['on_hold late', '73 h', /^its customer to accept the current price /],
    ['on_hold wrong_asset', '73 h', /^its customer to take back /],
    ['on_hold address_needed', '73 h', /^its customer to enter another address$/],
    ['on_hold refund_pending', '3 h', /^its refund to be paid$/],
    ['on_hold confirming', '25 h', /^its deposit to become final or be reversed$/],
    ['waiting_for_deposit confirming', '25 h', /^its deposit to become final or be reversed$/],
    ['exchanging', '6 min', /^its payout on sandbox-trx to be prepared$/],
    ['sending', '31 min', /^evidence from sandbox-trx$/],
    ['sending payout_unknown', '11 min', /^sandbox-trx to say whether it has paid$/],
  ] as const
).map(([state, age, waitsFor]): Plant => {
  const [status = '', details] = state.split(' ')
  return {
    found: `transaction ${state}`,
    change: `update transactions set status = '${status}', status_details = ${details ? `'${details}'` : 'null'};
      update status_history set at = at - interval '${age}'`,
    mend: `update transactions set status = 'finished', status_details = null; update status_history set at = at + interval '${age}'`,
    waitsFor,
  }
})

const overdue = ['new', 'waiting_for_customer', 'waiting_for_deposit'].map((status): Plant => ({
  found: `transaction ${status}`,
  change: `update transactions set status = '${status}', expires_at = expires_at - interval '2 days'`,
  mend: `update transactions set status = 'finished', expires_at = expires_at + interval '2 days'`,
  waitsFor: /^its end: the time to pay ended at \d{4}-/,
}))

const refund = (state: string, age: string, waitsFor: RegExp): Plant => ({
  found: `refund ${state}`,
  change: `insert into refunds (id, public_id, transaction_id, deposit_id, asset, amount, cost, reason, state, ordered_at)
    select 1, 77, transaction_id, id, asset, 500, 100, 'a test', '${state}', ${old(age)} from deposits`,
  mend: 'delete from refunds',
  waitsFor,
})

const plan = (state: string, age: string, waitsFor: RegExp): Plant => ({
  found: `plan ${state}`,
  change: `update plans set state = '${state}', planned_at = planned_at - interval '${age}', ended_at = null`,
  mend: `update plans set state = 'done', planned_at = planned_at + interval '${age}', ended_at = planned_at`,
  waitsFor,
})

const onTheirWay: Plant[] = [
  ...overdue,
  {
    found: 'payout waiting',
    change: `update payouts set state = 'waiting', plan_id = null`,
    mend: `update payouts set state = 'paid', plan_id = (select id from plans)`,
    waitsFor: /^money: [\d.]+ USDT-TRX at wallet-trx$/,
  },
  {
    found: 'payout reserved',
    change: `update payouts set state = 'reserved', plan_id = null, ordered_at = ordered_at - interval '25 h'`,
    mend: `update payouts set state = 'paid', plan_id = (select id from plans), ordered_at = ordered_at + interval '25 h'`,
    waitsFor: /^sandbox-trx to prepare it: /,
  },
  plan('planned', '11 min', /^being handed to sandbox-trx$/),
  plan('submitted', '31 min', /^evidence from sandbox-trx$/),
  plan('unknown', '11 min', /^sandbox-trx to say whether it has paid$/),
  refund('ordered', '31 min', /^being sent: 4 EUR-EUR back by sandbox-card$/),
  {
    found: 'refund held',
    change: `${refund('ordered', '5 h', / /).change}; update refunds set held_at = ordered_at`,
    mend: 'delete from refunds',
    waitsFor: /^`transaction release`: an operator holds 4 EUR-EUR that came by sandbox-card$/,
  },
  {
    found: 'refund unapproved',
    change: `${refund('ordered', '2 h', / /).change};
      insert into payouts (id, transaction_id, refund_id, purpose, number, rail, place, asset, amount, state, data_key_id,
        destination, ordered_at, approval_asked_at)
      select 1, transactions.id, 1, 'refund', 1, 'sandbox-card', 'card-processor', 'EUR-EUR', 4, 'reserved', data_key_id, '',
        ${old('2 h')}, ${old('2 h')} from transactions`,
    mend: 'delete from payouts where id = 1; delete from refunds',
    waitsFor: /^`payout approve` by two operators: 4 EUR-EUR that came by sandbox-card$/,
  },
  refund('address_needed', '73 h', /^its customer to enter an address for 4 EUR-EUR$/),
  refund('sent', '3 h', /^evidence that sandbox-card has paid back 4 EUR-EUR$/),
  refund('failed', '1 s', /^an operator: sandbox-card could not send back 4 EUR-EUR$/),
  {
    found: 'deposit suspense',
    change: `update deposits set transaction_id = null, exchanged = 0, at = at - interval '25 h'`,
    mend: `update deposits set at = at + interval '25 h', exchanged = amount,
      transaction_id = (select id from transactions limit 1)`,
    waitsFor: /^an operator to match or return 100 EUR-EUR that came by sandbox-card$/,
    holdsUp: false,
  },
]

/** What a bank has sent, or has not. */
const fromBanks: Omit<Plant, 'holdsUp'>[] = [
  {
    found: 'file refused',
    change: `insert into iso20022_rails (rail) values ('bank-1');
      insert into iso20022_files (rail, name, checksum, state, reason, received_at)
      values ('bank-1', 'a.xml', 'x', 'refused', 'The file is too large.', ${old('1 s')})`,
    mend: 'delete from iso20022_files; delete from iso20022_rails',
    waitsFor: /^an operator to remove or replace it: The file is too large\.$/,
  },
  {
    found: 'statement missing',
    change: `insert into iso20022_rails (rail) values ('bank-1');
      insert into iso20022_files (rail, name, checksum, state, received_at)
        values ('bank-1', 'a.xml', 'x', 'taken', ${old('1 s')});
      insert into iso20022_statements (rail, account, asset, identification, number, page, closing_on, opening, closing, file_id)
        select 'bank-1', 'DE02120300000000202051', 'EUR-EUR', number::text, number, 1, date '2025-12-29' + day, 0, 0, id
        from iso20022_files, (values (40, 0), (41, 1), (1, 4), (2, 5), (5, 6)) as came (number, day)`,
    mend: 'delete from iso20022_statements; delete from iso20022_files; delete from iso20022_rails',
    waitsFor: /^the bank to send it: a statement of the account that ends in 2051$/,
  },
]

/** What holds up no transaction of its own. */
const outside = (endpoint: string): Plant[] =>
  [
    {
      found: 'rail halted',
      change: `insert into halts (name, since, reason) values ('sandbox-btc', ${old('1 s')}, 'a block was taken back')`,
      mend: 'delete from halts',
      waitsFor: /^`rail resume`: nothing is credited, because a block was taken back$/,
    },
    ...(['all', 'payouts', 'rail', 'asset', 'restored'] as const).map((scope) => ({
      found: `halt ${scope}`,
      change: `insert into halts (scope, name, since, reason)
        values ('${scope}', '${['rail', 'asset'].includes(scope) ? 'sandbox-btc' : ''}', ${old('1 s')}, 'a drill')`,
      mend: 'delete from halts',
      waitsFor: scope === 'restored' ? /^`restore open`: a drill$/ : /^`resume` by two operators: a drill$/,
    })),
    {
      found: 'webhook untried',
      change: `insert into webhook_queue (endpoint_id, stream, sequence, event_id, next_at, lease_until)
        values (${endpoint}, 1, 1, 1, ${old('6 min')}, null);
        update webhook_endpoints set status = 'active' where id = ${endpoint}`,
      mend: 'delete from webhook_queue',
      waitsFor: /^a process that delivers webhooks: 1 due for http:\/\/127\.0\.0\.1:9$/,
    },
    {
      found: 'webhook failing',
      change: `update webhook_endpoints set status = 'failing', failing_since = ${old('61 min')} where id = ${endpoint}`,
      mend: `update webhook_endpoints set status = 'paused', failing_since = null where id = ${endpoint}`,
      waitsFor: /^http:\/\/127\.0\.0\.1:9 to accept webhooks again: 0 waiting$/,
    },
    {
      found: 'webhook replay',
      change: `insert into webhook_replays (id, endpoint_id, since, next_position, last_position, asked_at)
        values (1, ${endpoint}, now(), 1, 2, ${old('61 min')})`,
      mend: 'delete from webhook_replays',
      waitsFor: /^its last event to be queued again for http:\/\/127\.0\.0\.1:9$/,
    },
    {
      found: 'event unplaced',
      change: `update event_relay set seen_below = '0'; delete from event_feed;
        update events set at = at - interval '3 min'`,
      mend: 'insert into event_feed (event_id, partner_id) select id, partner_id from events order by id',
      waitsFor: /^a place in the feed: 5 events$/,
    },
    ...fromBanks,
    {
      found: 'hedge unknown',
      change: `insert into hedges (id, venue, client_order_id, pair, side, base, quote, amount, limit_price, worth, state, reason,
          proposed_by, proposed_at, sent_at)
        values (1, 'kraken', 'h-1', 'BTC/EUR', 'buy', 'BTC-BTC', 'EUR-EUR', 250000, '90000', 22500, 'unknown', 'a test', 'system',
          ${old('1 min')}, ${old('1 min')})`,
      mend: 'delete from hedges',
      waitsFor: /^kraken to show the order, or `hedge resolve`: it may have traded 0\.0025 BTC-BTC$/,
    },
    {
      found: 'job failed',
      change: `insert into jobs (kind, key, timebase, run_at, attempts, last_error)
        values ('test', '1', 'real', now() + interval '1 h', 2, 'Broken.')`,
      mend: `delete from jobs where kind = 'test'`,
      waitsFor: /^its next attempt, after 2 that failed: Broken\.$/,
    },
    {
      found: 'job overdue',
      change: `insert into jobs (kind, key, timebase, run_at) values ('test', '1', 'real', ${old('2 min')})`,
      mend: `delete from jobs where kind = 'test'`,
      waitsFor: /^a process that does it$/,
    },
  ].map((plant) => ({ ...plant, holdsUp: false as const }))

describe('what has waited longer than its state allows', () => {
  before(async () => {
    // What looks by itself would mend what is planted.
    const { ctx, relay, sender } = exchange.service.composition
    await relay.stop()
    await sender.stop()
    await ctx.queue.stop()
    await lookup(exchange, `update webhook_endpoints set status = 'paused'`)
  })

  it('is nothing while everything goes its way', async () => {
    assert.deepEqual(await findStuck(exchange.service.composition.ctx), [])
  })

  it('is found once, of every kind and in every state that has a limit, with a sentence that says what it waits for', async () => {
    const { ctx } = exchange.service.composition
    for (const { found, change, mend, waitsFor, holdsUp } of plants) {
      await lookup(exchange, change)
      const stuck = await findStuck(ctx)
      await lookup(exchange, mend)
      assert.deepEqual(
        stuck.map(({ what, state }) => `${what} ${state}`),
        [found],
      )
      const [one] = stuck
      assert.match(one?.waitsFor ?? '', waitsFor)
      assert.equal(one?.transactionId, holdsUp === false ? null : BigInt(id), found)
    }
    assert.deepEqual(await findStuck(ctx), [])
    assert.deepEqual(
      plants.map(({ found }) => found).toSorted(),
      stuckStates.map(({ what, state }) => `${what} ${state}`).toSorted(),
    )
    const page = read('docs/operator/metrics.md')
    const rows = [...page.matchAll(/^\| (\w+) \| ([a-z_ ]+) \| (?:at once|\d+ (?:min|h|d)) \| .+ \|$/gm)]
    assert.deepEqual(
      rows.map(([, what, state]) => ({ what, state })),
      stuckStates,
      'what the operator reads',
    )
  })

  it('is in the metrics, with zeros where there is nothing', async () => {
    const { ctx } = exchange.service.composition
    await lookup(exchange, `insert into halts (name, since, reason) values ('sandbox-btc', ${old('90 s')}, 'a test')`)
    const app = buildAdmin(ctx, { gauges: metricsOf(ctx) })
    const { payload } = await app.inject('/metrics')
    await app.close()
    await lookup(exchange, 'delete from halts')
    assert.match(payload, /^cambio_stuck\{what="rail",state="halted"\} 1$/m)
    assert.match(payload, /^cambio_stuck_oldest_seconds\{what="rail",state="halted"\} 9\d$/m)
    assert.match(payload, /^cambio_stuck\{what="plan",state="unknown"\} 0$/m)
    assert.match(payload, /^cambio_transactions_open\{status="waiting_for_deposit"\} 0$/m)
    assert.match(payload, /^cambio_rails_halted 1$/m)
    assert.match(payload, /^cambio_deposits_in_suspense 0$/m)
    assert.match(payload, /^cambio_webhooks_undelivered 0$/m)
    assert.match(payload, /^cambio_readings_failed 0$/m)
  })
})
