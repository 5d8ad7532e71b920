import type { Ctx } from '../../exchange/context.ts'
import type { World } from '../rails.ts'
import type { B2bRecord, TransactionRecord } from '../../exchange/transactions/record.ts'

/** A transaction as its partner sees it: steps wait for its status. */
export type AnyRecord = TransactionRecord | B2bRecord

/** Where a step happens: what it changes goes through `ctx` and `world`, which are one block's. */
export type Scene = {
  ctx: Ctx
  world: World
  /** The process's own context, outside of the block. */
  sharedCtx: Ctx
  partnerId: bigint
  publicId: bigint
  record: AnyRecord
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
  ready?: (record: AnyRecord) => boolean
  moment?: (record: AnyRecord) => Date
  change?: (scene: Scene) => Promise<unknown>
}

/** What a step needs is not there yet: it is tried again soon, and what it has changed is not kept. */
export class NotYet extends Error {
  constructor() {
    super('Not yet.')
    this.name = 'NotYet'
  }
}
