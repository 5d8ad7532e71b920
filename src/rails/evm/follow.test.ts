import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'

import { token } from '../../../test/support/anvil.ts'
import { type EvmWorld, openEvmWorld, reportsOf, through } from '../../../test/support/evm-world.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import type { RailEvent } from '../rail.ts'
import { newFollower } from '../chain/follow.ts'
import { followOnce } from './follow.ts'
import type { ReportEvents } from '../rail.ts'
import { openChains } from './open.ts'
import { reread } from './reread.ts'

const coin = 'ETH-ETH'
const usdt = { asset: 'USDT-ETH', contract: '0xdAC17F958D2ee523a2206206994597C13D831ec7' }

let world: EvmWorld
let ids = 0n

before(async () => {
  world = await openEvmWorld()
  await world.anvil.layToken(usdt.contract)
  await world.anvil.send({ to: usdt.contract, data: token.mint(world.anvil.customer, 10n ** 12n) })
  await world.anvil.mine(10)
})
after(() => world.close())
beforeEach(async () => {
  // Nothing of the test before is left in a block that could still be undone.
  world.pass(60_000)
  await world.anvil.mine(12)
  await world.one.follow()
})

const instructed = async (asset = coin): Promise<string> =>
  (await world.one.deposit.instruct({ id: (ids += 1n), category: 'CRYPTO', asset, amount: 1_000n })).reference
const pay = (to: string, value = 1_000n): Promise<string> => world.anvil.send({ to, value })
const payTokens = (to: string, amount = 1_000n): Promise<string> =>
  world.anvil.send({ to: usdt.contract, data: token.transfer(to, amount) })
const rawOf = (hash: string): Promise<string> => world.anvil.ask<string>('eth_getRawTransactionByHash', hash)
const labels = (events: RailEvent[]): string[] => events.map(({ kind, payment }) => `${kind} ${payment}`)
const kinds = (events: RailEvent[]): string[] => events.map(({ kind }) => kind)

describe('a reorganization', () => {
  it('takes back what was not final at once, and credits it once where another block has it', async () => {
    const { anvil, one } = world
    const reference = await instructed()
    const hash = await pay(reference)
    await anvil.mine(2)
    assert.deepEqual(labels(await one.follow()), [`deposit_seen ${hash}`])
    const raw = await rawOf(hash)
    await anvil.reorg(2)
    assert.deepEqual(labels(await one.follow()), [`deposit_reversed ${hash}`])
    assert.deepEqual(await one.follow(), [])

    await anvil.ask('eth_sendRawTransaction', raw)
    await anvil.mine(3)
    const again = await one.follow()
    assert.deepEqual(labels(again), [`deposit_seen ${hash}#2`, `deposit_final ${hash}#2`])
    assert.equal(again[0]?.reference, reference)
    assert.deepEqual(kinds(await one.deposit.look(reference)), [
      'deposit_seen',
      'deposit_reversed',
      'deposit_seen',
      'deposit_final',
    ])
  })

  it('after finality takes back what is not in the new chain, and says so once', async () => {
    const { anvil, one } = world
    const reference = await instructed(usdt.asset)
    const held = await one.rail.balance(usdt.asset)
    const hash = await payTokens(reference)
    await anvil.mine(4)
    assert.deepEqual(labels(await one.follow()), [`deposit_seen ${hash}:0`, `deposit_final ${hash}:0`])
    assert.equal(await one.rail.balance(usdt.asset), held + 1_000n)
    const raw = await rawOf(hash)
    await anvil.reorg(7)
    assert.deepEqual(labels(await one.follow()), [`deposit_reversed ${hash}:0`])
    assert.equal(await one.rail.balance(usdt.asset), held)

    // What we have given up comes back all the same: it has no owner until an operator assigns one.
    await anvil.ask('eth_sendRawTransaction', raw)
    await anvil.mine(4)
    const back = await one.follow()
    assert.deepEqual(labels(back), [`deposit_seen ${hash}:0#2`, `deposit_final ${hash}:0#2`])
    for (const event of back) assert.equal(event.reference, `${reference}?again`)
  })

  it('after finality reports nothing that the new chain has as well', async () => {
    const { anvil, one } = world
    const reference = await instructed()
    const hash = await pay(reference)
    await anvil.mine(3)
    assert.deepEqual(kinds(await one.follow()), ['deposit_seen', 'deposit_final'])
    const raw = await rawOf(hash)
    await anvil.ask('anvil_reorg', 5, [[raw, 2]])
    assert.deepEqual(await one.follow(), [])
    await anvil.mine(6)
    assert.deepEqual(await one.follow(), [])
    assert.deepEqual(kinds(await one.deposit.look(reference)), ['deposit_seen', 'deposit_final'])
  })

  it('that leads to another payment to the same place credits that one, and not the first', async () => {
    const { anvil, one } = world
    const reference = await instructed()
    const first = await pay(reference, 1_000n)
    await anvil.mine()
    assert.deepEqual(labels(await one.follow()), [`deposit_seen ${first}`])
    await anvil.reorg(1)
    const second = await pay(reference, 2_000n)
    assert.notEqual(second, first)
    await anvil.mine(3)
    assert.deepEqual(labels(await one.follow()), [
      `deposit_reversed ${first}`,
      `deposit_seen ${second}`,
      `deposit_final ${second}`,
    ])
  })

  it('deeper than what is remembered stops crediting, until an operator says where to continue', async () => {
    const { anvil, one, db } = world
    const report: ReportEvents = (_db, events) => Promise.resolve(void world.reported.push(...events))
    const [stays, goes] = [await instructed(), await instructed()]
    const [kept, lost] = [await pay(stays), await pay(goes)]
    await anvil.mine(3)
    assert.equal((await one.follow()).length, 4)
    const [tip] = await db.sql<{ number: bigint }>`select next_block - 1 as number from chain_follows`
    assert(tip)
    await db.sql`delete from chain_blocks where number < ${tip.number}`
    await anvil.ask('anvil_reorg', 4, [[await rawOf(kept), 1]])
    await anvil.mine(4)
    world.pass(60_000)
    const halted: string[] = []
    const follower = newFollower(
      one.chain,
      reportsOf(report, { halt: (_db, rail, reason) => void halted.push(rail, reason) }),
    )
    assert.equal(await followOnce(follower), 'halted')
    assert.deepEqual(halted, ['evm-eth', 'The chain ETH was reorganized deeper than the blocks that are remembered.'])
    world.pass(60_000)
    assert.equal(await one.look(), 'halted')

    const none = (error: unknown): boolean => error instanceof Refusal
    for (const block of [0n, 1n, tip.number + 100n]) await assert.rejects(reread(one.chain, block, report), none)
    await reread(one.chain, tip.number - 8n, report)
    assert.deepEqual(labels(await one.follow()), [`deposit_reversed ${lost}`])
    assert.deepEqual(kinds(await one.deposit.look(stays)), ['deposit_seen', 'deposit_final'])
    await anvil.mine(3)
    assert.deepEqual(await one.follow(), [])
  })
})

describe('a follower of a chain', () => {
  it('takes nothing back because a node is behind', async () => {
    const { anvil, one } = world
    const reference = await instructed()
    await pay(reference)
    await anvil.mine()
    assert.deepEqual(kinds(await one.follow()), ['deposit_seen'])
    const behind = through(one.chain, (askAll) => async (calls) => {
      const answers = await askAll<unknown>(calls)
      return answers.map((answer, index) => (calls[index]?.method === 'eth_getBlockByNumber' ? null : answer)) as never
    })
    world.pass(60_000)
    const reported: RailEvent[] = []
    const follower = newFollower(
      behind,
      reportsOf((_db, events) => Promise.resolve(void reported.push(...events))),
    )
    assert.equal(await followOnce(follower), 'idle')
    assert.deepEqual(reported, [])
    world.pass(60_000)
    await anvil.mine(2)
    assert.deepEqual(kinds(await one.follow()), ['deposit_final'])
  })

  it('is one process at a time; one that was left behind tells nothing', async () => {
    const { anvil, one, other } = world
    const reference = await instructed()
    await pay(reference)
    await anvil.mine()
    assert.equal(await other.look(), 'elsewhere')

    let release = (): void => undefined
    const gate = new Promise<void>((resolve) => (release = resolve))
    let reached = (): void => undefined
    const atGate = new Promise<void>((resolve) => (reached = resolve))
    const slow = through(one.chain, (askAll) => async (calls) => {
      const answers = await askAll<unknown>(calls)
      if (calls[0]?.method === 'eth_getTransactionReceipt') {
        reached()
        await gate
      }
      return answers as never
    })
    const reported: RailEvent[] = []
    world.pass(60_000)
    const left = followOnce(
      newFollower(
        slow,
        reportsOf((_db, events) => Promise.resolve(void reported.push(...events))),
      ),
    )
    await atGate
    world.pass(60_000)
    assert.deepEqual(kinds(await other.follow()), ['deposit_seen'])
    release()
    await left
    assert.deepEqual(reported, [])
    await anvil.mine(2)
    assert.deepEqual(kinds(await other.follow()), ['deposit_final'])
  })

  it('reports again what it reported in a block that did not commit', async () => {
    const { anvil, one, reported } = world
    const reference = await instructed()
    await pay(reference)
    await anvil.mine()
    world.pass(60_000)
    const failing = newFollower(
      one.chain,
      reportsOf(() => Promise.reject(new Error('killed'))),
    )
    await assert.rejects(followOnce(failing), /killed/)
    world.pass(60_000)
    const before = reported.length
    assert.deepEqual(kinds(await one.follow()), ['deposit_seen'])
    assert.equal(reported.length, before + 1)
    await anvil.mine(3)
    await one.follow()
  })

  it('catches up with many blocks in steps, and misses none', async () => {
    const { anvil, one } = world
    const paid: string[] = []
    for (let count = 0; count < 9; count += 1) {
      paid.push(await pay(await instructed()))
      await anvil.mine(9)
    }
    let rounds = 1
    const start = world.reported.length
    while ((await one.look()) === 'more') rounds += 1
    assert(rounds >= 5, `${rounds} rounds`)
    const events = world.reported.slice(start)
    assert.deepEqual(
      events.filter(({ kind }) => kind === 'deposit_final').map(({ payment }) => payment),
      paid,
    )
    assert.equal(new Set(events.map(({ key }) => key)).size, events.length)
  })

  it('agrees with itself where it has one node: a second one that is added later compares what comes then', async () => {
    const { anvil, one, db } = world
    await anvil.mine(50)
    await one.follow()
    const [chain] = await db.sql<{ behind: bigint }>`
      select next_block - agreed_block as behind from chain_follows where network = 'ETH'`
    assert.equal(chain?.behind, 3n)
  })

  it('refuses a node of another chain than the one it has followed, and in live mode any but the right one', async () => {
    const { dependencies, db } = world
    const chainIn = async (catalogChainsOnly: boolean) => {
      const [chain] = await openChains({
        ...dependencies,
        config: { ...dependencies.config, environment: { catalogChainsOnly } },
      })
      assert(chain)
      return chain
    }
    assert.equal(await (await chainIn(false)).chainId(), 31_337n)
    await assert.rejects((await chainIn(true)).chainId(), /one of the chain eip155:31337/)
    await db.sql`update chain_follows set identity = '5'`
    await assert.rejects((await chainIn(false)).chainId(), /not 5 as before/)
    await db.sql`update chain_follows set identity = '31337'`
  })
})
