import { type Node } from '../json-rpc.ts'
import type { Network } from '../../reference/catalog/network.ts'
import type { Database } from '../../platform/db/sql.ts'
import type { Clock } from '../../platform/lib/clock.ts'
import type { Log } from '../../platform/lib/log.ts'
import type { Account, OwnAddress, Signer } from './keys.ts'
import type { ChainRules } from './networks.ts'
import type { AddressForms } from '../../reference/addresses/output-script.ts'

/** A chain of Bitcoin's family that we hold coins on. */
export type Chain = {
  db: Database
  clock: Clock
  log: Log
  network: Network
  /** The rail's name. */
  name: string
  /** Blocks, its own included, after which a transfer is final. */
  confirmations: number
  rules: ChainRules
  forms: AddressForms
  /** The one that is read, and the one that must agree, if there is one. */
  node: Node
  second: Node | undefined
  /** Their addresses, which may hold keys. */
  nodeAddresses: readonly string[]
  account: Account
  /** Its extended public key. */
  accountKey: string
  /** Undefined where we watch without being able to sign. */
  signer: Signer | undefined
  /** Where change returns to: m/.../1/0. Coins sent here are ours to pay out. */
  wallet: OwnAddress
  everyMs: number
  bumpAfterMs: number
  mostRate: bigint
  firstBlock: bigint | undefined
  /** Refuses a node of another chain; asked once of each. */
  checkNode(node: Node): Promise<void>
  /** Stamps what may be paid. */
  stampKey: Buffer
}
