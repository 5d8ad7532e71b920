import type { Atomic } from '../../../platform/db/sql.ts'
import { lockFollow } from '../../chain/follows.sql.ts'
import type { Chain } from '../chain.ts'

/** One look: the fence of the lease, the head of the ledger, the last ledger that both nodes agree on, and where costs are booked. */
export type Look = {
  fence: bigint
  head: bigint
  agreed: bigint
  /** In drops. */
  charge(db: Atomic, amount: bigint): Promise<void>
}

/** Writes under the lease's fence. */
export const inFence = <T>(
  { db, network }: Chain,
  { fence }: Look,
  write: (block: Atomic) => T | Promise<T>,
): Promise<T> =>
  db.atomic(async (block) => {
    const [locked] = await lockFollow(block, network.code, fence)
    if (locked?.halted !== null) {
      throw new Error(`Nothing is sent on ${network.code} now: another process follows it, or it was halted.`)
    }
    return write(block)
  })
