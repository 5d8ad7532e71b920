import type { Ctx } from '../context.ts'
import type { Atomic } from '../../platform/db/sql.ts'
import { openOpener } from '../events/open-many.ts'
import type { Sequenced } from '../events/relay.ts'
import { stopwatch } from '../../platform/lib/clock.ts'
import type { LookUp } from '../../platform/lib/http.ts'
import { call } from './call.ts'
import type { Delivery } from './delivery.ts'
import { openHand } from './hand.ts'
import {
  closeLane,
  forgetIdle,
  isSpecial,
  type Lane,
  learn,
  newLane,
  nextReady,
  type Ready,
  roomIn,
  targetInTurn,
  targetOf,
  wantsMore,
  whenProbed,
} from './lane.ts'
import * as leases from './leases/queries.ts'
import * as queries from './queries.ts'
import * as queue from './queue/queries.ts'
import { openRecorder } from './recorder.ts'
import { type Attempt, settleAttempts } from './settle.ts'

/** Delivers events to partners' endpoints, at least once and in each stream's order. Any number of processes may have one. */
export type Sender = {
  /** For the relay: queues deliveries in its block. What this process can send at once, it does right after the commit. */
  onSequenced: (db: Atomic, events: Sequenced[]) => void
  /** Looks for due deliveries soon, because the clock moved or somebody said so. */
  wake(): void
  /** To be called when `service_state.version` has risen: every endpoint is read afresh. */
  forget(): void
  start(): void
  /** Takes nothing more, waits for what is under way (within SHUTDOWN_GRACE), writes it down and gives the rest back. */
  stop(): Promise<void>
  /** True when nothing is under way in this process. */
  idle(): boolean
  /** The next business time, at or before `until`, at which something is due, retries included, and how much is by then. */
  nextDue(until: Date): Promise<{ at: Date; count: number } | undefined>
}

/** What may be set besides the configuration; times in real milliseconds. `lookUp` stands in for the name servers. */
export type SenderOptions = { leaseMs?: number; pollMs?: number; lookUp?: LookUp }

/** The most deliveries in this process's hands, of all endpoints. */
const mostInHand = 4_096

/** How many events are opened before the first of them is sent: each takes some 10 microseconds. */
const openedAtOnce = 128

/** Opens this process's sender. */
export function openSender(
  ctx: Ctx,
  { leaseMs = ctx.config.jobs.leaseMs, pollMs = 1_000, lookUp }: SenderOptions = {},
): Sender {
  const { clock, log } = ctx
  const lanes = new Map<bigint, Lane>()
  const hand = openHand(ctx, leaseMs)
  const recorder = openRecorder({ record, giveUp: ({ delivery }) => letGo(delivery) }, log)
  const opener = openOpener(ctx)
  let started = false
  let claiming: Promise<void> | undefined
  let asked = false
  /** More was due than could be taken in all. */
  let wasFull = false
  let poll: NodeJS.Timeout | undefined

  const complain = (error: unknown) =>
    log.error({ err: error }, 'A delivery failed on our side; its lease will run out.')
  const { leaseEnd } = hand

  function laneOf(endpointId: bigint): Lane {
    const lane = lanes.get(endpointId) ?? newLane(endpointId)
    lanes.set(endpointId, lane)
    return lane
  }

  /** With what waits in the queue already, new events of an endpoint queue up behind it. */
  function room(forNewEvents: boolean): queue.Room {
    const crowded = hand.size() > mostInHand / 2
    const named = [...lanes.values()]
      .filter(isSpecial)
      .map((lane) => ({ id: lane.endpointId, room: forNewEvents && lane.backlog ? 0 : roomIn(crowded, lane) }))
    return { each: roomIn(crowded), all: started ? Math.max(0, mostInHand - hand.size()) : 0, named }
  }

  function onSequenced(db: Atomic, events: Sequenced[]): void {
    const leaseUntil = leaseEnd()
    const queued = queue.queue(db, events, { now: clock.now(), leaseUntil, room: room(true) })
    queued.catch(() => undefined)
    db.afterCommit(() => {
      takeOver(queued, leaseUntil).catch(complain)
    })
  }

  async function takeOver(queued: Promise<queue.Queued>, leaseUntil: Date): Promise<void> {
    const { taken, blocked, left } = await queued
    for (const endpointId of left) laneOf(endpointId).backlog = true
    recorder.hurryFor(blocked)
    await accept(taken, leaseUntil)
  }

  async function accept(deliveries: Delivery[], leaseUntil: Date): Promise<void> {
    for (const delivery of deliveries) {
      hand.add(delivery, leaseUntil)
      const lane = laneOf(delivery.endpointId)
      lane.inHand += 1
      lane.idleMs = undefined
    }
    for (let from = 0; from < deliveries.length; from += openedAtOnce) {
      await makeReady(deliveries.slice(from, from + openedAtOnce))
    }
  }

  async function makeReady(deliveries: Delivery[]): Promise<void> {
    const bodies = await opener.open(deliveries.map(({ event }) => event))
    if (!started) return giveBack(deliveries)
    for (const [index, delivery] of deliveries.entries()) {
      const body = bodies[index]
      if (body === undefined) letGo(delivery)
      else laneOf(delivery.endpointId).ready.push({ delivery, body })
    }
    for (const endpointId of new Set(deliveries.map((delivery) => delivery.endpointId))) pump(laneOf(endpointId))
  }

  function letGo(delivery: Delivery): void {
    if (!hand.remove(delivery)) return
    const lane = laneOf(delivery.endpointId)
    lane.inHand -= 1
    const halfEmpty = wasFull && hand.size() <= mostInHand / 2
    if (halfEmpty) wasFull = false
    if (halfEmpty || wantsMore(lane)) wake()
  }

  function pump(lane: Lane): void {
    if (!started) return
    for (let next = nextReady(lane); next; next = nextReady(lane)) send(lane, next).catch(complain)
    whenProbed(lane, () => pump(lane))
  }

  async function send(lane: Lane, ready: Ready): Promise<void> {
    const { delivery } = ready
    lane.underWay += 1
    try {
      const target = await targetInTurn(ctx, lane, lookUp)
      if (!target) await giveBack([delivery])
      else if (!hand.isOurs(delivery)) letGo(delivery)
      else await heed(lane, await call(clock, target, ready))
    } catch (error) {
      complain(error)
      letGo(delivery)
    } finally {
      lane.underWay -= 1
      pump(lane)
    }
  }

  async function heed(lane: Lane, attempt: Attempt): Promise<void> {
    const surplus = learn(lane, attempt.answer)
    if (hand.has(attempt.delivery)) recorder.note(attempt)
    if (surplus.length > 0) await giveBack(surplus.map(({ delivery }) => delivery))
  }

  async function record(attempts: Attempt[]): Promise<void> {
    const leaseUntil = leaseEnd()
    const { next, woken } = await settleAttempts(ctx, attempts, started ? leaseUntil : null).catch((error: unknown) => {
      // At a stop nobody writes them down again: their leases run out, and the deliveries are made once more.
      if (!started) for (const { delivery } of attempts) letGo(delivery)
      throw error
    })
    for (const { delivery } of attempts) letGo(delivery)
    await accept(next, leaseUntil)
    if (woken > 0n) wake()
  }

  async function giveBack(deliveries: Delivery[]): Promise<void> {
    if (deliveries.length === 0) return
    try {
      await ctx.db.atomic(async (db) => {
        queue.asRecords(db)
        await leases.release(db, deliveries)
      })
    } finally {
      for (const delivery of deliveries) letGo(delivery)
    }
  }

  function wake(): void {
    if (!started) return
    asked = true
    claiming ??= claimDue()
  }

  async function claimDue(): Promise<void> {
    clearTimeout(poll)
    try {
      while (asked && started) {
        asked = false
        const space = room(false)
        if (space.all > 0) await claimInto(space)
        else wasFull = true
      }
    } catch (error) {
      log.warn({ err: error }, 'Due deliveries could not be claimed; trying again soon.')
    } finally {
      claiming = undefined
      forgetIdle(lanes)
      if (started) poll = setTimeout(wake, pollMs * (0.8 + 0.4 * Math.random()))
    }
  }

  async function claimInto(space: queue.Room): Promise<void> {
    const leaseUntil = leaseEnd()
    const { claimed } = await ctx.db.atomic(async (db) => {
      queue.asRecords(db)
      const rows = queue.claim(db, { now: clock.now(), realNow: clock.realNow(), leaseUntil, room: space })
      rows.catch(() => undefined)
      return { claimed: rows }
    })
    const deliveries = await claimed
    noteBacklog(space, deliveries)
    await accept(deliveries, leaseUntil)
  }

  /** Where all the room was used there may be more; where it was not, there is none. */
  function noteBacklog({ each, all, named }: queue.Room, claimed: Delivery[]): void {
    wasFull ||= claimed.length === all
    const rooms = new Map(named.map((lane) => [lane.id, lane.room]))
    const counts = new Map<bigint, number>(named.map(({ id }) => [id, 0]))
    for (const { endpointId } of claimed) counts.set(endpointId, (counts.get(endpointId) ?? 0) + 1)
    for (const [endpointId, count] of counts) {
      laneOf(endpointId).backlog = count >= (rooms.get(endpointId) ?? each)
    }
  }

  return {
    onSequenced,
    wake,
    idle: () => hand.size() === 0 && claiming === undefined && recorder.idle(),
    nextDue: (until) => queries.nextDue(ctx.db, until),
    forget: () => {
      for (const lane of lanes.values()) {
        lane.target = undefined
        // Whoever waits for a turn there hears at once that the endpoint takes others, or none any more.
        if (lane.underWay > 0) targetOf(ctx, lane, lookUp).catch(complain)
      }
      wake()
    },
    start: () => {
      started = true
      hand.start()
      wake()
    },
    stop: async () => {
      started = false
      clearTimeout(poll)
      await claiming
      await giveBack([...lanes.values()].flatMap((lane) => lane.ready.splice(0)).map(({ delivery }) => delivery)).catch(
        complain,
      )
      const elapsed = stopwatch()
      for (const lane of lanes.values()) lane.pace?.end()
      while (hand.size() > 0 && elapsed() < ctx.config.shutdownGraceMs) {
        await recorder.drain()
        if (hand.size() > 0) await new Promise((resolve) => setTimeout(resolve, 5))
      }
      hand.clear()
      for (const lane of lanes.values()) closeLane(lane)
      await opener.stop()
    },
  }
}
