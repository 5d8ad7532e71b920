import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it, type TestContext } from 'node:test'

import pg from 'pg'

import { forgetOldAnswers } from '../../src/doors/api/idempotency.ts'
import { eventAgeing } from '../../src/exchange/events/forget.ts'
import { forgetOldAttempts } from '../../src/exchange/webhooks/attempts.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { advance, create } from '../support/journey.ts'
import { type Receiver, startReceiver, until } from '../support/telling.ts'
import { putInForce } from '../support/policies.ts'

const aged = 20_000
const halt = 77_001

let exchange: Exchange
let owner: pg.Client
before(async () => {
  exchange = await startExchange({ RATE_LIMITS: 'off' })
  const document = { events: 'P1D', webhook_attempts: 'P1D', idempotent_answers: 'PT24H' }
  await putInForce(exchange.service.composition.ctx, { kind: 'retention', document })
  owner = new pg.Client({ connectionString: exchange.ownerUrl })
  await owner.connect()
  await owner.query(`
    create table batches (id xid8, what text, rows bigint);
    create function note_batch() returns trigger language plpgsql security definer set search_path = public as $$ begin
      insert into batches select pg_current_xact_id(), tg_table_name, count(*) from gone having count(*) > 0;
      perform pg_advisory_xact_lock_shared(${halt});
      return null;
    end $$`)
})
beforeEach(() => owner.query('truncate batches'))
after(async () => {
  await owner.end()
  await exchange.stop()
})

/** Every statement that takes rows out of this table is written down, and waits while somebody holds the lock `halt`. */
const watch = async (t: TestContext, table: string) => {
  await owner.query(`
    create trigger note_batch after delete on ${table} referencing old table as gone
    for each statement execute function note_batch()`)
  t.after(() => owner.query(`drop trigger note_batch on ${table}`))
}

/** Twenty thousand events of ten days ago in a partner's feed, each with an attempt at one endpoint. */
const agedEvents = (partnerId: string, endpointId: string, from: number) =>
  owner.query(
    `with made as (
      insert into events (stream, sequence, partner_id, type, at, data_key_id, body)
      select number, 1, $1::bigint, 'transaction.created', now() - interval '10 days', 1, ''
      from generate_series($3::bigint, $3 + ${aged} - 1) as number returning id
    ),
    placed as (insert into event_feed (event_id, partner_id) select id, $1::bigint from made order by id)
    insert into webhook_attempts (endpoint_id, event_id, number, at, took_ms, outcome, status)
    select $2::bigint, id, 1, now() - interval '10 days', 1, 'delivered', 204 from made`,
    [partnerId, endpointId, from],
  )

const agedAnswers = () =>
  owner.query(`
    insert into idempotent_answers (api_key_id, key_hash, request_hash, status, answer, answered_at)
    select (select min(id) from api_keys), decode(md5(number::text), 'hex'), '', 201, '', now() - interval '10 days'
    from generate_series(1, ${aged}) as number`)

async function endpointAt(receiver: Receiver): Promise<{ id: string; partnerId: string }> {
  const { id } = (await exchange.api<{ id: string }>('/v1/webhook-endpoints', { body: { url: receiver.url } })).body
  const { rows } = await owner.query<{ partner_id: string }>('select partner_id from webhook_endpoints where id = $1', [
    id,
  ])
  return { id, partnerId: rows[0]?.partner_id ?? '' }
}

/** All that a partner does: a new transaction is told of, found in the feed and among the attempts, and answered once. */
async function useAll(receiver: Receiver, endpointId: string, key: string): Promise<void> {
  const told = receiver.all.length
  const { id } = await create(exchange, {}, { headers: { 'idempotency-key': key } })
  assert.equal((await create(exchange, {}, { headers: { 'idempotency-key': key } })).id, id)
  await receiver.got(told + 1)
  const event = `evt_${id}000001`
  assert.equal((await exchange.api(`/v1/events?after=${event}&limit=5`)).status, 200)
  await until(async () => {
    const path = `/v1/webhook-endpoints/${endpointId}/attempts?event_id=${event}`
    return (await exchange.api<{ data: unknown[] }>(path)).body.data.length === 1
  }, 'the attempt')
  await exchange.api(`/v1/webhook-endpoints/${endpointId}/test`, { method: 'POST' })
  await receiver.got(told + 2)
}

const waits = async (): Promise<boolean> =>
  (await owner.query(`select from pg_locks where locktype = 'advisory' and objid = ${halt} and not granted`)).rows
    .length > 0

type Batches = { most: number; commits: number; rows: number }
const batches = async (table: string): Promise<Batches> => {
  const { rows } = await owner.query<Batches>(
    `select max(rows)::integer as most, count(*)::integer as commits, sum(rows)::integer as rows
    from (select sum(rows) as rows from batches where what = $1 group by id) as block`,
    [table],
  )
  return rows[0] ?? { most: 0, commits: 0, rows: 0 }
}

describe('twenty thousand rows that have aged out', () => {
  const kinds: [table: string, most: number, chore: () => () => Promise<number>][] = [
    ['events', 500, () => eventAgeing(exchange.service.composition.ctx)],
    ['webhook_attempts', 500, () => () => forgetOldAttempts(exchange.service.composition.ctx)],
    ['idempotent_answers', 1_000, () => () => forgetOldAnswers(exchange.service.composition.ctx)],
  ]
  for (const [table, most, chore] of kinds) {
    it(`of ${table} go in batches of their own, and a batch that stands still keeps nobody waiting`, async (t) => {
      const receiver = await startReceiver(t)
      const { id, partnerId } = await endpointAt(receiver)
      await (table === 'idempotent_answers'
        ? agedAnswers()
        : agedEvents(partnerId, id, table === 'events' ? 1 : 1_000_001))
      await useAll(receiver, id, `before-${table}`)
      await watch(t, table)

      await owner.query(`select pg_advisory_lock(${halt})`)
      const going = chore()()
      try {
        await until(waits, 'a batch that stands still')
        await useAll(receiver, id, `during-${table}`)
      } finally {
        await owner.query(`select pg_advisory_unlock(${halt})`)
      }
      assert.ok((await going) >= aged - 1)
      const found = await batches(table)
      assert.ok(found.rows >= aged - 1 && found.most <= most, JSON.stringify(found))
      assert.ok(found.commits >= aged / most, 'each batch is its own commit')
      await useAll(receiver, id, `after-${table}`)
      await exchange.api(`/v1/webhook-endpoints/${id}`, { method: 'DELETE' })
      await advance(exchange, 'PT1S')
    })
  }
})
