import { after, type Clock } from '../../platform/lib/clock.ts'
import { detach } from '../../platform/lib/detach.ts'
import type { Log } from '../../platform/lib/log.ts'
import type { Round } from '../two-nodes.ts'
import type { Term } from './follows.sql.ts'

/** How long a process that fell silent keeps a chain, in real milliseconds. */
const leaseMs = 12_000

/** How often a process that waits asks for the chain, so that its next block is read within fifteen seconds of a crash. */
const waitingMs = 1_000

type Follower = { clock: Pick<Clock, 'realNow'>; log: Log; network: { code: string } }

/**
 * Looks at a chain under its lease, which is renewed for as long as the look takes; 'elsewhere' where another process has it. `take`
 * takes or keeps the lease.
 */
export async function underLease<Lease>(
  { clock, log, network }: Follower,
  take: (term: Term) => Promise<readonly Lease[]>,
  look: (lease: Lease) => Promise<Round>,
): Promise<Round> {
  const keep = () => {
    const now = clock.realNow()
    return take({ now, until: after(now, leaseMs) })
  }
  const [lease] = await keep()
  if (lease === undefined) return 'elsewhere'
  let renewal: Promise<unknown> = Promise.resolve()
  const timer = setInterval(() => {
    // Where it is lost, what the look writes is refused by the fence.
    renewal = keep().catch((err: unknown) => log.warn({ err, network: network.code }, 'Failed to renew a lease.'))
    detach(renewal)
  }, leaseMs / 3)
  try {
    return await look(lease)
  } finally {
    clearInterval(timer)
    await renewal
  }
}

/** What `keepLooking` does after a round: reads on, asks for the lease again soon, or waits as usual. */
export const nextLook = (round: Round): boolean | number => (round === 'elsewhere' ? waitingMs : round === 'more')
