import type { Ctx } from '../../exchange/context.ts'
import type { Journal } from '../../platform/db/journal.ts'
import type { DueWork } from '../../platform/jobs/due-work.ts'
import { after } from '../../platform/lib/clock.ts'
import { parseDuration } from '../../platform/lib/duration.ts'
import { badField, Refusal } from '../../platform/lib/refusal.ts'
import * as queries from './queries.ts'

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

async function advanceTo(ctx: Ctx, all: readonly DueWork[], target: Date): Promise<{ now: Date; ran: number }> {
  const before = all.map((one) => one.done?.() ?? 0)
  const seen = all.map(() => 0)
  const waited = new Map<DueWork, number>()
  const isAwaited = (one: DueWork) => (waited.get(one) ?? 0) < (one.mostWaitMs ?? Infinity)
  for (;;) {
    const next = await earliest(all.filter(isAwaited), target)
    if (!next) break
    await moveTo(ctx, next.at)
    for (const { work, count } of next.due) seen[all.indexOf(work)] = (seen[all.indexOf(work)] ?? 0) + count
    await drain(ctx, all, { waited, isAwaited })
  }
  await moveTo(ctx, target)
  await drain(ctx, all, { waited, isAwaited })
  // Work that came due meanwhile is counted where it was done, if that was this process.
  const ran = all.map((one, index) => Math.max(seen[index] ?? 0, (one.done?.() ?? 0) - (before[index] ?? 0)))
  return { now: ctx.clock.now(), ran: ran.reduce((sum, count) => sum + count, 0) }
}

/** The first time at which something is due, and the works that are due then. */
async function earliest(work: readonly DueWork[], until: Date) {
  const all = (await dueOf(work, until)).toSorted((one, other) => one.at.getTime() - other.at.getTime())
  const at = all[0]?.at
  return at && { at, due: all.filter((one) => one.at.getTime() === at.getTime()) }
}

async function dueOf(work: readonly DueWork[], until: Date) {
  const found = await Promise.all(work.map(async (one) => ({ work: one, ...(await one.nextDue(until)) })))
  return found.flatMap(({ work: one, at, count }) => (at && count !== undefined ? [{ work: one, at, count }] : []))
}

/** Business time only grows: a moment that has passed already moves nothing. */
async function moveTo(ctx: Ctx, at: Date): Promise<void> {
  const ahead = at.getTime() - ctx.clock.realNow().getTime()
  const offset = await queries.raiseOffset(ctx.db, BigInt(Math.max(0, ahead)))
  ctx.clock.learnOffset(Number.parseInt(String(offset), 10))
}

/** How long each work was waited for, and whether it still is. */
type Waits = { waited: Map<DueWork, number>; isAwaited(one: DueWork): boolean }

/** Waits until nothing is due any more in any process of what is awaited. */
async function drain(ctx: Ctx, all: readonly DueWork[], { waited, isAwaited }: Waits): Promise<void> {
  let best = Infinity
  let since = performance.now()
  for (let last = since; ;) {
    for (const one of all) one.wake()
    const work = all.filter(isAwaited)
    const due = await dueOf(work, ctx.clock.now())
    const busy = work.filter((one) => !one.idle() || due.some((left) => left.work === one))
    if (busy.length === 0) return
    const now = performance.now()
    // Only while nothing else is busy: what jobs take is not the endpoints' fault.
    if (busy.every((one) => one.mostWaitMs !== undefined)) {
      for (const one of busy) waited.set(one, (waited.get(one) ?? 0) + now - last)
    }
    last = now
    const left = due.reduce((sum, { count }) => sum + count, 0)
    if (left < best) {
      best = left
      since = now
    } else if (now - since > patienceMs) {
      throw new Refusal('SERVICE_UNAVAILABLE', 'Work that is due makes no progress; see `cambio stuck`.')
    }
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}
