import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { testDatabase } from '../../../test/support/database.ts'
import { openPool } from '../db/pool.ts'
import type { Database } from '../db/sql.ts'
import { after as later, stopwatch, systemClock } from '../lib/clock.ts'
import { silentLog } from '../lib/log.ts'
import type { Handler, Job } from './job.ts'
import { openQueue, type Queue } from './queue.ts'
import { promised } from '../../../test/support/promised.ts'

describe('the queue', () => {
  let db: Database
  const clock = systemClock()
  const open: Queue[] = []
  before(async () => {
    const { url } = await testDatabase()
    db = openPool({ urls: [url], size: 4 })
  })
  after(async () => {
    for (const queue of open) await queue.stop()
    await db.close()
  })

  const worker = (handlers: Record<string, Handler>, leaseMs = 10_000): Queue => {
    const queue = openQueue({ db, clock, log: silentLog, handlers, leaseMs, pollMs: 20 })
    open.push(queue)
    return queue
  }
  const enqueue = (queue: Queue, kind: string, keys: string[], runAt = clock.now()) =>
    db.atomic(async (block) =>
      queue.enqueue(
        block,
        keys.map((key) => ({ kind, key, runAt })),
      ),
    )
  const left = async (kind: string) => (await db.sql`select 1 from jobs where kind = ${kind}`).length

  it('does a job once, however many workers there are', async () => {
    const done: string[] = []
    const handlers = (queue: () => Queue): Record<string, Handler> => ({
      once: {
        batch: 3,
        concurrency: 2,
        run: (jobs) => queue().finish(jobs, async (_, held) => void done.push(...held.map(({ key }) => key))),
      },
    })
    const workers: Queue[] = [worker(handlers(() => workers[0] as Queue)), worker(handlers(() => workers[1] as Queue))]
    const keys = Array.from({ length: 40 }, (_, index) => String(index))
    await enqueue(worker({}), 'once', keys)
    for (const queue of workers) queue.start()
    while ((await left('once')) > 0) await new Promise((resolve) => setTimeout(resolve, 10))
    assert.deepEqual(done.toSorted(), keys.toSorted())
  })

  it('writes the same job once', async () => {
    const queue = worker({})
    await enqueue(queue, 'same', ['a'])
    await enqueue(queue, 'same', ['a', 'b'])
    assert.equal(await left('same'), 2)
  })

  it('lets a worker that lost its lease write nothing', async () => {
    const slow = worker({})
    await enqueue(slow, 'fenced', ['a'])
    const claimed = async (): Promise<Job[]> =>
      db.sql<Job>`update jobs set fence = fence + 1 where kind = 'fenced' returning id, kind, key, attempts, fence`
    const before = await claimed()
    const now = await claimed()

    assert.deepEqual(await slow.finish(before, async (_, held) => held), [])
    assert.equal(await left('fenced'), 1)
    assert.equal((await slow.finish(now, async (_, held) => held)).length, 1)
    assert.equal(await left('fenced'), 0)
  })

  it('takes over what a dead worker held, when its lease has run out', async () => {
    const done: string[] = []
    await enqueue(worker({}), 'orphan', ['a'])
    await db.sql`update jobs set lease_until = ${later(clock.realNow(), 100)}, fence = 1 where kind = 'orphan'`
    const heir = worker({
      orphan: {
        batch: 1,
        concurrency: 1,
        run: (jobs) => heir.finish(jobs, async (_, held) => void done.push(...held.map(({ key }) => key))),
      },
    })
    heir.start()
    while ((await left('orphan')) > 0) await new Promise((resolve) => setTimeout(resolve, 10))
    assert.deepEqual(done, ['a'])
  })

  it('leaves a job to the worker that holds it, as long as its lease runs', async () => {
    const done: string[] = []
    const heir = worker({
      held: {
        batch: 1,
        concurrency: 1,
        run: (jobs) => heir.finish(jobs, async (_, held) => void done.push(...held.map(({ key }) => key))),
      },
    })
    await enqueue(worker({}), 'held', ['theirs', 'free'])
    const leaseUntil = later(clock.realNow(), 60_000)
    await db.sql`update jobs set lease_until = ${leaseUntil}, fence = 1 where kind = 'held' and key = 'theirs'`
    heir.start()
    while (done.length === 0) await new Promise((resolve) => setTimeout(resolve, 10))
    await heir.stop()
    assert.deepEqual(done, ['free'])
    assert.equal(await left('held'), 1)
  })

  it('tries a batch that failed one by one, and keeps the job that fails', async () => {
    const done: string[] = []
    const queue = worker({
      batch: {
        batch: 10,
        concurrency: 1,
        run: (jobs) =>
          queue.finish(jobs, async (_, held) => {
            if (held.some(({ key }) => key === 'bad')) throw new Error('bad')
            done.push(...held.map(({ key }) => key))
          }),
      },
    })
    await enqueue(worker({}), 'batch', ['good', 'bad', 'better'])
    queue.start()
    const rows = async () => db.sql<{ key: string; attempts: number; last_error: string | null }>`
      select key, attempts, last_error from jobs where kind = 'batch'`
    const isOver = (jobs: Awaited<ReturnType<typeof rows>>) =>
      jobs.length === 1 && typeof jobs[0]?.last_error === 'string'
    while (!isOver(await rows())) await new Promise((resolve) => setTimeout(resolve, 10))
    assert.deepEqual(done.toSorted(), ['better', 'good'])
    assert.deepEqual(await rows(), [{ key: 'bad', attempts: 1, last_error: 'Error: bad' }])
  })

  it('starts a job that is due at once right after its commit, and never after a rollback', async () => {
    const done: string[] = []
    const queue = worker({
      now: {
        batch: 5,
        concurrency: 1,
        run: (jobs) => queue.finish(jobs, async (_, held) => void done.push(...held.map(({ key }) => key))),
      },
    })
    queue.start()
    await assert.rejects(
      db.atomic(async (block) => {
        queue.enqueue(block, [{ kind: 'now', key: 'rolled back', runAt: clock.now() }])
        throw new Error('no')
      }),
    )
    await enqueue(queue, 'now', ['committed'])
    while (done.length === 0) await new Promise((resolve) => setTimeout(resolve, 1))
    assert.deepEqual(done, ['committed'])
  })

  it('keeps no statement waiting behind the renewal of leases, while a block holds its jobs', async () => {
    const { url } = await testDatabase()
    const small = openPool({ urls: [url], size: 2, statementTimeoutMs: 60_000 })
    let slowest = 0
    const queue: Queue = openQueue({
      db: small,
      clock,
      log: silentLog,
      leaseMs: 60,
      pollMs: 20,
      handlers: {
        slow: {
          batch: 1,
          concurrency: 1,
          run: (jobs) =>
            queue.finish(jobs, async () => {
              const whole = stopwatch()
              while (whole() < 200) {
                const one = stopwatch()
                // Outside the block, as row ids are taken.
                await small.sql`select 1`
                slowest = Math.max(slowest, one())
              }
            }),
        },
      },
    })
    queue.start()
    await small.atomic(async (block) => queue.enqueue(block, [{ kind: 'slow', key: 'a', runAt: clock.now() }]))
    await queue.stop()
    await small.close()
    assert.ok(slowest > 0 && slowest < promised(1_000), `a statement waited for ${slowest} ms`)
  })

  it('stops, when its jobs cannot be given back any more', async () => {
    const { url, drop } = await testDatabase()
    const gone = openPool({ urls: [url], size: 2 })
    let end: () => void = () => undefined
    const ended = new Promise<void>((resolve) => {
      end = resolve
    })
    const queue = openQueue({
      db: gone,
      clock,
      log: silentLog,
      leaseMs: 10_000,
      pollMs: 20,
      handlers: { endless: { batch: 1, concurrency: 1, run: () => ended } },
    })
    queue.start()
    await gone.atomic(async (block) =>
      queue.enqueue(
        block,
        ['a', 'b'].map((key) => ({ kind: 'endless', key, runAt: clock.now() })),
      ),
    )
    while (queue.idle()) await new Promise((resolve) => setTimeout(resolve, 1))
    await drop()
    const stopped = queue.stop()
    end()
    await stopped
    await gone.close()
  })
})
