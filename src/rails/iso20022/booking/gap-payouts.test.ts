import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import type { BankWorld } from '../../../../test/support/bank-world.ts'
import type { CamtEntry } from '../../../../test/support/camt.ts'
import { bookAsOwn, dayAfter, end, outcome, refused } from '../../../../test/support/ended-payouts.ts'
import { debitOf } from '../../../../test/support/folder-bank.ts'
import {
  accept,
  acceptFile,
  debits,
  decide,
  findings,
  lumps,
  notify,
  other,
  send,
  submitPayment,
  withBank,
  withdraw,
  withoutFirst,
} from '../../../../test/support/statement-gaps.ts'

describe('a payout that left while a statement was lost', () => {
  async function debited(world: BankWorld): Promise<string> {
    const key = await submitPayment(world, 4_000n)
    const [order] = world.outside.collect()
    await send(world, {
      number: 2,
      on: 3,
      opening: 1000,
      closing: 960,
      entries: [debitOf(order ?? assert.fail())],
    })
    return key
  }
  const backOf = (key: string): CamtEntry => ({
    amount: '40.00',
    code: 'RRTN',
    servicerReference: `B-${key}`,
    payments: [{ endToEndId: key, amount: '40.00' }],
  })
  const unstated = async ({ ctx }: BankWorld): Promise<string> => {
    const [one] = await ctx.db.sql<{ id: bigint }>`select id from iso20022_bookings where statement_id is null`
    return `bk_${one?.id}`
  }

  it('is not ended by a statement that opens differently: its debit may be before it', () =>
    withBank(async (world) => {
      const key = await submitPayment(world, 4_000n)
      const [order] = world.outside.collect()
      await accept(world, { number: 3, on: dayAfter(world, 2), opening: 960, closing: 960 })
      assert.deepEqual(await lumps(world), [])
      await assert.rejects(end(world, key), refused)
      const entries = [debitOf(order ?? assert.fail())]
      await send(world, { number: 2, on: dayAfter(world, 1), opening: 1000, closing: 960, entries })
      assert.deepEqual([await outcome(world, key), await lumps(world), await findings(world)], ['done', [], []])
    }))

  it('is not ended while a number is missing, and is once that has come without its debit', () =>
    withBank(async (world) => {
      const key = await submitPayment(world, 4_000n)
      await send(world, { number: 3, on: dayAfter(world, 2), opening: 1000, closing: 1000 })
      await assert.rejects(end(world, key), refused)
      await send(world, { number: 2, on: dayAfter(world, 1), opening: 1000, closing: 1000 })
      await end(world, key)
      assert.equal(await outcome(world, key), 'never')
    }))

  for (const [what, amount] of [
    ['', 40],
    [' and a charge', 45],
    [' and that of others', 90],
  ] as const)
    it(`is not ended while a debit of its amount${what} is not booked as something else`, () =>
      withBank(async (world) => {
        const key = await submitPayment(world, 4_000n)
        const entries = [{ amount: `${amount}.00`, debit: true }]
        await send(world, { number: 2, on: dayAfter(world, 1), opening: 1000, closing: 1000 - amount, entries })
        const [debit] = await debits(world)
        await assert.rejects(end(world, key), { ...refused, message: new RegExp(`${debit?.payment}.*suspense book`) })
        await bookAsOwn(world, debit)
        await end(world, key)
      }))

  it('is not ended while its debit is announced, and may be booked yet', () =>
    withBank(async (world) => {
      const key = await submitPayment(world, 4_000n)
      const [order] = world.outside.collect()
      await send(world, { number: 2, on: dayAfter(world, 1), opening: 1000, closing: 1000 })
      await notify(world, dayAfter(world, 1), { ...debitOf(order ?? assert.fail()), status: 'PDNG' })
      await assert.rejects(end(world, key), { ...refused, message: /only announced/ })
      world.pass(22 * 86_400_000)
      await end(world, key, 'check')
    }))

  it('is not ended while a file waits that may have its debit', () =>
    withBank(async (world) => {
      const key = await submitPayment(world, 4_000n)
      const [order] = world.outside.collect()
      await send(world, { number: 2, on: dayAfter(world, 1), opening: 1000, closing: 1000 })
      await end(world, key, 'check')
      const entries = [debitOf(order ?? assert.fail())]
      await send(world, { number: 3, on: dayAfter(world, 2), opening: 970, closing: 930, entries }, 'waits.xml')
      await assert.rejects(end(world, key), { ...refused, message: /waits\.xml waits for a person/ })
      await acceptFile(world, 'waits.xml')
      assert.equal(await outcome(world, key), 'done')
    }))

  it('is not ended by a statement that is in the opening balance, whose debit may be in that, unless the bank lacks it', () =>
    withoutFirst(async (world) => {
      const key = await submitPayment(world, 4_000n)
      await send(world, { number: 2, on: dayAfter(world, 0), opening: 1000, closing: 1000 })
      await send(world, { number: 3, on: dayAfter(world, 1), opening: 1000, closing: 1000 })
      await end(world, key, 'check')
      await accept(world, { number: 1, on: dayAfter(world, 0), opening: 990, closing: 950 })
      await assert.rejects(end(world, key), refused)
      await end(world, key, 'end', true)
    }))

  it('is ended whatever is missing from four weeks after it on', () =>
    withBank(async (world) => {
      const key = await submitPayment(world, 4_000n)
      await send(world, { number: 2, on: dayAfter(world, 28), opening: 1000, closing: 1000 })
      await accept(world, { number: 4, on: dayAfter(world, 30), opening: 960, closing: 960 })
      await end(world, key)
    }))

  for (const first of [0, 1])
    it(`is ended by the first statement of an account if that is of day ${first} from its file on${first === 0 ? '' : ', and the bank lacks it'}`, () =>
      withoutFirst(async (world) => {
        const key = await submitPayment(world, 4_000n)
        await send(world, { number: 1, on: dayAfter(world, first), opening: 1000, closing: 1000 })
        await send(world, { number: 2, on: dayAfter(world, 2), opening: 1000, closing: 1000 })
        if (first > 0) await assert.rejects(end(world, key), refused)
        await end(world, key, 'end', first > 0)
      }))

  it('is not owed again where what came back may be what a person has decided about', () =>
    withBank(async (world) => {
      const key = await debited(world)
      await accept(world, { number: 4, on: 5, opening: 1000, closing: 1000 })
      await decide(world)
      assert.deepEqual(await notify(world, 4, backOf(key)), [['deposit_final', 40]])
    }))

  for (const isDecided of [false, true])
    it(`is owed again once a statement has what came back${isDecided ? ', unless a person has decided about that' : ''}`, () =>
      withBank(async (world) => {
        const key = await debited(world)
        await accept(world, { number: 4, on: 5, opening: 1000, closing: 1000 })
        await decide(world)
        const back = backOf(key)
        await notify(world, 4, back)
        if (isDecided) world.decided.add(await unstated(world))
        const events = await send(world, { number: 5, on: 6, opening: 1000, closing: 1040, entries: [back] })
        const expected: typeof events = [
          ['deposit_withdrawn', 40],
          ['payout_returned', 40],
        ]
        assert.deepEqual(events, isDecided ? [] : expected)
        assert.deepEqual(await send(world, { number: 5, on: 6, opening: 1000, closing: 1040, entries: [back] }), [])
      }))

  it('waits for a person where a late statement of the days that were decided about has what came back, too', () =>
    withBank(async (world) => {
      const key = await debited(world)
      await accept(world, { number: 4, on: 5, opening: 1000, closing: 1000 })
      await decide(world)
      const back = backOf(key)
      await notify(world, 4, back)
      await send(world, { number: 3, on: 4, opening: 960, closing: 1000, entries: [back] }, 'late.xml')
      assert.deepEqual(await acceptFile(world, 'late.xml'), [])
      assert.deepEqual(await findings(world), [['double', -40]])
      assert.deepEqual(await withdraw(world), [['deposit_withdrawn', 40]])
    }))

  it('leaves a recall that may be a part of it to the statement that has it', () =>
    withBank(async (world) => {
      const entry = other()
      const recall = { ...entry, debit: true, reversal: true, servicerReference: 'R-1' }
      await send(world, { number: 2, on: 3, opening: 1000, closing: 1100, entries: [entry] })
      await accept(world, { number: 4, on: 5, opening: 1000, closing: 1000 })
      await decide(world)
      assert.deepEqual(await notify(world, 4, recall), [])
      assert.deepEqual(await send(world, { number: 5, on: 6, opening: 1000, closing: 900, entries: [recall] }), [
        ['deposit_reversed', 100],
      ])
    }))
})
