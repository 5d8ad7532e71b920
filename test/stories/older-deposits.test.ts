import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { test } from 'node:test'

import { emptyDatabase } from '../support/database.ts'
import { asOwner } from '../support/server.ts'
import { filesBelow } from '../support/source.ts'

/** Rows as they were before endings were kept track of; what they refer to does not matter here. */
const older = `
  do $$ declare one record; begin
    for one in select conrelid::regclass as name, conname from pg_constraint
      where contype = 'f' and conrelid in ('deposits'::regclass, 'moves'::regclass, 'entries'::regclass, 'postings'::regclass)
    loop execute format('alter table %s drop constraint %I', one.name, one.conname); end loop;
  end $$;
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
  const { ownerUrl } = await emptyDatabase()
  const files = filesBelow('migrations').filter((path) => /^\d/.test(basename(path)))
  const read = (number: string) => readFileSync(files.find((path) => basename(path).startsWith(number)) ?? '', 'utf8')
  const rows = await asOwner(ownerUrl, async (client) => {
    for (const path of files.toSorted().filter((one) => basename(one) < '0016')) {
      await client.query(`begin; ${readFileSync(path, 'utf8')}; commit`)
    }
    await client.query(older)
    await client.query(`begin; ${read('0016')}; commit`)
    return (
      await client.query<{ row: string[] }>(
        'select array[id, exchanged, refunded, taken_back]::text[] as row from deposits order by id',
      )
    ).rows
  })
  assert.deepEqual(
    rows.map(({ row }) => row.join(' ')),
    ['11 100 0 0', '12 0 0 0', '21 0 0 0', '31 100 0 100', '41 0 0 50', '51 80 0 25', '61 0 0 0', '62 0 0 20'],
  )
})
