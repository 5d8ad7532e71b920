import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import {
  accept,
  assertAgrees,
  decide,
  findings,
  lumps,
  notify,
  other,
  send,
  submitPayment,
  withBank,
} from '../../../test/support/statement-gaps.ts'
import { dayAfter } from '../../../test/support/ended-payouts.ts'
import { next } from '../../../test/support/bank-session.ts'
import { type BankWorld, openBankWorld } from '../../../test/support/bank-world.ts'
import { camt, ourIban } from '../../../test/support/camt.ts'
import { until } from '../../../test/support/telling.ts'
import { skipStatements } from '../../exchange/operations/bank-files.ts'
import { lockBank } from './lease.ts'

const skip = (world: BankWorld, numbers: string) =>
  skipStatements(world.ctx, { rail: 'bank-1', numbers }, { actor: 'cli:test', reason: 'The bank has lost it.' })
const debit = { amount: '100.00', debit: true }

describe('a statement that will not come', () => {
  it('ends the alarm of its number only: what was notified of its days stays a break each, also where it comes to nothing', () =>
    withBank(async (world) => {
      await notify(world, 3, other())
      await notify(world, 3, debit)
      await send(world, { number: 3, on: 4, opening: 1000, closing: 1000 })
      const missing = [
        ['missing', -100],
        ['missing', 100],
      ]
      assert.deepEqual(await findings(world), [['lost_statement', 0], ...missing])
      await skip(world, '2')
      assert.deepEqual(await findings(world), missing)
      await assertAgrees(world)
    }))

  it('does not have what a later statement has', () =>
    withBank(async (world) => {
      const order = other()
      await notify(world, 3, order)
      await notify(world, 3, debit)
      await send(world, { number: 3, on: 4, opening: 1000, closing: 1000 })
      await skip(world, '2')
      assert.deepEqual(await send(world, { number: 4, on: 5, opening: 1000, closing: 1100, entries: [order] }), [])
      assert.deepEqual(await findings(world), [['missing', 100]])
    }))

  it('ends its own alarm only, not what the next one opens differently by', () =>
    withBank(async (world) => {
      await accept(world, { number: 3, on: 4, opening: 960, closing: 960 })
      await skip(world, '2')
      assert.deepEqual([await findings(world), await lumps(world)], [[['opening_differs', -40]], []])
    }))

  it('is left to two operators where the debit of a payment of ours may be in it', () =>
    withBank(async (world) => {
      const key = await submitPayment(world, 4_000n)
      await send(world, { number: 3, on: dayAfter(world, 2), opening: 1000, closing: 1000 })
      await assert.rejects(skip(world, '2'), { code: 'CONFLICT', message: new RegExp(`${key}.*break book`) })
      assert.deepEqual(await findings(world), [['lost_statement', 0]])
      await decide(world)
      assert.deepEqual(await findings(world), [])
    }))

  it('is not one that comes at that moment', () =>
    withBank(async (world) => {
      await send(world, { number: 3, on: 4, opening: 1000, closing: 1000 })
      let skipped: Promise<string> | undefined
      let isOver = false
      await world.ctx.db.atomic(async (db) => {
        await lockBank(db, 'bank-1')
        skipped = skip(world, '2').then(
          () => 'skipped',
          ({ code }: { code: string }) => code,
        )
        const over = () => (isOver = true)
        void skipped.then(over, over)
        const waiting = () =>
          world.ctx.db.sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
        await until(async () => isOver || (await waiting()).length > 0, 'the skip')
        db.send`
          insert into iso20022_statements
            (rail, account, asset, identification, number, page, is_last, period, closing_on, opening, closing, previous_id, file_id)
          select rail, account, asset, 'S-2', 2, 1, true, '', '2026-03-03', opening, opening, previous_id, file_id
          from iso20022_statements where number = 3`
      })
      assert.equal(await skipped, 'NOT_FOUND')
    }))

  it('is missing in every currency of its account', async () => {
    const account = { iban: ourIban, bic: 'BYLADEM1001', holder: 'Example Ltd' }
    const currencies = ['EUR', 'GBP']
    const world = await openBankWorld({ accounts: currencies.map((currency) => ({ ...account, currency })) })
    const both = async (message: Parameters<typeof camt>[0]): Promise<void> => {
      for (const currency of currencies)
        world.outside.drop(`${next('c')}.xml`, camt({ ...message, id: next('C'), currency }))
      await world.round()
    }
    try {
      const statement = { opening: '1000.00', closing: '1000.00', entries: [] }
      await both({ ...statement, number: 1, date: '2026-03-02' })
      await both({ ...statement, number: 3, date: '2026-03-04' })
      assert.equal((await findings(world)).length, 2)
      await skip(world, '2')
      assert.deepEqual(await findings(world), [])
    } finally {
      await world.close()
    }
  })

  it('is of the account that is named where several lack it', async () => {
    const ibans = [ourIban, 'DE75512108001245126199']
    const account = { currency: 'EUR', bic: 'BYLADEM1001', holder: 'Example Ltd' }
    const world = await openBankWorld({ accounts: ibans.map((iban) => ({ ...account, iban })) })
    try {
      for (const [number, date] of [
        [1, '2026-03-02'],
        [3, '2026-03-04'],
      ] as const)
        for (const iban of ibans) {
          const balances = { opening: '1000.00', closing: '1000.00', entries: [] }
          world.outside.drop(`${next('a')}.xml`, camt({ ...balances, id: next('A'), iban, number, date }))
          await world.round()
        }
      await assert.rejects(skip(world, '2'), { code: 'CONFLICT' })
      assert.equal((await findings(world)).length, 2)
    } finally {
      await world.close()
    }
  })
})
