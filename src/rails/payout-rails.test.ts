import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, describe, it } from 'node:test'

import { openRailWorld, type RailWorld } from '../../test/support/rail-world.ts'
import { makeSandboxAddress } from '../addresses/address.ts'
import { type Network, networks } from '../catalog/network.ts'
import { nativeAsset } from '../catalog/sync-assets.ts'
import { Refusal } from '../lib/refusal.ts'
import type { PayoutRail, PlanDraft } from './rail.ts'
import { armTimeout, bounce, fundBank, fundWallet } from './sandbox.ts'

/** A way out: what is paid, and a place that belongs to nobody. */
type WayOut = { category: string; network: string; asset: string; chain?: Network }

const waysOut: WayOut[] = [
  { category: 'SEPA', network: 'EUR', asset: 'EUR-EUR' },
  ...networks.map((chain) => ({ category: 'CRYPTO', network: chain.code, asset: nativeAsset(chain).id, chain })),
]

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

for (const { category, network, asset, chain } of waysOut) {
  describe(`money out by ${category} on ${network}`, () => {
    let rail: PayoutRail

    before(() => {
      const found = stage.rails.forPayout(category, network)
      assert(found && stage.rails.payout.get(found.name) === found)
      rail = found
    })

    const recipient = (): string =>
      chain
        ? makeSandboxAddress(chain.family, createHash('sha256').update(String(ids)).digest())
        : `DE${String(ids).padStart(20, '0')}`
    const planned = async (amount: bigint): Promise<PlanDraft & { address: string }> => {
      const payoutId = (ids += 1n)
      const address = recipient()
      const destination = { address, extraId: '', holder: chain ? '' : 'Erika Mustermann' }
      const [plan] = await rail.prepare([{ payoutId, asset, amount, destination }])
      assert(plan)
      return { ...plan, address }
    }
    const nextBlock = (): void => stage.pass(1_000)

    it('pays once, however often a plan is submitted, and proves it', async () => {
      const plan = await planned(500n)
      const before = await rail.balance(asset)
      assert.deepEqual(await rail.look(plan), { state: 'never' })

      await Promise.all([rail.submit(plan), rail.submit(plan)])
      await rail.submit(plan)
      const soon = await rail.look(plan)
      assert.equal(soon.state, chain ? 'pending' : 'done')
      if (soon.state === 'pending') assert((soon.lookAgainInMs ?? 0) <= 1_000)
      nextBlock()
      const outcome = await rail.look(plan)
      assert(outcome.state === 'done')
      const { hash, fee } = outcome.evidence
      assert.match(hash, chain ? (chain.family === 'evm' ? /^0x[0-9a-f]{64}$/ : /^[0-9a-f]{64}$/) : /^bnk_\d+$/)
      assert.equal(fee !== undefined, chain !== undefined)
      assert.equal(before - (await rail.balance(asset)), 500n + (fee?.amount ?? 0n))
    })

    it('pays two plans that are for the same', async () => {
      const plans = [await planned(7n), await planned(7n)]
      const before = await rail.balance(asset)
      await Promise.all(plans.map((plan) => rail.submit(plan)))
      nextBlock()
      const outcomes = await Promise.all(plans.map((plan) => rail.look(plan)))
      const fees = outcomes.map((one) => (one.state === 'done' ? (one.evidence.fee?.amount ?? 0n) : -1n))
      assert.equal(before - (await rail.balance(asset)), 14n + (fees[0] ?? 0n) + (fees[1] ?? 0n))
    })

    it('has paid where it did not answer', async () => {
      const plan = await planned(300n)
      const before = await rail.balance(asset)
      await armTimeout(stage.world, plan.address)
      const armed = await stage.db.sql<{ reference: string }>`select reference from sandbox.faults`
      assert(armed.length === 1 && !armed.some(({ reference }) => reference.includes(plan.address)))
      await assert.rejects(rail.submit(plan), /did not answer/)
      nextBlock()
      assert.equal((await rail.look(plan)).state, 'done')
      const after = await rail.balance(asset)
      await rail.submit(plan)
      assert.equal(await rail.balance(asset), after)
      assert(before - after >= 300n)
    })

    it('refuses what it does not have, and pays the others', async () => {
      const [tooMuch, fine] = [await planned(first * 2n), await planned(11n)]
      const before = await rail.balance(asset)
      const [refused, paid] = await Promise.allSettled([rail.submit(tooMuch), rail.submit(fine)])
      assert(refused?.status === 'rejected' && conflict(refused.reason))
      assert.equal(paid?.status, 'fulfilled')
      assert.deepEqual(await rail.look(tooMuch), { state: 'never' })
      assert(before - (await rail.balance(asset)) < first)
    })

    it('never pays out of an account that was never filled', async () => {
      const destination = { address: recipient(), extraId: '', holder: '' }
      const [plan] = await rail.prepare([{ payoutId: (ids += 1n), asset: 'NOTHING', amount: 1n, destination }])
      assert(plan)
      await assert.rejects(rail.submit(plan), conflict)
      assert.deepEqual(await rail.look(plan), { state: 'never' })
      assert.equal(await rail.balance('NOTHING'), 0n)
    })

    it('tells once that a payout has come back, and has its money again', async () => {
      const plan = await planned(900n)
      const what = { rail: rail.name, planKey: plan.key }
      await assert.rejects(bounce(stage.world, what), conflict)
      await rail.submit(plan)
      if (chain) await assert.rejects(bounce(stage.world, what), conflict, 'it is in no block yet')
      nextBlock()
      const before = await rail.balance(asset)
      await bounce(stage.world, what)
      await assert.rejects(bounce(stage.world, what), conflict)
      stage.pass(600_000)
      const facts = await stage.deliver(rail.name)
      assert.equal(facts.length, 1)
      const { kind, reference, asset: told, amount } = facts[0] ?? {}
      assert.deepEqual(
        { kind, reference, told, amount },
        { kind: 'payout.returned', reference: plan.key, told: asset, amount: 900n },
      )
      assert.equal(await rail.balance(asset), before + 900n)
    })

    it('knows where money would come back to ourselves', async () => {
      assert.equal(rail.owns(recipient()), false)
      const told = await stage.rails.forDeposit(category, network)?.instruct({ id: 1n, category, asset, amount: 1n })
      if (told?.payTo.kind === 'account') assert.equal(rail.owns(told.payTo.account), true)
      const [plan] = await rail.prepare([
        { payoutId: 1n, asset, amount: 1n, destination: { address: recipient(), extraId: '', holder: '' } },
      ])
      if (chain) assert.equal(rail.owns(plan?.body.sender ?? ''), true)
    })
  })
}
