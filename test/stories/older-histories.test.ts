import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'

import { changeKinds } from '../../src/exchange/transactions/status-history.ts'
import { databaseBefore, migrateOne } from '../support/older-database.ts'
import { asOwner } from '../support/server.ts'

/** Rows as they were when what happened was a text; what else they refer to does not matter here. */
const older = `
  insert into payouts (id, transaction_id, purpose, number, rail, place, asset, amount, state, data_key_id, destination, ordered_at)
  select id, 1, 'payout', number, 'r', 'p', 'EUR-EUR', 1, 'waiting', 1, '', now() from (values (70, 1), (71, 2), (72, 3)) as one (id, number);
  insert into moves (transaction_id, number, fact, status, at)
  select case when fact like '2 %' then 2 else 1 end, number, replace(fact, '2 ', ''), 'on_hold', now()
  from unnest(array[FACTS]) with ordinality as one (fact, number)`

/** Each text of before with what it is now. What begins with 2 is of another transaction. */
const converted: [fact: string, now: string][] = [
  ['created', '1 created - - 1'],
  ['opened', '1 opened - - 1'],
  ['complete', '1 completed - - 1'],
  ['deposit:11', '1 deposit_final deposit 11 1'],
  ['deposit:12', '1 deposit_final deposit 12 1'],
  ['suspense_matched:13', '1 deposit_matched deposit 13 1'],
  ['deposit_reversed:14', '1 deposit_reversed reversal 14 1'],
  ['exchanged_anew:2', '1 exchanged_again quote 2 1'],
  ['went_on:9', '1 settled - - 1'],
  ['went_on:12', '1 settled - - 2'],
  ['payout_planned:70', '1 payout_prepared payout 70 1'],
  ['payout_settled:70', '1 payout_paid payout 70 1'],
  ['payout_returned:70', '1 payout_returned payout 70 1'],
  ['address_given:2', '1 payout_address_given payout 71 1'],
  ['payout_held:71:14', '1 payout_needs_approval payout 71 1'],
  ['payout_approved:71:15', '1 payout_approved payout 71 1'],
  ['payout_held:71:18', '1 payout_needs_approval payout 71 2'],
  ['payout_barred:71:19', '1 payout_address_inactive payout 71 1'],
  ['payout_unclear:71:20', '1 payout_unknown payout 71 1'],
  ['payout_clear:71:21', '1 payout_known payout 71 1'],
  ['payout_failed:71', '1 payout_failed payout 71 1'],
  ['ordered_again:3', '1 payout_ordered_again payout 72 1'],
  ['refund_asked:24', '1 refund_requested - - 1'],
  ['refund_ordered:25', '1 refund_ordered - - 1'],
  ['refund_ordered:31', '1 refund_ordered - - 2'],
  ['refund_unknown:80:26', '1 refund_origin_unknown refund 80 1'],
  ['refund_address:27', '1 refund_address_given - - 1'],
  ['refund_held:81', '1 refund_needs_approval payout 81 1'],
  ['refund_planned:81', '1 refund_prepared payout 81 1'],
  ['refund_settled:81', '1 refund_paid payout 81 1'],
  ['refund_failed:82', '1 refund_failed payout 82 1'],
  ['refund_returned:81', '1 refund_returned payout 81 1'],
  ['accepted:33', '1 price_accepted - - 1'],
  ['held:34', '1 held - - 1'],
  ['held:36', '1 held - - 2'],
  ['resumed:35', '1 resumed - - 1'],
  ['released:37', '1 released - - 1'],
  ['2 created', '2 created - - 1'],
  ['2 identity_refused', '2 identity_refused - - 1'],
  ['2 deadline', '2 deadline_passed - - 1'],
  ['2 deadline:44', '2 deadline_passed - - 2'],
  ['2 cancelled:46', '2 cancelled - - 1'],
]

/** The kinds that came later: src/exchange/settlement/state-machines.test.ts asks the database for all. */
const since = ['deposit_reinstated', 'payout_payee_differs', 'payout_return_withdrawn', 'refund_return_withdrawn']

/** A database from before the history was typed, with these texts in it. */
const databaseOf = (facts: string[]): Promise<string> =>
  databaseBefore(
    'status-history',
    ['moves', 'payouts'],
    older.replace('FACTS', facts.map((fact) => `'${fact}'`).join()),
  )

const convert = (url: string): Promise<unknown> => migrateOne(url, 'status-history')

describe('a status history from before it was typed', () => {
  let url: string
  before(async () => {
    url = await databaseOf(converted.map(([fact]) => fact))
    await convert(url)
  })

  it('keeps every entry, with its kind, what it was about and how often that was', async () => {
    const { rows } = await asOwner(url, (client) =>
      client.query<{ row: string }>(
        `select concat_ws(' ', transaction_id, kind, coalesce(subject, '-'), coalesce(subject_id::text, '-'), occurrence) as row
         from status_history order by number`,
      ),
    )
    assert.deepEqual(
      rows.map(({ row }) => row),
      converted.map(([, now]) => now),
    )
  })

  it('is of every kind that there is, and of no other', async () => {
    const { rows } = await asOwner(url, (client) =>
      client.query<{ kind: string; subject: string | null }>('select distinct kind, subject from status_history'),
    )
    assert.deepEqual(
      new Map(rows.map(({ kind, subject }) => [kind, subject])),
      new Map(
        Object.entries(changeKinds).flatMap(([kind, { about }]) => (since.includes(kind) ? [] : [[kind, about]])),
      ),
    )
    for (const [kind, subject] of [
      ['begun', 'null'],
      ['created', `'payout'`],
      ['payout_paid', `'deposit'`],
      ['payout_paid', 'null'],
    ]) {
      await assert.rejects(
        asOwner(url, (client) =>
          client.query(`insert into status_history (transaction_id, number, kind, subject, subject_id, occurrence, status, at)
            values (3, 1, '${kind}', ${subject}, ${subject === 'null' ? 'null' : '1'}, 1, 'new', now())`),
        ),
        /violates check constraint "status_history_kind"/,
      )
    }
  })

  it('takes what happens once no second time', async () => {
    for (const [transaction, kind] of [
      [1, `'payout_paid', 'payout', 70, 1`],
      [1, `'completed', null, null, 1`],
      [1, `'held', null, null, 2`],
    ]) {
      await assert.rejects(
        asOwner(url, (client) =>
          client.query(`insert into status_history (transaction_id, number, kind, subject, subject_id, occurrence, status, at)
            values (${transaction}, 99, ${kind}, 'new', now())`),
        ),
        /violates unique constraint "status_history_once"/,
      )
    }
  })

  for (const [what, fact] of [
    ['a text that nobody knows', 'wandered:1'],
    ['a payout that is not there', 'ordered_again:9'],
  ] as const) {
    it(`is not converted with ${what}, and nothing changes`, async () => {
      const other = await databaseOf(['created', fact])
      await assert.rejects(convert(other), /The status history has a row that cannot be converted/)
      const { rows } = await asOwner(other, (client) => client.query<{ fact: string }>('select fact from moves'))
      assert.deepEqual(rows.map((row) => row.fact).toSorted(), ['created', fact].toSorted())
    })
  }
})
