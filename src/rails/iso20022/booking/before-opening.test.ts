import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { type BankWorld } from '../../../../test/support/bank-world.ts'
import { ourIban } from '../../../../test/support/camt.ts'
import {
  acceptFile,
  assertAgrees,
  findings,
  lumps,
  other,
  send,
  withBank,
} from '../../../../test/support/statement-gaps.ts'
import { listBankFiles } from '../files.ts'

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
})
