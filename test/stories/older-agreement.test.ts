import assert from 'node:assert/strict'
import { test } from 'node:test'

import { databaseBefore, migrateOne } from '../support/older-database.ts'
import { asOwner } from '../support/server.ts'

/** Chains that are followed to block 999, and what waits on them. */
const older = `
  insert into evm_chains (network, first_block, next_block, agreed_block) values
    ('ETH', 1, 1000, 800), ('BASE', 1, 1000, 800), ('POL', 1, 1000, 800), ('ARB', null, null, null);
  insert into evm_arrivals (network, hash, position, inclusion, address, asset, amount, block, state) values
    ('ETH', 'a', -1, 1, 'x', 'ETH-ETH', 1, 500, 'seen'), ('ETH', 'b', -1, 1, 'x', 'ETH-ETH', 1, 700, 'seen'),
    ('BASE', 'c', -1, 1, 'x', 'ETH-ETH', 1, 500, 'final'), ('BASE', 'd', -1, 1, 'x', 'ETH-ETH', 1, 600, 'reversed'),
    ('POL', 'e', -1, 1, 'x', 'ETH-ETH', 1, 900, 'seen');
  insert into chain_ended (network, plan_key) values ('BTC', '1'), ('XRP', '1');
  insert into bitcoin_payments (network, plan_key, script, amount) values ('BTC', '1', '00', 1), ('BTC', '2', '00', 1);
  insert into xrpl_payments (network, plan_key, recipient, amount) values ('XRP', '1', 'r', 1), ('XRP', '2', 'r', 1);`

test('what waits from before is compared with the second node, and what was ended before does not leave', async () => {
  const name = 'agreed-by-both-nodes'
  const url = await databaseBefore(name, ['evm_arrivals', 'bitcoin_payments', 'xrpl_payments'], older)
  await migrateOne(url, name)
  const { rows } = await asOwner(url, (client) =>
    client.query<{ row: string }>(
      `select concat_ws(' ', network, agreed_block) as row from evm_chains
       union all select concat_ws(' ', network, plan_key, state) from bitcoin_payments
       union all select concat_ws(' ', network, plan_key, state, recipient) from xrpl_payments order by 1`,
    ),
  )
  assert.deepEqual(rows.map(({ row }) => row).toSorted(), [
    'ARB',
    'BASE 800',
    'BTC 1 never',
    'BTC 2 waiting',
    'ETH 499',
    'POL 800',
    'XRP 1 never',
    'XRP 2 waiting r',
  ])
})
