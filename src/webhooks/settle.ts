import { raiseVersion } from '../audit/version.ts'
import type { Ctx } from '../context.ts'
import type { Atomic } from '../db/sql.ts'
import { recordEvents } from '../events/record.ts'
import { ErasedPerson } from '../privacy/data-key.ts'
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
    const response = answer.response === '' ? null : await sealedResponse(ctx, delivery, answer.response)
    rows.push(rowOf(ctx, attempt, response))
  }
  const { well, failures } = healthOf(attempts)
  const { next, woken } = await ctx.db.atomic(async (db) => {
    queue.asRecords(db)
    queue.lockStreams(db, rows)
    const disabled = failures.length > 0 ? await worsen(ctx, db, failures) : []
    const now = ctx.clock.now()
    // First whoever waited before: what fails in this very batch waits its time.
    const waking = well.length > 0 ? wakeWaiting(db, well, now) : Promise.resolve(0n)
    const settled = queue.settle(db, rows, { now, leaseUntil, stay: disabled })
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
async function sealedResponse(ctx: Ctx, delivery: Delivery, response: string): Promise<Buffer | null> {
  try {
    const key = await ctx.keyring.get(ctx.db, delivery.event.dataKeyId)
    return key.seal(response, responsePlace(delivery.endpointId, delivery.event))
  } catch (error) {
    if (error instanceof ErasedPerson) return null
    throw error
  }
}

/** Endpoints that took something are well, whatever else they refused; the others have failed, last when it says. */
function healthOf(attempts: Attempt[]): { well: bigint[]; failures: queries.Failure[] } {
  const well = new Set<bigint>()
  const failed = new Map<bigint, queries.Failure>()
  for (const { delivery, answer, at } of attempts) {
    const id = delivery.endpointId
    const gone = answer.outcome === 'gone' || failed.get(id)?.gone === true
    if (answer.outcome === 'delivered') well.add(id)
    else failed.set(id, { id, at, gone })
  }
  return { well: [...well], failures: [...failed.values()].filter(({ id, gone }) => gone || !well.has(id)) }
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
