import assert from 'node:assert/strict'
import { after as afterAll, before, it } from 'node:test'

import { testDatabase } from '../../../test/support/database.ts'
import { openPool } from '../db/pool.ts'
import type { Database } from '../db/sql.ts'
import { after, type Clock, systemClock } from '../lib/clock.ts'
import { silentLog } from '../lib/log.ts'
import { isWorkerAlive, sayAlive } from './alive.ts'

let db: Database
let laterMs = 0
before(async () => {
  const { url } = await testDatabase()
  db = openPool({ urls: [url], size: 2, statementNames: true })
})
afterAll(() => db.close())

const real = systemClock()
const clock: Clock = { ...real, realNow: () => after(real.realNow(), laterMs) }
const begin = () => sayAlive({ db, clock, log: silentLog })
const isUp = () => isWorkerAlive({ db, clock })

it('jobs are done as long as one process says so, whoever else begins, ends or was killed meanwhile', async () => {
  assert.equal(await isUp(), false)
  const first = await begin()
  const second = await begin()
  assert.equal(await isUp(), true)
  await first.stop()
  assert.equal(await isUp(), true, 'the other one goes on')
  await second.stop()
  assert.equal(await isUp(), false, 'the last one has ended')

  const killed = await begin()
  laterMs += 14_000
  assert.equal(await isUp(), true, 'nobody can know yet')
  const next = await begin()
  laterMs += 2_000
  assert.equal(await isUp(), true, 'the next one has said so since')
  await next.stop()
  assert.equal(await isUp(), false, 'the killed one’s word is over')
  await killed.stop()
})

it('what was said by processes that were killed is forgotten', async () => {
  const killed = await begin()
  laterMs += 2 * 3_600_000
  const next = await begin()
  const rows = await db.sql<{ n: bigint }>`select count(*) as n from leases`
  assert.equal(rows[0]?.n, 1n)
  await Promise.all([killed.stop(), next.stop()])
})
