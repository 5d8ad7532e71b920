import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'

import { newStream, type Receiver, startReceiver, startTelling, until } from '../../../test/support/telling.ts'
import type { Ctx } from '../context.ts'
import type { Atomic } from '../../platform/db/sql.ts'
import { within } from '../../platform/db/within.ts'
import type { Sequenced } from '../events/relay.ts'
import { after } from '../../platform/lib/clock.ts'
import type { Answer } from './connection-pool.ts'
import { addEndpoint } from './manage-endpoints.ts'
import { type Capacity, claim, type Delivery, enqueue } from './queue.ts'
import { settleAttempts } from './settle.ts'

const capacity: Capacity = { each: 64, total: 64, overrides: [] }

describe('an event that is queued while the one before it ends', () => {
  it('is due when that one ended just before', async (t) => {
    const { ctx, first, second } = await twoEvents(t)
    const delivery = await ctx.db.atomic((db) => leaseOne(ctx, db, first))
    const [ended, end] = gate()
    const [written, write] = gate()
    const settling = ctx.db.atomic(async (db) => {
      await settleOne(ctx, db, delivery)
      write()
      await ended
    })
    await written
    const queueing = ctx.db.atomic((db) => leaseOne(ctx, db, second))
    await until(() => someoneWaits(ctx), 'a lock to be waited for')
    end()
    await settling
    assert.equal((await queueing).sequence, 2, 'it is leased at once, with nothing in front')
  })

  it('is made due by that one’s end when that comes just after', async (t) => {
    const { ctx, first, second } = await twoEvents(t)
    const delivery = await ctx.db.atomic((db) => leaseOne(ctx, db, first))
    const [ended, end] = gate()
    const [written, write] = gate()
    const queueing = ctx.db.atomic(async (db) => {
      const { blocked, leased } = await enqueueOne(ctx, db, second)
      assert.deepEqual([blocked.length, leased.length], [1, 0])
      write()
      await ended
    })
    await written
    const settling = ctx.db.atomic((db) => settleOne(ctx, db, delivery))
    await until(() => someoneWaits(ctx), 'a lock to be waited for')
    end()
    await queueing
    assert.deepEqual(
      (await settling).map(({ sequence }) => sequence),
      [2],
    )
  })
})

describe('capacity', () => {
  it('is limited for each endpoint and in total: what does not fit is left for another process', async (t) => {
    const { ctx, tell, endpoints } = await quiet(t, 2)
    const [plain, other] = endpoints
    assert(plain && other)
    await tell(...Array.from({ length: 6 }, () => newStream()))
    const [first, ...others] = await placed(ctx)
    assert(first)
    const limited = { each: 4, total: 64, overrides: [{ id: other, limit: 2 }] }
    const { leased, left } = await ctx.db.atomic((db) => enqueue(db, others, { ...times(ctx), capacity: limited }))
    assert.deepEqual([leased.length, left.length], [6, 4])
    assert.equal(leased.filter(({ endpointId }) => endpointId === other).length, 2)
    const one = { ...capacity, total: 1 }
    const last = await ctx.db.atomic((db) => enqueue(db, [first], { ...times(ctx), capacity: one }))
    assert.deepEqual([last.leased.length, last.left.length], [1, 1])

    const claimWith = (limits: Capacity) =>
      ctx.db.atomic((db) => claim(db, { ...times(ctx), realNow: ctx.clock.realNow(), capacity: limits }))
    const counts = (deliveries: Delivery[]) =>
      [plain, other].map((id) => deliveries.filter(({ endpointId }) => endpointId === id).length)
    assert.deepEqual(counts(await claimWith({ each: 1, total: 64, overrides: [{ id: other, limit: 3 }] })), [1, 3])
    assert.deepEqual(counts(await claimWith({ each: 0, total: 64, overrides: [] })), [0, 0])
    assert.equal(
      (await claimWith({ each: 64, total: 64, overrides: [] })).length,
      1,
      'what is leased is not claimed again',
    )
    assert.equal((await claimWith({ each: 64, total: 64, overrides: [] })).length, 0)
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

const enqueueOne = (ctx: Ctx, db: Atomic, event: Sequenced) => enqueue(db, [event], { ...times(ctx), capacity })

async function leaseOne(ctx: Ctx, db: Atomic, event: Sequenced): Promise<Delivery> {
  const { leased } = await enqueueOne(ctx, db, event)
  const [delivery] = leased
  assert(delivery && leased.length === 1)
  return delivery
}

const answer: Answer = { outcome: 'delivered', status: 200, response: '', retryAfterSeconds: undefined, tookMs: 1 }

async function settleOne(ctx: Ctx, db: Atomic, delivery: Delivery): Promise<Delivery[]> {
  const { stream, sequence } = delivery
  const at = ctx.clock.now()
  const event = {
    stream,
    sequence,
    at,
    type: 'transaction.created',
    dataKeyId: 1n,
    wrappedKey: null,
    body: Buffer.of(),
  } as const
  const attempt = { delivery, event, answer, at, url: 'http://127.0.0.1/hook', sentAt: at }
  return (await settleAttempts({ ...ctx, db: within(db) }, [attempt], times(ctx).leaseUntil)).next
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
