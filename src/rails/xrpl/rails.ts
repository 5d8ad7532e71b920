import { resolve } from 'node:path'

import { readKeystore } from '../keys/keystore.ts'
import { localSigner, type Signer } from './keys.ts'
import { remoteSigner } from './remote-signer.ts'
import { payouts } from './sending/payouts.ts'
import { type Node, openNode } from '../json-rpc.ts'
import { checkAddress } from '../../reference/addresses/address.ts'
import { findNetwork } from '../../reference/catalog/network.ts'
import { nativeAsset } from '../../reference/catalog/sync-assets.ts'
import { parseDuration } from '../../platform/lib/duration.ts'
import { gather } from '../../platform/lib/gather.ts'
import type { OpenedRails, RailTools } from '../kind.ts'
import { showNodes } from '../chain/nodes.ts'
import type { DepositHalf, Rail } from '../rail.ts'
import type { Chain } from './chain.ts'
import { eventsOf, referenceOf, tagIn } from './events.ts'
import { keepFollowing, newFollower } from '../chain/follow.ts'
import { keepIdentity, readFollow } from '../chain/follows.sql.ts'
import { followOnce } from './follow.ts'
import { accountIn } from './agree.ts'
import { readAccount, readState } from './ledger.ts'
import * as queries from './queries.ts'
import type { XrplSettings } from './settings.ts'

/** What this rail depends on. With a signer, no rail opens a keystore. */
export type XrplDependencies = Omit<RailTools, 'confirmations' | 'madeKeys' | 'evm' | 'signer'> &
  Partial<Pick<RailTools, 'signer'>>

const code = 'XRP'
const networkIds = { mainnet: 0n, testnet: 1n }
/** Payments without a destination tag are refused by the ledger (lsfRequireDestTag). */
const requiresTag = 0x0002_0000n

/** Opens the account of an entry of the settings. Refuses an account other than the one followed before. */
export async function openChain(entry: XrplSettings, dependencies: XrplDependencies): Promise<Chain> {
  const { db, clock, log, timeoutMs, readSecret, isLive } = dependencies
  const network = findNetwork(code)
  if (!network) throw new Error(`The catalog has no network ${code}.`)
  if (isLive && entry.nodes.length < 2) throw new Error(`The rail ${entry.name} needs two independent nodes.`)
  if (!checkAddress('xrp', entry.account).ok)
    throw new Error(`The account of the rail ${entry.name} is not an address.`)
  const [kept] = await keepIdentity(db, 'xrpl', code, entry.account)
  if (kept?.identity !== entry.account) throw new Error(`The rail ${entry.name} has followed another account before.`)
  const signer = await signerOf(entry, dependencies)
  if (signer && (await signer.account()) !== entry.account)
    throw new Error(`The account of the rail ${entry.name} is not the one of its keys, ${await signer.account()}.`)
  const nodeAddresses = entry.nodes.map((text) => (/^(file|env):/.test(text) ? readSecret(text) : text))
  const [node, second] = nodeAddresses.map((address) => openNode(address, timeoutMs))
  if (!node) throw new Error(`The rail ${entry.name} has no node.`)
  return {
    db,
    clock,
    log,
    network,
    name: entry.name,
    asset: nativeAsset(network).id,
    account: entry.account,
    node,
    second,
    nodeAddresses,
    signer,
    mostFee: BigInt(entry.max_fee ?? 5_000),
    everyMs: parseDuration(entry.every ?? 'PT4S'),
    checkNode: nodeCheck(networkIds[entry.network ?? 'mainnet']),
    stampKey: dependencies.secrets.keyFor('chain-payments'),
  }
}

/** What signs for the account: the signer's process if there is one, else a key of the rail's keystore, if it has one. */
async function signerOf(
  { name, keys, network = 'mainnet' }: XrplSettings,
  { signer, readSecret, folder }: XrplDependencies,
): Promise<Signer | undefined> {
  if (signer && keys) throw new Error(`The rail ${name} has keys, but custody.signer holds them. Remove one of them.`)
  if (signer) return remoteSigner(signer, network)
  return keys && localSigner(await readKeystore(resolve(folder, keys.file), readSecret(keys.password)), network)
}

/** Refuses a node of another network. */
function nodeCheck(expected: bigint): (node: Node) => Promise<void> {
  const known = new WeakSet<Node>()
  return async (node) => {
    if (known.has(node)) return
    const { networkId } = await readState(node)
    if (networkId !== expected) throw new Error(`A node for ${code} is one of the network ${networkId}.`)
    known.add(node)
  }
}

/** The rail of our account. Without a key of it, it takes deposits only. */
export const xrplRail = (chain: Chain): Rail => ({
  name: chain.name,
  custodyAccount: chain.name,
  serves: [
    { directions: chain.signer ? ['deposit', 'payout'] : ['deposit'], categories: ['CRYPTO'], networks: [code] },
  ],
  deposit: deposits(chain),
  ...(chain.signer ? { payout: payouts(chain) } : {}),
  nodes: () => showNodes(chain.db, code, chain.nodeAddresses),
  balance: async (asset) => {
    if (asset !== chain.asset) return 0n
    await chain.checkNode(chain.node)
    const [follow] = await readFollow(chain.db, code)
    if (!follow || follow.next_block === null) return 0n
    return (await accountIn(chain, chain.account, follow.next_block - 1n))?.balance ?? 0n
  },
  check: async () => {
    await chain.checkNode(chain.node)
    const { head, age } = await readState(chain.node)
    const state = await readAccount(chain.node, chain.account, 'validated')
    if (!state)
      return { ok: false, message: 'The account is not funded, so it cannot receive payments below the reserve.' }
    const advice = (state.flags & requiresTag) === 0n ? ' The account does not require destination tags.' : ''
    return { ok: true, message: `Ledger ${head}, ${age} seconds old.${advice}` }
  },
})

function deposits(chain: Chain): DepositHalf {
  const { db, network, account } = chain
  const tagFor = gather(async (orders: bigint[]) => {
    const tags = new Map((await queries.tagsOf(db, code, orders)).map((row) => [row.order_id, row.tag]))
    return orders.map((order) => {
      const tag = tags.get(order)
      if (tag === undefined) throw new Error(`The order ${order} has no destination tag.`)
      return tag
    })
  })
  return {
    confirmations: network.minConfirmations,
    instruct: async ({ id }) => {
      const tag = await tagFor(id)
      const payTo = { kind: 'address', address: account, extraId: String(tag) } as const
      return { reference: referenceOf(account, tag), payTo }
    },
    look: async (reference) => {
      const tag = tagIn(account, reference)
      if (tag === undefined) return []
      return (await queries.arrivalsWith(db, code, tag)).flatMap((arrival) => eventsOf(chain, arrival))
    },
    // Senders are not stored: many of them are accounts that an exchange shares among its customers.
    origin: () => Promise.resolve('unknown'),
  }
}

/** Opens the account on the XRP Ledger that this exchange receives XRP on. Refuses more than one. */
export async function openXrplRails(
  entries: readonly XrplSettings[],
  dependencies: XrplDependencies,
): Promise<OpenedRails> {
  const [entry, ...others] = entries
  if (!entry || others.length > 0) throw new Error('There is more than one rail of the kind xrpl.')
  const chain = await openChain(entry, dependencies)
  return {
    rails: [xrplRail(chain)],
    follow: (reports) => {
      const follower = newFollower(chain, reports)
      return keepFollowing(follower, { everyMs: chain.everyMs, look: () => followOnce(follower) })
    },
  }
}
