import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { after, before, beforeEach, describe, it } from 'node:test'

import { token } from '../../../../test/support/anvil.ts'
import { type EvmWorld, type KeyHolder, keyHolders, openEvmWorld, through } from '../../../../test/support/evm-world.ts'
import { Refusal } from '../../../platform/lib/refusal.ts'
import type { PayoutHalf, PlanDraft } from '../../rail.ts'
import { toHex } from '../node.ts'
import { payouts } from './payouts.ts'
import { referenceOf } from '../events.ts'

const coin = 'ETH-ETH'
const usdt = { asset: 'USDT-ETH', contract: '0xdAC17F958D2ee523a2206206994597C13D831ec7' }
const gwei = 10n ** 9n
const conflict = (error: unknown): boolean => error instanceof Refusal && error.code === 'CONFLICT'

let world: EvmWorld
let rail: PayoutHalf
let ids = 0n

async function open(holder: KeyHolder): Promise<void> {
  world = await openEvmWorld({ EVM_MAX_FEE_GWEI: '500', EVM_BUMP_AFTER: 'PT60S' }, holder)
  rail = world.one.payout
  await world.anvil.layToken(usdt.contract)
  await world.anvil.send({ to: usdt.contract, data: token.mint(world.one.chain.keys.hot, 10n ** 12n) })
  await mined()
}
async function calm(): Promise<void> {
  await baseFee(gwei)
  await world.anvil.mine()
  await baseFee(gwei)
}

const baseFee = (wei: bigint): Promise<unknown> => world.anvil.ask('anvil_setNextBlockBaseFeePerGas', toHex(wei))
const recipient = (): string => referenceOf(`0x${hash('sha256', `recipient ${(ids += 1n)}`).slice(0, 40)}`)

async function planned(amount: bigint, asset = coin, address = recipient()): Promise<PlanDraft & { address: string }> {
  const destination = { address, extraId: '', holder: '' }
  const [plan] = await rail.prepare([{ payoutId: (ids += 1n), asset, amount, destination }])
  assert(plan)
  return { ...plan, address }
}
async function mined(blocks = 1): Promise<void> {
  await world.anvil.mine(blocks)
  await world.one.follow()
}
const lookAt = async (plan: PlanDraft, by = rail): Promise<string> => (await by.look(plan)).state
const settled = async (plan: PlanDraft): Promise<string> => {
  await mined(3)
  const outcome = await rail.look(plan)
  assert(outcome.state === 'done')
  return outcome.evidence.hash
}
const nonceOf = async (hash: string): Promise<bigint> =>
  BigInt((await world.anvil.ask<{ nonce: string }>('eth_getTransactionByHash', hash)).nonce)
const waiting = async (): Promise<number> =>
  Number.parseInt((await world.anvil.ask<{ pending: string }>('txpool_status')).pending, 16)

for (const holder of keyHolders)
  describe(`coins and tokens that go out on a chain of the EVM, signed by the ${holder}`, () => {
    before(() => open(holder))
    after(() => world.close())
    beforeEach(calm)

    for (const asset of [coin, usdt.asset]) {
      it(`are paid once, however often and by whom a plan is submitted, and are proven: ${asset}`, async () => {
        const { anvil, other } = world
        const plan = await planned(500n, asset)
        const before = [await world.one.rail.balance(asset), await world.one.rail.balance(coin)] as const
        assert.equal(await lookAt(plan), 'never', 'nobody has submitted it')
        await Promise.all([rail.submit(plan), other.payout.submit(plan), rail.submit(plan)])
        await rail.submit(plan)
        assert.equal(await waiting(), 1)
        assert.equal(await lookAt(plan), 'pending')
        await anvil.mine(2)
        assert.equal(await lookAt(plan), 'pending', 'two blocks of three')
        await mined()
        const outcome = await other.payout.look(plan)
        assert(outcome.state === 'done' && outcome.evidence.fee?.asset === coin)
        assert.match(outcome.evidence.hash, /^0x[0-9a-f]{64}$/)
        const spent = [
          before[0] - (await world.one.rail.balance(asset)),
          before[1] - (await world.one.rail.balance(coin)),
        ]
        const fee = outcome.evidence.fee.amount
        assert.deepEqual(spent, asset === coin ? [500n + fee, 500n + fee] : [500n, fee])
        const got = asset === coin ? anvil.balance(plan.address) : anvil.tokens(usdt.contract, plan.address)
        assert.equal(await got, 500n)
        await rail.submit(plan)
        assert.equal(await waiting(), 0, 'what was paid is not brought again')
      })
    }

    it('have nonces without a gap, whichever of two processes sends', async () => {
      const plans = await Promise.all(Array.from({ length: 12 }, (_, index) => planned(BigInt(index + 1))))
      await Promise.all(plans.map((plan, index) => (index % 2 ? rail : world.other.payout).submit(plan)))
      await world.anvil.mine(3)
      const hashes = await Promise.all(plans.map(settled))
      const nonces = (await Promise.all(hashes.map(nonceOf))).toSorted((one, other) => (one < other ? -1 : 1))
      assert.deepEqual(
        nonces,
        nonces.map((_, index) => (nonces[0] ?? 0n) + BigInt(index)),
      )
    })

    it('are refused where the wallet has too little or the chain says no, and leave no gap in the nonces', async () => {
      const { anvil } = world
      const refusing = recipient()
      await anvil.ask('anvil_setCode', refusing, '0x60006000fd')
      const bad = [await planned(10n ** 21n), await planned(10n ** 13n, usdt.asset), await planned(1n, coin, refusing)]
      for (const plan of [...bad, await planned(1n, 'BTC-BTC')]) {
        await assert.rejects(rail.submit(plan), conflict)
        assert.equal(await lookAt(plan), 'never')
      }
      const fine = await planned(11n)
      await rail.submit(fine)
      await settled(fine)
    })

    it('are refused together where they are more than the wallet has', async () => {
      const half = 60n * 10n ** 18n
      const plans = [await planned(half), await planned(half)]
      const results = await Promise.allSettled(plans.map((plan) => rail.submit(plan)))
      assert.deepEqual(results.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected'])
      await world.anvil.mine(3)
      await world.anvil.give(world.one.chain.keys.hot, 100n * 10n ** 18n)
      await Promise.all(plans.map((plan) => rail.look(plan)))
    })

    it('are paid once where the answer to the broadcast was lost', async () => {
      const silent = payouts(
        through(world.one.chain, (askAll) => async (calls) => {
          const answers = await askAll(calls)
          if (calls[0]?.method === 'eth_sendRawTransaction') throw new Error('The node did not answer.')
          return answers as never
        }),
      )
      const plan = await planned(300n)
      await assert.rejects(silent.submit(plan), /did not answer/)
      assert.equal(await waiting(), 1)
      assert.equal(await lookAt(plan), 'pending')
      await rail.submit(plan)
      assert.equal(await waiting(), 1)
      await settled(plan)
      assert.equal(await world.anvil.balance(plan.address), 300n)
    })

    it('are sent by the next look, where their process was killed between signing and broadcasting', async () => {
      const killed = payouts(
        through(world.one.chain, (askAll) => (calls) => {
          if (calls[0]?.method === 'eth_sendRawTransaction') throw new Error('killed')
          return askAll(calls)
        }),
      )
      const plan = await planned(300n)
      await assert.rejects(killed.submit(plan), /killed/)
      assert.equal(await waiting(), 0)
      const next = await planned(1n)
      await rail.submit(next)
      assert.equal(await lookAt(plan, world.other.payout), 'pending')
      assert.equal(await waiting(), 2)
      await settled(plan)
      await settled(next)
      assert.equal(await world.anvil.balance(plan.address), 300n)
    })

    it('become raisedFees under the same nonce when their price keeps them back', async () => {
      const { anvil, db } = world
      const plan = await planned(700n)
      await rail.submit(plan)
      await baseFee(50n * gwei)
      await anvil.mine()
      assert.equal(await lookAt(plan), 'pending')
      assert.equal((await candidates(plan)).length, 1, 'it has not waited for long')
      world.pass(61_000)
      assert.deepEqual(await Promise.all([lookAt(plan), lookAt(plan, world.other.payout)]), ['pending', 'pending'])
      const hashes = await candidates(plan)
      assert.equal(hashes.length, 2, 'once, however many look')
      assert.equal(await waiting(), 1)
      assert.equal(await settled(plan), hashes[1])
      assert.equal(await anvil.balance(plan.address), 700n)
      const sends = await db.sql`select 1 from evm_sends where plan_key = ${plan.key}`
      assert.equal(sends.length, 1)
    })

    it('are found under whichever of their hashes the chain took', async () => {
      const { anvil } = world
      const plan = await planned(700n)
      const brought: unknown[] = []
      const heard = through(world.one.chain, (askAll) => (calls) => {
        if (calls[0]?.method === 'eth_sendRawTransaction') brought.push(calls[0].params[0])
        return askAll(calls)
      })
      await payouts(heard).submit(plan)
      const [first = ''] = await candidates(plan)
      await baseFee(50n * gwei)
      await anvil.mine()
      world.pass(61_000)
      await rail.look(plan)
      const [, second] = await candidates(plan)
      await anvil.ask('anvil_dropTransaction', second)
      await baseFee(gwei)
      await anvil.ask('eth_sendRawTransaction', brought[0])
      assert.equal(await settled(plan), first)
      assert.equal(await anvil.balance(plan.address), 700n)
    })

    it('wait while gas costs more than the ceiling', async () => {
      const { anvil } = world
      const early = await planned(5n)
      await rail.submit(early)
      await baseFee(600n * gwei)
      await anvil.mine()
      const late = await planned(5n)
      await assert.rejects(rail.submit(late), conflict)
      for (let count = 0; count < 30; count += 1) {
        world.pass(61_000)
        assert.equal(await lookAt(early), 'pending')
      }
      const [dearest] = await world.db.sql<{ max: bigint }>`select max(max_fee) from evm_candidates`
      assert((dearest?.max ?? 0n) <= 500n * gwei)
      await baseFee(gwei)
      await anvil.mine()
      await baseFee(gwei)
      await rail.submit(late)
      assert.deepEqual([await lookAt(early), await lookAt(late)], ['pending', 'pending'])
      for (const plan of [early, late]) await settled(plan)
    })

    it('are never done once another final transfer has their nonce, and not a block before', async () => {
      const { anvil, one } = world
      const plan = await planned(900n)
      await rail.submit(plan)
      await takeItsNonce(plan)
      await anvil.mine(2)
      assert.equal(await lookAt(plan), 'pending', 'nobody has followed the chain to there')
      await one.follow()
      assert.equal(await lookAt(plan), 'pending', 'two blocks of three')
      await mined()
      assert.equal(await lookAt(plan), 'never')
      await rail.submit(plan)
      assert.equal(await waiting(), 0)
      assert.equal(await lookAt(plan), 'never')
      assert.equal(await anvil.balance(plan.address), 0n)
    })

    // As btcpayserver/btcpayserver 6564 (6540) reports: a payout that had been sent waited once more, and was paid again.
    it('are brought again where a reorganization took them back', async () => {
      const { anvil } = world
      const plan = await planned(40n)
      await rail.submit(plan)
      await anvil.mine(2)
      assert.equal(await lookAt(plan), 'pending')
      await anvil.reorg(2)
      assert.equal(await anvil.balance(plan.address), 0n)
      assert.equal(await lookAt(plan), 'pending')
      await settled(plan)
      assert.equal(await anvil.balance(plan.address), 40n)
    })

    it('are never done where they failed on the chain', async () => {
      const { anvil } = world
      const plan = await planned(70n)
      await rail.submit(plan)
      await anvil.ask('anvil_setCode', plan.address, '0x60006000fd')
      await anvil.mine(2)
      assert.equal(await lookAt(plan), 'pending')
      await mined()
      assert.equal(await lookAt(plan), 'never')
    })

    it('do not go to ourselves', async () => {
      assert.equal(rail.owns(world.one.chain.keys.hot), true)
      assert.equal(rail.owns(recipient()), false)
      assert.equal(rail.owns((await planned(1n)).body.sender ?? ''), true)
    })
  })

const candidates = async ({ key }: PlanDraft): Promise<string[]> =>
  (
    await world.db.sql<{ hash: string }>`
      select hash from evm_candidates join evm_sends on send_id = evm_sends.id where plan_key = ${key} order by number`
  ).map(({ hash }) => hash)

/** Somebody else who has the wallet's key sends something with the nonce of a plan. */
async function takeItsNonce(plan: PlanDraft): Promise<void> {
  const { anvil, one } = world
  const [hash = ''] = await candidates(plan)
  const nonce = await nonceOf(hash)
  await anvil.ask('anvil_dropTransaction', hash)
  await anvil.ask('anvil_impersonateAccount', one.chain.keys.hot)
  await anvil.ask('eth_sendTransaction', {
    from: one.chain.keys.hot,
    to: anvil.stranger,
    value: '0x1',
    nonce: toHex(nonce),
  })
  await anvil.ask('anvil_stopImpersonatingAccount', one.chain.keys.hot)
}
