import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, describe, it } from 'node:test'

import { openRailWorld, type RailWorld } from '../../test/support/rail-world.ts'
import { makeSandboxAddress } from '../reference/addresses/address.ts'
import { type Network, networks } from '../reference/catalog/network.ts'
import { nativeAsset } from '../reference/catalog/sync-assets.ts'
import { Refusal } from '../platform/lib/refusal.ts'
import type { Destination, PayoutRail } from '../rails/rail.ts'
import { armTimeout, armUnknownStatus, bounce, chargeback, fundBank, fundWallet, pay, type Payment } from './rails.ts'

const first = 1_000n * 10n ** 18n
const conflict = (error: unknown): boolean => error instanceof Refusal && error.code === 'CONFLICT'

let stage: RailWorld
let ids = 5000n

before(async () => {
  stage = await openRailWorld()
  await fundBank(stage.db, 'EUR-EUR', first)
  for (const network of networks) await fundWallet(stage.db, network, nativeAsset(network).id, first)
})
after(() => stage.close())

const wayOut = (category: string, network: string): PayoutRail => {
  const found = stage.rails.forPayout(category, network)
  assert(found && stage.rails.payout(found.name) === found)
  return found
}

const stranger = ({ family }: Network): string =>
  makeSandboxAddress(
    family,
    createHash('sha256')
      .update(String((ids += 1n)))
      .digest(),
  )

/** A payment that somebody made at a page, and its way back. */
async function paidAtPage(category: string): Promise<{ payment: Payment; rail: PayoutRail; destination: Destination }> {
  const taker = stage.rails.forDeposit(category, 'EUR')
  const rail = stage.rails.payout(taker?.name ?? '')
  assert(taker && rail)
  const order = { id: (ids += 1n), category, asset: 'EUR-EUR', amount: 12_345n }
  const instruction = await taker.deposit.instruct(order)
  const payment = { ...order, ...instruction, rail: taker.name, returnUrl: 'https://exchange.example/', locale: 'en' }
  const { id } = await pay(stage.world, payment)
  await stage.deliver(taker.name)
  const destination = await taker.deposit.origin(id)
  assert(destination !== 'unknown')
  return { payment, rail, destination }
}

for (const category of ['VISA_MC', 'APPLE_PAY', 'OPEN_BANKING']) {
  describe(`refunds of ${category} in the sandbox`, () => {
    const refund = async (rail: PayoutRail, destination: Destination, amount: bigint) => {
      const [plan] = await rail.payout.prepare([{ payoutId: (ids += 1n), asset: 'EUR-EUR', amount, destination }])
      assert(plan)
      await rail.payout.submit(plan)
      return plan
    }
    const settled = async (rail: PayoutRail, plan: { key: string; body: Record<string, string> }): Promise<string> => {
      stage.pass(1_000)
      return (await rail.payout.look(plan)).state
    }

    it('give back in parts, at most what was captured in all, also side by side', async () => {
      const { rail, destination } = await paidAtPage(category)
      const plans = await Promise.all(Array.from({ length: 5 }, () => refund(rail, destination, 4_115n)))
      const states = []
      for (const plan of plans) states.push(await settled(rail, plan))
      assert.deepEqual(states.toSorted(), ['done', 'done', 'done', 'never', 'never'])
      assert.equal(await settled(rail, await refund(rail, destination, 1n)), 'never')
    })

    it('are refused after a chargeback, and a refunded payment is not charged back', async () => {
      const taken = await paidAtPage(category)
      await chargeback(stage.world, taken.payment)
      assert.equal(await settled(taken.rail, await refund(taken.rail, taken.destination, 1n)), 'never')

      const given = await paidAtPage(category)
      await refund(given.rail, given.destination, 1n)
      await assert.rejects(chargeback(stage.world, given.payment), conflict)
    })

    it('are pending while their status is unknown', async () => {
      const { rail, destination } = await paidAtPage(category)
      await armUnknownStatus(stage.world, destination.address)
      const plan = await refund(rail, destination, 100n)
      assert.equal(await settled(rail, plan), 'pending')
      stage.pass(4_000)
      assert.equal(await settled(rail, plan), 'done')
      assert.equal(await settled(rail, await refund(rail, destination, 100n)), 'done', 'it strikes once')
    })

    it('may be given again after they came back', async () => {
      const { rail, destination } = await paidAtPage(category)
      const plan = await refund(rail, destination, 12_345n)
      assert.equal(await settled(rail, plan), 'done')
      await bounce(stage.world, { rail: rail.name, planKey: plan.key })
      assert.equal((await rail.payout.look(plan)).state, 'done', 'it was carried out all the same')
      assert.equal(await settled(rail, await refund(rail, destination, 12_345n)), 'done')
      await stage.deliver(rail.name)
    })
  })
}

describe('money out in the sandbox', () => {
  const railsOut = (): [PayoutRail, string, Destination][] => [
    [wayOut('SEPA', 'EUR'), 'EUR-EUR', { address: 'DE00', extraId: '', holder: '' }],
    ...networks.map((chain): [PayoutRail, string, Destination] => [
      wayOut('CRYPTO', chain.code),
      nativeAsset(chain).id,
      { address: stranger(chain), extraId: '', holder: '' },
    ]),
  ]

  it('is never sent out of an account that was never filled', async () => {
    for (const [rail, , destination] of railsOut()) {
      const [plan] = await rail.payout.prepare([{ payoutId: (ids += 1n), asset: 'NOTHING', amount: 1n, destination }])
      assert(plan)
      await assert.rejects(rail.payout.submit(plan), conflict, rail.name)
      assert.deepEqual(await rail.payout.look(plan), { state: 'never' })
      assert.equal(await rail.balance('NOTHING'), 0n)
    }
  })

  it('is in no block before its block has come, and comes back out of none', async () => {
    for (const [rail, asset, destination] of railsOut()) {
      const [plan] = await rail.payout.prepare([{ payoutId: (ids += 1n), asset, amount: 1n, destination }])
      assert(plan)
      assert.deepEqual(await rail.payout.look(plan), { state: 'never' })
      await rail.payout.submit(plan)
      const soon = await rail.payout.look(plan)
      if (rail.name === 'sandbox-bank') assert.equal(soon.state, 'done')
      else {
        assert(soon.state === 'pending' && (soon.lookAgainInMs ?? 0) <= 1_000)
        await assert.rejects(bounce(stage.world, { rail: rail.name, planKey: plan.key }), conflict)
      }
    }
  })

  it('stores no destination with an armed fault', async () => {
    await armTimeout(stage.world, 'an address of a person')
    const armed = await stage.db.sql<{ reference: string }>`select reference from sandbox.faults`
    assert(armed.length > 0 && !armed.some(({ reference }) => reference.includes('person')))
  })
})
