import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { testContext } from '../../../test/support/api.ts'
import { testDatabase } from '../../../test/support/database.ts'
import { until } from '../../../test/support/telling.ts'
import type { Database } from '../../platform/db/sql.ts'
import type { RailEvent } from '../rail.ts'
import { balanceOf, recordMovements } from './store.ts'

const at = new Date('2026-03-02T10:00:00Z')

const come = (payment: string, amount: bigint, asset = 'EUR-EUR'): RailEvent => ({
  key: `${payment} ${amount}`,
  kind: 'deposit_final',
  reference: payment,
  payment,
  asset,
  amount,
  body: {},
})

describe("a processor's statement", () => {
  let db: Database
  before(async () => {
    ;({ db } = await testContext(await testDatabase()))
  })
  after(() => db.close())

  it('has what came of a payment once, although two processes read it at one moment', async () => {
    let hasEnded = false
    let second: Promise<void> | undefined
    await db.atomic(async (block) => {
      recordMovements(block, 'cards', [come('one', 6_000n)], at)
      await block.sql`select 1`
      second = db
        .atomic(async (other) => recordMovements(other, 'cards', [come('one', 10_000n)], at))
        .then(() => void (hasEnded = true))
      await until(async () => {
        const waiting = await db.sql`select 1 from pg_locks where locktype = 'advisory' and not granted`
        return hasEnded || waiting.length > 0
      }, 'the second reading to end or to wait')
    })
    await second
    assert.equal(await balanceOf(db, 'cards', 'EUR-EUR'), 10_000n)
  })

  it('counts what came of a payment in its own currency only', async () => {
    const both = [come('two', 5_000n, 'USD-USD'), come('two', 7_000n, 'GBP-GBP')]
    await db.atomic(async (block) => recordMovements(block, 'cards', both, at))
    assert.equal(await balanceOf(db, 'cards', 'GBP-GBP'), 7_000n)
  })

  it('has several payments that two processes read in opposite order', async () => {
    const events = ['a', 'b', 'c', 'd'].map((payment) => come(payment, 100n))
    const orders = Array.from({ length: 10 }, (_, index) => (index % 2 === 0 ? events : events.toReversed()))
    await Promise.all(orders.map((some) => db.atomic(async (block) => recordMovements(block, 'more', some, at))))
    assert.equal(await balanceOf(db, 'more', 'EUR-EUR'), 400n)
  })
})
