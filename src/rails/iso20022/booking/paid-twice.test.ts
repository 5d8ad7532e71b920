import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { bookAsOwn, dayAfter, end, outcome } from '../../../../test/support/ended-payouts.ts'
import { debitOf } from '../../../../test/support/folder-bank.ts'
import {
  accept,
  acceptFile,
  assertAgrees,
  debits,
  decide,
  findings,
  send,
  submitPayment,
  withBank,
  withdraw,
} from '../../../../test/support/statement-gaps.ts'

describe('a lost statement that brings what was given up', () => {
  for (const names of ['payment', 'file'] as const)
    it(`is a debit without an order where it names the ${names} that was ended, next to what operators have booked`, () =>
      withBank(async (world) => {
        const key = await submitPayment(world, 4_000n)
        const [order = assert.fail()] = world.outside.collect()
        await accept(world, { number: 3, on: dayAfter(world, 2), opening: 960, closing: 960 })
        await decide(world)
        await bookAsOwn(world, (await debits(world))[0])
        await end(world, key, 'end', true)
        const entry = debitOf(order)
        const [{ message_id: messageId } = assert.fail()] = await world.ctx.db.sql<{ message_id: string }>`
          select message_id from iso20022_batches`
        const entries = [names === 'payment' ? entry : { ...entry, payments: [], batch: { messageId, count: 1 } }]
        const lost = { number: 2, on: dayAfter(world, 1), opening: 1000, closing: 960, entries }
        assert.deepEqual(await send(world, lost, 'lost.xml'), [])
        assert.deepEqual(await findings(world), [['double', -40]])
        await acceptFile(world, 'lost.xml')
        assert.deepEqual([await findings(world), await outcome(world, key)], [[['double', 40]], 'never'])
        await withdraw(world)
        assert.deepEqual([await findings(world), (await debits(world)).map(({ amount }) => amount)], [[], [40]])
        await assertAgrees(world)
      }))

  it('has what comes back once more wait for a person', () =>
    withBank(async (world) => {
      const key = await submitPayment(world, 4_000n)
      const [order = assert.fail()] = world.outside.collect()
      const back = { amount: '40.00', code: 'RRTN', payments: [{ endToEndId: key, amount: '40.00' }] }
      const entries = [debitOf(order), { ...back, servicerReference: 'B-1' }]
      await send(world, { number: 2, on: 3, opening: 1000, closing: 1000, entries })
      await accept(world, { number: 4, on: 6, opening: 1040, closing: 1040 })
      await decide(world)
      const again = [{ ...back, code: 'RCDT', servicerReference: 'B-2' }]
      const lost = { number: 3, on: 5, opening: 1000, closing: 1040, entries: again }
      assert.deepEqual(await send(world, lost, 'lost.xml'), [])
      assert.deepEqual(await acceptFile(world, 'lost.xml'), [['deposit_final', 40]])
    }))
})
