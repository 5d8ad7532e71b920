import { createSecretKey, type KeyObject } from 'node:crypto'

import type { Ctx } from '../context.ts'
import { stopwatch } from '../../platform/lib/clock.ts'
import type { LookUp } from '../../platform/lib/http.ts'
import { unseal } from '../../platform/privacy/seal.ts'
import type { Delivery } from './delivery.ts'
import { previousSecretPlace, secretPlace } from './endpoint.ts'
import { type Answer, type Line, openLine } from './line.ts'
import { openPace, type Pace } from './pace.ts'
import * as queries from './queries.ts'
import { secretBytes } from './sign.ts'

/** A delivery with the text to send (UTF-8). */
export type Ready = { delivery: Delivery; body: Buffer }

/** Where and how an endpoint is called. */
export type Target = {
  line: Line
  /** The secrets that sign at a business time: two of them while one takes over from the other. */
  secrets(now: Date): KeyObject[]
  perSecond: number | null
}

/** What this process has to do with one endpoint. Lanes wait for nothing of each other's. */
export type Lane = {
  readonly endpointId: bigint
  ready: Ready[]
  underWay: number
  /** All that is in hand: ready, under way, and done but not yet written down. */
  inHand: number
  /** Failures since the last success. */
  failures: number
  /** How long an answer takes, in milliseconds, recent ones counting more; undefined before the first success. */
  tookMs: number | undefined
  /** More may be due than this process took. */
  backlog: boolean
  target: Promise<Target | undefined> | undefined
  line: Line | undefined
  /** Lines to where the endpoint was before, until what is under way on them has ended. */
  formerLines: Set<Line>
  pace: Pace | undefined
  /** The rate that the pace keeps. */
  perSecond: number | null
  /** Attempts that may still be made at an endpoint which only fails, as of `countedAt`. */
  probes: number
  countedAt: () => number
  probeTimer: NodeJS.Timeout | undefined
  /** The endpoint was to get nothing when it was last looked at. */
  isClosed: boolean
  /** For how long nothing has been in hand; undefined while something is. */
  idleMs: (() => number) | undefined
}

/** A lane that had nothing to do for so long is forgotten, and what it has learnt. */
const longestIdleMs = 3_600_000

/** The most calls at once to one endpoint, and how many failures in a row it takes until it gets one at a time. */
const connections = 16
const doubtAfter = 4
/** How many deliveries this process holds for one endpoint: as many as it takes in so long, within bounds; few if crowded. */
const mostOfQuick = 1_024
const heldMs = 500
const mostOfOne = 64
const fewOfOne = 4
const slowAfterMs = 1_000
/** How often an endpoint that only fails is asked: so many times as fast as it answers, then so many times a second. */
const probesAtOnce = 200
const probesPerSecond = 5

/** A lane with nothing in it. */
export const newLane = (endpointId: bigint): Lane => ({
  endpointId,
  ready: [],
  underWay: 0,
  inHand: 0,
  failures: 0,
  tookMs: undefined,
  backlog: false,
  target: undefined,
  line: undefined,
  formerLines: new Set(),
  pace: undefined,
  perSecond: null,
  probes: probesAtOnce,
  countedAt: stopwatch(),
  probeTimer: undefined,
  isClosed: false,
  idleMs: undefined,
})

/** One that only fails is asked with one event at a time whether it is well again; the others wait at no cost. */
const isDoubted = ({ failures }: Lane): boolean => failures >= doubtAfter

const isSlowLane = ({ tookMs = 0 }: Lane): boolean => tookMs > slowAfterMs

const mostIn = (lane: Lane, crowded: boolean): number => {
  if (isDoubted(lane)) return 1
  const isSlow = isSlowLane(lane)
  if (crowded) return isSlow || lane.failures > 0 ? fewOfOne : connections
  if (isSlow) return connections
  const taken = Math.floor((connections * heldMs) / Math.max(1, lane.tookMs ?? Infinity))
  return Math.min(mostOfQuick, Math.max(mostOfOne, taken))
}

/** Whether this lane gets another room than one that this process has not met. */
export const isSpecial = (lane: Lane): boolean =>
  lane.inHand > 0 || lane.failures > 0 || lane.backlog || isSlowLane(lane)

/**
 * How many more deliveries this process should take for an endpoint that it has not met, or for this one. Where it holds much
 * already (`crowded`), whoever is slow or unknown gets little: the rest is for those who take what they are sent.
 */
export const roomIn = (crowded: boolean, lane?: Lane): number =>
  lane ? Math.max(0, mostIn(lane, crowded) - lane.inHand) : crowded ? fewOfOne : mostOfOne

/** Whether it is time to look for more of what was left: half of what was in hand is done. A claim walks past the other half. */
export const wantsMore = (lane: Lane): boolean =>
  lane.backlog && (mostIn(lane, false) - lane.inHand) * 2 >= mostIn(lane, false)

/** Takes the next delivery that may be sent now; undefined when there is none, or it must wait. */
export function nextReady(lane: Lane): Ready | undefined {
  if (lane.underWay >= (isDoubted(lane) ? 1 : connections)) return undefined
  if (isDoubted(lane) && lane.ready.length > 0 && !takeProbe(lane)) return undefined
  return lane.ready.shift()
}

function takeProbe(lane: Lane): boolean {
  lane.probes = Math.min(probesAtOnce, lane.probes + (lane.countedAt() / 1_000) * probesPerSecond)
  lane.countedAt = stopwatch()
  if (lane.probes < 1) return false
  lane.probes -= 1
  return true
}

/** Calls `then` when an endpoint that only fails may be asked again; for a lane that has something ready and may not send it. */
export function whenProbed(lane: Lane, then: () => void): void {
  if (lane.probeTimer || lane.ready.length === 0 || lane.underWay > 0) return
  lane.probeTimer = setTimeout(() => {
    lane.probeTimer = undefined
    then()
  }, 1_000 / probesPerSecond)
}

/** Learns from an answer, and gives what a lane that has become slow or doubtful holds more of than it may from now on. */
export function learn(lane: Lane, { outcome, tookMs }: Pick<Answer, 'outcome' | 'tookMs'>): Ready[] {
  lane.failures = outcome === 'delivered' ? 0 : lane.failures + 1
  if (lane.failures === 0) lane.probes = probesAtOnce
  if (lane.tookMs !== undefined || lane.failures === 0) lane.tookMs = (lane.tookMs ?? tookMs) * 0.8 + tookMs * 0.2
  if (!isDoubted(lane) && !isSlowLane(lane)) return []
  const surplus = lane.ready.splice(Math.max(0, mostIn(lane, false) - lane.underWay))
  if (surplus.length > 0) lane.backlog = true
  return surplus
}

/** Where a lane's endpoint is called; undefined while it is to get nothing. Read once, until it is forgotten. */
export function targetOf(ctx: Ctx, lane: Lane, lookUp: LookUp | undefined): Promise<Target | undefined> {
  lane.target ??= readTarget(ctx, lane, lookUp).catch((error: unknown) => {
    lane.target = undefined
    throw error
  })
  return lane.target
}

/** The same, when it is a delivery's turn by the endpoint's rate limit: as the endpoint is then, not as it was before the wait. */
export async function targetInTurn(ctx: Ctx, lane: Lane, lookUp: LookUp | undefined): Promise<Target | undefined> {
  const target = await targetOf(ctx, lane, lookUp)
  if (!target || target.perSecond === null) return target
  return (await lane.pace?.turn(target.perSecond)) ? targetOf(ctx, lane, lookUp) : undefined
}

async function readTarget(ctx: Ctx, lane: Lane, lookUp: LookUp | undefined): Promise<Target | undefined> {
  const row = await queries.target(ctx.db, lane.endpointId)
  lane.isClosed = !row || !['active', 'failing'].includes(row.status)
  if (!row || lane.isClosed) {
    endLane(lane)
    return undefined
  }
  if (lane.line?.url !== row.url) {
    endLine(lane)
    const { timeoutMs, allowPrivate } = ctx.config.webhooks
    lane.line = openLine(row.url, { reach: { loopback: allowPrivate }, timeoutMs, lookUp, clock: ctx.clock })
  }
  const { id } = row
  const open = (sealed: Buffer, place: string) =>
    createSecretKey(secretBytes(unseal(ctx.secrets.sealing, sealed, place).toString('utf8')))
  const secret = open(row.secret, secretPlace(id))
  const previous = row.previousSecret && open(row.previousSecret, previousSecretPlace(id))
  // Turns at another rate may be far ahead.
  if (lane.perSecond !== row.perSecond) endPace(lane)
  lane.perSecond = row.perSecond
  lane.pace ??= openPace(
    (slots, perSecond) => queries.reserveSlots(ctx.db, { id, slots, perSecond, now: ctx.clock.realNow() }),
    ctx.clock,
  )
  return {
    line: lane.line,
    perSecond: row.perSecond,
    secrets: (now) => (previous && row.previousUntil && now < row.previousUntil ? [secret, previous] : [secret]),
  }
}

function endPace(lane: Lane): void {
  lane.pace?.end()
  lane.pace = undefined
}

/** What is under way to where the endpoint was ends as it began. */
function endLine(lane: Lane): void {
  const { line, formerLines } = lane
  lane.line = undefined
  if (!line) return
  formerLines.add(line)
  line.end(() => formerLines.delete(line))
}

function endLane(lane: Lane): void {
  clearTimeout(lane.probeTimer)
  lane.probeTimer = undefined
  endPace(lane)
  endLine(lane)
}

/** Ends a lane's connections, with what is under way on them, and whoever waits for a turn in it. */
export function closeLane(lane: Lane): void {
  endLane(lane)
  for (const line of lane.formerLines) line.close()
}

/** Closes and forgets the lanes that nothing is in hand of: at once where the endpoint gets nothing any more, else after a while. */
export function forgetIdle(lanes: Map<bigint, Lane>, mostMs = longestIdleMs): void {
  for (const lane of lanes.values()) {
    if (lane.inHand > 0 || lane.underWay > 0) continue
    lane.idleMs ??= stopwatch()
    if (!lane.isClosed && lane.idleMs() < mostMs) continue
    closeLane(lane)
    lanes.delete(lane.endpointId)
  }
}
