import assert from 'node:assert/strict'
import { test } from 'node:test'

import { testDatabase } from '../../../test/support/database.ts'
import { openPool } from '../../platform/db/pool.ts'
import { moneySeen } from './deposit.ts'

test('whether money was seen is known without walking through all facts', async (t) => {
  const { ownerUrl } = await testDatabase()
  const owner = openPool({ urls: [ownerUrl], size: 2, statementNames: true })
  t.after(() => owner.close())
  // Instructions of transactions that are not there: only the look for their facts matters here.
  await owner.sql`alter table deposit_instructions drop constraint deposit_instructions_transaction_id_fkey`
  await owner.sql`insert into assets (id, ticker, network, decimals) values ('EUR-EUR', 'EUR', 'EUR', 2)`
  await owner.sql`
    insert into deposit_instructions (transaction_id, rail, reference, method, asset, amount, pay_to, created_at)
    select n, 'card', 'reference ' || n, 'VISA_MC_1', 'EUR-EUR', 1, '{}', now() from generate_series(1, 5000) as n`
  await owner.sql`
    insert into facts (rail, fact_key, kind, reference, body, received_at)
    select 'card', n, 'deposit.final', 'reference ' || n,
      json_build_object('payment', n::text, 'asset', 'EUR-EUR', 'amount', '1'), now() from generate_series(2, 5000) as n`
  await owner.sql`analyze`

  await owner.atomic(async (block) => {
    assert.equal(await moneySeen(block, 1n), false)
    assert.equal(await moneySeen(block, 2n), true)
    const [walked] = await block.sql`select seq_scan from pg_stat_xact_user_tables where relname = 'facts'`
    assert.deepEqual(walked, { seq_scan: 0n })
  })
})
