import type { Ctx } from '../../exchange/context.ts'
import type { Journal } from '../../platform/db/journal.ts'
import { after } from '../../platform/lib/clock.ts'
import { parseDuration } from '../../platform/lib/duration.ts'
import { badField, Refusal } from '../../platform/lib/refusal.ts'
import * as queries from './queries.ts'

/** Something whose work becomes due by business time: the queue of jobs, the deliveries of webhooks. */
export type DueWork = {
  /** The next time at or before `until` at which something is due, and how much is due by then. */
  nextDue(until: Date): Promise<{ at: Date; count: number } | undefined>
  /** Looks for due work at once. */
  wake(): void
  /** Whether nothing is under way here that might make something due. */
  idle(): boolean
  /** How much of it was done here since the start; undefined where that is not counted. */
  done?(): number
}

/** Ten years: more is a slip of the pen. */
const mostMs = 10 * 366 * 86_400_000

/** How long, in real time, due work may make no progress before the advance gives up waiting for it. */
const patienceMs = 60_000

let turn: Promise<unknown> = Promise.resolve()

/**
 * Reads the duration of an advance from `now` on, in milliseconds; years and months are the calendar's. Refuses a missing one,
 * one that is not positive and one over ten years.
 */
export function readAdvance(body: unknown, now: Date): number {
  const advance = typeof body === 'object' && body !== null && 'advance' in body ? body.advance : undefined
  if (typeof advance !== 'string')
    throw badField('advance', 'An ISO 8601 duration is required, such as PT31M.', 'REQUIRED')
  let ms: number
  try {
    ms = millisecondsOf(advance, now)
  } catch {
    throw badField('advance', 'This is not an ISO 8601 duration, such as PT31M.')
  }
  if (ms <= 0 || ms > mostMs) throw badField('advance', 'The clock moves forward, by at most ten years.')
  return ms
}

/** `parseDuration` refuses years and months, which have no fixed length; from a given day on they have one. */
function millisecondsOf(advance: string, now: Date): number {
  const [, years = '0', months = '0', rest = ''] =
    /^P(?=\d+[YM])(?:(\d{1,3})Y)?(?:(\d{1,4})M)?(.*)$/.exec(advance) ?? []
  if (years === '0' && months === '0') return parseDuration(advance)

  const until = new Date(now)
  until.setUTCMonth(now.getUTCMonth() + 12 * Number.parseInt(years, 10) + Number.parseInt(months, 10))
  return until.getTime() - now.getTime() + (rest === '' ? 0 : parseDuration(`P${rest}`))
}

/**
 * Moves business time for everyone and runs what became due in the order of its time: the clock stops at each due time until
 * nothing due is left there. One advance at a time; the others wait their turn. With a journal, an advance that is begun again
 * goes where the first was going, and counts what was still to run.
 */
export async function advanceClock(
  ctx: Ctx,
  work: readonly DueWork[],
  ms: number,
  journal?: Journal,
): Promise<{ now: Date; ran: number }> {
  const target = () => Promise.resolve(after(ctx.clock.now(), ms).toISOString())
  const mine = turn.then(async () =>
    advanceTo(ctx, work, new Date(await (journal?.once('target', target) ?? target()))),
  )
  turn = mine.catch(() => undefined)
  return mine
}

async function advanceTo(ctx: Ctx, work: readonly DueWork[], target: Date): Promise<{ now: Date; ran: number }> {
  const before = work.map((one) => one.done?.() ?? 0)
  const seen = work.map(() => 0)
  for (;;) {
    const next = await earliest(work, target)
    if (!next) break
    await moveTo(ctx, next.at)
    for (const [index, count] of next.counts.entries()) seen[index] = (seen[index] ?? 0) + count
    await drain(ctx, work)
  }
  await moveTo(ctx, target)
  await drain(ctx, work)
  // Work that came due meanwhile is counted where it was done, if that was this process.
  const ran = work.map((one, index) => Math.max(seen[index] ?? 0, (one.done?.() ?? 0) - (before[index] ?? 0)))
  return { now: ctx.clock.now(), ran: ran.reduce((sum, count) => sum + count, 0) }
}

/** The first time at which something is due, and how much of each work is due by then. */
async function earliest(work: readonly DueWork[], until: Date): Promise<{ at: Date; counts: number[] } | undefined> {
  const due = await Promise.all(work.map((one) => one.nextDue(until)))
  const times = due.flatMap((one) => one?.at.getTime() ?? [])
  if (times.length === 0) return undefined
  const first = Math.min(...times)
  return { at: new Date(first), counts: due.map((one) => (one?.at.getTime() === first ? one.count : 0)) }
}

/** Business time only grows: a moment that has passed already moves nothing. */
async function moveTo(ctx: Ctx, at: Date): Promise<void> {
  const ahead = at.getTime() - ctx.clock.realNow().getTime()
  const offset = await queries.raiseOffset(ctx.db, BigInt(Math.max(0, ahead)))
  ctx.clock.learnOffset(Number.parseInt(String(offset), 10))
}

/** Waits until nothing is due any more in any process. */
async function drain(ctx: Ctx, work: readonly DueWork[]): Promise<void> {
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
      throw new Refusal('SERVICE_UNAVAILABLE', 'Work that is due makes no progress; see `cambio stuck`.')
    }
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}
