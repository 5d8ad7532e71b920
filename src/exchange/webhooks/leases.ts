import type { Ctx } from '../context.ts'
import { planByIndex } from '../../platform/db/plan.ts'
import { after } from '../../platform/lib/clock.ts'
import { type Delivery, setLeases } from './queue.ts'

/** The deliveries that this process holds, and until when no other process claims each of them (real time). */
export type Leases = {
  size(): number
  has(delivery: Delivery): boolean
  /** Whether no other process can have claimed it. */
  isValid(delivery: Delivery): boolean
  add(delivery: Delivery, until: Date): void
  /** False for a delivery that is not held. */
  remove(delivery: Delivery): boolean
  /** When a lease that is taken now ends. */
  end(): Date
  /** Returns deliveries to the queue, for any process. */
  release(deliveries: Delivery[]): Promise<void>
  start(): void
  stop(): void
}

/** Opens an empty set of leases that last `leaseMs` and are renewed when a third of that has passed. */
export function openLeases({ db, clock, log }: Pick<Ctx, 'db' | 'clock' | 'log'>, leaseMs: number): Leases {
  const held = new Map<Delivery, Date>()
  let renewal: NodeJS.Timeout | undefined
  const end = () => after(clock.realNow(), leaseMs)

  const update = (deliveries: Delivery[], until: Date | null) =>
    db.atomic(async (block) => {
      planByIndex(block, { flush: false })
      return setLeases(block, deliveries, until)
    })

  async function renew(): Promise<void> {
    const soon = after(clock.realNow(), (leaseMs * 2) / 3)
    const expiring = [...held].filter(([, until]) => until < soon).map(([delivery]) => delivery)
    if (expiring.length === 0) return
    const until = end()
    try {
      for (const index of await update(expiring, until)) {
        const delivery = expiring[index]
        if (delivery && held.has(delivery)) held.set(delivery, until)
      }
    } catch (error) {
      log.warn({ err: error }, 'Failed to renew leases of deliveries; retrying.')
    }
  }

  return {
    end,
    size: () => held.size,
    has: (delivery) => held.has(delivery),
    isValid: (delivery) => (held.get(delivery) ?? clock.realNow()) > clock.realNow(),
    add: (delivery, until) => held.set(delivery, until),
    remove: (delivery) => held.delete(delivery),
    release: async (deliveries) => {
      await update(deliveries, null)
    },
    start: () => {
      renewal = setInterval(() => void renew(), leaseMs / 3)
    },
    stop: () => {
      held.clear()
      clearInterval(renewal)
    },
  }
}
