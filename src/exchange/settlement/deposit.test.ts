import assert from 'node:assert/strict'
import { test } from 'node:test'

import { testDatabase } from '../../../test/support/database.ts'
import { openPool } from '../../platform/db/pool.ts'
import { moneySeen } from './deposit.ts'

test('whether money was seen is known without a scan of all rail events', async (t) => {
  const { ownerUrl } = await testDatabase()
  const owner = openPool({ urls: [ownerUrl], size: 2 })
  t.after(() => owner.close())
  // Instructions of transactions that are not there: only the look-up of their rail events matters here.
  await owner.sql`alter table deposit_instructions drop constraint deposit_instructions_transaction_id_fkey`
  await owner.sql`insert into assets (id, ticker, network, decimals) values ('EUR-EUR', 'EUR', 'EUR', 2)`
  await owner.sql`
    insert into deposit_instructions (transaction_id, rail, reference, method, asset, amount, pay_to, created_at)
    select n, 'card', 'reference ' || n, 'VISA_MC_1', 'EUR-EUR', 1, '{}', now() from generate_series(1, 5000) as n`
  await owner.sql`
    insert into rail_events (rail, event_key, kind, reference, payment, asset, amount, reverses, body, received_at)
    select 'card', n, 'deposit_final', 'reference ' || n, n, 'EUR-EUR', 1, false, '{}', now()
    from generate_series(2, 5000) as n`
  await owner.sql`analyze`

  await owner.atomic(async (block) => {
    assert.equal(await moneySeen(block, 1n), false)
    assert.equal(await moneySeen(block, 2n), true)
    const [walked] = await block.sql`select seq_scan from pg_stat_xact_user_tables where relname = 'rail_events'`
    assert.deepEqual(walked, { seq_scan: 0n })
  })
})
