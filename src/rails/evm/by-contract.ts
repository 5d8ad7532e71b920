import { nativeAsset } from '../../reference/catalog/sync-assets.ts'
import type { Atomic } from '../../platform/db/sql.ts'
import { after } from '../../platform/lib/clock.ts'
import { NoAnswer, NodeError, Nonsense } from '../json-rpc.ts'
import { type BalanceStates, keepBalances } from '../chain/nodes.ts'
import { type Chain, nodesOf } from './chain.ts'
import { type Node, toHex } from './node.ts'
import * as queries from './by-contract.sql.ts'
import type { IncomingTransfer } from './read-blocks.ts'
import { type Candidates, costOf, receiptFrom } from './receipts.ts'

/** The most addresses that one look asks for. */
const most = 40
const [leastMs, mostMs, againMs] = [15_000, 86_400_000, 60_000]

/**
 * What a node says of an address at a block, and what our own transfers have taken from it since the last look, gas included.
 * `left` is undefined where the node lacks a receipt of theirs.
 */
type Balance = { coins: bigint; nonce: bigint; left: bigint | undefined }

/** Up to which block addresses were looked at, what each holds there, and the coins of it that contracts brought. */
export type Looked = { block: bigint; addresses: (queries.Watched & { held: Balance; next: Date; brought: bigint })[] }

/**
 * Finds coins that contracts have sent to addresses of orders by a final block. No transfer of a block says so: what an address holds
 * there is more than what is known to have come, less what we took away. Nothing is found where the nodes do not say the same. A new
 * address is looked at every 15 seconds, an old one daily.
 */
export async function lookAtAddresses(chain: Chain): Promise<Looked | undefined> {
  const { db, network, clock, log } = chain
  const now = clock.realNow()
  const due = await queries.dueWatched(db, network.code, { at: now, limit: most })
  const block = due[0]?.up_to
  if (block === undefined) return undefined
  // What the nodes do not tell, or not alike, is asked again: the others come first meanwhile.
  await queries.lookLater(db, network.code, due, after(now, againMs))
  const nodes = nodesOf(chain)
  const said = await Promise.allSettled(nodes.map((node) => heldAt(chain, node, due, block)))
  const held = said.map((one) => (one.status === 'fulfilled' ? one.value : undefined))
  const [ours, theirs = ours] = held
  const apart = due.filter((_, at) => ours?.[at] && theirs?.[at] && !isSame(ours[at], theirs[at]))
  await keepBalances(
    db,
    network.code,
    said.map((one) => stateOf(one, apart.length > 0)),
    now,
  )
  for (const { address } of apart)
    log.error({ network: network.code, address }, 'Two nodes say different balances of an address.')
  for (const one of said) {
    if (one.status === 'rejected')
      log.warn(
        { err: one.reason as unknown, network: network.code },
        'A node did not say what addresses hold; asking again later.',
      )
  }
  const looked: Looked = { block, addresses: [] }
  for (const [at, watched] of due.entries()) {
    const isUnsaid = held.some((all) => !all?.[at] || lacks(all[at]))
    const one = isUnsaid || apart.includes(watched) ? undefined : ours?.[at]
    if (!one) continue
    const brought = await unaccounted(chain, watched, one, block)
    looked.addresses.push({ ...watched, held: one, next: nextLook(now, watched.since), brought })
  }
  return looked
}

const isSame = (one: Balance, other: Balance): boolean =>
  one.coins === other.coins && one.nonce === other.nonce && (lacks(one) || lacks(other) || one.left === other.left)

const lacks = ({ left }: Balance): boolean => left === undefined

/** A node that prunes may not know the state of a final block, or old receipts; some answer such calls with an error of HTTP. */
function stateOf(said: PromiseSettledResult<Balance[]>, isApart: boolean): BalanceStates[number] {
  if (said.status === 'rejected') return isRefusal(said.reason) ? 'refuses' : 'disagrees'
  if (said.value.some(lacks)) return 'refuses'
  return isApart ? 'disagrees' : null
}

const isRefusal = (error: unknown): boolean => error instanceof NodeError || error instanceof NoAnswer

/** Writes down what was found, and gives it as transfers. Nothing of an address that somebody else has looked at meanwhile. */
export async function keepLooked(
  db: Atomic,
  { network }: Pick<Chain, 'network'>,
  { block, addresses }: Looked,
): Promise<IncomingTransfer[]> {
  const kept = new Set((await queries.keepLooked(db, network.code, block, addresses)).map(({ address }) => address))
  const asset = nativeAsset(network).id
  return addresses
    .filter(({ address, brought }) => brought > 0n && kept.has(address))
    .map(({ address, brought }) => ({
      hash: `${address}@${block}`,
      position: -1,
      block,
      to: address,
      asset,
      amount: brought,
    }))
}

async function heldAt(
  chain: Chain,
  node: Node,
  addresses: readonly queries.Watched[],
  block: bigint,
): Promise<Balance[]> {
  const texts = await node.askAll<string>(
    addresses.flatMap(({ address }) =>
      ['eth_getBalance', 'eth_getTransactionCount'].map((method) => ({ method, params: [address, toHex(block)] })),
    ),
  )
  const held: Balance[] = []
  for (const [at, watched] of addresses.entries()) {
    const [coins, nonce] = [BigInt(texts[2 * at] ?? ''), BigInt(texts[2 * at + 1] ?? '')]
    held.push({ coins, nonce, left: await coinsLeft(chain, node, watched, nonce) })
  }
  return held
}

/** What an address holds beyond what is known. One that was used before it was first looked at begins with what it holds. */
async function unaccounted(
  { db, network, log }: Chain,
  watched: queries.Watched,
  held: Balance,
  block: bigint,
): Promise<bigint> {
  const { address, block: since, coins } = watched
  if (since === null && held.nonce > 0n) return 0n
  const span = { address, asset: nativeAsset(network).id, above: since ?? -1n, upTo: block }
  const [came] = await queries.coinsCame(db, network.code, span)
  const known = (coins ?? 0n) + (came?.amount ?? 0n) - (held.left ?? 0n)
  if (held.coins < known) {
    const facts = { network: network.code, address, held: String(held.coins), known: String(known) }
    log.error(facts, 'An address holds less of the coin than came to it.')
  }
  return held.coins > known ? held.coins - known : 0n
}

/** What our own transfers took from an address by now, gas included, as one node says: each of theirs has one receipt. */
async function coinsLeft(
  chain: Chain,
  node: Node,
  { address, block, nonce: before }: queries.Watched,
  nonce: bigint,
): Promise<bigint | undefined> {
  const { db, network, log } = chain
  const from = before ?? 0n
  if (nonce === from || block === null) return 0n
  const moves = await queries.movesFrom(db, network.code, address, { from, to: nonce })
  try {
    const taken = await Promise.all(moves.map((move) => takenBy(chain, node, move)))
    return taken.reduce<bigint | undefined>(
      (sum, one) => (sum === undefined || one === undefined ? undefined : sum + one),
      0n,
    )
  } catch (error) {
    if (!(error instanceof NodeError || error instanceof Nonsense)) throw error
    log.warn({ err: error, network: network.code, address }, 'A node does not say what our transfers took.')
    return undefined
  }
}

/** What the one of some transfers with one nonce took that is in the chain; undefined where none is. */
async function takenBy(chain: Chain, node: Node, move: Candidates): Promise<bigint | undefined> {
  const receipt = await receiptFrom(chain, node, move)
  if (!receipt) return undefined
  const transfer = await node.ask<{ value: string } | null>('eth_getTransactionByHash', receipt.transactionHash)
  if (!transfer) return undefined
  return costOf(receipt) + (receipt.status === '0x1' ? BigInt(transfer.value) : 0n)
}

/** When an address is looked at again, by how long it has been known. */
function nextLook(now: Date, since: Date): Date {
  const eighth = Math.floor((now.getTime() - since.getTime()) / 8)
  return after(now, Math.min(mostMs, Math.max(leastMs, eighth)))
}
