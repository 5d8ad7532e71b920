import assert from 'node:assert/strict'
import { after as afterAll, before, it } from 'node:test'

import { testDatabase } from '../../../test/support/database.ts'
import { openPool } from '../db/pool.ts'
import type { Database } from '../db/sql.ts'
import { after, type Clock, systemClock } from '../lib/clock.ts'
import { silentLog } from '../lib/log.ts'
import { isWorkerAlive, openHeartbeat } from './heartbeat.ts'

let db: Database
let laterMs = 0
before(async () => {
  const { url } = await testDatabase()
  db = openPool({ urls: [url], size: 2, statementNames: true })
})
afterAll(() => db.close())

const real = systemClock()
const clock: Clock = { ...real, realNow: () => after(real.realNow(), laterMs) }
const begin = async () => {
  const heartbeat = openHeartbeat({ db, clock, log: silentLog }, { works: true })
  await heartbeat.start()
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

  const killed = await begin()
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
  const killed = await begin()
  laterMs += 2 * 3_600_000
  const next = await begin()
  const rows = await db.sql<{ n: bigint }>`select count(*) as n from leases`
  assert.equal(rows[0]?.n, 1n)
  await Promise.all([killed.stop(), next.stop()])
})

it('a clock that differs from the database’s by more than two seconds is noticed, either way', async () => {
  for (const [movedMs, isSkewed] of [
    [0, false],
    [3_600_000, true],
    [-3_600_000, true],
  ] as const) {
    laterMs = movedMs
    const other = await begin()
    assert.equal(other.isSkewed(), isSkewed, `${movedMs} ms: ${other.skewMs()}`)
    assert.ok(Math.abs(other.skewMs() + movedMs) < 60_000)
    await other.stop()
  }
})
