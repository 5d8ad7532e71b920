import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { bookAsOwn, dayAfter, end, resolve, skip } from '../../../../test/support/ended-payouts.ts'
import { debitOf } from '../../../../test/support/folder-bank.ts'
import {
  accept,
  acceptFile,
  assertAgrees,
  debits,
  decide,
  findings,
  lumps,
  reported,
  send,
  submitPayment,
  withBank,
} from '../../../../test/support/statement-gaps.ts'
import { listBankFiles } from '../files.ts'

describe('a lost statement that brings what was given up', () => {
  for (const names of ['payment', 'file'] as const)
    it(`is a break where its debit names the ${names} that was ended, and replaces no amount that was decided about`, () =>
      withBank(async (world) => {
        const key = await submitPayment(world, 4_000n)
        const [order = assert.fail()] = world.outside.collect()
        await accept(world, { number: 3, on: dayAfter(world, 2), opening: 960, closing: 960 })
        await skip(world)
        await resolve(world, -4_000n)
        await end(world, key)
        await reported(world)
        const [lump] = await debits(world)
        await bookAsOwn(world, lump)
        world.decided.add(lump?.payment ?? '')
        const entry = debitOf(order)
        const [{ message_id: messageId } = assert.fail()] = await world.ctx.db.sql<{ message_id: string }>`
          select message_id from iso20022_batches`
        const entries = [names === 'payment' ? entry : { ...entry, payments: [], batch: { messageId, count: 1 } }]
        const lost = { number: 2, on: dayAfter(world, 1), opening: 1000, closing: 960, entries }
        assert.deepEqual(await send(world, lost, 'lost.xml'), [])
        assert.deepEqual(await findings(world), [['double', -40]])
        const [file] = await listBankFiles(world.ctx.db)
        assert.match(file?.why ?? '', new RegExp(`names ${key}, which was ended.* a second time`))
        await acceptFile(world, 'lost.xml')
        assert.deepEqual([await lumps(world), world.gone, await findings(world)], [[], [lump?.payment], []])
        assert.deepEqual(
          (await debits(world)).map(({ amount }) => amount),
          [40],
        )
        await assertAgrees(world)
      }))

  it('is a break where a payment comes back once more', () =>
    withBank(async (world) => {
      const key = await submitPayment(world, 4_000n)
      const [order = assert.fail()] = world.outside.collect()
      const back = { amount: '40.00', code: 'RRTN', payments: [{ endToEndId: key, amount: '40.00' }] }
      const entries = [debitOf(order), { ...back, servicerReference: 'B-1' }]
      await send(world, { number: 2, on: 3, opening: 1000, closing: 1000, entries })
      await accept(world, { number: 4, on: 6, opening: 1040, closing: 1040 })
      await decide(world)
      const again = [{ ...back, code: 'RCDT', servicerReference: 'B-2' }]
      assert.deepEqual(await send(world, { number: 3, on: 5, opening: 1000, closing: 1040, entries: again }), [])
      assert.deepEqual(await findings(world), [['double', 40]])
    }))
})
