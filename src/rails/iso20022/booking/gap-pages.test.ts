import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import type { BankWorld } from '../../../../test/support/bank-world.ts'
import { dayAfter, end, outcome, refused } from '../../../../test/support/ended-payouts.ts'
import {
  accept,
  acceptFile,
  assertAgrees,
  type Day,
  decide,
  findings,
  lumps,
  other,
  send,
  submitPayment,
  withBank,
} from '../../../../test/support/statement-gaps.ts'
import { skipStatements } from '../../../exchange/operations/bank-files.ts'

const skip = ({ ctx }: BankWorld) =>
  skipStatements(ctx, { rail: 'bank-1', numbers: '2' }, { actor: 'cli:test', reason: 'The bank has lost it.' })

/** A page of statement 2, and statement 3: what comes in `closing` is what it opens and closes with. */
const page = (world: BankWorld, number: number, isLast: boolean, closing = 1000): Day => ({
  number: 2,
  page: number,
  isLast,
  on: dayAfter(world, 1),
  opening: closing,
  closing,
})
const after = (world: BankWorld, closing = 1000): Day => ({
  number: 3,
  on: dayAfter(world, 3),
  opening: closing,
  closing,
})

describe('a lost page of a statement whose days may have the debit of a payment of ours', () => {
  for (const [what, come] of [
    ['the last one', (world: BankWorld) => [page(world, 1, false), after(world)]],
    ['one in the middle', (world: BankWorld) => [page(world, 1, false), page(world, 3, true), after(world)]],
  ] as const)
    it(`is decided about by two operators where it moved nothing in all: ${what}`, () =>
      withBank(async (world) => {
        const key = await submitPayment(world, 4_000n)
        for (const day of come(world)) await send(world, day)
        assert.deepEqual(await findings(world), [['lost_statement', 0]])
        await assert.rejects(skip(world), { code: 'CONFLICT', message: /break book/ })
        await assert.rejects(end(world, key, 'end', true), refused)
        await decide(world)
        assert.deepEqual([await findings(world), await lumps(world)], [[], []])
        await end(world, key, 'end', true)
        assert.equal(await outcome(world, key), 'never')
        await assertAgrees(world)
      }))

  it('is decided about with what the next statement opens differently by, and what it brings late waits for a person', () =>
    withBank(async (world) => {
      await submitPayment(world, 4_000n)
      await send(world, page(world, 1, false))
      await accept(world, after(world, 1060))
      assert.deepEqual(await findings(world), [
        ['lost_statement', 0],
        ['opening_differs', 60],
      ])
      await decide(world, 60)
      assert.deepEqual([await findings(world), await lumps(world)], [[], [60]])
      const late = { ...page(world, 2, true), closing: 1060, entries: [other('60.00')] }
      assert.deepEqual(await send(world, late, 'late.xml'), [])
      assert.deepEqual(await findings(world), [['double', 60]])
      assert.deepEqual(await acceptFile(world, 'late.xml'), [['deposit_final', 60]])
      assert.deepEqual(await findings(world), [['double', -60]])
      await assertAgrees(world)
    }))
})
