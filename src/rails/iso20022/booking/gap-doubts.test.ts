import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { next } from '../../../../test/support/bank-session.ts'
import type { BankWorld } from '../../../../test/support/bank-world.ts'
import { camt, type CamtEntry, ourIban } from '../../../../test/support/camt.ts'
import {
  accept,
  decide,
  findings,
  notify,
  other,
  reported,
  send,
  withBank,
} from '../../../../test/support/statement-gaps.ts'
import { bankOpening } from '../opening.ts'

/** Bookings that only notifications have, as they wait. */
const notified = ({ ctx }: BankWorld): Promise<{ doubt: string | null; reference: string }[]> =>
  ctx.db.sql`select doubt, reference from iso20022_bookings where statement_id is null order by id`
const waits = { doubt: 'double', reference: '' }
const debit = (amount: string): CamtEntry => ({ amount, debit: true, servicerReference: next('D') })

describe('a notification of the days of a gap that operators have decided about', () => {
  it('waits for a person where only a number was given up: the two statements continue each other', () =>
    withBank(async (world) => {
      await send(world, { number: 3, on: 5, opening: 1000, closing: 1000 })
      await decide(world)
      await notify(world, 4, other())
      assert.deepEqual(await notified(world), [{ ...waits }])
    }))

  it('waits for a person where it is a charge of the bank, which is no cost then', () =>
    withBank(async (world) => {
      await accept(world, { number: 3, on: 5, opening: 960, closing: 960 })
      await decide(world)
      await notify(world, 4, { ...debit('40.00'), code: 'CHRG' })
      assert.deepEqual([await notified(world), world.charges], [[waits], []])
    }))

  for (const [what, closing, entries] of [
    ['each of two that come to it', 1200, [other(), other()]],
    ['one that is more than it', 950, [other('120.00')]],
    ['a debit', 960, [debit('40.00')]],
  ] as const)
    it(`waits for a person, whatever its amount: ${what}`, () =>
      withBank(async (world) => {
        await accept(world, { number: 3, on: 5, opening: closing, closing })
        await decide(world)
        for (const entry of entries) await notify(world, 4, entry)
        assert.deepEqual(
          await notified(world),
          entries.map(() => waits),
        )
      }))

  it('waits for a person, and says so, where it was announced before', () =>
    withBank(async (world) => {
      const entry = other()
      await accept(world, { number: 3, on: 5, opening: 1100, closing: 1100 })
      await notify(world, 4, { ...entry, status: 'PDNG' })
      await decide(world)
      await notify(world, 4, entry)
      assert.deepEqual(await notified(world), [waits])
    }))

  it('waits for a person where it has no day and comes later', () =>
    withBank(async (world) => {
      const today = world.bank.clock.now().toISOString().slice(0, 10)
      await accept(world, { number: 3, on: today, opening: 1100, closing: 1100 })
      await decide(world)
      world.pass(10 * 86_400_000)
      const text = camt({ kind: '054', id: next('N'), entries: [other()] })
      world.outside.drop('undated.xml', text.replace(/<BookgDt>.*<\/ValDt>/s, ''))
      await reported(world)
      assert.deepEqual(await notified(world), [waits])
    }))
})

describe('a statement that does not continue the last one', () => {
  it('is a new one where its bank gives all the same number', () =>
    withBank(async (world) => {
      await send(world, { number: 1, on: 4, opening: 1100, closing: 1200, entries: [other()] })
      assert.deepEqual(await findings(world), [['opening_differs', 100]])
      await send(world, { number: 1, on: 3, opening: 1000, closing: 1100, entries: [other()] })
      assert.deepEqual(await findings(world), [])
    }))

  it('is a new one of its day where its bank gives no number', () =>
    withBank(async (world) => {
      await send(world, { on: 3, opening: 1000, closing: 1100, entries: [other()] })
      await send(world, { on: 3, opening: 1200, closing: 1300, entries: [other()] })
      assert.deepEqual(await findings(world), [['opening_differs', 100]])
      await send(world, { on: 3, opening: 1100, closing: 1200, entries: [other()] })
      assert.deepEqual(await findings(world), [])
    }))

  it('comes before one of its day with a higher number', () =>
    withBank(async (world) => {
      await accept(world, { number: 3, on: 5, opening: 1150, closing: 1200, entries: [other('50.00')] })
      await accept(world, { number: 2, on: 5, opening: 1020, closing: 1100, entries: [other('80.00')] })
      const differ = (await findings(world)).map(([, amount]) => amount)
      assert.deepEqual(
        differ.toSorted((one, another) => one - another),
        [20, 50],
      )
      assert.deepEqual(await send(world, { number: 4, on: 6, opening: 1200, closing: 1300, entries: [other()] }), [
        ['deposit_final', 100],
      ])
    }))

  it('comes after the one before it, though that continues to a later one of the same day', () =>
    withBank(async (world) => {
      for (const [number, on] of [2, 3, 4, 5, 6, 7, 9].map((one) => [one, one < 9 ? one : 8] as const))
        await send(world, {
          number,
          on,
          opening: 800 + number * 100 - (number === 9 ? 100 : 0),
          closing: 900 + number * 100 - (number === 9 ? 100 : 0),
          entries: [other()],
        })
      await accept(world, { number: 8, on: 8, opening: 1590, closing: 1600, entries: [other('10.00')] })
      assert.deepEqual(await findings(world), [['opening_differs', -10]])
    }))

  it('says nothing about what an account began with where it is older than the first one that came', () =>
    withBank(async (world) => {
      await accept(world, { number: 7, on: 1, opening: 900, closing: 950 })
      const opened = await bankOpening(world.ctx.db, { rail: 'bank-1', account: ourIban, asset: 'EUR-EUR' })
      assert.equal(opened?.opening, 100_000n)
    }))
})
