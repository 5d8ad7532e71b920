import type { Ctx } from '../context.ts'
import { planByIndex } from '../../platform/db/plan.ts'
import type { Atomic } from '../../platform/db/sql.ts'
import { eventId } from '../events/event.ts'
import { openOpener } from '../events/open-many.ts'
import type { Sequenced } from '../events/relay.ts'
import { stopwatch } from '../../platform/lib/clock.ts'
import type { LookUp } from '../../platform/lib/http.ts'
import type { Attempt } from './attempts.ts'
import { openBatchWriter } from './batch-writer.ts'
import {
  applyFeedback,
  awaitProbe,
  capacityOf,
  closeIdle,
  closeQueue,
  type EndpointQueue,
  isKnown,
  newEndpointQueue,
  nextReady,
  type Ready,
  wantsMore,
} from './endpoint-queue.ts'
import { openLeases } from './leases.ts'
import { type Capacity, claim, type Delivery, type Enqueued, enqueue, nextDue, streamKey } from './queue.ts'
import { settleAttempts } from './settle.ts'
import { signedHeaders } from './sign.ts'
import { type Connecting, type Target, targetInTurn, targetOf } from './target.ts'

/** Delivers events to partners' endpoints, at least once and in each stream's order. Any number of processes may have one. */
export type Sender = {
  /** For the relay: queues deliveries in its block. Those that this process leases are sent right after the commit. */
  onSequenced: (db: Atomic, events: Sequenced[]) => void
  /** Claims due deliveries soon. */
  wake(): void
  /** Reads every endpoint again, because `service_state.version` has risen. */
  forget(): void
  start(): void
  /** Claims nothing more, records what is in progress (within SHUTDOWN_GRACE) and releases the rest. */
  stop(): Promise<void>
  /** True when this process holds nothing and records nothing. */
  idle(): boolean
  /** The next business time, at or before `until`, at which something is due, and how much is due by then. */
  nextDue(until: Date): Promise<{ at: Date; count: number } | undefined>
}

/** Options for tests, in real milliseconds. `lookUp` replaces the name servers. */
export type SenderOptions = { leaseMs?: number; pollMs?: number; lookUp?: LookUp }

/** The most deliveries that this process holds. */
const maxHeld = 4_096
/** How many events are loaded and opened before the first of them is sent. */
const loadBatch = 128
/** How many streams are remembered because an event waits there for the one that is being sent. */
const maxBlocked = 4_096

/** Opens this process's sender. */
export function openSender(
  ctx: Ctx,
  { leaseMs = ctx.config.jobs.leaseMs, pollMs = 1_000, lookUp }: SenderOptions = {},
): Sender {
  const { clock, log } = ctx
  const queues = new Map<bigint, EndpointQueue>()
  const connecting: Connecting = { pools: new Set(), lookUp }
  const leases = openLeases(ctx, leaseMs)
  const opener = openOpener(ctx)
  const writer = openBatchWriter<Attempt>({ write: record, drop: ({ delivery }) => letGo(delivery) }, log)
  /** An attempt in one of these streams is recorded at once. */
  const blocked = new Set<string>()
  let started = false
  let claiming: Promise<void> | undefined
  let isAsked = false
  /** More was due than this process can hold. */
  let wasFull = false
  let poll: NodeJS.Timeout | undefined

  const logFailure = (error: unknown) =>
    log.error({ err: error }, 'Failed to process a delivery; it is sent again when its lease expires.')

  function queueOf(endpointId: bigint): EndpointQueue {
    const queue = queues.get(endpointId) ?? newEndpointQueue(endpointId)
    queues.set(endpointId, queue)
    return queue
  }

  /** New events of an endpoint with a backlog are left behind what is due there already. */
  function capacity(forNewEvents: boolean): Capacity {
    const crowded = leases.size() > maxHeld / 2
    const overrides = [...queues.values()]
      .filter(isKnown)
      .map((queue) => ({ id: queue.endpointId, limit: forNewEvents && queue.backlog ? 0 : capacityOf(crowded, queue) }))
    const isOpen = started && !ctx.halts.now().restored
    return { each: capacityOf(crowded), total: isOpen ? Math.max(0, maxHeld - leases.size()) : 0, overrides }
  }

  function onSequenced(db: Atomic, events: Sequenced[]): void {
    const leaseUntil = leases.end()
    const enqueuing = enqueue(db, events, { now: clock.now(), leaseUntil, capacity: capacity(true) })
    enqueuing.catch(() => undefined)
    db.afterCommit(() => {
      acceptNew(enqueuing, leaseUntil).catch(logFailure)
    })
  }

  async function acceptNew(enqueuing: Promise<Enqueued>, leaseUntil: Date): Promise<void> {
    const enqueued = await enqueuing
    for (const endpointId of enqueued.left) queueOf(endpointId).backlog = true
    for (const stream of enqueued.blocked) blocked.add(stream)
    for (const oldest of blocked) {
      if (blocked.size <= maxBlocked) break
      blocked.delete(oldest)
    }
    if (enqueued.blocked.length > 0) writer.flush()
    await accept(enqueued.leased, leaseUntil)
  }

  async function accept(deliveries: Delivery[], leaseUntil: Date): Promise<void> {
    for (const delivery of deliveries) {
      leases.add(delivery, leaseUntil)
      const queue = queueOf(delivery.endpointId)
      queue.held += 1
      queue.idleMs = undefined
    }
    for (let from = 0; from < deliveries.length; from += loadBatch) await load(deliveries.slice(from, from + loadBatch))
  }

  async function load(deliveries: Delivery[]): Promise<void> {
    const loaded = await opener
      .load(
        ctx.db,
        deliveries.map(({ eventRow }) => eventRow),
      )
      .catch((error: unknown) => {
        logFailure(error)
        return []
      })
    if (!started) return release(deliveries)
    for (const [index, delivery] of deliveries.entries()) {
      const event = loaded[index]
      if (event) queueOf(delivery.endpointId).ready.push({ delivery, ...event })
      else letGo(delivery)
    }
    for (const endpointId of new Set(deliveries.map((delivery) => delivery.endpointId))) dispatch(queueOf(endpointId))
  }

  function letGo(delivery: Delivery): void {
    if (!leases.remove(delivery)) return
    const queue = queueOf(delivery.endpointId)
    queue.held -= 1
    const hasRoom = wasFull && leases.size() <= maxHeld / 2
    if (hasRoom) wasFull = false
    if (hasRoom || wantsMore(queue)) wake()
  }

  async function release(deliveries: Delivery[]): Promise<void> {
    if (deliveries.length === 0) return
    try {
      await leases.release(deliveries)
    } finally {
      for (const delivery of deliveries) letGo(delivery)
    }
  }

  function dispatch(queue: EndpointQueue): void {
    if (!started) return
    for (let next = nextReady(queue); next; next = nextReady(queue)) send(queue, next).catch(logFailure)
    awaitProbe(queue, () => dispatch(queue))
  }

  async function send(queue: EndpointQueue, ready: Ready): Promise<void> {
    const { delivery } = ready
    queue.sending += 1
    try {
      const target = await targetInTurn(ctx, queue, connecting)
      if (!target) await release([delivery])
      else if (!leases.isValid(delivery)) letGo(delivery)
      else await note(queue, await attempt(target, ready))
    } catch (error) {
      logFailure(error)
      letGo(delivery)
    } finally {
      queue.sending -= 1
      dispatch(queue)
    }
  }

  async function attempt({ pool, secrets }: Target, { delivery, event, body }: Ready): Promise<Attempt> {
    const sentAt = clock.realNow()
    const answer = await pool.post(body, signedHeaders(eventId(delivery), sentAt, body, secrets(clock.now())))
    return { delivery, event, answer, at: clock.now(), url: pool.url, sentAt }
  }

  async function note(queue: EndpointQueue, attempted: Attempt): Promise<void> {
    const surplus = applyFeedback(queue, attempted.answer)
    if (leases.has(attempted.delivery)) {
      writer.add(attempted)
      if (blocked.size > 0 && blocked.has(streamKey(attempted.delivery))) writer.flush()
    }
    await release(surplus.map(({ delivery }) => delivery))
  }

  async function record(attempts: Attempt[]): Promise<void> {
    const leaseUntil = leases.end()
    const { next, hasWoken } = await settleAttempts(ctx, attempts, started ? leaseUntil : null).catch(
      (error: unknown) => {
        // When the process stops they are not recorded again: their leases expire, and the events are sent once more.
        if (!started) for (const { delivery } of attempts) letGo(delivery)
        throw error
      },
    )
    for (const { delivery } of attempts) letGo(delivery)
    await accept(next, leaseUntil)
    if (hasWoken) wake()
  }

  function wake(): void {
    if (!started) return
    isAsked = true
    claiming ??= claimDue()
  }

  async function claimDue(): Promise<void> {
    clearTimeout(poll)
    // Without room nothing else is waited for, and `claiming` would be set after its end.
    await Promise.resolve()
    try {
      while (isAsked && started) {
        isAsked = false
        const room = capacity(false)
        if (room.total > 0) await claimInto(room)
        else wasFull = true
      }
    } catch (error) {
      log.warn({ err: error }, 'Failed to claim due deliveries; retrying.')
    } finally {
      claiming = undefined
      closeIdle(queues)
      if (started) poll = setTimeout(wake, pollMs * (0.8 + 0.4 * Math.random()))
    }
  }

  async function claimInto(room: Capacity): Promise<void> {
    const leaseUntil = leases.end()
    const claimed = await ctx.db.atomic(async (db) => {
      planByIndex(db, { flush: false })
      return claim(db, { now: clock.now(), realNow: clock.realNow(), leaseUntil, capacity: room })
    })
    wasFull ||= claimed.length === room.total
    // Where all the capacity was used there may be more.
    const limits = new Map(room.overrides.map(({ id, limit }) => [id, limit]))
    const counts = new Map<bigint, number>(room.overrides.map(({ id }) => [id, 0]))
    for (const { endpointId } of claimed) counts.set(endpointId, (counts.get(endpointId) ?? 0) + 1)
    for (const [id, count] of counts) queueOf(id).backlog = count >= (limits.get(id) ?? room.each)
    await accept(claimed, leaseUntil)
  }

  async function stop(): Promise<void> {
    started = false
    clearTimeout(poll)
    await claiming
    const ready = [...queues.values()].flatMap((queue) => queue.ready.splice(0))
    await release(ready.map(({ delivery }) => delivery)).catch(logFailure)
    const elapsed = stopwatch()
    for (const { current } of queues.values()) current?.limiter?.stop()
    while (leases.size() > 0 && elapsed() < ctx.config.shutdownGraceMs) {
      await writer.drain()
      if (leases.size() > 0) await new Promise((resolve) => setTimeout(resolve, 5))
    }
    leases.stop()
    for (const queue of queues.values()) closeQueue(queue)
    for (const pool of connecting.pools) pool.close()
    await opener.stop()
  }

  return {
    onSequenced,
    wake,
    stop,
    idle: () => leases.size() === 0 && claiming === undefined && writer.idle(),
    nextDue: (until) => nextDue(ctx.db, until),
    forget: () => {
      for (const queue of queues.values()) {
        queue.target = undefined
        // What waits for the rate limit learns at once that the endpoint has moved or gets nothing more.
        if (queue.sending > 0) targetOf(ctx, queue, connecting).catch(logFailure)
      }
      wake()
    },
    start: () => {
      started = true
      leases.start()
      wake()
    },
  }
}
