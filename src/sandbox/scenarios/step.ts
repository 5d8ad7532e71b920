import type { Ctx } from '../../exchange/context.ts'
import type { World } from '../rails.ts'
import type { B2bRecord, TransactionRecord } from '../../exchange/transactions/record.ts'

/** A transaction as its partner sees it, by which steps know when they can happen. */
export type Seen = TransactionRecord | B2bRecord

/** Where a step happens: what it changes goes through `ctx` and `world`, which are one block's. */
export type Scene = {
  ctx: Ctx
  world: World
  /** What stands for the whole process, beyond the block. */
  house: Ctx
  partnerId: bigint
  publicId: bigint
  record: Seen
  /** The scenario's name, for the reasons that operators give. */
  name: string
  /** What an earlier step gave to be kept: an id, an amount. */
  kept: string | null
}

/**
 * What can happen in a scenario. It happens once, when it is `ready`; `moment` is the business time that must have come before.
 * `change` may give a text to be kept for later steps.
 */
export type Step = {
  ready?: (record: Seen) => boolean
  moment?: (record: Seen) => Date
  change?: (scene: Scene) => Promise<unknown>
}

/** What a step needs is not there yet: it is tried again soon, and what it has changed is not kept. */
export class NotYet extends Error {
  constructor() {
    super('Not yet.')
    this.name = 'NotYet'
  }
}
