import { stopwatch } from '../../platform/lib/clock.ts'
import type { SealedEvent } from '../events/open-body.ts'
import type { Answer } from './connection-pool.ts'
import type { Delivery } from './queue.ts'
import type { TargetCache } from './target.ts'

/** A delivery with its event and the body to send (UTF-8). */
export type Ready = { delivery: Delivery; event: SealedEvent; body: Buffer }

/** What this process has to do with one endpoint. Queues do not wait for each other. */
export type EndpointQueue = TargetCache & {
  ready: Ready[]
  /** Attempts in progress. */
  sending: number
  /** All deliveries that are leased here: not yet loaded, ready, in progress, and not yet recorded. */
  held: number
  /** Failures since the last success. */
  failures: number
  /** Moving average of the response time in milliseconds; undefined before the first success. */
  tookMs: number | undefined
  /** More may be due than this process took. */
  backlog: boolean
  /** Attempts that may still be made at an endpoint that only fails, as of `probesSince`. */
  probes: number
  probesSince: () => number
  probeTimer: NodeJS.Timeout | undefined
  /** How long no delivery has been held; undefined while one is. */
  idleMs: (() => number) | undefined
}

/** The most connections to one endpoint. */
const maxSending = 16
/** An endpoint with so many failures in a row is sent one event at a time. */
const suspectAfter = 4
/** The bounds of how many deliveries are held of an endpoint: as many as it takes in `heldMs`. */
const maxHeld = 1_024
const heldMs = 500
const defaultHeld = 64
const crowdedHeld = 4
const slowMs = 1_000
/** An endpoint that only fails gets so many attempts as fast as it answers, and then so many a second. */
const maxProbes = 200
const probesPerSecond = 5
/** A queue without work for so long is closed. */
const maxIdleMs = 3_600_000

/** Makes an empty queue. */
export const newEndpointQueue = (endpointId: bigint): EndpointQueue => ({
  endpointId,
  ready: [],
  sending: 0,
  held: 0,
  failures: 0,
  tookMs: undefined,
  backlog: false,
  target: undefined,
  current: undefined,
  probes: maxProbes,
  probesSince: stopwatch(),
  probeTimer: undefined,
  idleMs: undefined,
})

const isSuspect = ({ failures }: EndpointQueue): boolean => failures >= suspectAfter
const isSlow = ({ tookMs = 0 }: EndpointQueue): boolean => tookMs > slowMs

function limitOf(queue: EndpointQueue, crowded: boolean): number {
  if (isSuspect(queue)) return 1
  if (crowded) return isSlow(queue) || queue.failures > 0 ? crowdedHeld : maxSending
  if (isSlow(queue)) return maxSending
  const taken = Math.floor((maxSending * heldMs) / Math.max(1, queue.tookMs ?? Infinity))
  return Math.min(maxHeld, Math.max(defaultHeld, taken))
}

/** Whether the capacity of this queue differs from that of an endpoint without one. */
export const isKnown = (queue: EndpointQueue): boolean =>
  queue.held > 0 || queue.failures > 0 || queue.backlog || isSlow(queue)

/**
 * How many more deliveries this process takes for an endpoint, or for one that it has no queue of. When the process is crowded, slow
 * and unknown endpoints get little, and the rest is for fast ones.
 */
export const capacityOf = (crowded: boolean, queue?: EndpointQueue): number =>
  queue ? Math.max(0, limitOf(queue, crowded) - queue.held) : crowded ? crowdedHeld : defaultHeld

/** Whether to claim more of what was left. Half of the limit must be free, because a claim scans past what is held. */
export const wantsMore = (queue: EndpointQueue): boolean =>
  queue.backlog && (limitOf(queue, false) - queue.held) * 2 >= limitOf(queue, false)

/** Takes the next delivery that may be sent now. */
export function nextReady(queue: EndpointQueue): Ready | undefined {
  if (queue.sending >= (isSuspect(queue) ? 1 : maxSending)) return undefined
  if (isSuspect(queue) && queue.ready.length > 0 && !takeProbe(queue)) return undefined
  return queue.ready.shift()
}

function takeProbe(queue: EndpointQueue): boolean {
  queue.probes = Math.min(maxProbes, queue.probes + (queue.probesSince() / 1_000) * probesPerSecond)
  queue.probesSince = stopwatch()
  if (queue.probes < 1) return false
  queue.probes -= 1
  return true
}

/** Calls `then` when the next probe is allowed, for a queue that has something ready and may not send it. */
export function awaitProbe(queue: EndpointQueue, then: () => void): void {
  if (queue.probeTimer || queue.ready.length === 0 || queue.sending > 0) return
  queue.probeTimer = setTimeout(() => {
    queue.probeTimer = undefined
    then()
  }, 1_000 / probesPerSecond)
}

/** Takes a response into account, and returns what a queue that became slow or suspect holds beyond its new limit. */
export function applyFeedback(queue: EndpointQueue, { outcome, tookMs }: Pick<Answer, 'outcome' | 'tookMs'>): Ready[] {
  queue.failures = outcome === 'delivered' ? 0 : queue.failures + 1
  if (queue.failures === 0) queue.probes = maxProbes
  if (queue.tookMs !== undefined || queue.failures === 0) {
    queue.tookMs = (queue.tookMs ?? tookMs) * 0.8 + tookMs * 0.2
  }
  if (!isSuspect(queue) && !isSlow(queue)) return []
  const surplus = queue.ready.splice(Math.max(0, limitOf(queue, false) - queue.sending))
  queue.backlog ||= surplus.length > 0
  return surplus
}

/** Closes a queue. What is in flight ends as it began. */
export function closeQueue(queue: EndpointQueue): void {
  clearTimeout(queue.probeTimer)
  queue.probeTimer = undefined
  queue.current?.close()
  queue.current = undefined
  queue.target = undefined
}

/** Closes queues that hold nothing: at once where the endpoint gets nothing any more, else after an hour. */
export function closeIdle(queues: Map<bigint, EndpointQueue>): void {
  for (const queue of queues.values()) {
    if (queue.held > 0 || queue.sending > 0) continue
    queue.idleMs ??= stopwatch()
    const isClosed = queue.target !== undefined && queue.current === undefined
    if (!isClosed && queue.idleMs() < maxIdleMs) continue
    closeQueue(queue)
    queues.delete(queue.endpointId)
  }
}
