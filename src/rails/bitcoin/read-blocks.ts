import { type Node, Nonsense } from '../json-rpc.ts'
import type { Chain } from './chain.ts'
import type { IncomingCoin, Spend } from './coins.sql.ts'
import { isHash, readHash } from './node.ts'
import * as queries from './queries.ts'
import { type Block, readBlock, type Transfer } from './wire.ts'

/** Blocks that follow each other. */
export type NumberedBlock = Block & { number: bigint }

/** What blocks or a mempool change for us. */
export type Changes = { coins: IncomingCoin[]; spends: Spend[] }

async function blockAt(chain: Chain, node: Node, number: bigint): Promise<NumberedBlock | undefined> {
  const hash = await readHash(node, number)
  if (hash === undefined) return undefined
  const raw = await node.ask('getblock', hash, false)
  if (typeof raw !== 'string') throw new Nonsense('It has no bytes for a block.')
  return { ...readBlock(raw, hash, chain.rules), number }
}

/** Reads blocks. The list ends where one is missing or does not follow the one before: the chain changed while it was read. */
export async function readBlocks(
  chain: Chain,
  { from, to, parent }: { from: bigint; to: bigint; parent: string },
): Promise<NumberedBlock[]> {
  const blocks: NumberedBlock[] = []
  let before = parent
  for (let number = from; number <= to; number += 1n) {
    const block = await blockAt(chain, chain.node, number)
    if (!block || block.parent !== before) break
    blocks.push(block)
    before = block.hash
  }
  return blocks
}

/** The transfers that a node would put into a block. */
export async function readWaiting(node: Node): Promise<string[]> {
  const read = await node.ask('getrawmempool')
  if (!Array.isArray(read) || !read.every(isHash)) throw new Nonsense('It has no list of waiting transfers.')
  return read
}

/** What transfers bring to our addresses and spend of our outputs. `block` is null for those of a mempool. */
export async function changesOf(
  { db, network, rules }: Chain,
  groups: readonly { number: bigint | null; transfers: readonly Transfer[] }[],
): Promise<Changes> {
  const all = groups.flatMap(({ transfers }) => transfers)
  const scripts = [...new Set(all.flatMap(({ outputs }) => outputs.map(({ script }) => script)))]
  const ours = new Map((await queries.ownScripts(db, network.code, scripts)).map((one) => [one.script, one]))
  const spent = [...new Set(all.flatMap(({ inputs }) => inputs.map(({ txid }) => txid)))]
  const known = new Set((await queries.ownTransfers(db, network.code, spent)).map(({ txid }) => txid))
  const coins: IncomingCoin[] = []
  const spends: Spend[] = []
  for (const { number, transfers } of groups) {
    for (const { txid, inputs, outputs, isCoinbase } of transfers) {
      // A transfer may spend another one of the same block.
      const own = inputs.filter((input) => known.has(input.txid))
      if (number !== null) spends.push(...own.map((input) => ({ ...outpointOf(input), by: txid, block: number })))
      for (const [vout, { script, amount }] of outputs.entries()) {
        const address = ours.get(script)
        if (!address || amount < rules.dust) continue
        known.add(txid)
        const isOwn = address.branch === 1 && own.length > 0
        const spending = inputs.map((input) => `${input.txid}:${input.vout}`)
        coins.push({ txid, vout, addressId: address.id, amount, block: number, isCoinbase, isOwn, spends: spending })
      }
    }
  }
  return { coins, spends }
}

const outpointOf = ({ txid, vout }: { txid: string; vout: number }): { txid: string; vout: number } => ({ txid, vout })
