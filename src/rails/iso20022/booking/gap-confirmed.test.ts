import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import type { BankWorld } from '../../../../test/support/bank-world.ts'
import { dayAfter } from '../../../../test/support/ended-payouts.ts'
import { debitOf } from '../../../../test/support/folder-bank.ts'
import {
  accept,
  acceptFile,
  debits,
  decide,
  lumps,
  notify,
  send,
  submitPayment,
  withBank,
} from '../../../../test/support/statement-gaps.ts'
import { payouts } from '../payouts.ts'

const difference = async ({ bank, ctx }: BankWorld, key: string) => payouts(bank).differenceWith?.(ctx.db, key)

/** Has operators book a difference of 90.00 before a statement of some day from now. */
async function decideBefore(world: BankWorld, days: number): Promise<void> {
  await accept(world, { number: 3, on: dayAfter(world, days), opening: 910, closing: 910 })
  await decide(world)
  assert.deepEqual(await lumps(world), [-90])
}

describe('a difference that was booked, and may have the debit of a payment that the bank never answers', () => {
  it('has none of a file that has not left, or left after its days', () =>
    withBank(async (world) => {
      const { outbox } = world.follower
      const { publish } = outbox
      outbox.publish = () => Promise.reject(new Error('The folder is full.'))
      const isFull = /folder is full/
      await assert.rejects(submitPayment(world, 4_000n), isFull)
      const day = { number: 3, on: dayAfter(world, 2), opening: 910, closing: 910 }
      await assert.rejects(send(world, day, 'later.xml'), isFull)
      await assert.rejects(acceptFile(world, 'later.xml'), isFull)
      await decide(world)
      assert.deepEqual(await lumps(world), [-90])
      const [{ key } = assert.fail()] = await world.ctx.db.sql<{ key: string }>`select key from iso20022_payments`
      assert.equal(await difference(world, key), undefined)
      outbox.publish = publish
      world.pass(3 * 86_400_000)
      await world.round()
      assert.equal(world.outside.collect().length, 1)
      assert.equal(await difference(world, key), undefined)
    }))

  it('has one of a file that left by its days', () =>
    withBank(async (world) => {
      const key = await submitPayment(world, 4_000n)
      await decideBefore(world, 2)
      assert.equal((await difference(world, key))?.amount, 9_000n)
    }))

  it('has none that another debit names, and shows debits that name none', () =>
    withBank(async (world) => {
      const key = await submitPayment(world, 4_000n)
      const [order = assert.fail()] = world.outside.collect()
      await decideBefore(world, 1)
      const unnamed = [{ amount: '40.00', debit: true }]
      await send(world, { number: 4, on: dayAfter(world, 2), opening: 910, closing: 870, entries: unnamed })
      const payment = (await debits(world)).find(({ amount }) => amount === 40)?.payment
      const { obstacle, alike } = (await difference(world, key)) ?? assert.fail()
      assert.deepEqual([obstacle, alike], [undefined, [{ payment, amount: 4_000n }]])
      const entry = debitOf(order)
      const payments = entry.payments?.map((one) => ({ ...one, amount: '30.00' })) ?? []
      await notify(world, dayAfter(world, 2), { ...entry, amount: '30.00', payments })
      assert.match((await difference(world, key))?.obstacle ?? '', /names this payment/)
    }))
})
