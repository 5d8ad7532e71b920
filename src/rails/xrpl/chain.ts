import type { Signer } from './keys.ts'
import type { Node } from '../json-rpc.ts'
import type { Network } from '../../reference/catalog/network.ts'
import type { Database } from '../../platform/db/sql.ts'
import type { Clock } from '../../platform/lib/clock.ts'
import type { Log } from '../../platform/lib/log.ts'

/** The XRP Ledger and our account on it. */
export type Chain = {
  db: Database
  clock: Clock
  log: Log
  network: Network
  /** The rail's name. */
  name: string
  /** The catalog's asset of XRP. Amounts are in drops. */
  asset: string
  account: string
  /** The one that is read, and the one that must agree, if there is one. */
  node: Node
  second: Node | undefined
  /** Their addresses, which may hold keys. */
  nodeAddresses: readonly string[]
  /** Undefined where the service has no key of the account, nor a signer that has it. */
  signer: Signer | undefined
  /** The most that one payment may cost, in drops. */
  mostFee: bigint
  everyMs: number
  /** Refuses a node of another network; asked once of each. */
  checkNode(node: Node): Promise<void>
  /** Stamps what may be paid. */
  stampKey: Buffer
}
