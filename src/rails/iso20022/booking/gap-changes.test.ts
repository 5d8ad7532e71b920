import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import {
  accept,
  acceptFile,
  assertAgrees,
  debits,
  decide,
  findings,
  lumps,
  notify,
  orderFile,
  other,
  reported,
  submitPayment,
  send,
  withBank,
} from '../../../../test/support/statement-gaps.ts'
import type { BankWorld } from '../../../../test/support/bank-world.ts'
import { listBankFiles } from '../files.ts'
import { bankRail } from '../rails.ts'

describe('what was notified within a gap', () => {
  it('is credited once where a later statement has it, and the gap is what nobody knows', () =>
    withBank(async (world) => {
      const order = other()
      await notify(world, 3, order)
      assert.deepEqual(await accept(world, { number: 2, on: 5, opening: 1100, closing: 1100 }), [])
      assert.deepEqual(await lumps(world), [])
      const real = { number: 3, on: 6, opening: 1100, closing: 1200, entries: [order] }
      assert.deepEqual(await send(world, real), [['deposit_final', 100]])
      assert.deepEqual([await lumps(world), await findings(world)], [[100], []])
      assert.equal(await bankRail(world.bank).balance('EUR-EUR'), 120_000n)
      await assertAgrees(world)
    }))

  it('is credited once where the next page of the statement has it, and what it does not have is a break', () =>
    withBank(async (world) => {
      const order = other()
      await notify(world, 3, order)
      await notify(world, 5, other())
      await accept(world, { number: 2, on: 5, opening: 1100, closing: 1100, isLast: false })
      const page = { number: 2, on: 5, opening: 1100, closing: 1200, entries: [order], page: 2 }
      assert.deepEqual(await send(world, page), [])
      const left = [
        ['opening_differs', 100],
        ['missing', -100],
      ]
      assert.deepEqual([await lumps(world), await findings(world)], [[], left])
    }))

  it('withdraws what nobody has decided about when it comes later', () =>
    withBank(async (world) => {
      await accept(world, { number: 3, on: 6, opening: 1150, closing: 1150 })
      assert.deepEqual(await lumps(world), [150])
      assert.deepEqual(await notify(world, 4, other()), [
        ['deposit_final', 100],
        ['deposit_withdrawn', 150],
      ])
      const left = [
        ['lost_statement', 0],
        ['opening_differs', 150],
        ['missing', -100],
      ]
      assert.deepEqual(await findings(world), left)
      await assertAgrees(world)
    }))

  it('is a break about what a person has decided about, which can be withdrawn', () =>
    withBank(async (world) => {
      await accept(world, { number: 2, on: 6, opening: 1150, closing: 1150 })
      await decide(world)
      assert.deepEqual(await notify(world, 4, other()), [['deposit_final', 100]])
      const left = [
        ['double', 0],
        ['missing', -100],
      ]
      assert.deepEqual([await lumps(world), await findings(world)], [[150], left])
      await assertAgrees(world)
    }))
})

describe('a lost statement, where a person has decided about the gap', () => {
  it('waits with a deposit of an order of just its amount', () =>
    withBank(async (world) => {
      await accept(world, { number: 3, on: 5, opening: 1100, closing: 1100 })
      await decide(world)
      const lost = { number: 2, on: 3, opening: 1000, closing: 1100, entries: [other()] }
      assert.deepEqual(await send(world, lost, 'lost.xml'), [])
      assert.deepEqual(await findings(world), [['double', 100]])
      assert.deepEqual(await acceptFile(world, 'lost.xml'), [
        ['deposit_withdrawn', 100],
        ['deposit_final', 100],
      ])
      assert.deepEqual(await findings(world), [])
      await assertAgrees(world)
    }))

  it('waits with a payment of ours of just its amount', () =>
    withBank(async (world) => {
      const key = await submitPayment(world, 4_000n)
      await accept(world, { number: 3, on: 5, opening: 960, closing: 960 })
      const lump = await decide(world)
      const entries = [{ amount: '40.00', debit: true, payments: [{ endToEndId: key, amount: '40.00' }] }]
      assert.deepEqual(await send(world, { number: 2, on: 3, opening: 1000, closing: 960, entries }, 'lost.xml'), [])
      assert.deepEqual(await findings(world), [['double', -40]])
      await acceptFile(world, 'lost.xml')
      assert.deepEqual([await findings(world), await debits(world), world.gone], [[], [], [lump]])
      await assertAgrees(world)
    }))

  it('is taken with what continues neither end, once operators accept that the decision is reversed', () =>
    withBank(async (world) => {
      await accept(world, { number: 4, on: 6, opening: 1200, closing: 1200 })
      const lump = await decide(world)
      const lost = { number: 2, on: 4, opening: 1050, closing: 1150, entries: [other()] }
      assert.deepEqual(await send(world, lost, 'lost.xml'), [])
      const causes = async () => (await listBankFiles(world.ctx.db)).flatMap(({ cause }) => cause ?? [])
      assert.deepEqual(await causes(), ['opening_differs'])
      assert.deepEqual(await acceptFile(world, 'lost.xml'), [])
      assert.deepEqual([await causes(), await lumps(world)], [['double'], [200]])
      assert.deepEqual(await acceptFile(world, 'lost.xml'), [
        ['deposit_withdrawn', 200],
        ['deposit_final', 100],
        ['deposit_final', 50],
        ['deposit_final', 50],
      ])
      world.decided.delete(lump)
      assert.deepEqual([await causes(), await lumps(world)], [[], [50, 50]])
      await assertAgrees(world)
    }))

  it('leaves the decision alone if it is empty, in either order', () =>
    withBank(async (world) => {
      await accept(world, { number: 5, on: 7, opening: 1100, closing: 1100 })
      const lump = await decide(world)
      assert.deepEqual(await send(world, { number: 4, on: 6, opening: 1100, closing: 1100 }), [])
      assert.deepEqual(await send(world, { number: 2, on: 3, opening: 1000, closing: 1000 }), [])
      assert.deepEqual(await send(world, { number: 3, on: 4, opening: 1000, closing: 1000 }), [])
      assert.deepEqual([await findings(world), await lumps(world), await decide(world)], [[], [100], lump])
      await assertAgrees(world)
    }))
})

describe('a corrected statement', () => {
  it('has what a person has decided about before it reversed once operators accept that, where it opens differently', () =>
    withBank(async (world) => {
      await accept(world, { number: 2, on: 3, opening: 1070, closing: 1070 })
      const lump = await decide(world)
      assert.deepEqual(await send(world, { number: 2, on: 3, opening: 1080, closing: 1080 }, 'corrected.xml'), [])
      const [file] = await listBankFiles(world.ctx.db)
      assert.ok(file?.why.includes(`around it (${lump}). If the file is accepted, that is reversed`), file?.why)
      assert.deepEqual(await acceptFile(world, 'corrected.xml'), [
        ['deposit_withdrawn', 70],
        ['deposit_final', 80],
      ])
      assert.deepEqual([await lumps(world), await findings(world)], [[80], []])
      await assertAgrees(world)
    }))

  /** A statement lacks an order's deposit, which a person has decided about as the difference of the next one. */
  const lacking = { number: 2, on: 3, opening: 1000, closing: 1000 }
  const whole = { ...lacking, closing: 1100, entries: [other()] }
  async function decidedAfter(world: BankWorld): Promise<void> {
    await send(world, lacking)
    await accept(world, { number: 3, on: 4, opening: 1100, closing: 1100 })
    assert.deepEqual(await lumps(world), [100])
  }

  it('credits nothing that a person has decided about after it, until operators accept that this is reversed', () =>
    withBank(async (world) => {
      await decidedAfter(world)
      await decide(world)
      assert.deepEqual(await send(world, whole, 'corrected.xml'), [])
      assert.deepEqual(await acceptFile(world, 'corrected.xml'), [
        ['deposit_withdrawn', 100],
        ['deposit_final', 100],
      ])
      assert.deepEqual([await lumps(world), await findings(world)], [[], []])
      await assertAgrees(world)
    }))

  it('is accepted again where a person has decided since it was refused', () =>
    withBank(async (world) => {
      await decidedAfter(world)
      await send(world, whole, 'corrected.xml')
      await decide(world)
      assert.deepEqual(await acceptFile(world, 'corrected.xml'), [])
      assert.deepEqual((await acceptFile(world, 'corrected.xml')).length, 2)
      assert.deepEqual([await lumps(world), await findings(world)], [[], []])
    }))

  it('leaves alone what a person has decided about where that still fits', () =>
    withBank(async (world) => {
      await decidedAfter(world)
      const lump = await decide(world)
      const entries = [other(), { amount: '100.00', debit: true }]
      await send(world, { ...lacking, entries }, 'corrected.xml')
      assert.deepEqual(await acceptFile(world, 'corrected.xml'), [['deposit_final', 100]])
      assert.deepEqual([await decide(world), await findings(world)], [lump, []])
      await assertAgrees(world)
    }))
})

describe('a file that was accepted before', () => {
  it('does not undo one of the same statement that was accepted since, when it is read again', () =>
    withBank(async (world) => {
      assert.deepEqual(await send(world, { number: 2, on: 4, opening: 1150, closing: 1150 }, 'first.xml'), [])
      await acceptFile(world, 'first.xml')
      await accept(world, { number: 2, on: 4, opening: 1120, closing: 1120 })
      assert.deepEqual(await lumps(world), [120])
      await orderFile(world, 'first.xml', 'read')
      assert.deepEqual(await reported(world), [])
      assert.equal(await bankRail(world.bank).balance('EUR-EUR'), 112_000n)
      assert.deepEqual([await lumps(world), await findings(world)], [[120], [['swallowed', 30]]])
      assert.deepEqual(await acceptFile(world, 'first.xml'), [
        ['deposit_withdrawn', 120],
        ['deposit_final', 150],
      ])
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
    }))

  it('has what is left before it taken for no amount that is booked by itself', () =>
    withBank(async (world) => {
      await send(world, one)
      const again = {
        number: 3,
        on: 4,
        opening: 1050,
        closing: 1200,
        entries: [{ ...first, date: '2026-03-03' }, other('50.00')],
      }
      assert.deepEqual(await accept(world, again), [['deposit_final', 50]])
      assert.deepEqual([await findings(world), await lumps(world)], [[['opening_differs', 50]], []])
      await assertAgrees(world)
    }))
})
