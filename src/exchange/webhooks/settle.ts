import { raiseVersion } from '../audit/version.ts'
import type { Ctx } from '../context.ts'
import type { Atomic } from '../../platform/db/sql.ts'
import { recordEvents } from '../events/record.ts'
import { after } from '../../platform/lib/clock.ts'
import { type Delivery, responsePlace } from './delivery.ts'
import { endedJobs } from './drop-queue.ts'
import type { Answer } from './line.ts'
import { planRetry } from './plan-retry.ts'
import { writeLetter } from './warn.ts'
import * as queries from './queries.ts'
import * as queue from './queue/queries.ts'
import { wakeWaiting } from './waking/queries.ts'

/** One attempt that was made: what came of it, when it ended (business time), where it went and when it was signed (real time). */
export type Attempt = { delivery: Delivery; answer: Answer; at: Date; url: string; sentAt: Date }

/** An endpoint with nothing but failures for so long is announced as failing; well before it is disabled. */
const announceMs = 3_600_000

/** By then every process calls an endpoint that has moved where it is now. */
const movedMs = 3_000

/**
 * Writes down what came of attempts, a whole batch in one atomic block: the record of each, what is tried again and when,
 * what has left the queue and what is due because of that, the health of the endpoints and the events that tell of it.
 * Attempts of deliveries that someone else has taken over since write nothing. Gives what this process is to send next
 * (nothing when `leaseUntil` is null), and how many deliveries became due by a success.
 *
 * The commit is not waited for on disk: should it be lost, deliveries are made again, with the same ids.
 */
export async function settleAttempts(ctx: Ctx, attempts: Attempt[], leaseUntil: Date | null): Promise<Followed> {
  const rows: queue.SettledRow[] = []
  for (const attempt of attempts) {
    const { delivery, answer } = attempt
    const response = answer.response === '' ? null : sealedResponse(ctx, delivery, answer.response)
    rows.push(rowOf(ctx, attempt, response))
  }
  const { well, failures } = healthOf(attempts)
  const { next, woken } = await ctx.db.atomic(async (db) => {
    queue.asRecords(db)
    queue.lockStreams(db, rows)
    const disabled = failures.length > 0 ? await worsen(ctx, db, failures) : []
    const now = ctx.clock.now()
    const due = await dueElsewhere(db, rows, after(now, movedMs))
    // First whoever waited before: what fails in this very batch waits its time.
    const waking = well.length > 0 ? wakeWaiting(db, well, now) : Promise.resolve(0n)
    const settled = queue.settle(db, due, { now, leaseUntil, stay: disabled })
    // Both ride with the commit, which fails if one of them does.
    for (const sent of [settled, waking]) sent.catch(() => undefined)
    return { next: settled, woken: waking }
  })
  return { next: await next, woken: await woken }
}

/** What follows from attempts that were written down: deliveries that are now due and ours, and how many were woken. */
export type Followed = { next: Delivery[]; woken: bigint }

function rowOf(ctx: Ctx, { delivery, answer, at, url, sentAt }: Attempt, response: Buffer | null): queue.SettledRow {
  const { outcome, status, tookMs } = answer
  const nextAt = outcome === 'delivered' ? null : (planRetry(ctx.config, delivery, answer, at) ?? null)
  return { delivery, at, url, sentAt, tookMs, outcome, status, nextAt, response }
}

/** An answer may repeat what it was sent, so it is kept as the event is. */
function sealedResponse({ keyring }: Ctx, { endpointId, event }: Delivery, response: string): Buffer | null {
  const { dataKeyId, wrappedKey } = event
  if (wrappedKey === null) return null
  return keyring.unwrap(dataKeyId, wrappedKey).seal(response, responsePlace(endpointId, event))
}

/** What failed at a URL that its endpoint has left since is due soon, at the URL where that is by now. */
async function dueElsewhere(db: Atomic, rows: queue.SettledRow[], nextAt: Date): Promise<queue.SettledRow[]> {
  const failed = rows.filter(({ outcome }) => outcome !== 'delivered')
  if (failed.length === 0) return rows
  const left = failed.map(({ delivery, url }) => ({ id: delivery.endpointId, url }))
  const moved = new Set((await queries.movedFrom(db, left)).map(({ id, url }) => `${id} ${url}`))
  return rows.map((row) => {
    const hasMoved = row.outcome !== 'delivered' && moved.has(`${row.delivery.endpointId} ${row.url}`)
    return hasMoved ? { ...row, nextAt } : row
  })
}

/**
 * Endpoints that took something are well, whatever else they refused; the others have failed, last when it says. An endpoint
 * whose URL was changed meanwhile is judged at each of them.
 */
function healthOf(attempts: Attempt[]): { well: bigint[]; failures: queries.Failure[] } {
  const well = new Map<string, bigint>()
  const failed = new Map<string, queries.Failure>()
  for (const { delivery, answer, at, url } of attempts) {
    const id = delivery.endpointId
    const where = `${id} ${url}`
    const gone = answer.outcome === 'gone' || failed.get(where)?.gone === true
    if (answer.outcome === 'delivered') well.set(where, id)
    else failed.set(where, { id, url, at, gone })
  }
  const failures = [...failed].filter(([where, { gone }]) => gone || !well.has(where)).map(([, failure]) => failure)
  return { well: [...new Set(well.values())], failures }
}

/**
 * Gives the endpoints that are disabled by now. That one fails is told, in the feed and by letter, a fifth of the time before
 * it is disabled.
 */
async function worsen(ctx: Ctx, db: Atomic, failures: queries.Failure[]): Promise<bigint[]> {
  const disableMs = ctx.config.webhooks.disableAfterMs
  const turned = await queries.worsen(db, failures, {
    announceMs: Math.min(announceMs, disableMs / 2),
    warnMs: disableMs / 5,
    disableMs,
  })
  if (turned.length === 0) return []

  const disabled = turned.filter(({ status }) => status === 'disabled').map(({ id }) => id)
  const dataKey = await ctx.keyring.make(db)
  recordEvents(
    ctx,
    db,
    turned.map(({ id, partnerId, url, status, failingSince, events }) => ({
      stream: id,
      sequence: events,
      partnerId,
      type: status === 'disabled' ? 'endpoint.disabled' : 'endpoint.failing',
      at: ctx.clock.now(),
      dataKey,
      payload: { id: String(id), url, status, failing_since: failingSince.toISOString() },
    })),
  )
  for (const one of turned) await writeLetter(ctx, db, one, dataKey)
  ctx.queue.enqueue(db, endedJobs(disabled, ctx.clock.now()))
  raiseVersion(db)
  return disabled
}
