import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { next } from '../../../../test/support/bank-session.ts'
import type { BankWorld } from '../../../../test/support/bank-world.ts'
import { ourIban, pain002 } from '../../../../test/support/camt.ts'
import { dayAfter, end, refused, resolve, skip } from '../../../../test/support/ended-payouts.ts'
import { type BankOrder, debitOf } from '../../../../test/support/folder-bank.ts'
import {
  accept,
  assertAgrees,
  findings,
  lumps,
  reported,
  send,
  submitPayment,
  withBank,
  withoutFirst,
} from '../../../../test/support/statement-gaps.ts'
import { bankRail } from '../rails.ts'

const died = /has died/

describe('a difference that may have a payment of ours', () => {
  async function confirmed(world: BankWorld): Promise<BankOrder> {
    await submitPayment(world, 4_000n)
    const [order = assert.fail()] = world.outside.collect()
    world.outside.drop(`${next('s')}.xml`, pain002({ messageId: order.messageId, group: 'ACSC' }))
    await world.round()
    return order
  }
  const balance = async ({ bank }: BankWorld): Promise<number> =>
    Number((await bankRail(bank).balance('EUR-EUR')) / 100n)

  it('is booked but for what the bank has said is done, once a person has resolved its break, and as it is when that is debited', () =>
    withBank(async (world) => {
      const order = await confirmed(world)
      await accept(world, { number: 3, on: dayAfter(world, 2), opening: 940, closing: 940 })
      await skip(world)
      assert.deepEqual([await lumps(world), await findings(world)], [[], [['opening_differs', -60]]])
      await resolve(world, -6_000n)
      await reported(world)
      assert.deepEqual([await lumps(world), await findings(world), await balance(world)], [[-20], [], 940])
      const entries = [debitOf(order), { amount: '20.00', debit: true }]
      await send(world, { number: 2, on: dayAfter(world, 1), opening: 1000, closing: 940, entries })
      assert.deepEqual([await lumps(world), await findings(world)], [[], []])
      await assertAgrees(world)
    }))

  it('is no part of a second one that the payment may be in, too', () =>
    withBank(async (world) => {
      await confirmed(world)
      await accept(world, { number: 3, on: dayAfter(world, 2), opening: 960, closing: 960 })
      await accept(world, { number: 5, on: dayAfter(world, 4), opening: 945, closing: 945 })
      await skip(world)
      await resolve(world, -4_000n)
      await reported(world)
      assert.deepEqual([await lumps(world), await balance(world)], [[-15], 945])
    }))

  it('waits while another payment may be in it that the bank has not answered', () =>
    withBank(async (world) => {
      await confirmed(world)
      const key = await submitPayment(world, 1_000n)
      await accept(world, { number: 3, on: dayAfter(world, 2), opening: 960, closing: 960 })
      await skip(world)
      await resolve(world, -4_000n)
      await reported(world)
      assert.deepEqual([await lumps(world), await findings(world)], [[], [['opening_differs', -40]]])
      await end(world, key)
      await reported(world)
      assert.deepEqual([await lumps(world), await findings(world)], [[], []])
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
      await assert.rejects(accept(world, { number: 3, on: dayAfter(world, 2), opening: 960, closing: 960 }), died)
      outbox.publish = publish
      const [{ key } = assert.fail()] = await world.ctx.db.sql<{ key: string }>`select key from iso20022_payments`
      await assert.rejects(end(world, key), refused)
      world.pass(5 * 86_400_000)
      await reported(world)
      await accept(world, { number: 5, on: dayAfter(world, 6), opening: 950, closing: 950 })
      await assert.rejects(end(world, key), refused)
      assert.deepEqual(await lumps(world), [])
    }))

  it('is of the account that pays', () => {
    const ibans = [ourIban, 'DE75512108001245126199']
    const account = { currency: 'EUR', bic: 'BYLADEM1001', holder: 'Example Ltd' }
    return withoutFirst(
      async (world) => {
        for (const iban of ibans) await send(world, { iban, number: 1, on: 2, opening: 1000, closing: 1000 })
        await submitPayment(world, 4_000n)
        const [, iban] = ibans
        await accept(world, {
          ...(iban ? { iban } : {}),
          number: 3,
          on: dayAfter(world, 2),
          opening: 960,
          closing: 960,
        })
        assert.deepEqual(await lumps(world), [-40])
      },
      { accounts: ibans.map((iban) => ({ ...account, iban })) },
    )
  })
})
