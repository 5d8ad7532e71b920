import assert from 'node:assert/strict'
import { test } from 'node:test'

import { databaseBefore, migrateOne } from '../support/older-database.ts'
import { asOwner } from '../support/server.ts'

/** Rows as they were before endings were kept track of; what they refer to does not matter here. */
const older = `
  insert into deposits (id, transaction_id, fact_id, rail, payment, asset, amount, state, at) values
    (11, 1, 11, 'r', '11', 'EUR-EUR', 100, 'final', now()), (12, 1, 12, 'r', '12', 'EUR-EUR', 30, 'final', now()),
    (21, 2, 21, 'r', '21', 'EUR-EUR', 60, 'final', now()), (31, 3, 31, 'r', '31', 'EUR-EUR', 100, 'lost', now()),
    (41, 4, 41, 'r', '41', 'EUR-EUR', 50, 'reversed', now()), (51, 5, 51, 'r', '51', 'EUR-EUR', 80, 'lost', now()),
    (61, null, 61, 'r', '61', 'EUR-EUR', 70, 'final', now()), (62, null, 62, 'r', '62', 'EUR-EUR', 20, 'reversed', now());
  insert into moves (transaction_id, number, fact, status, at) values
    (1, 1, 'created', 'new', now()), (1, 2, 'deposit:11', 'exchanging', now()), (1, 3, 'deposit:12', 'on_hold', now()),
    (1, 4, 'address_given:2', 'exchanging', now()), (2, 1, 'deposit:21', 'on_hold', now()),
    (3, 1, 'deposit:31', 'exchanging', now()), (4, 1, 'deposit:41', 'on_hold', now()),
    (5, 1, 'deposit:51', 'exchanging', now());
  insert into entries (id, transaction_id, kind, ref, at, digest) values
    (1, 3, 'deposit_reversed', 31, now(), ''), (2, 4, 'deposit_reversed', 41, now(), ''),
    (3, 5, 'deposit_reversed', 51, now(), ''), (4, 5, 'deposit', 51, now(), '');
  insert into postings (entry_id, line, debit, credit, asset, amount) values
    (1, 1, 'losses:chargebacks', 'held:p', 'EUR-EUR', 100), (2, 1, 'customer:4', 'held:p', 'EUR-EUR', 50),
    (3, 1, 'losses:chargebacks', 'held:p', 'EUR-EUR', 25), (4, 1, 'held:p', 'customer:5', 'EUR-EUR', 80);`

test('what deposits of before were used for, and what of them was taken back, is known once endings are kept track of', async () => {
  const url = await databaseBefore('endings', ['deposits', 'moves', 'entries', 'postings'], older)
  await migrateOne(url, 'endings')
  const { rows } = await asOwner(url, (client) =>
    client.query<{ row: string[] }>(
      'select array[id, exchanged, refunded, taken_back]::text[] as row from deposits order by id',
    ),
  )
  assert.deepEqual(
    rows.map(({ row }) => row.join(' ')),
    ['11 100 0 0', '12 0 0 0', '21 0 0 0', '31 100 0 100', '41 0 0 50', '51 80 0 25', '61 0 0 0', '62 0 0 20'],
  )
})
