import { type Node, openNode } from '../json-rpc.ts'
import { useTestNetwork } from '../../reference/addresses/test-network.ts'
import { findNetwork, type Network } from '../../reference/catalog/network.ts'
import type { Database } from '../../platform/db/sql.ts'
import type { Clock } from '../../platform/lib/clock.ts'
import { parseDuration } from '../../platform/lib/duration.ts'
import type { Log } from '../../platform/lib/log.ts'
import type { Secrets } from '../../platform/privacy/master-key.ts'
import { type Confirmations, confirmationsOf } from '../confirmations.ts'
import { keepIdentity, openFollow } from '../chain/follows.sql.ts'
import type { Chain } from './chain.ts'
import { openAccount, type Signer } from './keys.ts'
import type { SignerClient } from '../keys/signer-client.ts'
import { type ChainRules, chainRules } from './networks.ts'
import { remoteSigner } from './remote-signer.ts'
import { readHash } from './node.ts'
import * as queries from './queries.ts'
import type { BitcoinSettings } from './settings.ts'
import { localSigner } from './sign.ts'

/** What these rails depend on. */
export type BitcoinDependencies = {
  db: Database
  clock: Clock
  log: Log
  confirmations: Confirmations
  timeoutMs: number
  secrets: Pick<Secrets, 'keyFor'>
  /** The secret that a reference names. */
  readSecret(reference: string): string
  /** The mnemonic of a rail's keys; undefined where it only watches. */
  mnemonicOf(entry: BitcoinSettings): Promise<string | undefined>
  /** The process that holds the keys instead: then no rail opens a mnemonic. */
  signer?: SignerClient | undefined
  /** Refuses to rely on one node. */
  isLive?: boolean
}

/** Opens the chains of the settings. Refuses two rails of one coin, keys that do not open, and an account key of other keys. */
export async function openChains(
  entries: readonly BitcoinSettings[],
  dependencies: BitcoinDependencies,
): Promise<Chain[]> {
  const coins = entries.map(({ asset = 'BTC' }) => asset)
  if (new Set(coins).size < coins.length) throw new Error('Two rails of the kind bitcoin have the same coin.')
  return Promise.all(entries.map((entry) => openChain(entry, dependencies)))
}

async function openChain(entry: BitcoinSettings, dependencies: BitcoinDependencies): Promise<Chain> {
  const { db, clock, log, confirmations, timeoutMs, readSecret, isLive } = dependencies
  const { rules, forms } = chainRules(entry)
  const network = findNetwork(rules.code)
  if (!network) throw new Error(`The catalog has no network ${rules.code}.`)
  useTestNetwork(network.family, entry.network === 'mainnet' ? undefined : entry.network)
  if (isLive && entry.nodes.length < 2) {
    throw new Error(`The rail ${entry.name} needs two independent nodes.`)
  }
  const signer = await signerOf(entry, dependencies, rules)
  const accountKey = entry.account_key ?? (await signer?.accountKey()) ?? ''
  const account = openAccount(accountKey, rules, forms)
  const wallet = account.addressAt({ branch: 1, position: 0n })
  if (
    signer &&
    openAccount(await signer.accountKey(), rules, forms).addressAt({ branch: 1, position: 0n }).script !== wallet.script
  ) {
    throw new Error(`The account_key of the rail ${entry.name} is not one of its keystore.`)
  }
  await openFollow(db, 'bitcoin', network.code)
  await queries.keepWallet(db, network.code, wallet)
  const nodeAddresses = entry.nodes.map((text) => (/^(file|env):/.test(text) ? readSecret(text) : text))
  const [node, second] = nodeAddresses.map((address) => openNode(address, timeoutMs))
  if (!node) throw new Error(`The rail ${entry.name} has no node.`)
  return {
    db,
    clock,
    log,
    network,
    name: entry.name,
    confirmations: confirmationsOf({ confirmations }, network),
    rules,
    forms,
    node,
    second,
    nodeAddresses,
    account,
    accountKey,
    signer,
    wallet,
    everyMs: parseDuration(entry.every ?? 'PT5S'),
    bumpAfterMs: parseDuration(entry.bump_after ?? 'PT30M'),
    mostRate: BigInt(entry.max_fee_rate ?? 0) || rules.rate.most,
    firstBlock: entry.first_block === undefined ? undefined : BigInt(entry.first_block),
    checkNode: nodeCheck(db, network, entry),
    stampKey: dependencies.secrets.keyFor('chain-payments'),
  }
}

/** What signs for a rail: the signer's process if there is one that knows its chain, else keys in this process, if any. */
async function signerOf(
  entry: BitcoinSettings,
  { signer, mnemonicOf }: BitcoinDependencies,
  rules: ChainRules,
): Promise<Signer | undefined> {
  if (!signer || rules.asset === 'DOGE-DOGE') {
    const mnemonic = await mnemonicOf(entry)
    return mnemonic === undefined ? undefined : localSigner(mnemonic, rules)
  }
  if (entry.keys) throw new Error(`The rail ${entry.name} has keys, but custody.signer holds them. Remove one of them.`)
  return remoteSigner(signer, entry)
}

/** Forked off from Bitcoin at this block (chainparams): the first that only Bitcoin Cash has, and the beginning of its hash. */
const cashFork = { height: 478_559n, hash: '000000000000000000651ef99cb9fcbe' }

/** Refuses a node of another chain than the rail's, and of another than it has followed before. */
function nodeCheck(db: Database, { code, caip2 }: Network, entry: BitcoinSettings): (node: Node) => Promise<void> {
  const known = new WeakSet<Node>()
  return async (node) => {
    if (known.has(node)) return
    const genesis = await readHash(node, 0n)
    if (genesis === undefined) throw new Error(`A node of ${code} has no first block.`)
    if ((entry.network ?? 'mainnet') === 'mainnet') {
      const isCash = (await readHash(node, cashFork.height))?.startsWith(cashFork.hash) ?? false
      const [, chain = ''] = caip2?.split(':') ?? []
      const isRight = code === 'BCH' ? isCash : !isCash && genesis.startsWith(chain)
      if (!isRight) throw new Error(`A node for ${code} is one of another chain.`)
    }
    const [kept] = await keepIdentity(db, 'bitcoin', code, genesis)
    if (kept?.identity !== genesis) throw new Error(`A node for ${code} is one of another chain than before.`)
    known.add(node)
  }
}
