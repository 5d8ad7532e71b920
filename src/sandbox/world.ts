import type { Confirmations } from '../rails/confirmations.ts'
import type { Database } from '../platform/db/sql.ts'
import type { Queue } from '../platform/jobs/queue.ts'
import type { Clock } from '../platform/lib/clock.ts'
import type { Secrets } from '../platform/privacy/master-key.ts'

/**
 * What the sandbox's world of money stands on: its processor, its bank and its chains. It has no other way to reach the
 * exchange than its callbacks.
 */
export type World = {
  db: Database
  clock: Clock
  queue: Queue
  secrets: { processor: Buffer }
  /** The origin of the processor's own pages. */
  url: string
  /** Confirmations that the operator has set, by network. */
  confirmations: Confirmations
  /**
   * How often a chain makes a block, in milliseconds; every second unless a test is in a hurry. It never gets slower:
   * blocks are numbered by it.
   */
  blockMs?: number
}

/** The key with which the sandbox's institutions sign what they report. */
export const processorKey = ({ keyFor }: Pick<Secrets, 'keyFor'>): World['secrets'] => ({
  processor: keyFor('sandbox-processor'),
})
