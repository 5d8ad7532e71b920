import type { Ctx } from '../context.ts'
import { after } from '../lib/clock.ts'
import { parseDuration } from '../lib/duration.ts'
import { badField, Refusal } from '../lib/refusal.ts'
import * as queries from './queries.ts'

/** Something whose work becomes due by business time: the queue of jobs, the deliveries of webhooks. */
export type DueWork = {
  /** The next time at or before `until` at which something is due, and how much is due by then. */
  nextDue(until: Date): Promise<{ at: Date; count: number } | undefined>
  /** Looks for due work at once. */
  wake(): void
  /** Whether nothing is under way here that might make something due. */
  idle(): boolean
}

/** Ten years: more is a slip of the pen. */
const mostMs = 10 * 366 * 86_400_000

/** How long, in real time, due work may make no progress before the advance gives up waiting for it. */
const patienceMs = 60_000

let turn: Promise<unknown> = Promise.resolve()

/** Reads the duration of an advance. Refuses a missing one, one that is not positive and one over ten years. */
export function readAdvance(body: unknown): number {
  const advance = typeof body === 'object' && body !== null && 'advance' in body ? body.advance : undefined
  if (typeof advance !== 'string')
    throw badField('advance', 'An ISO 8601 duration is required, such as PT31M.', 'REQUIRED')
  let ms: number
  try {
    ms = parseDuration(advance)
  } catch {
    throw badField('advance', 'This is not an ISO 8601 duration, such as PT31M.')
  }
  if (ms <= 0 || ms > mostMs) throw badField('advance', 'The clock moves forward, by at most ten years.')
  return ms
}

/**
 * Moves business time for everyone and runs what became due in the order of its time: the clock stops at each due time until
 * nothing due is left there. One advance at a time; the others wait their turn.
 */
export async function advanceClock(ctx: Ctx, work: DueWork[], ms: number): Promise<{ now: Date; ran: number }> {
  const mine = turn.then(() => advanceNow(ctx, work, ms))
  turn = mine.catch(() => undefined)
  return mine
}

async function advanceNow(ctx: Ctx, work: DueWork[], ms: number): Promise<{ now: Date; ran: number }> {
  const target = after(ctx.clock.now(), ms)
  let ran = 0
  for (;;) {
    const next = await earliest(work, target)
    if (!next) break
    await moveTo(ctx, next.at)
    ran += next.count
    await drain(ctx, work)
  }
  await moveTo(ctx, target)
  await drain(ctx, work)
  return { now: ctx.clock.now(), ran }
}

async function earliest(work: DueWork[], until: Date): Promise<{ at: Date; count: number } | undefined> {
  const due = (await Promise.all(work.map((one) => one.nextDue(until)))).filter((one) => one !== undefined)
  return due.toSorted((a, b) => a.at.getTime() - b.at.getTime())[0]
}

/** Business time only grows: a moment that has passed already moves nothing. */
async function moveTo(ctx: Ctx, at: Date): Promise<void> {
  const ahead = at.getTime() - ctx.clock.realNow().getTime()
  const offset = await queries.raiseOffset(ctx.db, BigInt(Math.max(0, ahead)))
  ctx.clock.learnOffset(Number.parseInt(String(offset), 10))
}

/** Waits until nothing is due any more, whoever does it. */
async function drain(ctx: Ctx, work: DueWork[]): Promise<void> {
  let best = Infinity
  let since = performance.now()
  for (;;) {
    for (const one of work) one.wake()
    const now = ctx.clock.now()
    const left = (await Promise.all(work.map((one) => one.nextDue(now)))).reduce(
      (sum, due) => sum + (due?.count ?? 0),
      0,
    )
    if (left === 0 && work.every((one) => one.idle())) return
    if (left < best) {
      best = left
      since = performance.now()
    } else if (performance.now() - since > patienceMs) {
      throw new Refusal('SERVICE_UNAVAILABLE', 'Work that is due does not get done; see `cambio stuck`.')
    }
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}
