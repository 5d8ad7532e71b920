import assert from 'node:assert/strict'
import { test } from 'node:test'

import { databaseBefore, migrateOne } from '../support/older-database.ts'
import { asOwner } from '../support/server.ts'

/** A chain of each family, as it was followed: one whose nodes do not agree, one that was halted for good, and one that nothing was read of. */
const older = `
  insert into evm_chains (network, chain_id, first_block, next_block, agreed_block, fence) values
    ('ETH', 1, 1, 1000, 800, 7), ('ARB', null, null, null, null, 0);
  insert into bitcoin_chains (network, genesis, first_block, next_block, final_block, opening, halted, is_passing) values
    ('BTC', '00ab', 5, 9, 6, 12, 'It went too deep.', false);
  insert into xrpl_accounts (network, account, first_ledger, next_ledger, opening, halted, unsure_since, holder) values
    ('XRP', 'r1', 3, 8, 90, 'They differ.', '2026-01-05T00:00:00Z', 'one');
  insert into evm_blocks (network, number, hash) values ('ETH', 998, 'a'), ('ETH', 999, 'b');
  insert into bitcoin_blocks (network, number, hash) values ('BTC', 8, 'c');
  insert into evm_arrivals (network, hash, position, inclusion, address, asset, amount, block, state) values
    ('ETH', 'a', -1, 1, 'x', 'ETH-ETH', 1, 500, 'final');`

/** The tables that refer to some, by foreign keys. */
const referring = (names: string): string => `
  select distinct conrelid::regclass::text as row from pg_constraint
  where contype = 'f' and confrelid::regclass::text in (${names}) order by 1`

test('chains are followed on from where they were when their three tables became one', async () => {
  const name = 'one-table-of-followed-chains'
  const url = await databaseBefore(name, ['evm_arrivals'], older)
  const old = "'evm_chains', 'bitcoin_chains', 'xrpl_accounts'"
  const before = (await asOwner(url, (client) => client.query<{ row: string }>(referring(old)))).rows
    .map(({ row }) => row)
    .filter((table) => !table.endsWith('_blocks'))
  assert.ok(before.length > 10, 'other tables refer to the chains')
  await migrateOne(url, name)
  await asOwner(url, async (client) => {
    const rowsOf = async (query: string) => (await client.query<{ row: string }>(query)).rows.map(({ row }) => row)
    assert.deepEqual(
      await rowsOf(`
        select concat_ws(' ', network, family, identity, first_block, next_block, agreed_block, opening, fence, is_passing, halted, unsure_since is not null, holder) as row
        from chain_follows order by network`),
      [
        'ARB evm 0 0 f f',
        'BTC bitcoin 00ab 5 9 6 12 0 f It went too deep. f',
        'ETH evm 1 1 1000 800 0 7 f f',
        'XRP xrpl r1 3 8 7 90 0 t They differ. t one',
      ],
    )
    assert.deepEqual(
      await rowsOf(`select concat_ws(' ', network, number, hash) as row from chain_blocks order by network, number`),
      ['BTC 8 c', 'ETH 998 a', 'ETH 999 b'],
    )
    assert.deepEqual(await rowsOf(referring(`'chain_follows'`)), [...new Set([...before, 'chain_blocks'])].toSorted())
  })
})
