import type { Ctx } from '../context.ts'
import type { Atomic } from '../../platform/db/sql.ts'
import { planByIndex } from '../../platform/db/plan.ts'
import type { SealedEvent } from '../events/open-body.ts'
import { after } from '../../platform/lib/clock.ts'
import { type Attempt, insertAttempts, type RecordedAttempt, responsePlace } from './attempts.ts'
import { type Failure, lockHealth, recordFailures } from './endpoint-health.ts'
import {
  type Delivery,
  lockStreams,
  type QueueRow,
  removeRows,
  type SavedRow,
  saveRows,
  streamKey,
  wakeWaiting,
} from './queue.ts'
import { retryAt } from './retry-schedule.ts'

/** Every process knows an endpoint's new URL within this time. */
const urlChangeMs = 3_000

/** The result of settling attempts: deliveries leased to this process, and whether others became due by a success. */
export type SettleResult = { next: Delivery[]; hasWoken: boolean }

/** What changes in the queue, and what goes into the record. */
type Changes = { records: RecordedAttempt[]; removed: QueueRow[]; saved: Map<QueueRow, SavedRow>; next: SavedRow[] }

/**
 * Records a batch of attempts in one atomic block: what leaves the queue, what is retried and when, what is due because of that,
 * and the health of the endpoints. Attempts at deliveries that another process has claimed since change nothing. The first event
 * behind one that left is leased to this process until `leaseUntil` (null: it is left to any process).
 *
 * The commit does not wait for the disk: if a crash loses it, deliveries are sent again with the same ids.
 */
export async function settleAttempts(ctx: Ctx, attempts: Attempt[], leaseUntil: Date | null): Promise<SettleResult> {
  const failures = failuresIn(attempts)
  const healthy = new Set(
    attempts.filter(({ answer }) => answer.outcome === 'delivered').map(({ delivery }) => delivery.endpointId),
  )
  const { next, woken } = await ctx.db.atomic(async (db) => {
    planByIndex(db, { flush: false })
    const rows = await lockStreams(
      db,
      attempts.map(({ delivery }) => delivery),
      ctx.clock.realNow(),
    )
    const failedIds = attempts
      .filter(({ answer }) => answer.outcome !== 'delivered')
      .map((one) => one.delivery.endpointId)
    const endpoints = failedIds.length > 0 ? await lockHealth(db, failedIds) : []
    const disabled = failures.length > 0 ? await recordFailures(ctx, db, endpoints, failures) : []
    const moved = new Map(
      endpoints
        .filter(({ status }) => ['active', 'failing', 'paused'].includes(status))
        .map(({ id, url }) => [id, url]),
    )
    const now = ctx.clock.now()
    // What fails in this batch waits for its own time: only what waited before is woken.
    const waking = healthy.size > 0 ? wakeWaiting(db, [...healthy], now) : Promise.resolve(0)
    waking.catch(() => undefined)
    const changes = settleRows(rows, attempts, {
      now,
      leaseOf: ({ endpointId }) => (disabled.includes(endpointId) ? null : leaseUntil),
      retryAt: ({ delivery, answer, at, url }) =>
        (moved.get(delivery.endpointId) ?? url) === url
          ? retryAt(ctx.config, delivery, answer, at)
          : after(now, urlChangeMs),
      seal: ({ event, delivery, answer }) => sealResponse(ctx, event, delivery, answer.response),
    })
    save(db, changes)
    return { next: changes.next, woken: waking }
  })
  return { next: next.filter((row) => row.leaseUntil !== null), hasWoken: (await woken) > 0 }
}

function save(db: Atomic, { records, removed, saved }: Changes): void {
  if (records.length > 0) insertAttempts(db, records)
  if (removed.length > 0) removeRows(db, removed)
  if (saved.size > 0) saveRows(db, [...saved.values()])
}

/** How rows are settled: the lease of what is due next, when a failed attempt is repeated (null: never), and the stored response. */
type Rules = {
  now: Date
  leaseOf(row: QueueRow): Date | null
  retryAt(attempt: Attempt): Date | null
  seal(attempt: Attempt): Buffer | null
}

/**
 * Decides what becomes of locked rows, which are changed in place. A delivered event, or one whose schedule has ended, leaves. A
 * failed one waits for its retry, or behind earlier events of its stream that were replayed meanwhile. A replay that was requested
 * during the attempt keeps the event, due now on a new schedule. The first event behind one that left or yielded becomes due.
 */
function settleRows(rows: QueueRow[], attempts: Attempt[], rules: Rules): Changes {
  const changes: Changes = { records: [], removed: [], saved: new Map(), next: [] }
  const streams = new Map<string, QueueRow[]>()
  for (const row of rows) {
    const key = streamKey(row)
    const stream = streams.get(key)
    if (stream) stream.push(row)
    else streams.set(key, [row])
  }
  for (const attempt of attempts) {
    const { sequence, fence } = attempt.delivery
    const stream = streams.get(streamKey(attempt.delivery)) ?? []
    const row = stream.find((one) => one.sequence === sequence && one.fence === fence)
    if (row) settleRow(row, stream, attempt, rules, changes)
  }
  return changes
}

function settleRow(row: QueueRow, stream: QueueRow[], attempt: Attempt, rules: Rules, changes: Changes): void {
  const { answer, at, url, sentAt } = attempt
  const { outcome, status, tookMs } = answer
  const { endpointId, eventRow, earlier, again } = row
  const number = row.attempts + 1
  const retry = outcome === 'delivered' ? null : rules.retryAt(attempt)
  const nextAt = again ? rules.now : retry
  const response = rules.seal(attempt)
  changes.records.push({
    endpointId,
    eventRow,
    number: earlier + number,
    at,
    tookMs,
    outcome,
    status,
    response,
    nextAt,
    url,
    sentAt,
  })

  const yields = nextAt !== null && stream.some((one) => one.sequence < row.sequence && one.isBlocked)
  if (nextAt === null) {
    stream.splice(stream.indexOf(row), 1)
    changes.removed.push(row)
  } else {
    const schedule = again ? { attempts: 0, wakes: 0, earlier: earlier + number } : { attempts: number }
    // The fence rises so that settling twice, after a lost answer to the commit, changes nothing.
    Object.assign(row, schedule, { fence: row.fence + 1n, again: false, isBlocked: yields, isHeld: false })
    changes.saved.set(row, { ...row, lastAt: at, nextAt: yields ? null : nextAt, leaseUntil: null })
  }
  const follower = nextAt === null || yields ? stream.find((one) => one !== row) : undefined
  if (!follower?.isBlocked) return
  const leaseUntil = rules.leaseOf(follower)
  Object.assign(follower, { fence: follower.fence + 1n, isBlocked: false })
  const due = { ...follower, lastAt: null, nextAt: rules.now, leaseUntil }
  changes.saved.set(follower, due)
  changes.next.push(due)
}

/** Seals a response with the event's key, because it may repeat the event. */
function sealResponse({ keyring }: Ctx, event: SealedEvent, delivery: Delivery, response: string): Buffer | null {
  if (response === '' || event.wrappedKey === null) return null
  return keyring.unwrap(event.dataKeyId, event.wrappedKey).seal(response, responsePlace(delivery.endpointId, delivery))
}

/** Failures of endpoints that accepted nothing in this batch, for each of their URLs, and of those that are gone. */
function failuresIn(attempts: Attempt[]): Failure[] {
  const failures = new Map<string, Failure>()
  const delivered = new Set<string>()
  for (const { delivery, answer, at, url } of attempts) {
    const { endpointId } = delivery
    const key = `${endpointId} ${url}`
    const gone = answer.outcome === 'gone' || failures.get(key)?.gone === true
    if (answer.outcome === 'delivered') delivered.add(key)
    else failures.set(key, { endpointId, url, at, gone })
  }
  return [...failures].filter(([key, { gone }]) => gone || !delivered.has(key)).map(([, failure]) => failure)
}
