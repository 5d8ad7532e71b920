import { NoAnswer } from '../json-rpc.ts'
import { type Chain, nodesOf } from './chain.ts'
import { toHex } from './node.ts'
import { contractsOn, type RawLog, readTransfer, transferTopic } from './tokens.ts'

/** A block by its number and hash, as nodes write hashes. */
export type Block = { number: bigint; hash: string; parent: string }

/** Coins or tokens that a block moved to somebody. `position` is that of the log within its transfer, -1 for the coin itself. */
export type IncomingTransfer = {
  hash: string
  position: number
  block: bigint
  to: string
  asset: string
  amount: bigint
}

/** What somebody sent, by its sender's nonce. */
export type Outgoing = { sender: string; nonce: bigint; hash: string; block: bigint }

/** Blocks that follow each other, with what they may have brought us. */
export type ReadBlocks = { blocks: Block[]; moved: IncomingTransfer[]; outgoing: Outgoing[] }

type RawTransfer = { hash: string; from: string; to: string | null; value: string; nonce: string }
type RawBlock = { number: string; hash: string; parentHash: string; transactions: RawTransfer[] }
type RawReceipt = { transactionHash: string; blockHash: string; status: string; logs: RawLog[] } | null

/** The number of the chain's last block. */
export const readHead = async ({ node }: Chain): Promise<bigint> => BigInt(await node.ask<string>('eth_blockNumber'))

/** How many transfers of an address each node says that there are, at a block as nodes write it: its next nonce. */
export const readCounts = (
  chain: Pick<Chain, 'node' | 'second'>,
  address: string,
  block = 'latest',
): Promise<bigint[]> =>
  Promise.all(
    nodesOf(chain).map(async (node) => BigInt(await node.ask<string>('eth_getTransactionCount', address, block))),
  )

/** The hashes of blocks by their numbers; undefined where the node has no such block. */
export async function readHashes({ node }: Chain, numbers: bigint[]): Promise<(string | undefined)[]> {
  const blocks = await node.askAll<{ hash: string } | null>(
    numbers.map((number) => ({ method: 'eth_getBlockByNumber', params: [toHex(number), false] })),
  )
  return blocks.map((block) => block?.hash)
}

/**
 * Reads blocks and what they moved to addresses of ours (`isOurs` is asked for all recipients at once). What counts of the coin
 * is a plain transfer with status 1; of tokens, the log of a contract of the catalog in a transfer with status 1. The list ends
 * where a block does not follow the one before: the chain has changed while it was read.
 */
export async function readBlocks(
  chain: Chain,
  { from, to, coin }: { from: bigint; to: bigint; coin: string },
  oursAmong: (addresses: string[]) => Promise<Set<string>>,
): Promise<ReadBlocks> {
  const raw = await rawBlocks(chain, from, to)
  const logs = await logsOf(chain, raw)
  const recipients = new Set(raw.flatMap(({ transactions }) => transactions.map((one) => (one.to ?? '').toLowerCase())))
  const contracts = contractsOn(chain.network)
  for (const log of logs) recipients.add(readTransfer(contracts, log)?.to ?? '')
  const ours = await oursAmong([...recipients].filter((one) => one !== ''))

  const candidates = new Map<string, RawTransfer & { block: RawBlock }>()
  for (const block of raw) {
    const paying = new Set(
      logs
        .filter((log) => log.blockHash === block.hash && ours.has(readTransfer(contracts, log)?.to ?? ''))
        .map((log) => log.transactionHash),
    )
    for (const one of block.transactions) {
      const brings = ours.has((one.to ?? '').toLowerCase()) && BigInt(one.value) > 0n
      if (brings || paying.has(one.hash)) candidates.set(one.hash, { ...one, block })
    }
  }
  const moved = await provenMoves(chain, coin, [...candidates.values()], ours)
  return { blocks: raw.map(headOf), moved, outgoing: raw.flatMap(outgoingOf(chain)) }
}

async function rawBlocks({ node }: Chain, from: bigint, to: bigint): Promise<RawBlock[]> {
  const calls = []
  for (let number = from; number <= to; number += 1n) {
    calls.push({ method: 'eth_getBlockByNumber', params: [toHex(number), true] })
  }
  const read = await node.askAll<RawBlock | null>(calls)
  const following: RawBlock[] = []
  for (const block of read) {
    const before = following.at(-1)
    if (!block || (before && before.hash !== block.parentHash)) break
    following.push(block)
  }
  return following
}

/** Asked by the blocks' own hashes: what a node says of a number may be of another block by now. */
async function logsOf({ node, network }: Chain, blocks: RawBlock[]): Promise<RawLog[]> {
  const address = [...contractsOn(network).keys()]
  if (address.length === 0) return []
  const lists = await node.askAll<RawLog[]>(
    blocks.map(({ hash }) => ({
      method: 'eth_getLogs',
      params: [{ blockHash: hash, address, topics: [transferTopic] }],
    })),
  )
  return lists.flat()
}

/** Asks for the receipts: only what was carried out in this very block has moved anything. */
async function provenMoves(
  { node, network }: Chain,
  coin: string,
  candidates: (RawTransfer & { block: RawBlock })[],
  ours: Set<string>,
): Promise<IncomingTransfer[]> {
  const contracts = contractsOn(network)
  const receipts = await node.askAll<RawReceipt>(
    candidates.map(({ hash }) => ({ method: 'eth_getTransactionReceipt', params: [hash] })),
  )
  return candidates.flatMap(({ hash, to, value, block }, index) => {
    const receipt = receipts[index]
    if (!receipt || receipt.blockHash !== block.hash) throw new NoAnswer('The chain changed while a receipt was read.')
    if (receipt.status !== '0x1') return []
    const found: IncomingTransfer[] = []
    const common = { hash, block: BigInt(block.number) }
    const recipient = (to ?? '').toLowerCase()
    const amount = BigInt(value)
    if (ours.has(recipient) && amount > 0n) found.push({ ...common, position: -1, to: recipient, asset: coin, amount })
    for (const [position, log] of receipt.logs.entries()) {
      const transfer = readTransfer(contracts, log)
      if (transfer && ours.has(transfer.to)) {
        found.push({ ...common, position, to: transfer.to, asset: transfer.asset, amount: transfer.amount })
      }
    }
    return found
  })
}

const headOf = ({ number, hash, parentHash }: RawBlock): Block => ({ number: BigInt(number), hash, parent: parentHash })

const outgoingOf =
  ({ keys }: Chain) =>
  ({ number, transactions }: RawBlock): Outgoing[] =>
    transactions
      .filter(({ from }) => from.toLowerCase() === keys.hot.toLowerCase())
      .map(({ from, nonce, hash }) => ({
        sender: from.toLowerCase(),
        nonce: BigInt(nonce),
        hash,
        block: BigInt(number),
      }))
