import { createSecretKey, type KeyObject } from 'node:crypto'

import type { Ctx } from '../context.ts'
import type { Db } from '../../platform/db/sql.ts'
import { detach } from '../../platform/lib/detach.ts'
import type { LookUp } from '../../platform/lib/http.ts'
import { unseal } from '../../platform/privacy/seal.ts'
import { type ConnectionPool, openConnectionPool } from './connection-pool.ts'
import { type EndpointStatus, previousSecretPlace, secretPlace } from './endpoint.ts'
import { openRateLimiter, type RateLimiter } from './rate-limiter.ts'
import { secretBytes } from './sign.ts'

/** Where and how an endpoint is called. */
export type Target = {
  pool: ConnectionPool
  perSecond: number | null
  limiter: RateLimiter | undefined
  /** The secrets that sign at a business time: two while the secret rotates. */
  secrets(now: Date): KeyObject[]
  close(): void
}

/** Every open pool, those included that only finish what is in flight, and what replaces the name servers in tests. */
export type Connecting = { readonly pools: Set<ConnectionPool>; lookUp: LookUp | undefined }

/** The target of an endpoint as it was read last, and the reading of it; `target` undefined: it is to be read again. */
export type TargetCache = {
  readonly endpointId: bigint
  target: Promise<Target | undefined> | undefined
  current: Target | undefined
}

/** The target of an endpoint; undefined while it gets nothing. */
export function targetOf(ctx: Ctx, cache: TargetCache, connecting: Connecting): Promise<Target | undefined> {
  cache.target ??= readTarget(ctx, cache, connecting).catch((error: unknown) => {
    cache.target = undefined
    throw error
  })
  return cache.target
}

/** Waits for the endpoint's rate limit, and then gives the target as it is by then; undefined where the wait was cut short. */
export async function targetInTurn(ctx: Ctx, cache: TargetCache, connecting: Connecting): Promise<Target | undefined> {
  const target = await targetOf(ctx, cache, connecting)
  if (!target?.limiter) return target
  return (await target.limiter.turn()) ? targetOf(ctx, cache, connecting) : undefined
}

/** What has not changed of the target that was read before is kept; the rest is closed, and what is in flight there ends as it began. */
async function readTarget(ctx: Ctx, cache: TargetCache, connecting: Connecting): Promise<Target | undefined> {
  const { endpointId } = cache
  const row = await readRow(ctx.db, endpointId)
  const { current } = cache
  if (!row || !['active', 'failing'].includes(row.status)) {
    current?.close()
    cache.current = undefined
    return undefined
  }
  const { url, perSecond } = row
  const keepsPool = current?.pool.url === url
  if (current && !keepsPool) drain(current.pool, connecting)
  const keepsLimiter = current?.perSecond === perSecond
  // Slots at another rate may be far ahead.
  if (!keepsLimiter) current?.limiter?.stop()
  const pool = keepsPool ? current.pool : openPool(ctx, url, connecting)
  const limiter = keepsLimiter ? current.limiter : openLimiter(ctx, endpointId, perSecond)
  const close = () => {
    limiter?.stop()
    drain(pool, connecting)
  }
  cache.current = { pool, perSecond, limiter, close, secrets: secretsOf(ctx, endpointId, row) }
  return cache.current
}

function openPool({ config, clock }: Ctx, url: string, { pools, lookUp }: Connecting): ConnectionPool {
  const { timeoutMs, allowPrivate } = config.webhooks
  const pool = openConnectionPool(url, { reach: { loopback: allowPrivate }, timeoutMs, lookUp, clock })
  pools.add(pool)
  return pool
}

function drain(pool: ConnectionPool, { pools }: Connecting): void {
  detach(pool.drain().then(() => pools.delete(pool)))
}

const openLimiter = ({ db, clock }: Ctx, id: bigint, perSecond: number | null): RateLimiter | undefined =>
  perSecond === null
    ? undefined
    : openRateLimiter(perSecond, (slots) => reserveSlots(db, id, slots / perSecond, clock.realNow()), clock)

/** Takes an endpoint's next slots, so many seconds in all processes' time, and returns when the first one begins. */
async function reserveSlots(db: Db, id: bigint, seconds: number, now: Date): Promise<Date> {
  const [row] = await db.sql<{ from: Date }>`
    update webhook_endpoints
    set paced_until = greatest(paced_until, ${now}::timestamptz) + make_interval(secs => ${seconds}::double precision)
    where id = ${id}
    returning paced_until - make_interval(secs => ${seconds}::double precision) as "from"`
  return row?.from ?? now
}

type TargetRow = {
  url: string
  secret: Buffer
  previousSecret: Buffer | null
  previousUntil: Date | null
  perSecond: number | null
  status: EndpointStatus
}

async function readRow(db: Db, id: bigint): Promise<TargetRow | undefined> {
  const [row] = await db.sql<TargetRow>`
    select url, secret, previous_secret as "previousSecret", previous_until as "previousUntil", rate_per_second as "perSecond", status
    from webhook_endpoints where id = ${id}`
  return row
}

function secretsOf({ secrets }: Ctx, id: bigint, { secret, previousSecret, previousUntil }: TargetRow) {
  const open = (sealed: Buffer, place: string) =>
    createSecretKey(secretBytes(unseal(secrets.sealing, sealed, place).toString('utf8')))
  const present = open(secret, secretPlace(id))
  const previous = previousSecret && open(previousSecret, previousSecretPlace(id))
  return (now: Date) => (previous && previousUntil && now < previousUntil ? [present, previous] : [present])
}
