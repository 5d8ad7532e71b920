import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { token } from '../../../test/support/anvil.ts'
import { type EvmWorld, openEvmWorld, reportsOf, through } from '../../../test/support/evm-world.ts'
import { readNodes } from '../chain/nodes.ts'
import type { RailEvent } from '../rail.ts'
import type { Chain } from './chain.ts'
import { newFollower } from '../chain/follow.ts'
import { followOnce } from './follow.ts'
import type { Node } from './node.ts'
import { openChains } from './open.ts'
import { chargeCosts, sweepOnce } from './sweep/sweep.ts'

const coin = 'ETH-ETH'
const usdt = { asset: 'USDT-ETH', contract: '0xdAC17F958D2ee523a2206206994597C13D831ec7' }
const ether = 10n ** 18n
const contract = '0x00000000000000000000000000000000c0117ac7'
/** Passes the coins of a call on to the address that the call names: CALL(gas, calldata[0], callvalue, no data). */
const passesOn = '0x6000600060006000346000355af100'

let world: EvmWorld
let ids = 0n

before(async () => {
  world = await openEvmWorld()
  const { anvil, one } = world
  await anvil.ask('anvil_setCode', contract, passesOn)
  await anvil.layToken(usdt.contract)
  await anvil.send({ to: usdt.contract, data: token.mint(anvil.customer, 10n ** 12n) })
  await anvil.mine(5)
  await one.follow()
})
after(() => world.close())

const instructed = async (asset = coin): Promise<string> =>
  (await world.one.deposit.instruct({ id: (ids += 1n), category: 'CRYPTO', asset, amount: ether })).reference
const payByContract = (to: string, value: bigint): Promise<string> =>
  world.anvil.send({ to: contract, value, data: `0x${to.slice(2).padStart(64, '0')}` })
const brief = (events: RailEvent[]) => events.map(({ kind, reference, amount }) => [kind, reference, amount])

/** Lets enough blocks and time pass that an address is due, however often it was looked at. */
async function later(house = world.one): Promise<RailEvent[]> {
  world.pass(86_400_000)
  await world.anvil.mine(3)
  return house.follow()
}

describe('coins that a contract sends to an address of an order', () => {
  // As vsys-host/shkeeper.io 109 reports: such coins were brought to the wallet, and no order got them.
  it('are credited once, when they are final, by whichever process looks', async () => {
    const { anvil, one, other } = world
    const reference = await instructed()
    await payByContract(reference, ether)
    await anvil.mine(2)
    world.pass(20_000)
    assert.deepEqual(await one.follow(), [], 'two blocks are not enough')
    world.pass(20_000)
    await anvil.mine()
    assert.deepEqual(brief(await one.follow()), [
      ['deposit_seen', reference, ether],
      ['deposit_final', reference, ether],
    ])
    assert.deepEqual(
      (await one.deposit.look(reference)).map(({ body }) => body.arrived_by),
      ['contract', 'contract'],
    )
    await one.chain.db.sql`update chain_follows set holder = null, lease_until = null`
    assert.deepEqual(await later(other), [])
    await one.chain.db.sql`update chain_follows set holder = null, lease_until = null`
    assert.equal(await one.rail.balance(coin), 101n * ether, 'the wallet holds what was credited')
    assert.deepEqual(
      (await one.deposit.look(reference)).map(({ kind }) => kind),
      ['deposit_seen', 'deposit_final'],
    )
  })

  it('are kept apart from what came in the open, before and after addresses are swept', async () => {
    const { anvil, one } = world
    const reference = await instructed()
    const credited: bigint[] = []
    const seeing = async (events: Promise<RailEvent[]>): Promise<void> => {
      for (const { kind, amount } of await events) if (kind === 'deposit_final') credited.push(amount)
    }
    const sweeping = async (): Promise<void> => {
      for (let round = 0; round < 6; round += 1) {
        world.pass(3_100)
        await sweepOnce(one.chain)
        await chargeCosts(one.chain, () => Promise.resolve())
        await anvil.mine(3)
        await seeing(one.follow())
      }
    }
    await anvil.send({ to: reference, value: 2n * ether })
    await payByContract(reference, 3n * ether)
    await anvil.mine(3)
    // Both are there, and all of it is taken away before anybody has looked for the second.
    await one.chain.db.sql`update evm_watched set look_at = now() + interval '100 days'`
    await seeing(one.follow())
    assert.deepEqual(credited, [2n * ether])
    await sweeping()
    assert.equal(await anvil.balance(reference), 0n)
    await one.chain.db.sql`update evm_watched set look_at = now()`
    await seeing(later())
    assert.deepEqual(credited, [2n * ether, 3n * ether])

    await payByContract(reference, 5n * ether)
    await seeing(later())
    await anvil.send({ to: reference, value: 7n * ether })
    await seeing(later())
    await sweeping()
    await seeing(later())
    assert.deepEqual(
      credited,
      [2n, 3n, 5n, 7n].map((amount) => amount * ether),
    )
  })

  it('are not what we bring as gas for tokens', async () => {
    const { anvil, one } = world
    const reference = await instructed(usdt.asset)
    await anvil.send({ to: usdt.contract, data: token.transfer(reference, 500_000_000n) })
    await anvil.mine(3)
    assert.deepEqual(brief(await one.follow()).at(-1), ['deposit_final', reference, 500_000_000n])
    const known: RailEvent[] = []
    for (let round = 0; round < 8; round += 1) {
      await sweepOnce(one.chain)
      await chargeCosts(one.chain, () => Promise.resolve())
      known.push(...(await later()))
    }
    assert.equal(await anvil.tokens(usdt.contract, reference), 0n)
    assert.deepEqual(known, [])
    await payByContract(reference, ether)
    assert.deepEqual(brief(await later()).at(-1), ['deposit_final', reference, ether])
  })

  it('are credited only where both nodes say so, and a node that knows no old state holds nothing up', async () => {
    const { anvil, one } = world
    const reference = await instructed()
    let lie: (ask: Node['askAll']) => Node['askAll'] = (ask) => ask
    const { node: second } = through(one.chain, (ask) => (calls) => lie(ask)(calls))
    const chain: Chain = { ...one.chain, second }
    const known: RailEvent[] = []
    const follower = newFollower(
      chain,
      reportsOf((_db, events) => {
        known.push(...events)
        return Promise.resolve()
      }),
    )
    const following = async (): Promise<void> => {
      world.pass(86_400_000)
      await anvil.mine(3)
      while ((await followOnce(follower)) === 'more') continue
    }
    await payByContract(reference, ether)
    lie =
      (ask) =>
      async <Result>(calls: Parameters<typeof ask>[0]) =>
        (await ask<Result>(calls)).map((answer, at) =>
          calls[at]?.method === 'eth_getBalance' ? ('0x0' as Result) : answer,
        )
    const states = async () => (await readNodes(chain.db, 'ETH')).map(({ state }) => state)
    await following()
    assert.deepEqual(known, [])
    assert.deepEqual(await states(), ['disagrees', 'disagrees'])
    lie = (ask) => (calls) =>
      calls.some(({ method }) => method === 'eth_getBalance')
        ? ask([{ method: 'no_such_call', params: [] }])
        : ask(calls)
    await payByContract(reference, ether)
    const open = await instructed()
    await anvil.send({ to: open, value: 9n })
    await following()
    assert.deepEqual(
      known.map(({ kind, amount }) => [kind, amount]),
      [
        ['deposit_seen', 9n],
        ['deposit_final', 9n],
      ],
    )
    assert.deepEqual(await states(), ['ok', 'refuses'])
    lie = (ask) => ask
    await following()
    assert.deepEqual(
      known.slice(2).map(({ kind, amount }) => [kind, amount]),
      [
        ['deposit_seen', 2n * ether],
        ['deposit_final', 2n * ether],
      ],
    )
    assert.deepEqual(await states(), ['ok', 'ok'])
  })

  it('are not invented by a node that says more was taken than was, nor lost by one that lacks a receipt', async () => {
    const { anvil, one } = world
    const reference = await instructed()
    await anvil.send({ to: reference, value: 2n * ether })
    await anvil.mine(3)
    await one.follow()
    for (let round = 0; round < 6; round += 1) {
      world.pass(3_100)
      await sweepOnce(one.chain)
      await chargeCosts(one.chain, () => Promise.resolve())
      await anvil.mine(3)
      await one.follow()
    }
    assert.equal(await anvil.balance(reference), 0n)
    await payByContract(reference, ether)
    await one.chain.db
      .sql`update evm_watched set coins = 0, nonce = 0, block = 0, look_at = now() where address = ${reference.toLowerCase()}`
    let change: (receipt: object) => object | null = (receipt) => receipt
    const lying = through(
      one.chain,
      (ask) =>
        async <Result>(calls: Parameters<typeof ask>[0]) =>
          (await ask<Result>(calls)).map((answer, at) =>
            calls[at]?.method === 'eth_getTransactionReceipt' ? (change(answer as object) as Result) : answer,
          ),
    )
    const chain: Chain = { ...lying, second: one.chain.node }
    const known: RailEvent[] = []
    const follower = newFollower(
      chain,
      reportsOf((_db, events) => {
        known.push(...events)
        return Promise.resolve()
      }),
    )
    const following = async (): Promise<void> => {
      world.pass(86_400_000)
      await anvil.mine(3)
      while ((await followOnce(follower)) === 'more') continue
    }
    const states = async () => (await readNodes(chain.db, 'ETH')).map(({ state }) => state)
    change = (receipt) => ({ ...receipt, gasUsed: '0x5207' })
    await following()
    assert.deepEqual([known, await states()], [[], ['disagrees', 'disagrees']])
    const cannotBe = (receipt: object): object => ({ ...receipt, gasUsed: '0xffffffff' })
    for (const useless of [() => null, cannotBe]) {
      change = useless
      await following()
      assert.deepEqual([known, await states()], [[], ['refuses', 'ok']])
    }
    change = (receipt) => receipt
    await following()
    assert.deepEqual(
      known.map(({ kind, reference: of, amount }) => [kind, of, amount]),
      [
        ['deposit_seen', reference, ether],
        ['deposit_final', reference, ether],
      ],
    )
    assert.deepEqual(await states(), ['ok', 'ok'])
  })

  it('are looked for on every chain, whatever chain the order is about', async () => {
    const { db } = world.one.chain
    const watched = async (address: string) =>
      (
        await db.sql<{ network: string }>`
          select network from evm_watched where address = ${address.toLowerCase()} order by network`
      ).map(({ network }) => network)
    const before = await instructed()
    const { config } = world.dependencies
    await openChains({
      ...world.dependencies,
      config: { ...config, evm: { ...config.evm, rpcUrls: { BASE: world.anvil.url } } },
    })
    const after = await instructed()
    assert.deepEqual(
      [await watched(before), await watched(after)],
      [
        ['BASE', 'ETH'],
        ['BASE', 'ETH'],
      ],
    )
  })
})
