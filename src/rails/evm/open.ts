import type { EvmEntry, EvmSettings } from './settings.ts'
import { findNetwork, type Network } from '../../reference/catalog/network.ts'
import { confirmationsOf } from '../confirmations.ts'
import { parseDuration } from '../../platform/lib/duration.ts'
import { type Chain, type EvmConfig, type EvmDependencies, railName } from './chain.ts'
import { deriveKeys, type Keys, newMnemonic } from './keys.ts'
import { readKeystore, readPasswordFile } from '../keys/keystore.ts'
import { type Node, openNode } from './node.ts'
import { makeKeys } from '../keys/made-keys.ts'
import { remoteKeys } from './remote-keys.ts'
import { keepIdentity, openFollow } from '../chain/follows.sql.ts'
import { watchAll } from './by-contract.sql.ts'
import * as queries from './queries.ts'

/** Opens the chains of the settings and of CONFIG_FILE. See `openEvmRails`. */
export async function openChains(dependencies: EvmDependencies): Promise<Chain[]> {
  const { rpcUrls } = dependencies.config.evm
  const simple = Object.entries(rpcUrls).map(([code, url]): EvmEntry => {
    const network = evmNetwork(code)
    return { kind: 'evm', name: railName(network), network: network.code, nodes: [url] }
  })
  const entries = [...simple, ...(dependencies.entries ?? [])]
  if (entries.length === 0) return []
  const codes = entries.map(({ network }) => network)
  if (new Set(codes).size < codes.length) throw new Error('Two rails of the EVM have the same network.')
  const keys = await openKeys(dependencies)
  await queries.keepAddresses(dependencies.db, [{ address: keys.hot.toLowerCase(), derivation: null }])
  return Promise.all(entries.map((entry) => openChain(dependencies, entry, keys)))
}

/** The keystore of the settings, else the signer, else a keystore that is made for coins without worth. */
async function openKeys({ config, signer, madeKeys }: EvmDependencies): Promise<Keys> {
  const { keystoreFile } = config.evm
  if (keystoreFile !== undefined) return deriveKeys(await readKeystore(keystoreFile, await keystorePassword(config)))
  if (signer) return remoteKeys(signer)
  if (madeKeys !== undefined) return deriveKeys(await makeKeys(madeKeys, 'evm', newMnemonic))
  throw new Error('Chains of the EVM need keys: set EVM_KEYSTORE_FILE, or custody.signer in CONFIG_FILE.')
}

function evmNetwork(code: string): Network {
  const network = findNetwork(code)
  if (network?.family !== 'evm') throw new Error(`EVM_RPC_URLS: ${code} is no network of the EVM.`)
  return network
}

/** The keystore's password: of the file that the settings name, else of the settings themselves. */
export async function keystorePassword({ evm }: { evm: EvmSettings }): Promise<string> {
  if (evm.keystorePasswordFile !== undefined) return readPasswordFile(evm.keystorePasswordFile)
  if (evm.keystorePassword !== undefined) return evm.keystorePassword
  throw new Error('The keystore needs EVM_KEYSTORE_PASSWORD_FILE or EVM_KEYSTORE_PASSWORD.')
}

async function openChain(dependencies: EvmDependencies, entry: EvmEntry, keys: Keys): Promise<Chain> {
  const { config, db, clock, log, readSecret, secrets } = dependencies
  const network = evmNetwork(entry.network)
  const urlOf = (text: string): string => (readSecret && /^(file|env):/.test(text) ? readSecret(text) : text)
  const nodeAddresses = entry.nodes.map(urlOf)
  const [node, second] = nodeAddresses.map((address) => openNode(address, config.outsideTimeoutMs))
  if (!node) throw new Error(`The rail ${entry.name} has no node.`)
  if (config.environment.catalogChainsOnly && !second && dependencies.entries?.includes(entry)) {
    throw new Error(`The rail ${entry.name} needs two independent nodes.`)
  }
  if ((await openFollow(db, 'evm', network.code)).length > 0) await watchAll(db, network.code, clock.realNow())
  const idOf = chainIdOf(config, db, { network, entry })
  return {
    db,
    clock,
    log,
    network,
    name: entry.name,
    confirmations: confirmationsOf(config, network),
    settings: {
      maxFeeGwei: entry.max_fee_gwei ?? config.evm.maxFeeGwei,
      bumpAfterMs: entry.bump_after === undefined ? config.evm.bumpAfterMs : parseDuration(entry.bump_after),
      scanEveryMs: entry.every === undefined ? config.evm.scanEveryMs : parseDuration(entry.every),
    },
    node,
    second,
    nodeAddresses,
    keys,
    chainId: () => idOf(node),
    checkNode: async (one) => void (await idOf(one)),
    stampKey: secrets.keyFor('chain-payments'),
  }
}

/** Asks each node once which chain it is of. Refuses another one than the catalog, the entry or the first start says. */
function chainIdOf(
  { environment }: EvmConfig,
  db: Chain['db'],
  { network: { code, caip2 }, entry }: { network: Network; entry: EvmEntry },
): (node: Node) => Promise<bigint> {
  const known = new WeakMap<Node, bigint>()
  return async (node) => {
    const before = known.get(node)
    if (before !== undefined) return before
    const reported = BigInt(await node.ask<string>('eth_chainId'))
    const isOther = entry.chain_id !== undefined && BigInt(entry.chain_id) !== reported
    if (isOther || (environment.catalogChainsOnly && caip2 !== `eip155:${reported}`)) {
      throw new Error(`The node for ${code} is one of the chain eip155:${reported}.`)
    }
    const [kept] = await keepIdentity(db, 'evm', code, String(reported))
    if (kept?.identity !== String(reported)) {
      throw new Error(`The node for ${code} is one of the chain ${reported}, not ${kept?.identity} as before.`)
    }
    known.set(node, reported)
    return reported
  }
}
