import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { testContext } from '../../../test/support/api.ts'
import { testDatabase } from '../../../test/support/database.ts'
import { newStream, type Stream, until } from '../../../test/support/telling.ts'
import type { Ctx } from '../context.ts'
import type { Atomic } from '../../platform/db/sql.ts'
import { openPool } from '../../platform/db/pool.ts'
import { randomId } from '../../platform/lib/ids.ts'
import { readFeed } from './feed.ts'
import { recordEvents } from './record.ts'
import { openRelay, type Sequenced } from './relay.ts'
import { promised } from '../../../test/support/promised.ts'

const partnerId = randomId()

describe('the feed', () => {
  it('shows every committed event once, in its stream’s order, to a reader who pages while many write', async (t) => {
    const { ctx, complaints } = await feedWith(t, { relays: 2 })
    const streams = Array.from({ length: 12 }, () => newStream())
    const gates = Array.from({ length: 6 }, () => gate())
    let written = 0

    const slow = gates.map(({ opened }, index) =>
      ctx.db.atomic(async (db) => {
        // A database transaction that began before all others and commits after many of them.
        await record(ctx, db, [newStream()])
        await opened
        if (index % 3 === 2) throw new Error('rolled back')
        written += 1
      }),
    )
    const reading = readAll(ctx, () => written)
    await Promise.all(streams.map((stream, index) => writeMany(ctx, stream, index, () => (written += 1))))
    for (const { open } of gates) open()
    const ended = await Promise.allSettled(slow)
    assert.equal(ended.filter(({ status }) => status === 'rejected').length, 2)

    const seen = await reading.upTo(written)
    assert.equal(new Set(seen).size, written, 'nothing twice, nothing missing')
    for (const stream of streams) {
      const own = seen.filter((id) => id.startsWith(`evt_${stream.id}`))
      assert.deepEqual(own, own.toSorted(), 'in its own order')
      assert.equal(own.length, stream.events)
    }
    const all = await ctx.db.sql<{ count: bigint }>`select count(*) from events`
    assert.equal(all[0]?.count, BigInt(written), 'what was rolled back is nowhere')
    assert.deepEqual(complaints, [], 'the relays took turns')
  })

  it('notifies a listener of each event once, in the block that places it', async (t) => {
    const notified: Sequenced[] = []
    let fail = true
    const { ctx } = await feedWith(t, {
      relays: 2,
      onSequenced: (db, events) => {
        db.afterCommit(() => notified.push(...events))
        if (fail) {
          fail = false
          db.send`select 1 / 0`
        }
      },
    })
    const stream = newStream()
    await ctx.db.atomic((db) => record(ctx, db, [stream, stream, newStream()]))
    await ctx.db.atomic((db) => record(ctx, db, [stream]))
    await until(() => notified.length >= 4)
    assert.deepEqual(
      notified.filter((event) => event.stream === stream.id).map((event) => event.sequence),
      [1, 2, 3],
    )
    assert.equal(notified.length, 4)
  })

  it('shows an event within milliseconds of its commit', async (t) => {
    let notified = 0
    const { ctx } = await feedWith(t, { onSequenced: (db) => db.afterCommit(() => (notified += 1)) })
    const waits: number[] = []
    for (let round = 1; round <= 20; round += 1) {
      await ctx.db.atomic((db) => record(ctx, db, [newStream()]))
      const start = performance.now()
      while (notified < round) await new Promise(setImmediate)
      waits.push(performance.now() - start)
    }
    const median = waits.toSorted((a, b) => a - b)[10] ?? Infinity
    assert(median < promised(50), `took ${median.toFixed(1)} ms`)
  })

  it('finds what a process left that died between its commit and its relay', async (t) => {
    const { ctx, url } = await feedWith(t, { pollMs: 20 })
    const dead = openPool({ urls: [url], size: 1 })
    await dead.atomic((db) => record({ ...ctx, wakeRelay: () => undefined }, db, [newStream()]))
    await dead.close()
    await until(async () => (await ids(ctx)).length === 1)
  })

  it('continues after its bound came from another server, as in a restored dump', async (t) => {
    const { ctx } = await feedWith(t)
    await ctx.db.atomic((db) => record(ctx, db, [newStream()]))
    await until(async () => (await ids(ctx)).length === 1)
    await ctx.db.sql`update event_relay set seen_below = '99999999999'`
    await ctx.db.sql`update events set xid = '99999999998'`

    await ctx.db.atomic((db) => record(ctx, db, [newStream()]))
    await until(async () => (await ids(ctx)).length === 2)
    await ctx.db.atomic((db) => record(ctx, db, [newStream()]))
    await until(async () => (await ids(ctx)).length === 3)
    const [row] = await ctx.db.sql<{ low: boolean }>`select seen_below < '99999999' as low from event_relay`
    assert.equal(row?.low, true)
  })

  it('places more events than one block takes', async (t) => {
    const { ctx } = await feedWith(t)
    const stream = newStream()
    await ctx.db.atomic((db) =>
      record(
        ctx,
        db,
        Array.from({ length: 2_500 }, () => stream),
      ),
    )
    await until(async () => (await count(ctx)) === 2_500n)
    const rows = await ctx.db.sql<{ sequence: number }>`
      select sequence from event_feed join events on id = event_id order by position`
    assert.deepEqual(
      rows.map(({ sequence }) => sequence),
      Array.from({ length: 2_500 }, (_, index) => index + 1),
    )
  })
})

type Options = {
  relays?: number
  pollMs?: number
  onSequenced?: (db: Atomic, events: Sequenced[]) => void
}

/** A database with running relays, each on its own connections, like separate processes. */
async function feedWith(
  t: { after: (then: () => Promise<void>) => void },
  { relays = 1, pollMs = 200, onSequenced = () => undefined }: Options = {},
) {
  const database = await testDatabase()
  const base = await testContext(database)
  const ctx: Ctx = {
    ...base,
    db: openPool({ urls: [database.url], size: 24 }),
    wakeRelay: () => wakeAll(),
  }
  const pools = Array.from({ length: relays }, () => openPool({ urls: [database.url], size: 2 }))
  const complaints: string[] = []
  const log = { ...ctx.log, warn: (_facts: object, message: string) => complaints.push(message) }
  const opened = pools.map((db) => openRelay({ db, log }, { onSequenced, pollMs }))
  const wakeAll = () => opened.forEach((relay) => relay.wake())
  for (const relay of opened) relay.start()
  t.after(async () => {
    for (const relay of opened) await relay.stop()
    await Promise.all([base.db, ctx.db, ...pools].map((db) => db.close()))
    await database.drop()
  })
  return { ctx, complaints, url: database.url }
}

async function record(ctx: Ctx, db: Atomic, streams: Stream[]): Promise<void> {
  const dataKey = await ctx.keyring.make(db)
  const at = ctx.clock.now()
  recordEvents(
    ctx,
    db,
    streams.map((stream) => {
      stream.events += 1
      return { stream: stream.id, sequence: stream.events, partnerId, type: stream.type, at, dataKey, payload: {} }
    }),
  )
}

/** One stream's events, one after the other, some of them rolled back, some blocks with two. */
async function writeMany(ctx: Ctx, stream: Stream, index: number, onWritten: () => void): Promise<void> {
  for (let round = 0; round < 12; round += 1) {
    const before = stream.events
    const two = (round + index) % 4 === 0
    try {
      await ctx.db.atomic(async (db) => {
        await record(ctx, db, two ? [stream, stream] : [stream])
        if ((round + index) % 5 === 0) throw new Error('rolled back')
      })
      onWritten()
      if (two) onWritten()
    } catch {
      stream.events = before
    }
  }
}

/** A reader that pages by position from the beginning until it has seen so many. */
function readAll(ctx: Ctx, written: () => number) {
  const seen: string[] = []
  let after: string | undefined
  const step = async () => {
    const page = await readFeed(ctx, partnerId, { after, limit: 7 })
    seen.push(...page.bodies.map((body) => (JSON.parse(body) as { id: string }).id))
    after = page.nextAfter
  }
  let stop = false
  const reading = (async () => {
    while (!stop) await step()
  })()
  return {
    upTo: async (count: number) => {
      await until(() => seen.length >= count, `${count} events, ${seen.length} seen, ${written()} written`)
      stop = true
      await reading
      await step()
      return seen
    },
  }
}

const ids = async (ctx: Ctx): Promise<string[]> => (await readFeed(ctx, partnerId, { limit: 100 })).bodies

const count = async (ctx: Ctx): Promise<bigint | undefined> =>
  (await ctx.db.sql<{ count: bigint }>`select count(*) from event_feed`)[0]?.count

function gate() {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { open, opened }
}
