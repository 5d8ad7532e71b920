import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { openBitcoinWorld, useBitcoinWorld } from '../../../test/support/bitcoin-world.ts'
import type { RailEvent } from '../rail.ts'

const asset = 'BTC-BTC'

const bitcoin = useBitcoinWorld()
let ids = 0n

const instructed = async (): Promise<string> =>
  (await bitcoin.world.one.deposit.instruct({ id: (ids += 1n), category: 'CRYPTO', asset, amount: 1n })).reference
const labels = (events: RailEvent[]): string[] => events.map(({ kind, payment }) => `${kind} ${payment}`)

describe('two nodes', () => {
  const paidButNotAgreed = async (): Promise<string> => {
    const { txid } = await bitcoin.world.customer.pay(await instructed(), 20_000n)
    await bitcoin.world.node.mine(3)
    return txid
  }
  const heightBehind = (blocks: number) => {
    bitcoin.world.second.answering = (method, [first], real) => {
      const top = bitcoin.world.node.height() - blocks
      if (method === 'getblockcount') return Promise.resolve(top)
      const isAbove = method === 'getblockhash' && Number(first) > top
      return isAbove ? Promise.reject(Object.assign(new Error('out of range'), { code: -8 })) : real()
    }
  }
  it('credit nothing while the second is behind, show it after a while, and continue by themselves', async () => {
    const { one, second } = bitcoin.world
    heightBehind(6)
    const txid = await paidButNotAgreed()
    assert.deepEqual(labels(await one.follow()), [`deposit_seen ${txid}:0`])
    assert.equal(bitcoin.world.halted(), undefined, 'a delay may explain it')
    bitcoin.world.pass(31_000)
    assert.equal(await one.look(), 'halted')
    assert.match(
      bitcoin.world.halted() ?? '',
      /The nodes of BTC do not agree: the second is at \d+ and the first at \d+/,
    )
    second.answering = undefined
    assert.deepEqual(labels(await one.follow()), [`deposit_final ${txid}:0`])
    assert.equal(bitcoin.world.halted(), undefined)
  })

  it('halt at once when they have different blocks at the depth of finality', async () => {
    const { one, node, second } = bitcoin.world
    node.unlink()
    second.unlink()
    await second.mine(3)
    const txid = await paidButNotAgreed()
    assert.deepEqual(labels(await one.follow()), [`deposit_seen ${txid}:0`])
    assert.match(bitcoin.world.halted() ?? '', /different blocks at \d+/)
    await node.mine(1)
    await second.takeFrom(node)
    assert.deepEqual(labels(await one.follow()), [`deposit_final ${txid}:0`])
    assert.equal(bitcoin.world.halted(), undefined)
    node.link(second)
    second.link(node)
  })

  it('halt when the second one is far ahead: the first may have been left behind', async () => {
    const { one, node, second } = bitcoin.world
    node.unlink()
    second.unlink()
    await second.mine(4)
    await one.follow()
    bitcoin.world.pass(31_000)
    await one.follow()
    assert.match(bitcoin.world.halted() ?? '', /the first is at \d+ and the second at \d+/)
    await node.takeFrom(second)
    await one.follow()
    assert.equal(bitcoin.world.halted(), undefined)
    node.link(second)
    second.link(node)
  })

  for (const [what, answer] of [
    ['something that is not a hash', 'zz'],
    ['a number where a hash belongs', 5],
    ['nothing', null],
  ] as const) {
    it(`halt at once when one sends nonsense: ${what}`, async () => {
      const { one, second } = bitcoin.world
      const txid = await paidButNotAgreed()
      second.answering = (method, _params, real) => (method === 'getblockhash' ? Promise.resolve(answer) : real())
      assert.deepEqual(labels(await one.follow()), [`deposit_seen ${txid}:0`])
      assert.match(bitcoin.world.halted() ?? '', /sends nonsense/)
      second.answering = undefined
      assert.deepEqual(labels(await one.follow()), [`deposit_final ${txid}:0`])
      assert.equal(bitcoin.world.halted(), undefined)
    })
  }

  it('agree from the first look on, though no block has come since as deep as final ones are', async () => {
    const world = await openBitcoinWorld()
    assert.equal(await world.one.look(), 'idle')
    world.pass(31_000)
    assert.equal(await world.one.look(), 'idle')
    assert.equal(world.halted(), undefined)
    await world.close()
  })

  it('that die and come back lose nothing, whichever it is', async () => {
    const { one, node, second } = bitcoin.world
    for (const dead of [node, second]) {
      const { txid } = await bitcoin.world.customer.pay(await instructed(), 20_000n)
      await node.mine(3)
      await dead.die()
      const silent = async (): Promise<void> => {
        if (dead === node) await assert.rejects(one.look(), /did not answer/)
        else await one.follow()
      }
      await silent()
      bitcoin.world.pass(31_000)
      await silent()
      assert.match(bitcoin.world.halted() ?? '', /does not answer/)
      await dead.revive()
      await one.follow()
      assert.equal(bitcoin.world.halted(), undefined)
      const events = bitcoin.world.reported.filter(({ payment }) => payment === `${txid}:0`)
      assert.deepEqual(
        events.map(({ kind }) => kind),
        ['deposit_seen', 'deposit_final'],
      )
    }
  })

  it('are not believed: a block with another transfer in it, or with one changed, is nonsense', async () => {
    const { one, node } = bitcoin.world
    const reference = await instructed()
    await bitcoin.world.customer.pay(reference, 20_000n)
    await node.mine(1)
    node.answering = async (method, _params, real) => {
      const answer = await real()
      // The last byte but four of the first output's amount.
      return method === 'getblock' ? String(answer).replace(/204e0000/, '214e0000') : answer
    }
    await assert.rejects(one.look(), /other transfers than its header says/)
    assert.match(bitcoin.world.halted() ?? '', /first sends nonsense/)
    node.answering = undefined
    assert.deepEqual(
      (await one.follow()).map(({ amount }) => amount),
      [20_000n],
    )
    assert.equal(bitcoin.world.halted(), undefined)
  })

  it('are not needed below the value that the operator has set', async () => {
    const small = await openBitcoinWorld({}, { oneNodeBelow: 10_000n })
    try {
      const instruct = async (id: bigint): Promise<string> =>
        (await small.one.deposit.instruct({ id, category: 'CRYPTO', asset, amount: 1n })).reference
      const [one, other] = [await instruct(1n), await instruct(2n)]
      await small.second.die()
      await small.customer.pay(one, 9_999n)
      await small.customer.pay(other, 10_000n)
      await small.node.mine(2)
      const final = (await small.one.follow()).filter(({ kind }) => kind === 'deposit_final')
      assert.deepEqual(
        final.map(({ amount }) => amount),
        [9_999n],
      )
    } finally {
      await small.close()
    }
  })
})
