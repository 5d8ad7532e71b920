import type { EvmSettings } from './settings.ts'
import { findNetwork, type Network } from '../../reference/catalog/network.ts'
import { confirmationsOf } from '../confirmations.ts'
import { type Chain, type EvmDependencies, railName } from './chain.ts'
import { deriveKeys, type Keys } from './keys.ts'
import { readKeystore, readPasswordFile } from '../keys/keystore.ts'
import { openNode } from './node.ts'
import { remoteKeys } from './remote-keys.ts'
import * as queries from './queries.ts'

/** Opens the chains that have a node in the settings, with the keys of the keystore. See `openEvmRails`. */
export async function openChains(dependencies: EvmDependencies): Promise<Chain[]> {
  const { rpcUrls } = dependencies.config.evm
  const codes = Object.keys(rpcUrls)
  if (codes.length === 0) return []
  const networks = codes.map(evmNetwork)
  const keys = await openKeys(dependencies)
  await queries.keepAddresses(dependencies.db, [{ address: keys.hot.toLowerCase(), derivation: null }])
  return Promise.all(networks.map((network) => openChain(dependencies, network, keys)))
}

/** The keystore of the settings, else the signer. */
async function openKeys({ config, signer }: EvmDependencies): Promise<Keys> {
  const { keystoreFile } = config.evm
  if (keystoreFile !== undefined) return deriveKeys(await readKeystore(keystoreFile, await keystorePassword(config)))
  if (!signer) throw new Error('EVM_RPC_URLS needs keys: set EVM_KEYSTORE_FILE, or custody.signer in CONFIG_FILE.')
  return remoteKeys(signer)
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

async function openChain(dependencies: EvmDependencies, network: Network, keys: Keys): Promise<Chain> {
  const { config, signer: _signer, ...rest } = dependencies
  const name = railName(network)
  const node = openNode(config.evm.rpcUrls[network.code] ?? '', config.outsideTimeoutMs)
  await queries.openChain(rest.db, network.code)
  let known: bigint | undefined
  return {
    ...rest,
    network,
    name,
    confirmations: confirmationsOf(config, network),
    settings: config.evm,
    node,
    keys,
    chainId: async () => {
      if (known !== undefined) return known
      const reported = BigInt(await node.ask<string>('eth_chainId'))
      if (config.environment.catalogChainsOnly && network.caip2 !== `eip155:${reported}`) {
        throw new Error(`The node for ${network.code} is one of the chain eip155:${reported}.`)
      }
      const [kept] = await queries.keepChainId(rest.db, network.code, reported)
      if (kept?.chain_id !== reported) {
        throw new Error(
          `The node for ${network.code} is one of the chain ${reported}, not ${kept?.chain_id} as before.`,
        )
      }
      known = reported
      return reported
    },
  }
}
