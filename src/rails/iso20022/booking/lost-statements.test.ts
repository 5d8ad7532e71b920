import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { describe, it } from 'node:test'

import { next, nextReference, paid } from '../../../../test/support/bank-session.ts'
import {
  type Day,
  acceptFile,
  assertAgrees,
  debits,
  findings,
  notify,
  other,
  send,
  withBank,
} from '../../../../test/support/statement-gaps.ts'
import { bankRail } from '../rails.ts'
import { listBankFiles } from '../files.ts'

describe('a lost statement that moved nothing in all', () => {
  it('comes between two that continue each other', () =>
    withBank(async (world) => {
      const notice = other()
      await notify(world, 3, notice)
      await send(world, { number: 3, on: 4, opening: 1000, closing: 1000 })
      const back = { amount: '100.00', debit: true }
      await send(world, { number: 2, on: 3, opening: 1000, closing: 1000, entries: [notice, back] })
      assert.deepEqual([await findings(world), (await debits(world)).length], [[], 1])
      await assertAgrees(world)
    }))

  it('is refused where only half of it comes, since the next one opens with another balance', () =>
    withBank(async (world) => {
      await send(world, { number: 4, on: 5, opening: 1000, closing: 1000 })
      await send(world, { number: 2, on: 3, opening: 1000, closing: 1100, entries: [other()] }, 'half.xml')
      const [file] = await listBankFiles(world.ctx.db)
      assert.equal(file?.why, 'The statement closes with 1100 EUR, but the next one opened with 1000 EUR.')
      assert.deepEqual(await findings(world), [
        ['lost_statement', 0],
        ['opening_differs', -100],
      ])
      assert.deepEqual(await acceptFile(world, 'half.xml'), [['deposit_final', 100]])
      assert.deepEqual(await findings(world), [
        ['lost_statement', 0],
        ['opening_differs', -100],
      ])
      const rest = { number: 3, on: 4, opening: 1100, closing: 1000, entries: [{ amount: '100.00', debit: true }] }
      await send(world, rest)
      assert.deepEqual([await findings(world), (await debits(world)).map(({ text }) => text)], [[], ['']])
      await assertAgrees(world)
    }))
})

describe('a page that did not say that it is the last one', () => {
  it('is the last one once the bank says so', () =>
    withBank(async (world) => {
      const day = { number: 2, on: 3, opening: 1000, closing: 1100, entries: [other()] }
      await send(world, { ...day, isLast: false })
      await send(world, { number: 3, on: 4, opening: 1100, closing: 1100 })
      assert.deepEqual(await findings(world), [['lost_statement', 0]])
      assert.deepEqual(await send(world, day), [])
      assert.deepEqual(await findings(world), [])
    }))
})

describe('statements of six days in any order', () => {
  const count = 20
  /** One that was booked in a wrong place. */
  const found = 2_035_839_508
  it(`and some accepted before the ones that they continue: each booking is booked once (${count} runs)`, async () => {
    for (let run = 0; run < count; run += 1) {
      const seed = run === 0 ? found : randomInt(2 ** 31)
      let state = seed
      const draw = (below: number): number => {
        state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
        return (state >>> 8) % below
      }
      await withBank(async (world) => {
        let balance = 1000
        const days = Array.from({ length: 6 }, (_, index): Day => {
          const entries = Array.from({ length: draw(3) }, () => {
            const amount = `${(draw(3) + 1) * 10}.00`
            return draw(2) === 0
              ? paid(nextReference(), { amount, payments: [], servicerReference: next('C') })
              : { amount, debit: true, servicerReference: next('D') }
          })
          const opening = balance
          for (const { amount, debit } of entries) balance += debit ? -Number(amount) : Number(amount)
          return { number: index + 2, on: index + 3, opening, closing: balance, entries }
        })
        for (const { on, entries = [] } of days)
          for (const entry of entries) if (draw(3) === 0) await notify(world, on, entry)
        const waiting = [...days]
        while (waiting.length > 0) {
          const [day] = waiting.splice(draw(waiting.length), 1)
          assert.ok(day)
          const name = `${next('any')}.xml`
          await send(world, day, name)
          const [file] = await listBankFiles(world.ctx.db)
          if (file?.state === 'refused' && draw(2) === 0) await acceptFile(world, name)
          await assertAgrees(world)
        }
        // What is still refused continues none: a person accepts it.
        for (const { file, state: is } of await listBankFiles(world.ctx.db))
          if (is === 'refused') await acceptFile(world, file)
        const entries = days.flatMap((day) => day.entries ?? [])
        const [row] = await world.ctx.db.sql<{ stated: number; gaps: number; more: number }>`
          select count(*) filter (where gap is null and statement_id is not null)::integer as stated,
            count(*) filter (where gap is not null)::integer as gaps, count(*) filter (where statement_id is null)::integer as more
          from iso20022_bookings where state = 'booked'`
        const booked = [row, await findings(world), await bankRail(world.bank).balance('EUR-EUR')]
        const expected = [{ stated: entries.length, gaps: 0, more: 0 }, [], BigInt(balance) * 100n]
        assert.deepEqual(booked, expected, `seed ${seed}`)
        await assertAgrees(world)
      })
    }
  })
})
