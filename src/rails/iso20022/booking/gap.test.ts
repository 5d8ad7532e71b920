import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import {
  accept,
  acceptFile,
  assertAgrees,
  type Day,
  debits,
  decide,
  findings,
  lumps,
  notify,
  other,
  reported,
  send,
  withBank,
} from '../../../../test/support/statement-gaps.ts'
import { next } from '../../../../test/support/bank-session.ts'
import { camt } from '../../../../test/support/camt.ts'
import { listBankFiles } from '../files.ts'
import { bankRail } from '../rails.ts'

describe('what an accepted statement opens differently by', () => {
  it('lies in suspense as one amount that says what it is', () =>
    withBank(async (world) => {
      const day = { number: 2, on: 3, opening: 1070, closing: 1170, entries: [other()] }
      assert.deepEqual(await accept(world, day), [
        ['deposit_final', 100],
        ['deposit_final', 70],
      ])
      assert.deepEqual(await findings(world), [])
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

  it('is not booked while no statement has what was notified of those days', () =>
    withBank(async (world) => {
      const [one, two] = [other(), other()]
      await notify(world, 3, one)
      await notify(world, 4, two)
      await notify(world, 6, other())
      assert.deepEqual(await accept(world, { number: 3, on: 5, opening: 1250, closing: 1250 }), [])
      const missing = [
        ['missing', -100],
        ['missing', -100],
      ]
      assert.deepEqual(await findings(world), [['lost_statement', 0], ['opening_differs', 250], ...missing])
      await assertAgrees(world)
      const late = { number: 2, on: 4, opening: 1000, closing: 1200, entries: [one, two] }
      assert.deepEqual(await send(world, late), [['deposit_final', 50]])
      assert.deepEqual([await findings(world), await lumps(world)], [[], [50]])
      await assertAgrees(world)
    }))

  it('is not booked while the earlier statement lacks what was notified of its day', () =>
    withBank(async (world) => {
      await notify(world, 2, other())
      assert.deepEqual(await accept(world, { number: 2, on: 4, opening: 1150, closing: 1150 }), [])
      const both = [
        ['opening_differs', 150],
        ['missing', -100],
      ]
      assert.deepEqual([await findings(world), await lumps(world)], [both, []])
      await assertAgrees(world)
      // Two operators withdraw the booking: the rest is booked by itself.
      await world.ctx.db.sql`update iso20022_bookings set state = 'withdrawn' where statement_id is null`
      assert.deepEqual(await reported(world), [['deposit_final', 150]])
      assert.deepEqual([await findings(world), await lumps(world)], [[], [150]])
    }))

  it('is not booked while a statement of several days may still have what was notified of one of them', () =>
    withBank(async (world) => {
      const sunday = other()
      await send(world, { number: 2, on: 6, opening: 1000, closing: 1000 })
      await notify(world, 8, sunday)
      const monday = { number: 3, on: 9, opening: 1050, closing: 1050, isLast: false }
      assert.deepEqual(await accept(world, monday), [])
      assert.deepEqual(await lumps(world), [])
      const page = { number: 3, on: 9, opening: 1050, closing: 1150, entries: [sunday], page: 2 }
      assert.deepEqual(await send(world, page), [['deposit_final', 50]])
      assert.deepEqual([await findings(world), await lumps(world)], [[], [50]])
      await assertAgrees(world)
    }))

  it('is not booked while a booking without a day is in no statement', () =>
    withBank(async (world) => {
      const withoutDays = (text: string): string => text.replaceAll(/<(BookgDt|ValDt)>.*?<\/\1>/g, '')
      const [date, id] = ['2026-03-03', next('N')]
      world.outside.drop('undated.xml', withoutDays(camt({ kind: '054', id, date, entries: [other()] })))
      await world.round()
      assert.deepEqual(await accept(world, { number: 2, on: 4, opening: 1150, closing: 1150 }), [])
      assert.deepEqual(await lumps(world), [])
    }))

  it('is not booked while the earlier statement may lack what was notified of a few days before', () =>
    withBank(async (world) => {
      await send(world, { number: 2, on: 7, opening: 1000, closing: 1000 })
      await notify(world, 5, other())
      assert.deepEqual(await accept(world, { number: 3, on: 9, opening: 1100, closing: 1100 }), [])
      const both = [
        ['opening_differs', 100],
        ['missing', -100],
      ]
      assert.deepEqual([await findings(world), await lumps(world)], [both, []])
      await assertAgrees(world)
    }))

  it('waits for what is pending, dated or not, and once it is booked nothing pending withdraws it', () =>
    withBank(async (world) => {
      const report = async (name: string, on: number, status: string, date = `2026-03-0${on}`) => {
        const entry = { ...other('10.00'), status }
        const text = camt({ kind: '052', id: next('R'), date, entries: [entry] })
        world.outside.drop(
          `${name}.xml`,
          text.replaceAll(/<(BookgDt|ValDt)>.*?<\/\1>/g, name === 'undated' ? '' : '$&'),
        )
        return reported(world)
      }
      await report('dated', 3, 'PDNG')
      assert.deepEqual(await accept(world, { number: 2, on: 4, opening: 1100, closing: 1100 }), [])
      assert.deepEqual([await lumps(world), await findings(world)], [[], [['opening_differs', 100]]])
      await world.ctx.db.sql`update iso20022_bookings set state = 'withdrawn' where state = 'pending'`
      assert.deepEqual(await reported(world), [['deposit_final', 100]])
      for (const name of ['undated', 'again']) await report(name, 4, 'PDNG')
      assert.deepEqual([await lumps(world), await findings(world)], [[100], []])
    }))

  it('ends when the lost statement comes', () =>
    withBank(async (world) => {
      await accept(world, { number: 4, on: 5, opening: 1070, closing: 1070 })
      const lost = { number: 2, on: 3, opening: 1000, closing: 1100, entries: [other()] }
      assert.deepEqual(await send(world, lost), [
        ['deposit_final', 100],
        ['deposit_withdrawn', 70],
      ])
      assert.deepEqual(
        (await debits(world)).map(({ amount }) => amount),
        [30],
      )
      await assertAgrees(world)
      const last = { number: 3, on: 4, opening: 1100, closing: 1070, entries: [{ amount: '30.00', debit: true }] }
      assert.deepEqual(await send(world, last), [])
      assert.deepEqual(world.gone.length, 1)
      assert.deepEqual(
        (await debits(world)).map(({ text }) => text),
        [''],
      )
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
        assert.deepEqual(await findings(world), [])
        const left = await world.ctx.db.sql`select from iso20022_bookings where gap is not null and state = 'booked'`
        assert.deepEqual(left, [])
      }))

  it('stays where a person has decided about it and the lost statement brings just that, for nobody', () =>
    withBank(async (world) => {
      await accept(world, { number: 3, on: 5, opening: 1100, closing: 1100 })
      await decide(world)
      const lost = { number: 2, on: 3, opening: 1000, closing: 1100, entries: [{ amount: '100.00' }] }
      assert.deepEqual(await send(world, lost), [])
      assert.deepEqual(await findings(world), [])
      await assertAgrees(world)
    }))

  it('keeps the lost statement back where a person has decided about it, until two operators accept that', () =>
    withBank(async (world) => {
      await accept(world, { number: 3, on: 5, opening: 1200, closing: 1200 })
      await decide(world)
      const lost = { number: 2, on: 3, opening: 1000, closing: 1200, entries: [other(), other()] }
      assert.deepEqual(await send(world, lost, 'lost.xml'), [])
      assert.deepEqual(await findings(world), [['double', 200]])
      assert.deepEqual(await acceptFile(world, 'lost.xml'), [
        ['deposit_withdrawn', 200],
        ['deposit_final', 100],
        ['deposit_final', 100],
      ])
      assert.deepEqual(await findings(world), [])
      await assertAgrees(world)
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

  it('is in the opening balance where the statement is older than all, and so is what lies between', () =>
    withBank(async (world) => {
      const day = { number: 9, on: 1, opening: 900, closing: 950, entries: [other('50.00')] }
      assert.deepEqual(await accept(world, day), [])
      await assertAgrees(world)
      assert.deepEqual(
        await send(world, { ...day, number: 8, opening: 880, closing: 900, entries: [other('20.00')] }),
        [],
      )
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
