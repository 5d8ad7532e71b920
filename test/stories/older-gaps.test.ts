import assert from 'node:assert/strict'
import { test } from 'node:test'

import { databaseBefore, migrateOne } from '../support/older-database.ts'
import { asOwner } from '../support/server.ts'

/** Statements as the code of before left them, each with its opening and closing balance. */
const statement = (id: number, opening: number, closing: number, more = ''): string => `
  insert into iso20022_statements (id, rail, account, asset, identification, number, page, closing_on, opening, closing, previous_id, file_id)
  overriding system value values (${id}, 'bank-1', 'A', 'EUR-EUR', 'S${id}', ${id === 6 ? 8 : id}, 1, date '2026-03-01' + ${id}, ${opening}, ${closing}, ${id === 1 ? 'null' : id - 1}, 1);
  ${more}`
const booking = (id: number, amount: number, statementId: number | 'null', gap: string): string => `
  insert into iso20022_bookings (id, rail, account, asset, direction, amount, state, was_pending, kind, reference, remainder, booked_on, statement_id, gap, file_id, reported_at)
  values (${id}, 'bank-1', 'A', 'EUR-EUR', '${amount < 0 ? 'out' : 'in'}', ${Math.abs(amount)}, 'booked', false,
    '${amount < 0 ? 'unexplained' : 'deposit'}', '', ${Math.max(amount, 0)}, '', ${statementId}, ${gap}, 1, now());`

/** A lump that fits, one that does not, what nobody decided about, two that overlap, and a number that was given up. */
const older = [
  statement(1, 1000, 1000),
  statement(2, 1100, 1100, booking(21, 100, 2, `'lump'`)),
  statement(3, 1070, 1070, booking(31, -20, 3, `'lump'`)),
  statement(4, 1090, 1090),
  statement(5, 1060, 1090, `update iso20022_statements set overlap = 30, shares_bookings = true where id = 5;`),
  statement(
    6,
    1090,
    1090,
    `insert into iso20022_skips (rail, account, first_number, last_number, before_on, reason, actor, at)
       values ('bank-1', 'A', 6, 7, '2026-03-07', 'lost', 'cli:ann', now());`,
  ),
].join('')

test('gaps of before are as they were decided about: what fits needs nobody, and what does not is a break', async () => {
  const tables = ['iso20022_statements', 'iso20022_bookings', 'iso20022_skips']
  const url = await databaseBefore('gaps-are-decided', tables, older)
  await migrateOne(url, 'gaps-are-decided')
  const { rows } = await asOwner(url, (client) =>
    client.query<{ row: string }>(
      `select concat_ws(' ', statement_id, moved, lumps, coalesce(lump_id, 0), is_decided) as row from iso20022_gaps order by statement_id`,
    ),
  )
  assert.deepEqual(
    rows.map(({ row }) => row),
    ['1 0 0 0 f', '2 100 100 21 t', '3 -30 -20 31 t', '4 20 0 0 f', '5 0 0 0 f', '6 0 0 0 t'],
  )
})
