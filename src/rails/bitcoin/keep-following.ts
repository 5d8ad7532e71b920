import { detach } from '../../platform/lib/detach.ts'
import { type Follower, followOnce, type Round } from './follow.ts'
import * as queries from './queries.ts'

/** Follows a chain until it is stopped: at once while there is more to read, else after a pause. What fails is tried again. */
export function keepFollowing(follower: Follower): { stop(): Promise<void> } {
  const { chain, holder } = follower
  let stopped = false
  let timer: NodeJS.Timeout | undefined
  let running = Promise.resolve()

  async function look(): Promise<void> {
    let round: Round = 'idle'
    try {
      round = await followOnce(follower)
    } catch (error) {
      chain.log.warn({ err: error, network: chain.network.code }, 'A chain could not be followed; trying again.')
    }
    if (stopped) return
    timer = setTimeout(() => start(), round === 'more' ? 0 : chain.everyMs)
  }
  function start(): void {
    running = look()
    detach(running)
  }
  start()
  return {
    stop: async () => {
      stopped = true
      clearTimeout(timer)
      await running
      await queries.endLease(chain.db, chain.network.code, holder)
    },
  }
}
