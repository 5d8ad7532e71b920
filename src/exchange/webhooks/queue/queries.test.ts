import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'

import { newStream, type Receiver, startReceiver, startTelling, until } from '../../../../test/support/telling.ts'
import type { Ctx } from '../../context.ts'
import type { Atomic } from '../../../platform/db/sql.ts'
import type { Sequenced } from '../../events/relay.ts'
import { after } from '../../../platform/lib/clock.ts'
import type { Delivery } from '../delivery.ts'
import { addEndpoint } from '../manage-endpoints.ts'
import * as queries from './queries.ts'

const room = { each: 64, all: 64, named: [] }

describe('an event that is queued while the one before it ends', () => {
  it('is due when that one ended just before', async (t) => {
    const { ctx, first, second } = await twoEvents(t)
    const delivery = await ctx.db.atomic((db) => queueOne(ctx, db, first))
    const [ended, end] = gate()
    const [written, write] = gate()
    const settling = ctx.db.atomic(async (db) => {
      await settleOne(ctx, db, delivery)
      write()
      await ended
    })
    await written
    const queueing = ctx.db.atomic((db) => queueOne(ctx, db, second))
    await until(() => someoneWaits(ctx), 'a lock to be waited for')
    end()
    await settling
    assert.equal((await queueing).event.sequence, 2, 'it is taken at once, with nothing in front')
  })

  it('is made due by that one’s end when that comes just after', async (t) => {
    const { ctx, first, second } = await twoEvents(t)
    const delivery = await ctx.db.atomic((db) => queueOne(ctx, db, first))
    const [ended, end] = gate()
    const [written, write] = gate()
    const queueing = ctx.db.atomic(async (db) => {
      const { blocked, taken } = await queue(ctx, db, second)
      assert.deepEqual([blocked.length, taken.length], [1, 0])
      write()
      await ended
    })
    await written
    const settling = ctx.db.atomic((db) => settleOne(ctx, db, delivery))
    await until(() => someoneWaits(ctx), 'a lock to be waited for')
    end()
    await queueing
    assert.deepEqual(
      (await settling).map(({ event }) => event.sequence),
      [2],
    )
  })
})

describe('room', () => {
  it('is kept for each endpoint and for all: what does not fit is left for whoever is free', async (t) => {
    const { ctx, tell, endpoints } = await quiet(t, 2)
    const [one, other] = endpoints
    assert(one && other)
    await tell(...Array.from({ length: 6 }, () => newStream()))
    const [first, ...others] = await placed(ctx)
    assert(first)
    const { taken, left } = await ctx.db.atomic((db) =>
      queries.queue(db, others, { ...times(ctx), room: { each: 4, all: 64, named: [{ id: other, room: 2 }] } }),
    )
    assert.deepEqual([taken.length, left.length], [6, 4])
    assert.equal(taken.filter(({ endpointId }) => endpointId === other).length, 2)
    const last = await ctx.db.atomic((db) => queries.queue(db, [first], { ...times(ctx), room: { ...room, all: 1 } }))
    assert.deepEqual([last.taken.length, last.left.length], [1, 1])

    const claim = (space: queries.Room) =>
      ctx.db.atomic((db) => queries.claim(db, { ...times(ctx), realNow: ctx.clock.realNow(), room: space }))
    const counts = (deliveries: Delivery[]) =>
      [one, other].map((id) => deliveries.filter(({ endpointId }) => endpointId === id).length)
    assert.deepEqual(counts(await claim({ each: 1, all: 64, named: [{ id: other, room: 3 }] })), [1, 3])
    assert.deepEqual(counts(await claim({ each: 0, all: 64, named: [] })), [0, 0])
    assert.equal((await claim({ each: 64, all: 64, named: [] })).length, 1, 'what is leased is not claimed again')
    assert.equal((await claim({ each: 64, all: 64, named: [] })).length, 0)
  })
})

/** Endpoints and a partner, and nothing that sends. */
async function quiet(t: TestContext, count = 1) {
  const telling = await startTelling(t)
  await telling.relay.stop()
  await telling.sender.stop()
  const receiver: Receiver = await startReceiver(t)
  const endpoints: bigint[] = []
  for (let made = 0; made < count; made += 1) {
    const partnerId = telling.partner.partner.id
    endpoints.push((await addEndpoint(telling.ctx, { partnerId, url: receiver.url }, 'test')).endpoint.id)
  }
  return { ...telling, endpoints }
}

async function twoEvents(t: TestContext) {
  const { ctx, tell } = await quiet(t)
  const stream = newStream()
  await tell(stream, stream)
  const [first, second] = await placed(ctx)
  assert(first && second)
  return { ctx, first, second }
}

const placed = (ctx: Ctx): Promise<Sequenced[]> =>
  ctx.db.sql`select id, stream, sequence, partner_id, type from events order by id`

const times = (ctx: Ctx) => ({ now: ctx.clock.now(), leaseUntil: after(ctx.clock.realNow(), 10_000) })

const queue = (ctx: Ctx, db: Atomic, event: Sequenced) => queries.queue(db, [event], { ...times(ctx), room })

async function queueOne(ctx: Ctx, db: Atomic, event: Sequenced): Promise<Delivery> {
  const { taken } = await queue(ctx, db, event)
  const [delivery] = taken
  assert(delivery && taken.length === 1)
  return delivery
}

async function settleOne(ctx: Ctx, db: Atomic, delivery: Delivery): Promise<Delivery[]> {
  const row = {
    delivery,
    at: ctx.clock.now(),
    url: 'http://127.0.0.1/hook',
    sentAt: ctx.clock.realNow(),
    tookMs: 1,
    outcome: 'delivered' as const,
    status: 200,
    response: null,
    nextAt: null,
  }
  queries.asRecords(db)
  queries.lockStreams(db, [row])
  return queries.settle(db, [row], { ...times(ctx), stay: [] })
}

const someoneWaits = async (ctx: Ctx): Promise<boolean> =>
  (await ctx.db.sql`select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`)
    .length > 0

function gate(): [Promise<void>, () => void] {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return [opened, open]
}
