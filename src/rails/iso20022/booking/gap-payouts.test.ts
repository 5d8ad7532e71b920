import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import type { BankWorld } from '../../../../test/support/bank-world.ts'
import { debitOf } from '../../../../test/support/folder-bank.ts'
import {
  accept,
  decide,
  lumps,
  notify,
  send,
  submitPayment,
  withBank,
} from '../../../../test/support/statement-gaps.ts'
import { payouts } from '../payouts.ts'

const refused = { code: 'NOT_EXCLUDED' }

describe('a payout that left while a statement was lost', () => {
  const dayAfter = ({ bank }: BankWorld, days: number): string =>
    new Date(bank.clock.realNow().getTime() + days * 86_400_000).toISOString().slice(0, 10)
  const end = async ({ bank }: BankWorld, key: string, how: 'check' | 'end' = 'end'): Promise<void> =>
    payouts(bank).end?.({ key, body: { asset: 'EUR-EUR' } }, how)
  const outcome = async ({ bank }: BankWorld, key: string): Promise<string> =>
    (await payouts(bank).look({ key, body: {} })).state

  it('is not ended by a statement that opens differently: its debit may be before it', () =>
    withBank(async (world) => {
      const key = await submitPayment(world, 4_000n)
      const [order] = world.outside.collect()
      await accept(world, { number: 3, on: dayAfter(world, 2), opening: 960, closing: 960 })
      assert.deepEqual(await lumps(world), [-40])
      await assert.rejects(end(world, key), refused)
      const entries = [debitOf(order ?? assert.fail())]
      await send(world, { number: 2, on: dayAfter(world, 1), opening: 1000, closing: 960, entries })
      assert.equal(await outcome(world, key), 'done')
      assert.deepEqual(await lumps(world), [])
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

  it('is not ended while a debit of its amount is not booked as something else', () =>
    withBank(async (world) => {
      const key = await submitPayment(world, 4_000n)
      const entries = [{ amount: '40.00', debit: true }]
      await send(world, { number: 2, on: dayAfter(world, 1), opening: 1000, closing: 960, entries })
      await assert.rejects(end(world, key), refused)
    }))

  it('is not owed again where what came back may be what a person has decided about', () =>
    withBank(async (world) => {
      const key = await submitPayment(world, 4_000n)
      const [order] = world.outside.collect()
      const debit = debitOf(order ?? assert.fail())
      await send(world, { number: 2, on: 3, opening: 1000, closing: 960, entries: [debit] })
      await accept(world, { number: 4, on: 5, opening: 1000, closing: 1000 })
      await decide(world)
      const back = { amount: '40.00', code: 'RRTN', payments: [{ endToEndId: key, amount: '40.00' }] }
      assert.deepEqual(await notify(world, 4, back), [['deposit_final', 40]])
    }))
})
