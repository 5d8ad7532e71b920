import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { token } from '../../../test/support/anvil.ts'
import { type EvmWorld, type Lie, lying, openEvmWorld } from '../../../test/support/evm-world.ts'
import { findNetwork } from '../../reference/catalog/network.ts'
import type { PlanDraft } from '../rail.ts'
import type { Chain } from './chain.ts'
import { toHex } from './node.ts'
import { evmRail } from './rails.ts'
import { receiptFrom } from './receipts.ts'
import { payouts } from './sending/payouts.ts'

const coin = 'ETH-ETH'
const usdt = { asset: 'USDT-ETH', contract: '0xdAC17F958D2ee523a2206206994597C13D831ec7' }
const receipts = 'eth_getTransactionReceipt'

let world: EvmWorld
let ids = 0n

before(async () => {
  world = await openEvmWorld()
  const { anvil, one } = world
  await anvil.layToken(usdt.contract)
  await anvil.send({ to: usdt.contract, data: token.mint(one.chain.keys.hot, 10n ** 12n) })
  await anvil.mine(5)
  await one.follow()
})
after(() => world.close())

async function planned(amount: bigint, asset = coin): Promise<PlanDraft & { address: string }> {
  ids += 1n
  const address = `0x${ids.toString(16).padStart(40, '7')}`
  const destination = { address, extraId: '', holder: '' }
  const [plan] = await world.one.payout.prepare([{ payoutId: ids, asset, amount, destination }])
  return { ...(plan ?? assert.fail()), address }
}
async function mined(blocks: number): Promise<void> {
  await world.anvil.mine(blocks)
  await world.one.follow()
}
/** A chain whose first node lies and whose second does not. */
const pair = (lie: Lie): Chain => ({ ...lying(world.one.chain, lie), second: world.one.chain.node })
const ofReceipts =
  (change: (receipt: Record<string, unknown>) => object): Lie =>
  (method, answer) =>
    method === receipts && answer !== null ? change(answer as Record<string, unknown>) : answer
const look = async (plan: PlanDraft, lie: Lie): Promise<string> => (await payouts(pair(lie)).look(plan)).state
const isPaid = async (plan: PlanDraft & { address: string }, amount: bigint): Promise<void> => {
  assert.equal((await world.one.payout.look(plan)).state, 'done')
  assert.equal(await world.anvil.balance(plan.address), amount)
}

describe('of two nodes, one that lies', () => {
  it('about the logs of a payout of tokens has it neither paid twice nor called another amount', async () => {
    const plan = await planned(500n, usdt.asset)
    await world.one.payout.submit(plan)
    await mined(4)
    const logs = (change: (log: { address: string; data: string }) => object) =>
      ofReceipts((receipt) => ({ ...receipt, logs: (receipt.logs as { address: string; data: string }[]).map(change) }))
    assert.equal(
      await look(
        plan,
        logs((log) => ({ ...log, address: `0x${'1'.repeat(40)}` })),
      ),
      'pending',
    )
    assert.equal(
      await look(
        plan,
        logs((log) => ({ ...log, data: `0x${'1'.padStart(64, '0')}` })),
      ),
      'pending',
    )
    const outcome = await world.one.payout.look(plan)
    assert(outcome.state === 'done' && !('arrived' in outcome.evidence))
  })

  it('about what it cost has nothing booked', async () => {
    const plan = await planned(5n)
    await world.one.payout.submit(plan)
    await mined(4)
    for (const gasUsed of ['0x5207', '0xffffffff']) {
      assert.equal(
        await look(
          plan,
          ofReceipts((receipt) => ({ ...receipt, gasUsed })),
        ),
        'pending',
      )
    }
    await isPaid(plan, 5n)
  })

  it('has to say what a chain takes for being written on another one, where it is one of these', async () => {
    const { chain } = world.one
    const hash = await minedTransfer()
    const sent = { hashes: [hash], gas: 500_000n, max_fee: 10n ** 12n }
    assert.equal((await receiptFrom(chain, chain.node, sent))?.transactionHash, hash)
    const network = findNetwork('BASE') ?? assert.fail()
    await assert.rejects(receiptFrom({ network }, chain.node, sent), /without l1Fee/)
    const { node } = lying(
      chain,
      ofReceipts((receipt) => ({ ...receipt, l1Fee: '0x1' })),
    )
    assert.equal((await receiptFrom({ network }, node, sent))?.l1Fee, '0x1')
  })

  it('about how long the chain is makes no payout final', async () => {
    const plan = await planned(5n)
    await world.one.payout.submit(plan)
    await mined(1)
    const far: Lie = (method, answer) =>
      method === 'eth_blockNumber' ? toHex(BigInt(answer as string) + 1_000n) : answer
    assert.equal(await look(plan, far), 'pending')
    await mined(3)
    await isPaid(plan, 5n)
  })

  it('about how many transfers there were keeps no payout back', async () => {
    const counts: Lie = (method, answer) =>
      method === 'eth_getTransactionCount' ? toHex(BigInt(answer as string) + 1n) : answer
    const plan = await planned(5n)
    await payouts(pair(counts)).submit(plan)
    await mined(4)
    await isPaid(plan, 5n)
  })

  it('about what we hold has nothing sent, and no balance counted', async () => {
    const { anvil, one } = world
    const rich: Lie = (method, answer) => (method === 'eth_getBalance' ? toHex(10n ** 24n) : answer)
    await assert.rejects(payouts(pair(rich)).submit(await planned(10n ** 23n)), /holds less than should leave/)
    await assert.rejects(evmRail(pair(rich)).balance(coin), /different balances/)
    assert.equal(
      await evmRail(pair((_method, answer) => answer)).balance(coin),
      await anvil.balance(one.chain.keys.hot),
    )
  })

  it('about how much gas a transfer uses has none of it paid', async () => {
    const costly: Lie = (method, answer) => (method === 'eth_estimateGas' ? '0x5f5e100' : answer)
    await assert.rejects(payouts(pair(costly)).submit(await planned(5n)), /more than it may/)
    await assert.rejects(payouts(lying(world.one.chain, costly)).submit(await planned(5n)), /more than it may/)
  })

  it('and has another transfer for ours does not end a payout', async () => {
    const { anvil, one } = world
    const plan = await planned(5n)
    await one.payout.submit(plan)
    const [own] = await world.db.sql<{ hash: string }>`
      select hash from evm_candidates join evm_sends on id = send_id where plan_key = ${plan.key}`
    await anvil.ask('anvil_dropTransaction', own?.hash)
    const foreign = await anvil.ask(receipts, await minedTransfer())
    const claims: Lie = (method, answer) => (method === receipts ? foreign : answer)
    assert.equal(await look(plan, claims), 'pending')
    assert.equal((await payouts(lying(one.chain, claims)).look(plan)).state, 'pending', 'nor where it is the only one')
    await one.payout.look(plan)
    await mined(4)
    await isPaid(plan, 5n)
  })
})

/** A transfer of somebody else, in a final block. */
async function minedTransfer(): Promise<string> {
  const hash = await world.anvil.send({ to: world.anvil.stranger, value: 1n })
  await mined(4)
  return hash
}
