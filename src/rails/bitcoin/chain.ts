import type { Network } from '../../reference/catalog/network.ts'
import type { Atomic, Database } from '../../platform/db/sql.ts'
import type { Clock } from '../../platform/lib/clock.ts'
import type { Log } from '../../platform/lib/log.ts'
import type { RailEvent } from '../rail.ts'
import type { Account, OwnAddress, Signer } from './keys.ts'
import type { ChainRules } from './networks.ts'
import type { AddressForms } from '../../reference/addresses/output-script.ts'
import type { Node } from './node.ts'

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
}

/** Receives the events of a chain, in the same block that stores what they report: both commit, or neither. */
export type ReportEvents = (db: Atomic, events: (RailEvent & { rail: string })[]) => Promise<void>

/** What a process that follows chains is connected to. */
export type Reports = {
  report: ReportEvents
  /** Books what gathering coins has cost. */
  charge(db: Atomic, costs: { place: string; asset: string; amount: bigint }[]): Promise<void>
  /** A rail stopped crediting, and why. */
  halt(db: Atomic, rail: string, reason: string): void
  /** What `halt` reported is over. */
  resume(db: Atomic, rail: string, reason: string): void
  /** The amount of an asset, in smallest units, below which a deposit needs one node only. */
  oneNodeBelow(asset: string): bigint
}
