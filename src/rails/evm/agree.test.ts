import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'

import { token } from '../../../test/support/anvil.ts'
import { type EvmWorld, type Lie, lying, openEvmWorld, reportsOf } from '../../../test/support/evm-world.ts'
import type { RailEvent } from '../rail.ts'
import { findNetwork } from '../../reference/catalog/network.ts'
import { readNodes } from '../chain/nodes.ts'
import { NoAnswer, NodeError } from '../json-rpc.ts'
import type { Chain } from './chain.ts'
import { newFollower } from '../chain/follow.ts'
import { followOnce } from './follow.ts'
import { openChains } from './open.ts'
import { payouts } from './sending/payouts.ts'
import { contractOf } from './tokens.ts'

let world: EvmWorld
let ids = 0n

/** USDT of the catalog. */
const usdt = contractOf(findNetwork('ETH') ?? assert.fail(), 'USDT-ETH') ?? assert.fail()

before(async () => {
  world = await openEvmWorld()
  await world.anvil.layToken(usdt)
})
after(() => world.close())
beforeEach(async () => {
  world.pass(60_000)
  await world.anvil.mine(12)
  await world.one.follow()
  world.pass(60_000)
})

const instructed = async (): Promise<string> =>
  (await world.one.deposit.instruct({ id: (ids += 1n), category: 'CRYPTO', asset: 'ETH-ETH', amount: 1_000n }))
    .reference

/** A chain with two nodes, followed to its end; `reported` is what it reported. */
function pair(lies: { first?: Lie; second?: Lie }, oneNodeBelow = 0n) {
  const { chain } = world.one
  const reported: RailEvent[] = []
  const halts: string[] = []
  const both: Chain = {
    ...chain,
    ...(lies.first ? { node: lying(chain, lies.first).node } : {}),
    second: lying(chain, lies.second ?? ((_method, answer) => answer)).node,
  }
  const follower = newFollower(
    both,
    reportsOf((_db, events) => Promise.resolve(void reported.push(...events)), {
      halt: (_db, _rail, reason) => void halts.push(reason),
      resume: (_db, _rail, reason) => void halts.push(`over: ${reason}`),
      oneNodeBelow: () => oneNodeBelow,
    }),
  )
  return {
    both,
    halts,
    kinds: () => reported.map(({ kind }) => kind),
    follow: async () => {
      let round = await followOnce(follower)
      while (round === 'more') round = await followOnce(follower)
      return round
    },
    free: () => world.pass(60_000),
  }
}

describe('two nodes of a chain of the EVM', () => {
  it('that agree make a deposit final', async () => {
    await world.anvil.send({ to: await instructed(), value: 1_000n })
    await world.anvil.mine(3)
    const two = pair({})
    assert.equal(await two.follow(), 'idle')
    assert.deepEqual([two.kinds(), two.halts], [['deposit_seen', 'deposit_final'], []])
    two.free()
  })

  // As paradigmxyz/reth 17678 reports: `eth_getLogs` of a node was empty though there were logs.
  it('credit nothing that only one of them reports, and stop crediting until they agree', async () => {
    await world.anvil.send({ to: await instructed(), value: 1_000n })
    await world.anvil.mine(3)
    let lies = true
    const two = pair({
      second: (method, answer) =>
        lies && method === 'eth_getTransactionReceipt' ? { ...(answer as object), status: '0x0' } : answer,
    })
    assert.equal(await two.follow(), 'halted')
    assert.deepEqual(two.kinds(), ['deposit_seen'])
    assert.match(
      two.halts[0] ?? '',
      /^The nodes of ETH do not agree: they report different transfers to us in the block/,
    )
    lies = false
    assert.equal(await two.follow(), 'idle')
    assert.deepEqual(two.kinds(), ['deposit_seen', 'deposit_final'])
    assert.match(two.halts[1] ?? '', /^over: /)
    two.free()
  })

  for (const [name, which] of [
    ['first', 'first'],
    ['second', 'second'],
  ] as const) {
    it(`lose no token deposit where the ${name} one answers eth_getLogs with an empty list`, async () => {
      const address = await instructed()
      await world.anvil.send({ to: usdt, data: token.mint(address, 5_000_000n) })
      await world.anvil.mine(3)
      let lies = true
      const two = pair({
        [which]: (method: string, answer: unknown) => (lies && method === 'eth_getLogs' ? [] : answer),
      })
      assert.equal(await two.follow(), 'halted')
      assert(!two.kinds().includes('deposit_final'))
      assert.match(two.halts[0] ?? '', /they report different transfers to us in the block/)
      assert.deepEqual(
        (await readNodes(world.db, 'ETH')).map(({ state }) => state),
        ['disagrees', 'disagrees'],
      )
      lies = false
      assert.equal(await two.follow(), 'idle')
      assert.deepEqual(two.kinds(), ['deposit_seen', 'deposit_final'])
      assert.match(two.halts[1] ?? '', /^over: /)
      two.free()
    })
  }

  it('drop a transfer that the first one has invented, once they agree', async () => {
    const address = await instructed()
    const hash = await world.anvil.send({ to: `0x${'8'.repeat(40)}`, value: 7_000n })
    await world.anvil.mine(3)
    let lies = true
    const two = pair({
      first: (method, answer) => {
        if (!lies || method !== 'eth_getBlockByNumber') return answer
        const block = answer as { transactions?: { hash: string; to: string }[] } | null
        for (const one of block?.transactions ?? []) if (one.hash === hash) one.to = address
        return block
      },
    })
    assert.equal(await two.follow(), 'halted')
    assert.deepEqual(two.kinds(), ['deposit_seen'])
    lies = false
    assert.equal(await two.follow(), 'idle')
    assert.deepEqual(two.kinds(), ['deposit_seen', 'deposit_reversed'])
    two.free()
  })

  for (const [name, failure, state] of [
    ['does not answer', new NoAnswer('The node did not answer (TimeoutError).'), 'down'],
    ['has pruned what is asked', new NodeError(-32_000, 'missing trie node'), 'refuses'],
  ] as const) {
    it(`show it, and stop crediting after half a minute, where the first ${name}`, async () => {
      await world.anvil.send({ to: await instructed(), value: 1_000n })
      await world.anvil.mine(3)
      let isBroken = true
      const two = pair({
        first: (method, answer) => {
          if (isBroken && method === 'eth_getLogs') throw failure
          return answer
        },
      })
      await assert.rejects(two.follow())
      assert.equal((await readNodes(world.db, 'ETH'))[0]?.state, state)
      assert.deepEqual(two.halts, [])
      world.pass(31_000)
      await assert.rejects(two.follow())
      assert.match(two.halts[0] ?? '', /the first (does not answer as it should|refuses what it is asked)/)
      isBroken = false
      assert.equal(await two.follow(), 'idle')
      assert.deepEqual(two.kinds(), ['deposit_seen', 'deposit_final'])
      assert.equal((await readNodes(world.db, 'ETH'))[0]?.state, 'ok')
      two.free()
    })
  }

  it('that are on different branches stop crediting at once', async () => {
    await world.anvil.send({ to: await instructed(), value: 1_000n })
    await world.anvil.mine(3)
    const two = pair({
      second: (method, answer) =>
        method === 'eth_getBlockByNumber' ? { ...(answer as object), hash: `0x${'1'.repeat(64)}` } : answer,
    })
    assert.equal(await two.follow(), 'halted')
    assert.deepEqual(two.kinds(), ['deposit_seen'])
    assert.match(two.halts[0] ?? '', /they have different blocks at \d+/)
    two.free()
    await world.one.follow()
    world.pass(60_000)
    await world.db.sql`update chain_follows set halted = null, is_passing = false, unsure_since = null`
  })

  it('wait where the second is behind or away, and stop crediting after half a minute', async () => {
    await world.anvil.send({ to: await instructed(), value: 1_000n })
    await world.anvil.mine(3)
    let isAway = true
    const two = pair({
      second: (_method, answer) => {
        if (isAway) throw new Error('The node did not answer.')
        return answer
      },
    })
    assert.equal(await two.follow(), 'idle')
    assert.deepEqual([two.kinds(), two.halts], [['deposit_seen'], []])
    world.pass(31_000)
    assert.equal(await two.follow(), 'halted')
    isAway = false
    assert.equal(await two.follow(), 'idle')
    assert.deepEqual(two.kinds(), ['deposit_seen', 'deposit_final'])
    two.free()
  })

  it('are not both needed for a deposit below the bound', async () => {
    await world.anvil.send({ to: await instructed(), value: 1_000n })
    await world.anvil.mine(3)
    const two = pair({ second: () => Promise.reject(new Error('away')) }, 1_001n)
    await two.follow()
    assert.deepEqual(two.kinds(), ['deposit_seen', 'deposit_final'])
    two.free()
    await world.db.sql`update chain_follows set unsure_since = null`
  })

  it('take back what only the first one has invented, and was final without the second', async () => {
    const address = await instructed()
    const hash = await world.anvil.send({ to: `0x${'9'.repeat(40)}`, value: 900n })
    await world.anvil.mine(3)
    let lies = true
    const two = pair(
      {
        first: (method, answer) => {
          if (!lies || method !== 'eth_getBlockByNumber') return answer
          const block = answer as { transactions?: { hash: string; to: string }[] } | null
          for (const one of block?.transactions ?? []) if (one.hash === hash) one.to = address
          return block
        },
        second: (_method, answer) => {
          if (lies) throw new NoAnswer('away')
          return answer
        },
      },
      1_000n,
    )
    await two.follow()
    assert.deepEqual(two.kinds(), ['deposit_seen', 'deposit_final'])
    lies = false
    await two.follow()
    assert.deepEqual(two.kinds(), ['deposit_seen', 'deposit_final', 'deposit_reversed'])
    two.free()
  })

  it('send nothing again that only the first one calls failed', async () => {
    const { one, anvil } = world
    const recipient = `0x${'7'.repeat(40)}`
    const destination = { address: recipient, extraId: '', holder: '' }
    const [plan] = await one.payout.prepare([{ payoutId: (ids += 1n), asset: 'ETH-ETH', amount: 5_000n, destination }])
    assert(plan)
    await one.payout.submit(plan)
    await anvil.mine(4)
    await one.follow()
    const { both } = pair({
      first: (method, answer) =>
        method === 'eth_getTransactionReceipt' && answer !== null ? { ...(answer as object), status: '0x0' } : answer,
    })
    assert.deepEqual(await payouts(both).look(plan), { state: 'pending' })
    assert.equal((await one.payout.look(plan)).state, 'done')
  })

  it('in CONFIG_FILE must be of the chain that it names, and one network has one rail', async () => {
    const { dependencies, anvil } = world
    const entry = { kind: 'evm' as const, name: 'eth', network: 'ETH', chain_id: 1, nodes: [anvil.url, anvil.url] }
    const config = { ...dependencies.config, evm: { ...dependencies.config.evm, rpcUrls: {} } }
    const [chain] = await openChains({ ...dependencies, config, entries: [entry] })
    assert.equal(chain?.name, 'eth')
    await assert.rejects(chain.chainId(), /is one of the chain eip155:31337/)
    await assert.rejects(openChains({ ...dependencies, entries: [entry] }), /the same network/)
  })
})
