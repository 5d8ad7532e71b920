import assert from 'node:assert/strict'
import { after as afterAll, before, it } from 'node:test'

import { testDatabase } from '../../../test/support/database.ts'
import { openPool } from '../db/pool.ts'
import { openRefusedWrites } from '../db/refused-writes.ts'
import type { Database } from '../db/sql.ts'
import { after, type Clock, systemClock } from '../lib/clock.ts'
import { silentLog } from '../lib/log.ts'
import { isWorkerAlive, openHeartbeat } from './heartbeat.ts'

let url: string
let db: Database
let laterMs = 0
const open = () => openPool({ urls: [url], size: 2 })
before(async () => {
  ;({ url } = await testDatabase())
  db = open()
})
afterAll(() => db.close())

const real = systemClock()
const start = real.realNow()
const clock: Clock = { ...real, realNow: () => after(start, laterMs) }
const begin = async (of: Database = db) => {
  const heartbeat = openHeartbeat(
    { db: of, refusedWrites: openRefusedWrites(), clock, log: silentLog },
    { works: true },
  )
  await heartbeat.start()
  return heartbeat
}
/** A process that has written its first heartbeat when it is killed. */
const beginKilled = async () => {
  const own = open()
  const heartbeat = await begin(own)
  await own.close()
  return heartbeat
}
const isUp = () => isWorkerAlive({ db, clock })

it('a worker is alive as long as one process has a heartbeat, whatever other processes start, stop or are killed', async () => {
  assert.equal(await isUp(), false)
  const first = await begin()
  const second = await begin()
  assert.equal(await isUp(), true)
  await first.stop()
  assert.equal(await isUp(), true, 'the other one continues')
  await second.stop()
  assert.equal(await isUp(), false, 'the last one has ended')

  const killed = await beginKilled()
  laterMs += 14_000
  assert.equal(await isUp(), true, 'its heartbeat is still valid')
  const next = await begin()
  laterMs += 2_000
  assert.equal(await isUp(), true, 'the next one has a heartbeat')
  await next.stop()
  assert.equal(await isUp(), false, 'the heartbeat of the killed one has expired')
  await killed.stop()
})

it('heartbeats of killed processes are deleted', async () => {
  const killed = await beginKilled()
  laterMs += 2 * 3_600_000
  const next = await begin()
  const rows = await db.sql<{ n: bigint }>`select count(*) as n from leases`
  assert.equal(rows[0]?.n, 1n)
  await Promise.all([killed.stop(), next.stop()])
})

it('a machine whose clock differs from the database’s by more than two seconds is noticed, either way', async () => {
  for (const [movedMs, isSkewed] of [
    [0, false],
    [3_600_000, true],
    [-3_600_000, true],
  ] as const) {
    const wrong = systemClock({ now: () => Date.now() + movedMs, steady: () => performance.now() })
    const heartbeat = openHeartbeat(
      { db, refusedWrites: openRefusedWrites(), clock: wrong, log: silentLog },
      { works: false },
    )
    await heartbeat.start()
    assert.equal(heartbeat.isSkewed(), isSkewed, `${movedMs} ms: ${heartbeat.skewMs()}`)
    assert.ok(Math.abs(heartbeat.skewMs() + movedMs) < 60_000)
    assert.ok(Math.abs(wrong.realNow().getTime() - Date.now()) < 60_000, 'time is the database’s')
    await heartbeat.stop()
  }
})

it('where no host takes writes the database is down, and where one refuses them it says why', async () => {
  const refusedWrites = openRefusedWrites()
  let failure: Error = Object.assign(new Error('No database host accepts writes.'), { code: '25006' })
  const failing = { sql: () => Promise.reject(failure) }
  const state = async () => {
    const heartbeat = openHeartbeat({ db: failing, refusedWrites, clock, log: silentLog }, { works: false })
    await heartbeat.start()
    const writes = heartbeat.writes()
    await heartbeat.stop()
    return writes
  }
  assert.equal(await state(), 'down')
  failure = Object.assign(new Error('could not extend file'), { code: '53100', severity: 'ERROR' })
  refusedWrites.note('53100', 'insert')
  assert.equal(await state(), 'disk_full')
  failure = new Error('connect ECONNREFUSED')
  assert.equal(await state(), 'down')
})
