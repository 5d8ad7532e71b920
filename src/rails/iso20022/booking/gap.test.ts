import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import {
  accept,
  acceptFile,
  assertAgrees,
  type Day,
  debits,
  decide,
  explain,
  findings,
  lumps,
  notify,
  other,
  reported,
  send,
  withBank,
  withdraw,
} from '../../../../test/support/statement-gaps.ts'
import type { BankWorld } from '../../../../test/support/bank-world.ts'
import { next } from '../../../../test/support/bank-session.ts'
import { camt } from '../../../../test/support/camt.ts'
import { listBankFiles } from '../files.ts'
import { findingsOf } from '../findings.ts'
import { bankRail } from '../rails.ts'
import { gapOf } from './gap.ts'

const lost: [string, number] = ['lost_statement', 0]
const missing: [string, number] = ['missing', -100]

/** What two operators would book for the first gap. */
async function firstGap({ bank, ctx }: BankWorld) {
  for (const finding of await findingsOf(bank)) {
    const gap = await gapOf(ctx.db, { ...finding, rail: bank.name })
    if (gap) return gap
  }
  return assert.fail('no gap')
}

describe('what an accepted statement opens differently by', () => {
  it('is a break, and nothing of it is booked until two operators book it: then it lies in suspense and says what it is', () =>
    withBank(async (world) => {
      const day = { number: 2, on: 3, opening: 1070, closing: 1170, entries: [other()] }
      assert.deepEqual(await accept(world, day), [['deposit_final', 100]])
      assert.deepEqual([await findings(world), await reported(world)], [[['opening_differs', 70]], []])
      await assertAgrees(world)
      assert.deepEqual(await decide(world), [['deposit_final', 70]])
      assert.deepEqual([await findings(world), await lumps(world)], [[], [70]])
      await assertAgrees(world)
      const [lump] = await world.ctx.db.sql<{ id: bigint }>`select id from iso20022_bookings where gap = 'lump'`
      const details = await bankRail(world.bank).deposit?.details?.(world.ctx.db, `bk_${lump?.id}`)
      assert.match(
        details?.text ?? '',
        /^Statement 2, file accepted-\d+\.xml: it opens with 1070 EUR, and the one before it closed with 1000 EUR\.$/,
      )
      assert.equal(details?.bookedOn, '2026-03-03')
    }))

  it('is a debit without an order where it is less, and is named so', () =>
    withBank(async (world) => {
      assert.deepEqual(await accept(world, { number: 2, on: 3, opening: 960, closing: 960 }), [])
      assert.deepEqual(await debits(world), [])
      await decide(world)
      const [debit, ...more] = await debits(world)
      assert.deepEqual([debit?.amount, more], [40, []])
      assert.match(debit?.text ?? '', /^Statement 2, file accepted-\d+\.xml: it opens with 960 EUR/)
      const period = { since: new Date(0), until: new Date('2100-01-01') }
      const lines = (await bankRail(world.bank).statement?.(period)) ?? []
      assert.deepEqual(
        lines.map(({ about, amount }) => [about, amount]),
        [['gap', -4_000n]],
      )
      assert.deepEqual(await findings(world), [])
      await assertAgrees(world)
    }))

  it('is decided about with the numbers that lack', () =>
    withBank(async (world) => {
      await accept(world, { number: 4, on: 5, opening: 1070, closing: 1070 })
      assert.deepEqual(await findings(world), [lost, ['opening_differs', 70]])
      await decide(world, 70)
      assert.deepEqual([await findings(world), await lumps(world)], [[], [70]])
    }))

  it('is not booked before what was notified of its days is ended; what a person says is there is in it', () =>
    withBank(async (world) => {
      for (const on of [3, 4, 6]) await notify(world, on, other())
      assert.deepEqual(await accept(world, { number: 3, on: 5, opening: 1250, closing: 1250 }), [])
      assert.deepEqual(await findings(world), [lost, ['opening_differs', 250], missing, missing])
      assert.equal((await firstGap(world)).waiting.length, 2)
      await assertAgrees(world)
      await explain(world)
      const { waiting, known, rest } = await firstGap(world)
      assert.deepEqual([waiting, known.length, rest], [[], 2, 5_000n])
      assert.deepEqual(await decide(world), [['deposit_final', 50]])
      assert.deepEqual([await findings(world), await lumps(world)], [[], [50]])
      await assertAgrees(world)
    }))

  for (const [what, on] of [
    ['was notified after the cut-off of the day before', 4],
    ['was notified of its day, where a day has several statements', 2],
  ] as const)
    it(`is not booked before it is said what became of a booking that ${what}`, () =>
      withBank(async (world) => {
        await notify(world, 2, other())
        await accept(world, { number: 3, on, opening: 1100, closing: 1100 })
        assert.equal((await firstGap(world)).waiting.length, 1)
        assert.deepEqual(await decide(world), [])
        await explain(world)
        assert.deepEqual(await decide(world), [])
        assert.deepEqual([await findings(world), await lumps(world)], [[], []])
        await assertAgrees(world)
      }))

  for (const [sign, debit, opening, lump] of [
    ['a debit', true, 960, 60],
    ['a credit', false, 1040, -60],
  ] as const)
    it(`waits for a later statement where what a person says is there would turn it round: ${sign}`, () =>
      withBank(async (world) => {
        const entry = { ...other(), debit }
        await notify(world, 4, entry)
        await accept(world, { number: 2, on: 5, opening, closing: opening })
        await explain(world)
        assert.deepEqual([(await firstGap(world)).early.length, await decide(world)], [1, []])
        await send(world, { number: 3, on: '2026-03-12', opening, closing: opening })
        await decide(world)
        assert.deepEqual([await findings(world), await lumps(world)], [[], [lump]])
        await assertAgrees(world)
      }))

  it('is as it is once what was notified of its days is withdrawn', () =>
    withBank(async (world) => {
      await notify(world, 3, other())
      await accept(world, { number: 2, on: 4, opening: 1150, closing: 1150 })
      assert.deepEqual(await findings(world), [['opening_differs', 150], missing])
      assert.deepEqual(await withdraw(world), [['deposit_withdrawn', 100]])
      assert.deepEqual(await decide(world), [['deposit_final', 150]])
      assert.deepEqual(await findings(world), [])
      await assertAgrees(world)
    }))

  it('does not wait for what is only announced, and may never be booked', () =>
    withBank(async (world) => {
      const report = async (name: string, on: number): Promise<unknown> => {
        const date = `2026-03-0${on}`
        const text = camt({ kind: '052', id: next('R'), date, entries: [{ ...other('10.00'), status: 'PDNG' }] })
        world.outside.drop(
          `${name}.xml`,
          text.replaceAll(/<(BookgDt|ValDt)>.*?<\/\1>/g, name === 'undated' ? '' : '$&'),
        )
        return reported(world)
      }
      await report('dated', 3)
      await report('undated', 3)
      await accept(world, { number: 2, on: 4, opening: 1100, closing: 1100 })
      assert.deepEqual(await decide(world), [['deposit_final', 100]])
      await report('again', 4)
      assert.deepEqual([await lumps(world), await findings(world)], [[100], []])
    }))

  it('ends by itself as the lost statements come, and with the last of them to the cent', () =>
    withBank(async (world) => {
      await accept(world, { number: 4, on: 5, opening: 1070, closing: 1070 })
      const first = { number: 2, on: 3, opening: 1000, closing: 1100, entries: [other()] }
      assert.deepEqual(await send(world, first), [['deposit_final', 100]])
      assert.deepEqual(await findings(world), [lost, ['opening_differs', -30]])
      await assertAgrees(world)
      const last = { number: 3, on: 4, opening: 1100, closing: 1070, entries: [{ amount: '30.00', debit: true }] }
      assert.deepEqual(await send(world, last), [])
      assert.deepEqual([await findings(world), (await debits(world)).map(({ text }) => text)], [[], ['']])
      await assertAgrees(world)
    }))

  for (const order of [
    [2, 3],
    [3, 2],
  ])
    it(`ends when two lost statements come, in the order ${order.join(', ')}`, () =>
      withBank(async (world) => {
        const notice = other()
        await notify(world, 3, notice)
        await accept(world, { number: 4, on: 5, opening: 1300, closing: 1300 })
        const days: Record<number, Day> = {
          2: { number: 2, on: 3, opening: 1000, closing: 1200, entries: [notice, other()] },
          3: { number: 3, on: 4, opening: 1200, closing: 1300, entries: [other()] },
        }
        for (const number of order) {
          await send(world, days[number] ?? assert.fail())
          await assertAgrees(world)
        }
        assert.deepEqual([await findings(world), await lumps(world)], [[], []])
      }))

  it('does not exist where the statement repeats bookings of another one', () =>
    withBank(async (world) => {
      const entry = other()
      await send(world, { number: 2, on: 3, opening: 1000, closing: 1100, entries: [entry] })
      const again = { number: 3, on: 3, opening: 1000, closing: 1200, entries: [entry, other()] }
      assert.deepEqual(await accept(world, again), [['deposit_final', 100]])
      assert.deepEqual([await findings(world), await debits(world)], [[], []])
      await assertAgrees(world)
    }))

  it('is booked by operators where statements overlap, too', () =>
    withBank(async (world) => {
      const first = other()
      await send(world, { number: 2, on: 3, opening: 1000, closing: 1100, entries: [first] })
      const entries = [{ ...first, date: '2026-03-03' }, other('50.00')]
      const again = { number: 3, on: 4, opening: 1050, closing: 1200, entries }
      assert.deepEqual(await accept(world, again), [['deposit_final', 50]])
      assert.deepEqual(await findings(world), [['opening_differs', 50]])
      await decide(world)
      assert.deepEqual([await findings(world), await lumps(world)], [[], [50]])
      await assertAgrees(world)
    }))

  it('is in the opening balance where the statement is older than all, and so is what lies between', () =>
    withBank(async (world) => {
      const day = { number: 9, on: 1, opening: 900, closing: 950, entries: [other('50.00')] }
      assert.deepEqual(await accept(world, day), [])
      await assertAgrees(world)
      const older = { ...day, number: 8, opening: 880, closing: 900, entries: [other('20.00')] }
      assert.deepEqual(await send(world, older), [])
      assert.deepEqual(await send(world, { ...day, number: 10, opening: 950, closing: 1000 }), [])
      assert.deepEqual([await findings(world), await lumps(world)], [[], []])
      await assertAgrees(world)
      assert.deepEqual(await send(world, { number: 2, on: 3, opening: 1000, closing: 1100, entries: [other()] }), [
        ['deposit_final', 100],
      ])
      const [why] = (await listBankFiles(world.ctx.db)).flatMap((file) => (file.number === 9n ? [file.why] : []))
      assert.match(why ?? '', /what it says is in the opening balance, and nothing of it is booked\.$/)
      await assertAgrees(world)
    }))
})

describe('a lost statement that moved nothing in all', () => {
  const day = { number: 2, on: 3, opening: 1000, closing: 1000 }
  const after = { number: 3, on: 4, opening: 1000, closing: 1000 }

  it('comes between two that continue each other', () =>
    withBank(async (world) => {
      const notice = other()
      await notify(world, 3, notice)
      await send(world, after)
      await send(world, { ...day, entries: [notice, { amount: '100.00', debit: true }] })
      assert.deepEqual([await findings(world), (await debits(world)).length], [[], 1])
      await assertAgrees(world)
    }))

  it('waits for operators once its number was given up, and then its bookings wait for a person', () =>
    withBank(async (world) => {
      await send(world, after)
      assert.deepEqual(await findings(world), [lost])
      assert.deepEqual([await decide(world), await findings(world)], [[], []])
      const entries = [other(), { amount: '100.00', debit: true }]
      assert.deepEqual(await send(world, { ...day, entries }, 'late.xml'), [])
      assert.deepEqual(await findings(world), [['double', 0]])
      assert.deepEqual(await acceptFile(world, 'late.xml'), [['deposit_final', 100]])
      const [row] = await world.ctx.db.sql`select reference from iso20022_bookings where kind = 'deposit'`
      assert.deepEqual([row, (await debits(world)).length, await findings(world)], [{ reference: '' }, 1, []])
      await assertAgrees(world)
    }))
})
