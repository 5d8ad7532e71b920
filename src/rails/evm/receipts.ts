import { Nonsense } from '../json-rpc.ts'
import { type Chain, nodesOf } from './chain.ts'
import type { Node } from './node.ts'
import { readFollow } from '../chain/follows.sql.ts'
import { readHashes } from './read-blocks.ts'
import type { RawLog, Receipt } from './tokens.ts'

/** Transfers of ours with one nonce, and what the dearest may use. The chain takes one at most. */
export type Candidates = { hashes: readonly string[]; gas: bigint; max_fee: bigint }

/** How many nodes have a receipt of one, and that receipt where it is final and every node says the same of it. */
export type Fate = { known: 'none' | 'some' | 'all'; receipt?: Receipt }

/** What a chain that is written on another one takes for that, as much as we keep back: 0.00002 coins. Zero for every other one. */
export const keptBack = ({ code }: Chain['network']): bigint =>
  ['BASE', 'OPTIMISM'].includes(code) ? 2n * 10n ** 13n : 0n

/** What a transfer cost its sender, in wei: gas, and what the chain takes for being written on the one below. */
export const costOf = ({ gasUsed, effectiveGasPrice, l1Fee = '0x0' }: Receipt): bigint =>
  BigInt(gasUsed) * BigInt(effectiveGasPrice) + BigInt(l1Fee)

/** What became of transfers of ours: a node alone can call one failed that was carried out, or name any cost. */
export async function fateOf(chain: Chain, candidates: Candidates): Promise<Fate> {
  const { db, network, log } = chain
  try {
    const said = await Promise.all(nodesOf(chain).map((node) => receiptFrom(chain, node, candidates)))
    const [receipt, ...others] = said.filter((one) => one !== undefined)
    if (!receipt) return { known: 'none' }
    if (others.length < said.length - 1) return { known: 'some' }
    const [follow] = await readFollow(db, network.code)
    const block = BigInt(receipt.blockNumber)
    if (block > (follow?.agreed_block ?? -1n)) return { known: 'all' }
    const [standing] = await readHashes(chain, [block])
    const isAlike = others.every((one) => textOf(one) === textOf(receipt))
    if (!isAlike)
      log.error(
        { network: network.code, hash: receipt.transactionHash },
        'Two nodes say different things of a transfer.',
      )
    return isAlike && standing === receipt.blockHash ? { known: 'all', receipt } : { known: 'all' }
  } catch (err) {
    if (!(err instanceof Nonsense)) throw err
    log.error({ err, network: network.code }, 'A node sends a receipt that cannot be.')
    return { known: 'all' }
  }
}

/** The receipt that a node has of one of them. Refuses one of another transfer, and one that costs what ours cannot. */
export async function receiptFrom(
  { network }: Pick<Chain, 'network'>,
  node: Node,
  { hashes, gas, max_fee: maxFee }: Candidates,
): Promise<Receipt | undefined> {
  const receipts = await node.askAll<Receipt | null>(
    hashes.map((hash) => ({ method: 'eth_getTransactionReceipt', params: [hash] })),
  )
  const at = receipts.findIndex((one) => one !== null)
  const receipt = receipts[at]
  if (!receipt) return undefined
  if (receipt.transactionHash !== hashes[at]) throw new Nonsense('a receipt of another transfer')
  if (BigInt(receipt.gasUsed) > gas || BigInt(receipt.effectiveGasPrice) > maxFee)
    throw new Nonsense('more gas, or a higher price, than a transfer allows')
  if (keptBack(network) > 0n && receipt.l1Fee === undefined) throw new Nonsense('a receipt without l1Fee')
  return receipt
}

const textOf = (receipt: Receipt): string =>
  JSON.stringify([
    receipt.transactionHash,
    BigInt(receipt.blockNumber).toString(),
    receipt.blockHash,
    receipt.status,
    costOf(receipt).toString(),
    BigInt(receipt.gasUsed).toString(),
    receipt.logs.map(({ address, topics, data }: RawLog) => [address, ...topics, data].join(' ').toLowerCase()),
  ])
