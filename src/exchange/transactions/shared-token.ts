import type { Atomic } from '../../platform/db/sql.ts'
import type { Ctx } from '../context.ts'
import type { Transaction } from './transaction.ts'

/** The job that takes over the person whose shared token came with a create. Its key is the transaction's public id. */
export const sharedTokenDue = 'transaction.shared_token'

/**
 * Leaves shared tokens that came with creates to a job: no create waits for a provider, or fails by it. The token lies
 * sealed in the transaction until then, and nowhere else.
 */
export function takeSharedTokens({ queue, clock }: Ctx, db: Atomic, created: Transaction[]): void {
  const shared = created.filter(({ personal }) => personal.sharedToken !== undefined)
  queue.enqueue(
    db,
    shared.map(({ publicId }) => ({ kind: sharedTokenDue, key: String(publicId), runAt: clock.now() })),
  )
}
