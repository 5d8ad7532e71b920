import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { depositRailContract, type DepositStage, type Told } from '../../test/support/deposit-rail-contract.ts'
import { openRailWorld, type RailWorld } from '../../test/support/rail-world.ts'
import { networks } from '../reference/catalog/network.ts'
import { nativeAsset } from '../reference/catalog/sync-assets.ts'
import { Refusal } from '../platform/lib/refusal.ts'
import type { DepositRail } from './rail.ts'
import { sign } from '../sandbox/callback.ts'
import {
  chargeback,
  decline,
  duplicate,
  fundBank,
  fundWallet,
  pay,
  type Payment,
  unknownWord,
} from '../sandbox/rails.ts'

/** A way in, with what a customer pays on it. */
type WayIn = { category: string; network: string; asset: string }

const waysIn: WayIn[] = [
  ...['VISA_MC', 'APPLE_PAY', 'GOOGLE_PAY', 'REVOLUT_PAY', 'OPEN_BANKING', 'SEPA', 'SWIFT'].map((category) => ({
    category,
    network: 'EUR',
    asset: 'EUR-EUR',
  })),
  ...networks.map((network) => ({ category: 'CRYPTO', network: network.code, asset: nativeAsset(network).id })),
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

const railOf = ({ category, network }: WayIn): DepositRail => {
  const found = stage.rails.forDeposit(category, network)
  assert(found && stage.rails.deposit.get(found.name) === found)
  return found
}

const paymentOf = (rail: DepositRail, told: Told): Payment => ({
  ...told,
  rail: rail.name,
  returnUrl: 'https://exchange.example/',
  locale: 'en',
})

function stageOf(way: WayIn): DepositStage {
  const rail = railOf(way)
  const isPage = rail.open !== undefined
  const isChain = rail.confirmations !== undefined
  const { world } = stage
  const payment = (told: Told): Payment => paymentOf(rail, told)
  return {
    rail,
    holder: [...stage.rails.payout.values()].find(({ place }) => place === rail.place),
    category: way.category,
    asset: way.asset,
    amount: 12_345n,
    nextId: () => (ids += 1n),
    pay: (told) => pay(world, payment(told)),
    // More than any chain's last confirmation takes.
    tellAll: async () => {
      stage.pass(10 * minuteMs)
      return stage.deliver(rail.name)
    },
    settlePayout: async () => stage.pass(minuteMs),
    duplicate: (told) => duplicate(world, payment(told)),
    unknownWord: (told) => unknownWord(world, payment(told)),
    ...(isPage ? { decline: (told: Told) => decline(world, payment(told)) } : {}),
    ...(isChain
      ? { payPooled: (told: Told) => pay(world, payment(told), { isPooled: true }) }
      : { takeBack: (told: Told) => chargeback(world, payment(told)) }),
  }
}

for (const way of waysIn) {
  depositRailContract(`${way.category} on ${way.network}`, () => stageOf(way))

  describe(`in the sandbox, ${way.category} on ${way.network}`, () => {
    const instructed = async (): Promise<Payment> => {
      const rail = railOf(way)
      const order = { ...way, id: (ids += 1n), amount: 12_345n }
      return paymentOf(rail, { ...order, ...(await rail.instruct(order)) })
    }

    it('lets nobody decline but at pages, and nobody take coins back', async () => {
      const payment = await instructed()
      if (payment.payTo.kind !== 'page') await assert.rejects(decline(stage.world, payment), conflict)
      if (payment.payTo.kind !== 'address') return
      await pay(stage.world, payment)
      await assert.rejects(chargeback(stage.world, payment), conflict)
    })

    it('believes nobody who has not signed for this very rail', async () => {
      const rail = railOf(way)
      await pay(stage.world, await instructed())
      stage.pass(10 * minuteMs)
      const [owed] = await stage.db.sql<{ body: string }>`
        select body::text from sandbox.callbacks where rail = ${rail.name} limit 1`
      const body = owed?.body ?? ''
      const unproven = (error: unknown): boolean => error instanceof Refusal && error.code === 'SIGNATURE_INVALID'
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
      stage.pass(10 * minuteMs)
      await stage.deliver(rail.name)
    })
  })
}
