import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { next } from '../../../../test/support/bank-session.ts'
import type { BankWorld } from '../../../../test/support/bank-world.ts'
import { ourIban, pain002 } from '../../../../test/support/camt.ts'
import { bookAsOwn, dayAfter, end, outcome, refused } from '../../../../test/support/ended-payouts.ts'
import { type BankOrder, debitOf } from '../../../../test/support/folder-bank.ts'
import {
  accept,
  acceptFile,
  assertAgrees,
  debits,
  decide,
  findings,
  lumps,
  send,
  submitPayment,
  withBank,
  withdraw,
  withoutFirst,
} from '../../../../test/support/statement-gaps.ts'
import { findingsOf } from '../findings.ts'
import { bankRail } from '../rails.ts'
import { gapOf } from './gap.ts'

const died = /has died/

describe('a gap that may have a payment of ours', () => {
  async function confirmed(world: BankWorld): Promise<BankOrder> {
    await submitPayment(world, 4_000n)
    const [order = assert.fail()] = world.outside.collect()
    world.outside.drop(`${next('s')}.xml`, pain002({ messageId: order.messageId, group: 'ACSC' }))
    await world.round()
    return order
  }
  const balance = async ({ bank }: BankWorld): Promise<number> =>
    Number((await bankRail(bank).balance('EUR-EUR')) / 100n)
  const gap = async ({ bank, ctx }: BankWorld) => {
    const [finding = assert.fail()] = await findingsOf(bank)
    return (await gapOf(ctx.db, { ...finding, rail: bank.name })) ?? assert.fail()
  }

  it('has what the bank has said is done: that is debited there, and the rest is what operators book', () =>
    withBank(async (world) => {
      const order = await confirmed(world)
      await accept(world, { number: 3, on: dayAfter(world, 2), opening: 940, closing: 940 })
      assert.deepEqual((await gap(world)).rest, -2_000n)
      await decide(world)
      assert.deepEqual([await lumps(world), await findings(world), await balance(world)], [[-20], [], 940])
      await assertAgrees(world)
      const entries = [debitOf(order), { amount: '20.00', debit: true }]
      const lost = { number: 2, on: dayAfter(world, 1), opening: 1000, closing: 940, entries }
      await send(world, lost, 'lost.xml')
      await acceptFile(world, 'lost.xml')
      await withdraw(world)
      assert.deepEqual([await lumps(world), await findings(world), (await debits(world)).length], [[], [], 1])
      await assertAgrees(world)
    }))

  for (const [what, moved, lump] of [
    ['moved nothing in all', 0, []],
    ['moved less than it', -30, [-30]],
    ['had a credit', 20, [20]],
  ] as const)
    it(`has no done payment that would make another rest of it, which nobody received: it ${what}`, () =>
      withBank(async (world) => {
        const order = await confirmed(world)
        const [before, after] = [1000 + moved, 960 + moved]
        const next = { number: 3, on: dayAfter(world, 2), opening: before, closing: after, entries: [debitOf(order)] }
        await (moved === 0 ? send : accept)(world, { ...next, closing: before, entries: [] })
        const { known, rest, outside } = await gap(world)
        assert.deepEqual([known, rest, outside.length], [[], BigInt(moved) * 100n, 1])
        await decide(world)
        assert.deepEqual([await lumps(world), await findings(world), await balance(world)], [lump, [], before])
        await send(world, { ...next, number: 4, on: dayAfter(world, 3), opening: before })
        assert.deepEqual([await findings(world), (await debits(world)).length], [[], moved < 0 ? 1 : 0])
        await assertAgrees(world)
      }))

  it('is not booked before a statement of a day after the payment file came: that may have the debit of what is done', () =>
    withBank(async (world) => {
      const order = await confirmed(world)
      await accept(world, { number: 3, on: dayAfter(world, 0), opening: 960, closing: 960 })
      assert.deepEqual((await gap(world)).early.length, 1)
      assert.deepEqual(await decide(world), [])
      const entries = [debitOf(order)]
      await send(world, { number: 4, on: dayAfter(world, 1), opening: 960, closing: 920, entries })
      const { early, known, rest } = await gap(world)
      assert.deepEqual([early, known, rest], [[], [], -4_000n])
      await decide(world)
      assert.deepEqual([await lumps(world), await findings(world)], [[-40], []])
      await assertAgrees(world)
    }))

  it('can have it where only the rest was booked, as an older release did: what fits no more is booked to the end', () =>
    withBank(async (world) => {
      await confirmed(world)
      await accept(world, { number: 3, on: dayAfter(world, 2), opening: 940, closing: 940 })
      await decide(world)
      const { sql } = world.ctx.db
      await sql`update iso20022_payments set debited_by = null where debited_by is not null returning key`
      await sql`update iso20022_bookings set state = 'withdrawn' where gap = 'known' returning id`
      assert.deepEqual(await findings(world), [['double', -40]])
      assert.deepEqual((await gap(world)).rest, 0n)
      await decide(world)
      assert.deepEqual([await lumps(world), await findings(world), await balance(world)], [[-20], [], 940])
      await assertAgrees(world)
    }))

  it('is no second one where the payment is in the first', () =>
    withBank(async (world) => {
      await confirmed(world)
      await accept(world, { number: 3, on: dayAfter(world, 2), opening: 960, closing: 960 })
      await accept(world, { number: 5, on: dayAfter(world, 4), opening: 945, closing: 945 })
      await decide(world)
      assert.deepEqual([await lumps(world), await findings(world), await balance(world)], [[-15], [], 945])
    }))

  it('names payments that the bank has not answered, and ends none of them', () =>
    withBank(async (world) => {
      const key = await submitPayment(world, 4_000n)
      await accept(world, { number: 3, on: dayAfter(world, 2), opening: 960, closing: 960 })
      const { unanswered, known, rest } = await gap(world)
      assert.deepEqual([unanswered, known, rest], [[key], [], -4_000n])
      await decide(world)
      assert.deepEqual([await lumps(world), await outcome(world, key)], [[-40], 'pending'])
    }))

  it('counts the payment from when its file was written: it may have left before we knew', () =>
    withBank(async (world) => {
      const { outbox } = world.follower
      const { publish } = outbox
      outbox.publish = async (...file) => {
        await publish(...file)
        throw new Error('The process has died.')
      }
      await assert.rejects(submitPayment(world, 4_000n), died)
      assert.equal(world.outside.collect().length, 1)
      const day = { number: 3, on: dayAfter(world, 2), opening: 960, closing: 960 }
      await assert.rejects(send(world, day, 'later.xml'), died)
      outbox.publish = publish
      await acceptFile(world, 'later.xml')
      const [{ key } = assert.fail()] = await world.ctx.db.sql<{ key: string }>`select key from iso20022_payments`
      await assert.rejects(end(world, key), refused)
      assert.deepEqual((await gap(world)).unanswered, [key])
    }))

  it('is of the account that pays', () => {
    const ibans = [ourIban, 'DE75512108001245126199']
    const account = { currency: 'EUR', bic: 'BYLADEM1001', holder: 'Example Ltd' }
    return withoutFirst(
      async (world) => {
        for (const iban of ibans) await send(world, { iban, number: 1, on: 2, opening: 1000, closing: 1000 })
        await submitPayment(world, 4_000n)
        const [, iban = ''] = ibans
        await accept(world, { iban, number: 3, on: dayAfter(world, 2), opening: 960, closing: 960 })
        assert.deepEqual((await gap(world)).unanswered, [])
      },
      { accounts: ibans.map((iban) => ({ ...account, iban })) },
    )
  })
})

describe('a payment that the bank has not answered, after operators decided about its days', () => {
  for (const [what, opening] of [
    ['a gap of its amount', 960],
    ['a gap of another amount', 1060],
    ['a number whose statement moved nothing in all', 1000],
  ] as const)
    it(`is ended only by who says that the bank's own list lacks it: ${what}`, () =>
      withBank(async (world) => {
        const key = await submitPayment(world, 4_000n)
        const after = { number: 3, on: dayAfter(world, 2), opening, closing: opening }
        await (opening === 1000 ? send(world, after) : accept(world, after))
        await assert.rejects(end(world, key, 'end', true), { ...refused, message: /is missing/ })
        await decide(world)
        const [debit] = await debits(world)
        if (opening === 960) {
          await assert.rejects(end(world, key, 'end', true), refused, 'nobody has said what the debit was')
          await bookAsOwn(world, debit)
        }
        if (opening === 1060)
          await world.ctx.db.sql`update iso20022_bookings set gap = 'known' where gap = 'lump' returning id`
        await assert.rejects(end(world, key), { ...refused, message: /own list of payments/ })
        await end(world, key, 'end', true)
        assert.deepEqual([await outcome(world, key), await findings(world)], ['never', []])
        await assertAgrees(world)
      }))

  it('is a debit without an order where a lost statement has it after all: nothing is paid or ended by it again', () =>
    withBank(async (world) => {
      const key = await submitPayment(world, 4_000n)
      const [order = assert.fail()] = world.outside.collect()
      await send(world, { number: 3, on: dayAfter(world, 2), opening: 1000, closing: 1000 })
      await decide(world)
      await end(world, key, 'end', true)
      const entries = [debitOf(order), { amount: '40.00', servicerReference: next('C') }]
      const lost = { number: 2, on: dayAfter(world, 1), opening: 1000, closing: 1000, entries }
      assert.deepEqual(await send(world, lost, 'lost.xml'), [])
      assert.deepEqual(await acceptFile(world, 'lost.xml'), [['deposit_final', 40]])
      assert.deepEqual([await outcome(world, key), (await debits(world)).length], ['never', 1])
      await assertAgrees(world)
    }))

  it('is ended once a debit that names it with another amount is booked as something else', () =>
    withBank(async (world) => {
      const key = await submitPayment(world, 4_000n)
      const [order = assert.fail()] = world.outside.collect()
      const entry = { ...debitOf(order), amount: '30.00' }
      const entries = [{ ...entry, payments: entry.payments?.map((one) => ({ ...one, amount: '30.00' })) ?? [] }]
      await send(world, { number: 2, on: dayAfter(world, 1), opening: 1000, closing: 970, entries })
      const [debit] = await debits(world)
      await assert.rejects(end(world, key, 'end', true), {
        ...refused,
        message: new RegExp(`${debit?.payment}.*suspense book`),
      })
      await bookAsOwn(world, debit)
      await assert.rejects(end(world, key), { ...refused, message: /own list of payments/ })
      await end(world, key, 'end', true)
      assert.equal(await outcome(world, key), 'never')
    }))
})
