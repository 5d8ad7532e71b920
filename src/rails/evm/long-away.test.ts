import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'

import { type EvmWorld, openEvmWorld, reportsOf, through } from '../../../test/support/evm-world.ts'
import type { RailEvent } from '../rail.ts'
import { readNodes } from '../chain/nodes.ts'
import { NoAnswer } from '../json-rpc.ts'
import { newFollower } from '../chain/follow.ts'
import { followOnce } from './follow.ts'
import { type Node, toHex } from './node.ts'
import { readHashes } from './read-blocks.ts'

let world: EvmWorld

before(async () => {
  world = await openEvmWorld()
})
after(() => world.close())

/** A call of a node, and what it answers. */
type Call = { method: string; params: readonly unknown[] }

const hashOf = (number: bigint): string => `0x${number.toString(16).padStart(64, '0')}`

/** Empty blocks above one with a hash, up to the head. */
type Empty = { above: bigint; hash: string | undefined; head: bigint }

/** What a node with empty blocks answers; undefined where it is asked of the others. */
function ofEmptyBlocks({ method, params: [param] }: Call, { above, hash, head }: Empty): unknown {
  if (method === 'eth_blockNumber') return toHex(head)
  if (method === 'eth_getBalance' || method === 'eth_getTransactionCount') return '0x0'
  const isEmptyBlock = method === 'eth_getBlockByNumber' && BigInt(param as string) > above
  if (!isEmptyBlock) {
    return method === 'eth_getLogs' && (param as { blockHash: string }).blockHash <= hashOf(head) ? [] : undefined
  }
  const number = BigInt(param as string)
  const parentHash = number === above + 1n ? hash : hashOf(number - 1n)
  return { number: toHex(number), hash: hashOf(number), parentHash, transactions: [] }
}

it('every block is compared, however long the second node was away: what the first alone reported is not final', async () => {
  const { anvil, db, one } = world
  const { reference } = await one.deposit.instruct({ id: 1n, category: 'CRYPTO', asset: 'ETH-ETH', amount: 7_000n })
  await one.follow()
  const hash = await anvil.send({ to: `0x${'8'.repeat(40)}`, value: 7_000n })
  await anvil.mine(3)

  const now: { lies: boolean; isAway: boolean; empty?: Empty } = { lies: true, isAway: true }
  const node = (isFirst: boolean): Node =>
    through(one.chain, (askAll) => async (calls) => {
      if (!isFirst && now.isAway) throw new NoAnswer('The node did not answer.')
      const answers = calls.map(
        async (call) => (now.empty && ofEmptyBlocks(call, now.empty)) ?? (await askAll([call]))[0],
      )
      return (await Promise.all(answers)).map((answer: unknown) => {
        const { transactions = [] } = (answer ?? {}) as { transactions?: { hash: string; to: string }[] }
        for (const each of transactions) if (isFirst && now.lies && each.hash === hash) each.to = reference
        return answer
      }) as never
    }).node
  const reported: RailEvent[] = []
  const follower = newFollower(
    { ...one.chain, node: node(true), second: node(false) },
    reportsOf((_db, events) => Promise.resolve(void reported.push(...events))),
  )
  const kinds = () => reported.map(({ kind }) => kind)
  const states = async () => (await readNodes(db, 'ETH')).map(({ state }) => state)
  world.pass(60_000)
  assert.equal(await followOnce(follower), 'idle')
  assert.deepEqual(kinds(), ['deposit_seen'])

  // Thousands of empty blocks later, which were followed with the first node alone.
  const [{ above } = assert.fail()] = await db.sql<{ above: bigint }>`
    update chain_follows set next_block = next_block + 5200 where network = 'ETH' returning next_block - 5201 as above`
  const [last] = await readHashes(one.chain, [above])
  now.empty = { above, hash: last, head: above + 5_210n }
  await db.sql`insert into chain_blocks (network, number, hash) values ('ETH', ${above + 5_200n}, ${hashOf(above + 5_200n)})`
  await followOnce(follower)
  assert.deepEqual(kinds(), ['deposit_seen'])

  now.isAway = false
  let round = await followOnce(follower)
  while (round === 'more') round = await followOnce(follower)
  assert.deepEqual([round, kinds()], ['halted', ['deposit_seen']])
  assert.deepEqual(await states(), ['disagrees', 'disagrees'])

  now.lies = false
  assert.equal(await followOnce(follower), 'more')
  assert.deepEqual(kinds(), ['deposit_seen', 'deposit_reversed'])
  assert.deepEqual(await states(), ['ok', 'behind'], 'thousands of blocks are still to be compared')
  while ((await followOnce(follower)) === 'more') continue
  assert.deepEqual(
    [kinds(), await states()],
    [
      ['deposit_seen', 'deposit_reversed'],
      ['ok', 'ok'],
    ],
  )
})
