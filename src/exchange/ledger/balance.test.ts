import assert from 'node:assert/strict'
import { test } from 'node:test'

import { testDatabase } from '../../../test/support/database.ts'
import { openPool } from '../../platform/db/pool.ts'
import { balanceOf } from './balance.ts'

test('a balance is read without walking through all postings', async () => {
  const { ownerUrl } = await testDatabase()
  const owner = openPool({ urls: [ownerUrl], size: 2 })
  await owner.sql`insert into assets (id, ticker, network, decimals) values ('EUR-EUR', 'EUR', 'EUR', 2)`
  await owner.sql`
    insert into entries (id, kind, ref, at, digest, xid)
    select n, 'capital', n, now(), '', n::text::xid8 from generate_series(1, 20000) as n`
  await owner.sql`
    insert into postings (entry_id, line, debit, credit, asset, amount)
    select n, 1, 'held:x', 'capital', 'EUR-EUR', 1 from generate_series(1, 20000) as n`
  await owner.sql`update fold_state set below = '19991'`
  await owner.sql`insert into folded_balances (account, asset, amount) values ('held:x', 'EUR-EUR', 19990)`
  await owner.sql`analyze`

  await owner.atomic(async (block) => {
    // What the service's connections plan once and keep.
    await block.sql`set local plan_cache_mode = force_generic_plan`
    assert.equal(await balanceOf(block, 'held:x', 'EUR-EUR'), 20_000n)
    assert.equal(await balanceOf(block, 'capital', 'EUR-EUR'), -10n)
    const [walked] = await block.sql`select seq_scan from pg_stat_xact_user_tables where relname = 'postings'`
    assert.deepEqual(walked, { seq_scan: 0n })
  })
  await owner.close()
})
