import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { openRailWorld, type RailWorld } from '../../test/support/rail-world.ts'
import { networks } from '../catalog/network.ts'
import { nativeAsset } from '../catalog/sync-assets.ts'
import { Refusal } from '../lib/refusal.ts'
import type { DepositRail, PayoutRail } from './rail.ts'
import { sign } from './sandbox/callback.ts'
import { chargeback, decline, duplicate, fundBank, fundWallet, pay, type Payment, unknownWord } from './sandbox.ts'

/** A way in, with what a customer pays on it. */
type WayIn = { category: string; network: string; asset: string }

const coinWays = networks.map((network) => ({
  category: 'CRYPTO',
  network: network.code,
  asset: nativeAsset(network).id,
}))
const waysIn: WayIn[] = [
  ...['VISA_MC', 'APPLE_PAY', 'GOOGLE_PAY', 'REVOLUT_PAY', 'OPEN_BANKING', 'SEPA', 'SWIFT'].map((category) => ({
    category,
    network: 'EUR',
    asset: 'EUR-EUR',
  })),
  ...coinWays,
]

const first = 1_000_000n * 10n ** 18n
const minuteMs = 60_000
const conflict = (error: unknown): boolean => error instanceof Refusal && error.code === 'CONFLICT'

let stage: RailWorld
let ids = 1000n

before(async () => {
  stage = await openRailWorld()
  await fundBank(stage.db, 'EUR-EUR', first)
  for (const network of networks) await fundWallet(stage.db, network, nativeAsset(network).id, first)
})
after(() => stage.close())

for (const way of waysIn) {
  describe(`money in by ${way.category} on ${way.network}`, () => {
    let rail: DepositRail
    let holder: PayoutRail | undefined

    before(() => {
      const found = stage.rails.forDeposit(way.category, way.network)
      assert(found && stage.rails.deposit.get(found.name) === found)
      rail = found
      holder = [...stage.rails.payout.values()].find(({ place }) => place === rail.place)
    })

    const instructed = async (): Promise<Payment> => {
      const order = { ...way, id: (ids += 1n), amount: 12_345n }
      const told = await rail.instruct(order)
      return { ...order, ...told, rail: rail.name, returnUrl: 'https://exchange.example/', locale: 'en' }
    }
    /** Everything that the rail has to say within ten minutes: more than any chain's last confirmation takes. */
    const tellAll = async () => {
      stage.pass(10 * minuteMs)
      return stage.deliver(rail.name)
    }
    const balance = async (): Promise<bigint> => (await holder?.balance(way.asset)) ?? 0n

    it('tells each customer a place of their own, and the same one to whoever asks again', async () => {
      const order = { ...way, id: (ids += 1n), amount: 1n }
      const told = await rail.instruct(order)
      const again = await rail.instruct(order)
      const other = await rail.instruct({ ...order, id: (ids += 1n) })
      assert.notEqual(told.reference, other.reference)
      assert.deepEqual(again.payTo, told.payTo)
      if (told.payTo.kind !== 'page') assert.equal(again.reference, told.reference)
    })

    it('tells of a payment under our reference, once each, and in the end that it is there for good', async () => {
      const payment = await instructed()
      assert.deepEqual(await rail.look(payment.reference), [])
      const held = await balance()
      const { id } = await pay(stage.world, payment)
      const facts = await tellAll()

      const final = facts.filter(({ kind }) => kind === 'deposit.final')
      assert.equal(final.length, 1)
      assert.equal(new Set(facts.map(({ key }) => key)).size, facts.length)
      for (const { reference, payment: paid, asset, amount, body } of facts) {
        assert.deepEqual(
          { reference, paid, asset, amount },
          { reference: payment.reference, paid: id, asset: way.asset, amount: 12_345n },
        )
        assert.deepEqual(Object.keys(body), ['payment', 'status'], 'nothing else that a person wrote comes along')
      }
      assert.deepEqual(await rail.look(payment.reference), facts, 'who asks is told the same, under the same keys')
      assert.equal(await balance(), holder ? held + 12_345n : 0n)
      assert.deepEqual(await tellAll(), [])
    })

    it('tells again what was told last, under the same key', async () => {
      const payment = await instructed()
      await assert.rejects(duplicate(stage.world, payment), conflict)
      await pay(stage.world, payment)
      const last = (await tellAll()).at(-1)
      await duplicate(stage.world, payment)
      assert.deepEqual(await tellAll(), [last])
    })

    it('makes nothing of a word that nobody has met', async () => {
      const payment = await instructed()
      await pay(stage.world, payment)
      const told = (await tellAll()).at(-1)
      await unknownWord(stage.world, payment)
      const [fact] = await tellAll()
      assert(told && fact)
      assert.deepEqual({ ...fact, key: '', body: {} }, { ...told, kind: 'other', key: '', body: {} })
      assert.notEqual(fact.key, told.key)
    })

    it('takes back what a customer may take back, and says so once', async () => {
      const payment = await instructed()
      await assert.rejects(chargeback(stage.world, payment), conflict)
      await pay(stage.world, payment)
      const final = (await tellAll()).find(({ kind }) => kind === 'deposit.final')
      const held = await balance()
      if (payment.payTo.kind === 'address') {
        await assert.rejects(chargeback(stage.world, payment), conflict)
        return
      }
      await chargeback(stage.world, payment)
      const [fact, ...others] = await tellAll()
      assert.equal(others.length, 0)
      assert.equal(fact?.kind, 'deposit.reversed')
      assert.equal(fact?.payment, final?.payment)
      assert.notEqual(fact?.key, final?.key)
      assert.equal(fact?.key, (await rail.look(payment.reference)).at(-1)?.key)
      assert.equal(await balance(), holder ? held - 12_345n : 0n)
      await assert.rejects(chargeback(stage.world, payment), conflict)
    })

    it('tells two payments where a customer can pay twice, and one where not', async () => {
      const payment = await instructed()
      await Promise.all([pay(stage.world, payment), pay(stage.world, payment)])
      const final = (await tellAll()).filter(({ kind }) => kind === 'deposit.final')
      assert.equal(new Set(final.map((fact) => fact.payment)).size, payment.payTo.kind === 'page' ? 1 : 2)
    })

    it('lets customers decline at pages only', async () => {
      const payment = await instructed()
      if (payment.payTo.kind !== 'page') return assert.rejects(decline(stage.world, payment), conflict)
      const held = await balance()
      await decline(stage.world, payment)
      assert.equal(await balance(), held)
      const [fact] = await tellAll()
      assert.equal(fact?.kind, 'deposit.declined')
      assert.match(fact?.body.reason ?? '', /declined|refused/)
    })

    it('believes nobody who has not signed for this very rail', async () => {
      const payment = await instructed()
      await pay(stage.world, payment)
      stage.pass(10 * minuteMs)
      const [owed] = await stage.db.sql<{ body: string }>`
        select body::text from sandbox.callbacks where rail = ${rail.name} limit 1`
      const body = owed?.body ?? ''
      const unproven = (error: unknown): boolean => error instanceof Refusal && error.code === 'SIGNATURE_INVALID'
      assert.throws(() => rail.readCallback(body, {}), unproven)
      assert.throws(() => rail.readCallback(body, { 'x-processor-signature': '0'.repeat(64) }), unproven)
      for (const other of stage.rails.deposit.values()) {
        if (other.name === rail.name) continue
        assert.throws(
          () => rail.readCallback(body, { 'x-processor-signature': sign(stage.world, other.name, body) }),
          unproven,
        )
      }
      rail.readCallback(body, { 'x-processor-signature': sign(stage.world, rail.name, body) })
      for (const nonsense of ['', '[]', '{}', 'null', '{"event":"x"}', body.replace('12345', '-1')]) {
        const headers = { 'x-processor-signature': sign(stage.world, rail.name, nonsense) }
        assert.throws(
          () => rail.readCallback(nonsense, headers),
          (error) => error instanceof Refusal && error.code === 'BAD_REQUEST',
        )
      }
      await tellAll()
    })
  })
}
