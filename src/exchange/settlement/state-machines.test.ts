import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { testDatabase } from '../../../test/support/database.ts'
import { openPool } from '../../platform/db/pool.ts'
import type { Database } from '../../platform/db/sql.ts'
import { changeKinds } from '../transactions/status-history.ts'
import { hedges } from '../treasury/hedge.ts'
import { rebalances } from '../treasury/rebalance.ts'
import { deposits } from './deposit.ts'
import { disputes } from './dispute.ts'
import { payouts } from './payout.ts'
import { preparedPayments } from './prepared-payment.ts'
import { refunds } from './refund.ts'
import { type StateMachine, transition } from './transition.ts'

/** Every table with a lifecycle: the states that rows are inserted in, and those that nothing follows. */
const machines: { machine: StateMachine<string, string>; first: string[]; last: string[] }[] = [
  { machine: deposits, first: ['final'], last: [] },
  { machine: payouts, first: ['waiting', 'reserved'], last: ['cancelled'] },
  { machine: refunds, first: ['ordered'], last: ['cancelled'] },
  { machine: preparedPayments, first: ['planned'], last: ['done', 'never'] },
  { machine: disputes, first: ['opened'], last: [] },
  { machine: hedges, first: ['proposed', 'approved'], last: ['filled', 'rejected', 'canceled'] },
  { machine: rebalances, first: ['proposed'], last: ['settled', 'canceled'] },
] as { machine: StateMachine<string, never>; first: string[]; last: string[] }[]

let db: Database
before(async () => {
  const { ownerUrl } = await testDatabase()
  db = openPool({ urls: [ownerUrl], size: 2 })
})
after(() => db.close())

/** The texts that a check of a column in the database names. */
async function namedBy(table: string, constraint: string): Promise<string[]> {
  const [row] = await db.sql<{ text: string }>`
    select pg_get_constraintdef(oid) as text from pg_constraint
    where conrelid = ${table}::regclass and conname = ${constraint}`
  return [...(row?.text ?? '').matchAll(/'([a-z_]+)'::text/g)].map(([, name = '']) => name)
}

for (const { machine, first, last } of machines) {
  const { table, lifecycle } = machine
  const states = Object.keys(lifecycle)

  describe(`the lifecycle of ${table}`, () => {
    it('has every state that it leads to, and reaches every one from where rows begin', () => {
      const reached = new Set(first)
      for (const state of reached) for (const next of lifecycle[state] ?? []) reached.add(next)
      assert.deepEqual([...reached].toSorted(), states.toSorted())
    })

    it('ends where it should, and no state follows itself', () => {
      assert.deepEqual(states.filter((state) => lifecycle[state]?.length === 0).toSorted(), last.toSorted())
      for (const state of states) assert.ok(!lifecycle[state]?.includes(state), state)
    })

    it('has the states that the database has', async () => {
      assert.deepEqual((await namedBy(table, `${table}_state_check`)).toSorted(), states.toSorted())
    })

    it('is all that the guarded function allows', async () => {
      for (const from of states) {
        for (const to of states.filter((state) => !lifecycle[from]?.includes(state))) {
          await assert.rejects(
            db.atomic(async (block) => transition(block, machine, [{ id: 1n }], from, to)),
            new RegExp(`a row of ${table} cannot go from ${from} to ${to}`),
          )
        }
      }
    })
  })
}

describe('a transition', () => {
  const stateOf = async (id: bigint): Promise<string | undefined> =>
    (await db.sql<{ state: string }>`select state from plans where id = ${id}`)[0]?.state

  before(async () => {
    await db.sql`insert into data_keys (id, wrapped) values (1, '')`
    await db.sql`
      insert into plans (id, rail, plan_key, state, data_key_id, body, planned_at)
      select n, 'r', n, case n when 3 then 'never' else 'planned' end, 1, '', now() from generate_series(1, 3) as n`
  })

  it('brings all rows to a state, with other columns, in one statement', async () => {
    const at = new Date('2026-01-02T03:04:05Z')
    await db.atomic(async (block) =>
      transition(
        block,
        preparedPayments,
        [1n, 2n, 2n].map((id) => ({ id, unknownSince: at })),
        'planned',
        'unknown',
      ),
    )
    const rows = await db.sql<{ state: string; unknown_since: Date }>`
      select state, unknown_since from plans where id <> 3 order by id`
    assert.deepEqual(rows, [
      { state: 'unknown', unknown_since: at },
      { state: 'unknown', unknown_since: at },
    ])
  })

  for (const [what, id] of [
    ['is in another state', 3n],
    ['is not there', 9n],
  ] as const) {
    it(`fails the whole block where a row ${what}, and changes nothing`, async () => {
      await assert.rejects(
        db.atomic(async (block) =>
          transition(block, preparedPayments, [{ id: 1n }, { id }], ['planned', 'unknown'], 'done'),
        ),
        /1 of the rows of plans are not in the state that they should leave/,
      )
      assert.equal(await stateOf(1n), 'unknown')
      assert.equal(await stateOf(3n), 'never')
    })
  }
})

describe('the kinds of the status history', () => {
  it('are those that the database has, each about the same', async () => {
    const known = new Set<string>(['deposit', 'reversal', 'reinstatement', 'payout', 'refund', 'quote'])
    const named = await namedBy('status_history', 'status_history_kind')
    const kinds = named.filter((name) => !known.has(name))
    assert.deepEqual(kinds.toSorted(), Object.keys(changeKinds).toSorted())
    await db.sql`alter table status_history drop constraint if exists status_history_transaction_id_fkey`
    await db.sql`alter table status_history drop constraint if exists moves_transaction_id_fkey`
    for (const [kind, { about }] of Object.entries(changeKinds)) {
      await db.sql`
        insert into status_history (transaction_id, number, kind, subject, subject_id, occurrence, status, at)
        values (1, 1, ${kind}, ${about}, ${about === null ? null : 1n}, 1, 'new', now())`
    }
  })
})
