import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import {
  accept,
  acceptFile,
  assertAgrees,
  debits,
  decide,
  explain,
  findings,
  lumps,
  notify,
  orderFile,
  other,
  reported,
  send,
  submitPayment,
  withBank,
  withdraw,
  withoutFirst,
} from '../../../../test/support/statement-gaps.ts'
import type { BankWorld } from '../../../../test/support/bank-world.ts'
import { dayAfter, outcome } from '../../../../test/support/ended-payouts.ts'
import { debitOf } from '../../../../test/support/folder-bank.ts'

/** Deposits as they were credited: to the order of a reference, or to none. */
const credited = async ({ ctx }: BankWorld): Promise<string[]> =>
  (
    await ctx.db.sql<{ reference: string }>`
      select case reference when '' then 'suspense' else 'order' end as reference from iso20022_bookings
      where kind = 'deposit' and state = 'booked' and gap is null order by id`
  ).map(({ reference }) => reference)

describe('what was notified within a gap', () => {
  it('is credited once where a later statement has it', () =>
    withBank(async (world) => {
      const order = other()
      await notify(world, 3, order)
      assert.deepEqual(await accept(world, { number: 2, on: 5, opening: 1100, closing: 1100 }), [])
      const real = { number: 3, on: 6, opening: 1100, closing: 1200, entries: [order] }
      assert.deepEqual(await send(world, real), [])
      assert.deepEqual(await findings(world), [['opening_differs', 100]])
      await decide(world)
      assert.deepEqual([await lumps(world), await findings(world), await credited(world)], [[100], [], ['order']])
      await assertAgrees(world)
    }))

  it('moves into the statement that has it after all, if a person had said that it lies there', () =>
    withBank(async (world) => {
      const order = other()
      await notify(world, 3, order)
      await accept(world, { number: 2, on: 5, opening: 1150, closing: 1150 })
      await explain(world)
      assert.deepEqual(await decide(world), [['deposit_final', 50]])
      assert.deepEqual(await findings(world), [])
      assert.deepEqual(await send(world, { number: 3, on: 6, opening: 1150, closing: 1250, entries: [order] }), [])
      assert.deepEqual(await findings(world), [['double', 100]])
      assert.deepEqual(await withdraw(world), [['deposit_withdrawn', 50]])
      assert.deepEqual(await decide(world), [['deposit_final', 150]])
      assert.deepEqual([await findings(world), await credited(world)], [[], ['order']])
      await assertAgrees(world)
    }))
})

describe('a lost statement, where operators have decided about the gap', () => {
  it('waits, and once two operators accept it its bookings wait for a person, and what was booked instead is a break', () =>
    withBank(async (world) => {
      await accept(world, { number: 3, on: 5, opening: 1100, closing: 1100 })
      await decide(world)
      const lost = { number: 2, on: 3, opening: 1000, closing: 1100, entries: [other()] }
      assert.deepEqual(await send(world, lost, 'lost.xml'), [])
      assert.deepEqual(await findings(world), [['double', 100]])
      assert.deepEqual(await acceptFile(world, 'lost.xml'), [['deposit_final', 100]])
      assert.deepEqual([await findings(world), await credited(world)], [[['double', -100]], ['suspense']])
      await assertAgrees(world)
      assert.deepEqual(await withdraw(world), [['deposit_withdrawn', 100]])
      assert.deepEqual(await findings(world), [])
      await assertAgrees(world)
    }))

  it('waits though it continues neither end, and what is left is a gap again once what was booked is withdrawn', () =>
    withBank(async (world) => {
      await accept(world, { number: 4, on: 6, opening: 1200, closing: 1200 })
      await decide(world)
      const lost = { number: 2, on: 4, opening: 1050, closing: 1150, entries: [other()] }
      assert.deepEqual(await send(world, lost, 'lost.xml'), [])
      assert.deepEqual(await acceptFile(world, 'lost.xml'), [['deposit_final', 100]])
      await assertAgrees(world)
      await withdraw(world)
      assert.deepEqual(await findings(world), [
        ['opening_differs', 50],
        ['opening_differs', 50],
      ])
      await decide(world)
      assert.deepEqual([await findings(world), await lumps(world), await credited(world)], [[], [50, 50], ['suspense']])
      await assertAgrees(world)
    }))

  it('waits in whatever order lost ones without numbers come', () =>
    withoutFirst(async (world) => {
      await send(world, { on: 2, opening: 1000, closing: 1000 })
      await accept(world, { on: 6, opening: 1050, closing: 1050 })
      await decide(world)
      await send(world, { on: 4, opening: 1020, closing: 1050, entries: [other('30.00')] }, 'later.xml')
      assert.deepEqual(await acceptFile(world, 'later.xml'), [['deposit_final', 30]])
      const earlier = { on: 3, opening: 1000, closing: 1020, entries: [other('20.00')] }
      assert.deepEqual(await send(world, earlier, 'earlier.xml'), [])
      assert.deepEqual(await acceptFile(world, 'earlier.xml'), [['deposit_final', 20]])
      assert.deepEqual([await findings(world), await credited(world)], [[['double', -50]], ['suspense', 'suspense']])
      await withdraw(world)
      assert.deepEqual(await findings(world), [])
      await assertAgrees(world)
    }))

  it('ends a payment of ours that is still open, which is paid once then', () =>
    withBank(async (world) => {
      const key = await submitPayment(world, 4_000n)
      const [order] = world.outside.collect()
      await accept(world, { number: 3, on: dayAfter(world, 2), opening: 960, closing: 960 })
      await decide(world)
      const entries = [debitOf(order ?? assert.fail())]
      const lost = { number: 2, on: dayAfter(world, 1), opening: 1000, closing: 960, entries }
      await send(world, lost, 'lost.xml')
      await acceptFile(world, 'lost.xml')
      assert.deepEqual([await outcome(world, key), await findings(world)], ['done', [['double', 40]]])
      await withdraw(world)
      assert.deepEqual([await findings(world), await debits(world)], [[], []])
      await assertAgrees(world)
    }))

  it('leaves the decision alone if it is empty and comes before what differs', () =>
    withBank(async (world) => {
      await accept(world, { number: 3, on: 5, opening: 1100, closing: 1100 })
      await decide(world)
      await send(world, { number: 2, on: 3, opening: 1000, closing: 1000 }, 'empty.xml')
      await acceptFile(world, 'empty.xml')
      assert.deepEqual([await findings(world), await lumps(world)], [[], [100]])
      await assertAgrees(world)
    }))
})

describe('a corrected statement', () => {
  it('makes what was decided about before it a break, where it opens differently', () =>
    withBank(async (world) => {
      await accept(world, { number: 2, on: 3, opening: 1070, closing: 1070 })
      await decide(world)
      assert.deepEqual(await send(world, { number: 2, on: 3, opening: 1080, closing: 1080 }, 'corrected.xml'), [])
      assert.deepEqual(await acceptFile(world, 'corrected.xml'), [])
      assert.deepEqual(await findings(world), [['double', 10]])
      await withdraw(world)
      await decide(world)
      assert.deepEqual([await lumps(world), await findings(world)], [[80], []])
      await assertAgrees(world)
    }))

  it('credits nothing next to what was decided about, although two operators accept it', () =>
    withBank(async (world) => {
      const lacking = { number: 2, on: 3, opening: 1000, closing: 1000 }
      await send(world, lacking)
      await accept(world, { number: 3, on: 4, opening: 1100, closing: 1100 })
      await decide(world)
      const whole = { ...lacking, closing: 1100, entries: [other()] }
      assert.deepEqual(await send(world, whole, 'corrected.xml'), [])
      assert.deepEqual(await acceptFile(world, 'corrected.xml'), [['deposit_final', 100]])
      assert.deepEqual([await findings(world), await credited(world)], [[['double', -100]], ['suspense']])
      await withdraw(world)
      assert.deepEqual(await findings(world), [])
      await assertAgrees(world)
    }))
})

describe('a file that was accepted before', () => {
  it('does not undo one of the same statement that was accepted since, when it is read again', () =>
    withBank(async (world) => {
      assert.deepEqual(await send(world, { number: 2, on: 4, opening: 1150, closing: 1150 }, 'first.xml'), [])
      await acceptFile(world, 'first.xml')
      await accept(world, { number: 2, on: 4, opening: 1120, closing: 1120 })
      await orderFile(world, 'first.xml', 'read')
      assert.deepEqual(await reported(world), [])
      const differs = ['opening_differs', 120]
      assert.deepEqual(await findings(world), [differs, ['swallowed', 30]])
      assert.deepEqual(await acceptFile(world, 'first.xml'), [])
      assert.deepEqual(await findings(world), [['opening_differs', 150]])
      await assertAgrees(world)
    }))
})

describe('a statement that overlaps', () => {
  const [first, y, z] = [other(), other(), other()]
  const one = { number: 2, on: 3, opening: 1000, closing: 1100, entries: [first] }
  const between = { number: 3, on: 4, opening: 1100, closing: 1200, entries: [{ ...y, date: '2026-03-04' }] }
  const all = {
    number: 4,
    on: 5,
    opening: 1100,
    closing: 1300,
    entries: [
      { ...y, date: '2026-03-04' },
      { ...z, date: '2026-03-05' },
    ],
  }
  it('leaves no gap where the other one is after it', () =>
    withBank(async (world) => {
      await send(world, one)
      await send(world, all)
      assert.deepEqual(await accept(world, between), [])
      assert.deepEqual([await findings(world), await lumps(world)], [[], []])
      await assertAgrees(world)
    }))

  it('leaves no gap where one is before it and one after it, and that one is corrected', () =>
    withBank(async (world) => {
      await send(world, one)
      const later = { number: 4, on: 5, opening: 1100, closing: 1200, entries: [{ ...y, date: '2026-03-04' }] }
      await send(world, later)
      const both = [{ ...first, date: '2026-03-03' }, ...later.entries]
      assert.deepEqual(await accept(world, { number: 3, on: 4, opening: 1000, closing: 1200, entries: both }), [])
      assert.deepEqual(await findings(world), [])
      await accept(world, { ...later, opening: 1200, entries: [] })
      assert.deepEqual(await findings(world), [])
      await assertAgrees(world)
    }))

  it('leaves no gap where the other one is before it, and can come again', () =>
    withBank(async (world) => {
      await send(world, one)
      await send(world, between)
      assert.deepEqual(await accept(world, all), [['deposit_final', 100]])
      assert.deepEqual([await findings(world), await lumps(world)], [[], []])
      await assertAgrees(world)
      assert.deepEqual(await send(world, all), [])
      assert.deepEqual(await findings(world), [])
    }))

  it('leaves what lies before the other one for a person, too', () =>
    withBank(async (world) => {
      const days = [first, y, z].map((entry, index) => ({ ...entry, date: `2026-03-0${index + 3}` }))
      await send(world, { number: 4, on: 5, opening: 1000, closing: 1300, entries: days })
      await accept(world, { number: 2, on: 3, opening: 1000, closing: 1100, entries: days.slice(0, 1) })
      assert.deepEqual([await lumps(world), await findings(world)], [[], [['lost_statement', 0]]])
      await send(world, { number: 3, on: 4, opening: 1100, closing: 1200, entries: days.slice(1, 2) })
      const left = [
        ['opening_differs', -200],
        ['opening_differs', 100],
      ]
      const found = (await findings(world)).toSorted(([, one], [, other]) => one - other)
      assert.deepEqual([await lumps(world), found], [[], left])
      await assertAgrees(world)
      await decide(world)
      assert.deepEqual(await findings(world), [])
      await assertAgrees(world)
    }))

  it('keeps what it shares where the other one is corrected and lacks it', () =>
    withBank(async (world) => {
      await send(world, one)
      await send(world, between)
      await accept(world, all)
      const corrected = { ...between, closing: 1100, entries: [] }
      await send(world, corrected, 'corrected.xml')
      assert.deepEqual(await acceptFile(world, 'corrected.xml'), [])
      assert.deepEqual(await findings(world), [])
      await assertAgrees(world)
    }))
})
