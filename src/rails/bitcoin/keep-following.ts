import { nextLook } from '../chain/lease.ts'
import { keepLooking } from '../keep-looking.ts'
import { type Follower, followOnce } from './follow.ts'
import * as queries from './queries.ts'

/** Follows a chain until it is stopped. What fails is tried again. */
export function keepFollowing(follower: Follower): { stop(): Promise<void> } {
  const { chain, holder } = follower
  const { db, log, network, everyMs } = chain
  return keepLooking({
    look: async () => nextLook(await followOnce(follower)),
    onError: (error) => log.warn({ err: error, network: network.code }, 'A chain could not be followed; trying again.'),
    everyMs,
    release: () => queries.endLease(db, network.code, holder),
  })
}
