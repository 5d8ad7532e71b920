import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { useBitcoinWorld } from '../../../test/support/bitcoin-world.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import type { RailEvent } from '../rail.ts'
import { reread } from './reread.ts'

const asset = 'BTC-BTC'
const year = 365 * 24 * 3_600_000

const bitcoin = useBitcoinWorld()
let ids = 0n

const instructed = async (): Promise<string> =>
  (await bitcoin.world.one.deposit.instruct({ id: (ids += 1n), category: 'CRYPTO', asset, amount: 1n })).reference
const labels = (events: RailEvent[]): string[] => events.map(({ kind, payment }) => `${kind} ${payment}`)
const held = (): Promise<bigint> => bitcoin.world.one.rail.balance(asset)

describe('coins that come in on Bitcoin', () => {
  it('are seen in the mempool, and final with the confirmations, not a block before', async () => {
    const { node, customer, one } = bitcoin.world
    const reference = await instructed()
    const before = await held()
    const { txid } = await customer.pay(reference, 50_000n)
    const payment = `${txid}:0`
    const seen = { key: `${payment}:seen`, kind: 'deposit_seen', reference, payment, asset, amount: 50_000n }
    assert.deepEqual(await one.follow(), [{ ...seen, body: { payment, status: 'SEEN' } }])
    assert.deepEqual(await one.follow(), [])
    await node.mine(1)
    assert.deepEqual(await one.follow(), [], 'one block of two')
    assert.equal(await held(), before)
    await node.mine(1)
    assert.deepEqual(labels(await one.follow()), [`deposit_final ${payment}`])
    assert.equal(await held(), before + 50_000n)
    assert.deepEqual(
      (await one.deposit.look(reference)).map(({ kind }) => kind),
      ['deposit_seen', 'deposit_final'],
    )
  })

  it('count each output by itself: a transfer that pays an address twice is two deposits', async () => {
    const { node, customer, one } = bitcoin.world
    const address = await instructed()
    const twice = [1_000n, 2_000n].map((amount) => ({ address, amount }))
    const { txid } = await customer.pay(twice)
    await node.mine(2)
    const final = (await one.follow()).filter(({ kind }) => kind === 'deposit_final')
    assert.deepEqual(
      final.map(({ payment, amount }) => [payment, amount]),
      [
        [`${txid}:0`, 1_000n],
        [`${txid}:1`, 2_000n],
      ],
    )
  })

  it('are not dust, which makes no work at all', async () => {
    const { node, customer, one, db } = bitcoin.world
    const [address, before] = [await instructed(), await held()]
    await customer.pay([545n, 546n].map((amount) => ({ address, amount })))
    await node.mine(2)
    assert.deepEqual(
      (await one.follow()).map(({ amount }) => amount),
      [546n, 546n],
    )
    assert.equal(await held(), before + 546n)
    assert.deepEqual(await db.sql`select 1 from bitcoin_coins where amount < 546`, [])
  })

  it('are reported at an old address after a year', async () => {
    const { node, customer, one } = bitcoin.world
    const reference = await instructed()
    bitcoin.world.pass(year)
    await customer.pay(reference, 7_000n)
    await node.mine(2)
    assert.deepEqual(
      (await one.follow()).map(({ kind }) => kind),
      ['deposit_seen', 'deposit_final'],
    )
  })

  it('are reversed when another transfer replaces theirs, and the other one counts', async () => {
    const { node, customer, one } = bitcoin.world
    const [mine, yours] = [await instructed(), await instructed()]
    const first = await customer.pay(mine, 30_000n)
    assert.deepEqual(labels(await one.follow()), [`deposit_seen ${first.txid}:0`])
    const second = await customer.pay(yours, 30_000n, { fee: 20_000n, spends: first.spent })
    assert.deepEqual(labels(await one.follow()), [`deposit_reversed ${first.txid}:0`, `deposit_seen ${second.txid}:0`])
    await node.mine(2)
    assert.deepEqual(labels(await one.follow()), [`deposit_final ${second.txid}:0`])
  })

  it('are reversed when a block has the transfer that replaced theirs', async () => {
    const { node, customer, one } = bitcoin.world
    const mine = await instructed()
    const first = await customer.pay(mine, 30_000n)
    await one.follow()
    await customer.pay(customer.address, 30_000n, { fee: 20_000n, spends: first.spent })
    await node.mine(1)
    assert.deepEqual(labels(await one.follow()), [`deposit_reversed ${first.txid}:0`])
  })

  it('that every node forgot are reversed after a while, and seen again when they come back', async () => {
    const { node, customer, one } = bitcoin.world
    const reference = await instructed()
    const { txid, raw } = await customer.pay(reference, 40_000n)
    await one.follow()
    await node.dropWaiting()
    assert.deepEqual(await one.follow(), [])
    bitcoin.world.pass(601_000)
    assert.deepEqual(labels(await one.follow()), [`deposit_reversed ${txid}:0`])
    await node.ask('sendrawtransaction', raw)
    await node.mine(2)
    assert.deepEqual(labels(await one.follow()), [`deposit_seen ${txid}:0#2`, `deposit_final ${txid}:0#2`])
  })

  it('that were mined with a block are final with their maturity only', async () => {
    const { node, one } = bitcoin.world
    const reference = await instructed()
    const before = await held()
    await node.mine(1, reference)
    await node.mine(99)
    assert.deepEqual(
      (await one.follow()).map(({ kind }) => kind),
      ['deposit_seen'],
    )
    assert.equal(await held(), before)
    await node.mine(1)
    assert.deepEqual(
      (await one.follow()).map(({ kind }) => kind),
      ['deposit_final'],
    )
  })
})

describe('a reorganization of Bitcoin', () => {
  it('of six blocks changes nothing for a deposit that the new chain has as well', async () => {
    const { node, customer, one } = bitcoin.world
    const reference = await instructed()
    const { txid } = await customer.pay(reference, 60_000n)
    await node.mine(4)
    assert.equal((await one.follow()).length, 2)
    const before = await held()
    await node.reorg(6)
    assert.deepEqual(await one.follow(), [])
    assert.equal(await held(), before - 60_000n, 'it is in no block')
    await node.mine(2)
    assert.deepEqual(await one.follow(), [])
    assert.equal(await held(), before)
    assert.deepEqual(labels(await one.deposit.look(reference)), [`deposit_seen ${txid}:0`, `deposit_final ${txid}:0`])
  })

  it('of six blocks reverses a final deposit that the new chain does not have, once', async () => {
    const { node, customer, one } = bitcoin.world
    const reference = await instructed()
    const before = await held()
    const { txid, spent } = await customer.pay(reference, 60_000n)
    await node.mine(4)
    await one.follow()
    await node.reorg(6, { drop: true })
    await customer.pay(customer.address, 1_000n, { spends: spent })
    await node.mine(3)
    assert.deepEqual(labels(await one.follow()), [`deposit_reversed ${txid}:0`])
    assert.equal(await held(), before)
    await node.mine(3)
    assert.deepEqual(await one.follow(), [])
  })

  it('before finality waits for the next block, and nothing is reported', async () => {
    const { node, customer, one } = bitcoin.world
    const { txid } = await customer.pay(await instructed(), 60_000n)
    await node.mine(1)
    await one.follow()
    await node.reorg(1)
    assert.deepEqual(await one.follow(), [])
    await node.mine(2)
    assert.deepEqual(labels(await one.follow()), [`deposit_final ${txid}:0`])
  })

  it('deeper than what is remembered stops crediting, until an operator says where to continue', async () => {
    const { node, customer, one, db } = bitcoin.world
    const { txid } = await customer.pay(await instructed(), 60_000n)
    await node.mine(3)
    await one.follow()
    const tip = BigInt(node.height())
    await db.sql`delete from chain_blocks where number < ${tip}`
    await node.reorg(4)
    assert.equal(await one.look(), 'halted')
    assert.match(bitcoin.world.halted() ?? '', /reorganized deeper/)
    assert.equal(await one.look(), 'halted')
    for (const block of [0n, 1n, tip + 100n]) await assert.rejects(reread(one.chain, block), Refusal)
    await reread(one.chain, tip - 8n)
    bitcoin.world.resume()
    await node.mine(2)
    assert.deepEqual(await one.follow(), [], 'what is still there is left alone')
    assert.deepEqual(
      (
        await one.deposit.look(
          (
            await db.sql<{ address: string }>`
        select address from bitcoin_addresses join bitcoin_coins on address_id = bitcoin_addresses.id
        where txid = ${txid}`
          )[0]?.address ?? '',
        )
      ).map(({ kind }) => kind),
      ['deposit_seen', 'deposit_final'],
    )
  })
})

describe('a follower of Bitcoin', () => {
  it('is one process at a time; the next one continues where it ended', async () => {
    const { node, customer, one, other } = bitcoin.world
    const { txid } = await customer.pay(await instructed(), 20_000n)
    await node.mine(1)
    assert.deepEqual(labels(await one.follow()), [`deposit_seen ${txid}:0`])
    assert.equal(await other.look(), 'elsewhere')
    bitcoin.world.pass(12_100)
    await node.mine(1)
    assert.deepEqual(labels(await other.follow()), [`deposit_final ${txid}:0`])
    bitcoin.world.pass(61_000)
  })

  it('catches up with many blocks, and misses none', async () => {
    const { node, customer, one } = bitcoin.world
    const paid: string[] = []
    for (let count = 0; count < 9; count += 1) {
      paid.push(`${(await customer.pay(await instructed(), 9_000n)).txid}:0`)
      await node.mine(5)
    }
    const events = await one.follow()
    assert.deepEqual(
      events.filter(({ kind }) => kind === 'deposit_final').map(({ payment }) => payment),
      paid,
    )
    assert.equal(new Set(events.map(({ key }) => key)).size, events.length)
  })
})
