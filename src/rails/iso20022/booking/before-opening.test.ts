import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { type BankWorld } from '../../../../test/support/bank-world.ts'
import { ourIban } from '../../../../test/support/camt.ts'
import { debitOf } from '../../../../test/support/folder-bank.ts'
import {
  acceptFile,
  assertAgrees,
  findings,
  lumps,
  notify,
  other,
  send,
  submitPayment,
  withBank,
} from '../../../../test/support/statement-gaps.ts'
import { listBankFiles } from '../files.ts'
import { payouts } from '../payouts.ts'
import { bankRail } from '../rails.ts'

/** A statement that leads to the first one. */
const older = { number: 9, on: 1, opening: 900, closing: 1000, entries: [other()] }
const withOpened = (work: (world: BankWorld) => Promise<void>): Promise<void> =>
  withBank((world) => {
    world.opened.add(ourIban)
    return work(world)
  })

describe('a statement that leads to the first one of its account', () => {
  it('is booked where no opening balance is', () =>
    withBank(async (world) => {
      assert.deepEqual(await send(world, older), [['deposit_final', 100]])
      assert.deepEqual(await findings(world), [])
    }))

  it('waits for operators once the opening balance is booked, and is in that if they accept it', () =>
    withOpened(async (world) => {
      assert.deepEqual(await send(world, older, 'older.xml'), [])
      assert.deepEqual(await findings(world), [['opening_differs', 100]])
      const [file] = await listBankFiles(world.ctx.db)
      assert.match(file?.why ?? '', /whose opening balance is booked\..* nothing of it is booked\.$/)
      assert.deepEqual(await acceptFile(world, 'older.xml'), [])
      assert.deepEqual([await findings(world), await lumps(world)], [[], []])
      await assertAgrees(world)
    }))

  it('has those that lead to it in the opening balance, too, and later ones booked as before', () =>
    withOpened(async (world) => {
      await send(world, older, 'older.xml')
      await acceptFile(world, 'older.xml')
      assert.deepEqual(
        await send(world, { ...older, number: 8, opening: 880, closing: 900, entries: [other('20.00')] }),
        [],
      )
      assert.deepEqual(await send(world, { number: 2, on: 3, opening: 1000, closing: 1100, entries: [other()] }), [
        ['deposit_final', 100],
      ])
      assert.deepEqual(await findings(world), [])
      await assertAgrees(world)
    }))

  it('ends a payment of ours that it debits, and has a deposit that was notified before, without their money', () =>
    withOpened(async (world) => {
      const key = await submitPayment(world, 4_000n)
      const [order = assert.fail()] = world.outside.collect()
      const paidIn = other()
      world.opened.clear()
      assert.deepEqual(await notify(world, 1, paidIn), [['deposit_final', 100]])
      world.opened.add(ourIban)
      const entries = [debitOf(order), paidIn, other('30.00')]
      assert.deepEqual(await send(world, { ...older, opening: 910, entries }, 'older.xml'), [])
      assert.deepEqual(await acceptFile(world, 'older.xml'), [])
      assert.equal((await payouts(world.bank).look({ key, body: {} })).state, 'done')
      assert.deepEqual(await findings(world), [])
      assert.equal(await bankRail(world.bank).balance('EUR-EUR'), 100_000n)
    }))

  it('may have what is notified late, which waits for a person then and goes to no order', () =>
    withOpened(async (world) => {
      assert.deepEqual(await notify(world, 1, other()), [['deposit_final', 100]])
      const rows = await world.ctx.db.sql`select reference, doubt from iso20022_bookings`
      assert.deepEqual([rows, await findings(world)], [[{ reference: '', doubt: 'double' }], [['missing', -100]]])
      assert.deepEqual(await notify(world, 2, other()), [['deposit_final', 100]])
    }))
})
