import type { Ctx } from '../context.ts'
import { after } from '../../platform/lib/clock.ts'
import type { Delivery } from './delivery.ts'
import * as leases from './leases/queries.ts'
import { asRecords } from './queue/queries.ts'

/** The deliveries that this process holds, and until when nobody else takes each of them over (real time). */
export type Hand = {
  size(): number
  has(delivery: Delivery): boolean
  /** Whether it is still ours alone. */
  isOurs(delivery: Delivery): boolean
  add(delivery: Delivery, leaseUntil: Date): void
  /** False for one that was not there. */
  remove(delivery: Delivery): boolean
  /** When a lease that is taken now ends. */
  leaseEnd(): Date
  /** Starts lengthening the leases of what takes long. */
  start(): void
  /** Lets go of everything. */
  clear(): void
}

/** Opens an empty hand. Leases last `leaseMs`, and are lengthened when a third of that has gone by. */
export function openHand({ db, clock, log }: Pick<Ctx, 'db' | 'clock' | 'log'>, leaseMs: number): Hand {
  const held = new Map<Delivery, Date>()
  let renewal: NodeJS.Timeout | undefined
  const leaseEnd = () => after(clock.realNow(), leaseMs)

  async function renew(): Promise<void> {
    const soon = after(clock.realNow(), (leaseMs * 2) / 3)
    const short = [...held].filter(([, leaseUntil]) => leaseUntil < soon).map(([delivery]) => delivery)
    if (short.length === 0) return
    const leaseUntil = leaseEnd()
    try {
      const renewed = await db.atomic(async (block) => {
        asRecords(block)
        return leases.renew(block, short, leaseUntil)
      })
      for (const delivery of renewed) {
        if (held.has(delivery)) held.set(delivery, leaseUntil)
      }
    } catch (error) {
      log.warn({ err: error }, 'Leases of deliveries could not be renewed.')
    }
  }

  return {
    leaseEnd,
    size: () => held.size,
    has: (delivery) => held.has(delivery),
    isOurs: (delivery) => (held.get(delivery) ?? clock.realNow()) > clock.realNow(),
    add: (delivery, leaseUntil) => held.set(delivery, leaseUntil),
    remove: (delivery) => held.delete(delivery),
    start: () => {
      renewal = setInterval(() => void renew(), leaseMs / 3)
    },
    clear: () => {
      held.clear()
      clearInterval(renewal)
    },
  }
}
