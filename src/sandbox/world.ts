import type { BankAccount } from '../rails/bank-accounts.ts'
import type { Confirmations } from '../rails/confirmations.ts'
import type { Database } from '../platform/db/sql.ts'
import type { Queue } from '../platform/jobs/queue.ts'
import type { Clock } from '../platform/lib/clock.ts'
import type { Secrets } from '../platform/privacy/master-key.ts'

/**
 * What the sandbox's processor, bank and chains depend on. They reach the exchange by callbacks only.
 */
export type World = {
  db: Database
  clock: Clock
  queue: Queue
  secrets: { processor: Buffer }
  /** The origin of the processor's own pages. */
  url: string
  /** The operator's own accounts at the bank; without them it has the sandbox's. */
  accounts?: readonly BankAccount[] | undefined
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
