import type { Confirmations } from '../confirmations.ts'
import type { EvmSettings } from './settings.ts'
import type { Network } from '../../reference/catalog/network.ts'
import type { Database } from '../../platform/db/sql.ts'
import type { Clock } from '../../platform/lib/clock.ts'
import type { Log } from '../../platform/lib/log.ts'
import type { SignerClient } from '../keys/signer-client.ts'
import type { Keys } from './keys.ts'
import type { Node } from './node.ts'

/** The settings that the EVM's rails read. */
export type EvmConfig = {
  environment: { catalogChainsOnly: boolean }
  evm: EvmSettings
  confirmations: Confirmations
  outsideTimeoutMs: number
}

/** What the EVM's rails depend on. */
export type EvmDependencies = {
  config: EvmConfig
  db: Database
  clock: Clock
  log: Log
  /** The process that holds the keys, where the settings name no keystore. */
  signer?: SignerClient | undefined
}

/** A chain of the EVM that we hold money on. */
export type Chain = Omit<EvmDependencies, 'config' | 'signer'> & {
  network: Network
  /** The rail's name, `evm-eth`: its money in and out. */
  name: string
  /** Blocks, its own included, after which a transfer is final. */
  confirmations: number
  settings: EvmSettings
  node: Node
  keys: Keys
  /** The chain's id, asked once; refuses a node of another chain. */
  chainId(): Promise<bigint>
}

/** The rail of a chain. */
export const railName = ({ code }: Pick<Network, 'code'>): string => `evm-${code.toLowerCase()}`

/** Whether an address is the wallet that pays out. */
export const isHot = ({ keys }: Pick<Chain, 'keys'>, address: string): boolean =>
  address.toLowerCase() === keys.hot.toLowerCase()
