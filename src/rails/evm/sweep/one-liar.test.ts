import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { token } from '../../../../test/support/anvil.ts'
import { type EvmWorld, type Lie, lying, openEvmWorld, reportsOf } from '../../../../test/support/evm-world.ts'
import type { Chain } from '../chain.ts'
import { newFollower } from '../../chain/follow.ts'
import { followOnce } from '../follow.ts'
import { toHex } from '../node.ts'
import { chargeCosts, sweepOnce } from './sweep.ts'

const coin = 'ETH-ETH'
const usdt = { asset: 'USDT-ETH', contract: '0xdAC17F958D2ee523a2206206994597C13D831ec7' }
const ether = 10n ** 18n

let world: EvmWorld
let ids = 0n

before(async () => {
  world = await openEvmWorld()
  const { anvil, one } = world
  await anvil.layToken(usdt.contract)
  await anvil.send({ to: usdt.contract, data: token.mint(anvil.customer, 10n ** 12n) })
  await anvil.mine(5)
  await one.follow()
})
after(() => world.close())

async function paid(asset: string): Promise<string> {
  const { anvil, one } = world
  const { reference: to } = await one.deposit.instruct({ id: (ids += 1n), category: 'CRYPTO', asset, amount: ether })
  if (asset === coin) await anvil.send({ to, value: ether })
  else await anvil.send({ to: usdt.contract, data: token.transfer(to, 60_000_000n) })
  await anvil.mine(3)
  await one.follow()
  return to
}
/** A chain whose first node lies and whose second does not. */
const pair = (lie: Lie): Chain => ({ ...lying(world.one.chain, lie), second: world.one.chain.node })

/** Lets time and blocks pass while addresses are swept, and gives what was charged. */
async function swept(chain: Chain, rounds = 8): Promise<bigint> {
  let charged = 0n
  for (let round = 0; round < rounds; round += 1) {
    world.pass(61_000)
    await sweepOnce(chain)
    await chargeCosts(chain, (_db, costs) => {
      for (const { amount } of costs) charged += amount
      return Promise.resolve()
    })
    await world.anvil.mine(3)
    assert.deepEqual(await world.one.follow(), [])
  }
  return charged
}

describe('of two nodes, one that lies while addresses are swept', () => {
  it('about what a transfer cost has nothing charged that was not spent', async () => {
    const { anvil, one } = world
    const address = await paid(coin)
    const before = await anvil.balance(one.chain.keys.hot)
    const liar = pair((method, answer) =>
      method === 'eth_getTransactionReceipt' && answer !== null
        ? { ...(answer as object), gasUsed: '0xffffffff' }
        : answer,
    )
    assert.equal(await swept(liar), 0n)
    assert.equal(await anvil.balance(address), 0n)
    const charged = await swept(one.chain, 2)
    assert.equal(charged, before + ether - (await anvil.balance(one.chain.keys.hot)))
  })

  it('about how much gas that takes has nothing leave the hot wallet', async () => {
    const { anvil, one } = world
    const address = await paid(usdt.asset)
    const before = await anvil.balance(one.chain.keys.hot)
    const costly: Lie = (method, answer) =>
      method === 'eth_estimateGas' ? toHex(BigInt(answer as string) * 1_000n) : answer
    for (const liar of [pair(costly), lying(one.chain, costly)]) await swept(liar, 3)
    assert.deepEqual([await anvil.balance(one.chain.keys.hot), await anvil.balance(address)], [before, 0n])
    await swept(one.chain)
    assert.equal(await anvil.tokens(usdt.contract, address), 0n)
  })

  it('about coins that are there has no gas brought for them, and the only node has it brought once', async () => {
    const { anvil, one } = world
    const address = await paid(usdt.asset)
    const hot = one.chain.keys.hot.toLowerCase()
    const poor: Lie = (method, answer, [of]) =>
      method === 'eth_getBalance' && String(of).toLowerCase() !== hot ? '0x0' : answer
    await swept(lying(one.chain, poor))
    await swept(pair(poor))
    const plans = await world.db
      .sql`select state from evm_sends where plan_key like ${`gas ${address.toLowerCase()} %`}`
    assert.deepEqual(plans, [{ state: 'done' }])
    world.pass(3_600_000)
    await swept(one.chain)
    assert.equal(await anvil.tokens(usdt.contract, address), 0n)
  })

  it('about the nonce of an address has what lies there brought later', async () => {
    const { anvil, one } = world
    const address = await paid(coin)
    const moves = async () => (await world.db.sql`select 1 from evm_moves`).length
    const before = await moves()
    await swept(
      pair((method, answer) => (method === 'eth_getTransactionCount' ? toHex(BigInt(answer as string) + 1n) : answer)),
      2,
    )
    assert.equal(await moves(), before)
    await swept(one.chain)
    assert.equal(await anvil.balance(address), 0n)
  })

  it('about tokens that lie on an address has it not forgotten', async () => {
    const { anvil, one } = world
    const address = await paid(usdt.asset)
    const says =
      (text: string): Lie =>
      (method, answer) =>
        method === 'eth_call' ? text : answer
    for (const liar of [pair(says('0x0')), pair(says('0x')), lying(one.chain, says('0x'))]) await swept(liar, 2)
    await swept(one.chain)
    assert.equal(await anvil.tokens(usdt.contract, address), 0n)
  })

  it('about what left the hot wallet has no gas of ours credited to an order', async () => {
    const { anvil, one } = world
    await paid(usdt.asset)
    const known: unknown[] = []
    const asked = new Set<unknown>()
    const omits: Lie = (method, answer, [number, isFull]) => {
      if (method !== 'eth_getBlockByNumber' || !isFull || answer === null || asked.has(number)) return answer
      asked.add(number)
      const block = answer as { transactions: { from: string }[] }
      const isOurs = ({ from }: { from: string }) => from.toLowerCase() === one.chain.keys.hot.toLowerCase()
      return { ...block, transactions: block.transactions.filter((transfer) => !isOurs(transfer)) }
    }
    const chain = pair(omits)
    const follower = newFollower(
      chain,
      reportsOf((_db, events) => Promise.resolve(void known.push(...events))),
    )
    for (let round = 0; round < 4; round += 1) {
      world.pass(86_400_000)
      if (round === 0) await sweepOnce(chain)
      await anvil.mine(3)
      for (let look = 0; look < 3; look += 1) while ((await followOnce(follower)) === 'more') continue
    }
    assert.equal((await world.db.sql`select 1 from evm_sends where state = 'open' and plan_key like 'gas %'`).length, 1)
    assert.deepEqual(known, [])
  })
})
