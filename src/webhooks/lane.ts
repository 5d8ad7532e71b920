import type { Ctx } from '../context.ts'
import type { LookUp } from '../lib/http.ts'
import { unseal } from '../privacy/seal.ts'
import type { Delivery } from './delivery.ts'
import { secretPlace } from './endpoint.ts'
import { type Line, openLine } from './line.ts'
import * as queries from './queries.ts'
import { secretBytes } from './sign.ts'

/** A delivery with the text to send. */
export type Ready = { delivery: Delivery; body: string }

/** Where and how an endpoint is called. */
export type Target = { line: Line; secrets: Buffer[] }

/** What this process has to do with one endpoint. Lanes wait for nothing of each other's. */
export type Lane = {
  readonly endpointId: bigint
  ready: Ready[]
  underWay: number
  /** All that is in hand: ready, under way, and done but not yet written down. */
  inHand: number
  /** Failures since the last success. */
  failures: number
  /** More may be due than this process took. */
  backlog: boolean
  target: Promise<Target | undefined> | undefined
  line: Line | undefined
}

/** A lane with nothing in it. */
export const newLane = (endpointId: bigint): Lane => ({
  endpointId,
  ready: [],
  underWay: 0,
  inHand: 0,
  failures: 0,
  backlog: false,
  target: undefined,
  line: undefined,
})

/** The most calls at once to one endpoint, and how many failures in a row it takes until it gets one at a time. */
const connections = 16
const doubtAfter = 4
const mostOfOne = 64

/** One that only fails is asked with one event at a time whether it is well again; the others wait at no cost. */
const doubted = ({ failures }: Lane): boolean => failures >= doubtAfter

/** Whether another call may begin. */
export const mayCallNow = (lane: Lane): boolean =>
  lane.ready.length > 0 && lane.underWay < (doubted(lane) ? 1 : connections)

/** How many more deliveries this process should take for an endpoint that it has not met, or for this one. */
export const roomIn = (lane?: Lane): number =>
  lane ? Math.max(0, (doubted(lane) ? 1 : mostOfOne) - lane.inHand) : mostOfOne

/** Whether it is time to look for more of what was left: half of what was in hand is done. */
export const wantsMore = (lane: Lane): boolean => lane.backlog && roomIn(lane) * 2 >= roomIn({ ...lane, inHand: 0 })

/** Where a lane's endpoint is called; undefined while it is to get nothing. Read once, until it is forgotten. */
export function targetOf(ctx: Ctx, lane: Lane, lookUp: LookUp | undefined): Promise<Target | undefined> {
  lane.target ??= readTarget(ctx, lane, lookUp).catch((error: unknown) => {
    lane.target = undefined
    throw error
  })
  return lane.target
}

async function readTarget(ctx: Ctx, lane: Lane, lookUp: LookUp | undefined): Promise<Target | undefined> {
  const row = await queries.target(ctx.db, lane.endpointId)
  if (!row || !['active', 'failing'].includes(row.status)) {
    lane.line?.close()
    lane.line = undefined
    return undefined
  }
  if (lane.line?.url !== row.url) {
    lane.line?.close()
    const { timeoutMs, allowPrivate } = ctx.config.webhooks
    lane.line = openLine(row.url, { reach: { loopback: allowPrivate }, timeoutMs, lookUp })
  }
  const secret = unseal(ctx.secrets.sealing, row.secret, secretPlace(row.id)).toString('utf8')
  return { line: lane.line, secrets: [secretBytes(secret)] }
}
