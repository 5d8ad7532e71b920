import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'

import { type TestDatabase, testDatabase } from '../../test/support/database.ts'
import { asOwner } from '../../test/support/server.ts'
import { openPool } from '../platform/db/pool.ts'
import { openHalts, nothingHalted, payoutsHalted, stopsPayout } from './halts.ts'

let database: TestDatabase
let db: ReturnType<typeof openPool>

before(async () => {
  database = await testDatabase()
  db = openPool({ urls: [database.url], size: 3 })
})
after(async () => {
  await db.close()
  await database.drop()
})

const halt = (scope: string, name = '') =>
  db.sql`insert into halts (scope, name, since, reason) values (${scope}, ${name}, now(), 'a drill')`

it('stops the payouts of its scope, and the same object is kept until something changes', async () => {
  const halts = openHalts()
  await halts.refresh(db)
  assert.equal(halts.now(), nothingHalted)
  await halt('rail', 'bank')
  await halt('asset', 'BTC-BTC')
  await halt('crediting', 'evm-eth')
  await halts.refresh(db)
  const active = halts.now()
  await halts.refresh(db)
  assert.equal(halts.now(), active)
  const stopped = [
    ['bank', 'EUR-EUR', true],
    ['btc', 'BTC-BTC', true],
    ['evm-eth', 'ETH-ETH', false],
  ] as const
  for (const [rail, asset, isStopped] of stopped) assert.equal(stopsPayout(active, rail, asset), isStopped, rail)
  assert.equal(await db.atomic((block) => payoutsHalted(block, 'bank')), 'all')
  assert.deepEqual([...(await db.atomic((block) => payoutsHalted(block, 'evm-eth')))], ['BTC-BTC'])
  await db.sql`delete from halts`
  await halts.refresh(db)
  assert.equal(halts.now(), nothingHalted)
})

it('waits for a block in which a rail has asked what may leave', async () => {
  let halting: Promise<unknown> | undefined
  let done = false
  await db.atomic(async (block) => {
    assert.deepEqual([...(await payoutsHalted(block, 'bank'))], [])
    halting = halt('payouts').then(() => (done = true))
    for (let waits = 0; waits === 0;) {
      const blocked = `select count(*)::integer as count from pg_locks where not granted and relation = 'halts'::regclass`
      const { rows } = await asOwner(database.ownerUrl, (client) => client.query<{ count: number }>(blocked))
      waits = rows[0]?.count ?? 0
    }
    assert.equal(done, false)
  })
  await halting
  assert.equal(done, true)
  assert.equal(await db.atomic((block) => payoutsHalted(block, 'bank')), 'all')
})
