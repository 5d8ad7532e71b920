import type { Confirmations } from '../confirmations.ts'
import type { EvmSettings } from './settings.ts'
import type { Network } from '../../reference/catalog/network.ts'
import type { Database } from '../../platform/db/sql.ts'
import type { Clock } from '../../platform/lib/clock.ts'
import type { Log } from '../../platform/lib/log.ts'
import type { Secrets } from '../../platform/privacy/master-key.ts'
import type { SignerClient } from '../keys/signer-client.ts'
import type { Keys } from './keys.ts'
import type { Node } from './node.ts'
import type { EvmEntry } from './settings.ts'

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
  secrets: Pick<Secrets, 'keyFor'>
  /** The process that holds the keys, where the settings name no keystore. */
  signer?: SignerClient | undefined
  /** The rails of CONFIG_FILE. */
  entries?: readonly EvmEntry[] | undefined
  /** The secret that a reference names. */
  readSecret?: ((reference: string) => string) | undefined
  /** A folder to make a keystore in where there is no other, for coins without worth. */
  madeKeys?: string | undefined
}

/** A chain of the EVM that we hold money on. */
export type Chain = Pick<EvmDependencies, 'db' | 'clock' | 'log'> & {
  network: Network
  /** The rail's name, by default `evm-eth`: its money in and out. */
  name: string
  /** Blocks, its own included, after which a transfer is final. */
  confirmations: number
  settings: Pick<EvmSettings, 'maxFeeGwei' | 'bumpAfterMs' | 'scanEveryMs'>
  /** The one that is read, and the one that must agree, if there is one. */
  node: Node
  second: Node | undefined
  /** Their addresses, which may hold keys. */
  nodeAddresses: readonly string[]
  keys: Keys
  /** The chain's id, asked once; refuses a node of another chain. */
  chainId(): Promise<bigint>
  /** Refuses a node of another chain. */
  checkNode(node: Node): Promise<void>
  /** Stamps what may be paid. */
  stampKey: Buffer
}

/** The nodes of a chain that are asked about our own money. */
export const nodesOf = ({ node, second }: Pick<Chain, 'node' | 'second'>): Node[] => (second ? [node, second] : [node])

/** The rail of a chain. */
export const railName = ({ code }: Pick<Network, 'code'>): string => `evm-${code.toLowerCase()}`

/** Whether an address is the wallet that pays out. */
export const isHot = ({ keys }: Pick<Chain, 'keys'>, address: string): boolean =>
  address.toLowerCase() === keys.hot.toLowerCase()
