import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'

import { startExchange } from '../support/exchange.ts'
import { advance, assertBooksHold, buy, create, lookup } from '../support/journey.ts'
import { makePartner, newStream, startReceiver, startTelling, until } from '../support/telling.ts'
import { putInForce } from '../support/policies.ts'
import { verify } from '../../src/exchange/checks/verify.ts'
import { addEndpoint } from '../../src/exchange/webhooks/manage-endpoints.ts'
import { eventId } from '../../src/exchange/events/event.ts'
import { readFeed } from '../../src/exchange/events/feed.ts'
import { eventAgeing } from '../../src/exchange/events/forget.ts'

const day = 86_400_000

/** A house whose events are kept for ninety days, and what it keeps. */
async function kept(t: TestContext) {
  const telling = await startTelling(t)
  const { ctx, partner } = telling
  const partnerId = partner.partner.id
  const count = async (table: 'events' | 'event_feed' | 'webhook_attempts' | 'webhook_queue') => {
    const rows = {
      events: () => ctx.db.sql`select 1 from events`,
      event_feed: () => ctx.db.sql`select 1 from event_feed`,
      webhook_attempts: () => ctx.db.sql`select 1 from webhook_attempts`,
      webhook_queue: () => ctx.db.sql`select 1 from webhook_queue`,
    }
    return (await rows[table]()).length
  }
  return {
    ...telling,
    partnerId,
    count,
    forget: eventAgeing(ctx),
    fed: (some: number) => until(async () => (await count('event_feed')) === some, `${some} events in the feed`),
    feed: async (after?: string) =>
      (await readFeed(ctx, partnerId, { after, limit: 100 })).bodies.map(
        (body) => (JSON.parse(body) as { id: string }).id,
      ),
  }
}

describe('an event', () => {
  it('ages out by business time, with its place and the record of its deliveries, and no younger one does', async (t) => {
    const { ctx, tell, advance, partnerId, count, forget, fed, feed } = await kept(t)
    const receiver = await startReceiver(t)
    await addEndpoint(ctx, { partnerId, url: receiver.url }, 'test')
    const [old, young] = [newStream(), newStream()]
    await tell(old)
    await tell(old)
    await receiver.got(2)
    advance(89 * day)
    await tell(young)
    await receiver.got(3)
    await until(
      async () => (await count('webhook_attempts')) === 3 && (await count('webhook_queue')) === 0,
      'three attempts',
    )
    assert.equal(await forget(), 0)

    advance(2 * day)
    assert.equal(await forget(), 1)
    const stay = [eventId({ stream: old.id, sequence: 2 }), eventId({ stream: young.id, sequence: 1 })]
    assert.deepEqual(await feed(), stay)
    assert.deepEqual([await count('events'), await count('event_feed'), await count('webhook_attempts')], [2, 2, 2])
    await ctx.db.sql`update events set at = ${ctx.clock.now()} where stream = ${old.id}`
    await ctx.db.sql`update events set at = at - interval '1 year' where stream = ${young.id}`
    assert.equal(await forget(), 0, 'an old one behind it makes no event old')
    await ctx.db.sql`update events set at = at + interval '1 year' where stream = ${young.id}`
    await ctx.db.sql`update events set at = at - interval '91 days' where stream = ${old.id}`
    assert.equal(await forget(), 0, 'the last old one waits for its successor to be as old')
    await fed(2)
  })

  it('stays while a reader may go on from it, and is refused plainly when it has gone', async (t) => {
    const { ctx, tell, advance, partnerId, forget, fed, feed } = await kept(t)
    const stream = newStream()
    const id = (sequence: number) => eventId({ stream: stream.id, sequence })
    for (let told = 1; told <= 3; told += 1) await tell(stream)
    await fed(3)
    advance(400 * day)
    assert.equal(await forget(), 2)
    assert.deepEqual(await feed(id(3)), [], 'nothing has happened since, however long ago that was')
    await tell(stream)
    await fed(2)
    assert.equal(await forget(), 0)
    assert.deepEqual(await feed(id(3)), [id(4)])
    advance(91 * day)
    assert.equal(await forget(), 1)
    assert.deepEqual(await feed(), [id(4)])
    await assert.rejects(readFeed(ctx, partnerId, { after: id(3), limit: 9 }), {
      code: 'BAD_REQUEST',
      message: /no longer kept: without `after`/,
    })
  })

  it('stays as long as it, or another of its stream, is still to be delivered or to be placed', async (t) => {
    const { ctx, tell, advance, relay, partnerId, count, forget, fed } = await kept(t)
    const receiver = await startReceiver(t)
    receiver.answer = (_request, response) => response.writeHead(500).end()
    const stream = newStream()
    await tell(stream)
    await fed(1)
    const { endpoint } = await addEndpoint(ctx, { partnerId, url: receiver.url }, 'test')
    await tell(stream)
    await receiver.got(1)
    await ctx.db.sql`update webhook_endpoints set status = 'paused' where id = ${endpoint.id}`
    await relay.stop()
    await tell(newStream())
    advance(1_000 * day)
    assert.equal(await forget(), 0)
    relay.start()
    await fed(3)
    assert.equal(await forget(), 0)
    await ctx.db.sql`delete from webhook_queue where stream = ${stream.id}`
    assert.equal(await forget(), 2)
    assert.equal(await count('events'), 1)
  })

  it('keeps no other partner’s from going, and goes in its turn behind thousands that must stay', async (t) => {
    const { ctx, advance, partnerId, forget, count } = await kept(t)
    const other = (await makePartner(ctx)).id
    const { id: endpoint } = (await addEndpoint(ctx, { partnerId, url: 'http://127.0.0.1:9/' }, 'test')).endpoint
    await ctx.db.sql`update webhook_endpoints set status = 'paused' where id = ${endpoint}`
    const now = ctx.clock.now()
    const write = (owner: bigint, from: number, to: number) => ctx.db.sql`
      with made as (
        insert into events (stream, sequence, partner_id, type, at, data_key_id, body)
        select number, 1, ${owner}, 'transaction.created', ${now}, 1, '' from generate_series(${from}::int, ${to}::int) as number
        returning id, stream, partner_id)
      insert into event_feed (event_id, partner_id) select id, partner_id from made order by id`
    await write(partnerId, 1, 1_300)
    await write(other, 2_001, 3_300)
    await ctx.db.sql`
      insert into webhook_queue (endpoint_id, stream, sequence, event_id)
      select ${endpoint}, stream, sequence, id from events where partner_id = ${partnerId}`
    advance(91 * day)
    assert.equal(await forget(), 1_299)
    assert.equal(await count('events'), 1_301)
    assert.equal(await forget(), 0)
  })
})

describe('a transaction whose events have aged out', () => {
  it('has lost none, and one that lost a younger event has', async () => {
    const exchange = await startExchange()
    try {
      const { ctx } = exchange.service.composition
      const document = { events: 'P1D', webhook_attempts: 'P1D', idempotent_answers: 'PT24H' }
      await putInForce(ctx, { kind: 'retention', document })
      const forget = eventAgeing(ctx)
      await buy(exchange)
      await create(exchange)
      await advance(exchange, 'P2D')
      const { id } = await create(exchange)
      const placed = () =>
        lookup(exchange, 'select 1 from events join event_feed on event_id = events.id where stream = $1', [id])
      await until(async () => (await placed()).length === 1, 'the last event to be placed')
      assert.ok((await forget()) > 5)
      await assertBooksHold(exchange)
      await lookup(exchange, 'delete from events where stream = $1', [id])
      assert.deepEqual(await verify(ctx), [`Transaction ${id} has lost an event.`])
    } finally {
      await exchange.stop()
    }
  })
})
