import { createHmac } from 'node:crypto'

import type { FastifyRequest } from 'fastify'

import type { Ctx } from '../context.ts'
import type { Atomic } from '../db/sql.ts'
import { after } from '../lib/clock.ts'
import { Refusal } from '../lib/refusal.ts'
import { type DataKey, ErasedPerson } from '../privacy/data-key.ts'
import { callerOf } from './authenticate.ts'
import * as queries from './queries.ts'

/** What a POST answers, and the key of the person it tells of. */
export type Answer<Body extends object> = { status: number; body: Body; dataKey: DataKey }

/** The same, as it is sent: `replayed` when it is the first answer again. */
export type Answered<Body extends object> = { status: number; body: Body; replayed: boolean }

/**
 * Does a POST once for its `Idempotency-Key`. Without the header, `work` just runs. With it, the lock of the key, the work and
 * the stored answer are one atomic block: there is no moment at which a crash could leave work without its answer, or a key
 * that is taken for ever. Refusals keep nothing, so the same key may be used for the corrected request.
 *
 * Refuses 409 while the first request with the key still runs, and 422 when the key came with another request before.
 */
export async function answerOnce<Body extends object>(
  ctx: Ctx,
  request: FastifyRequest,
  work: (db?: Atomic) => Promise<Answer<Body>>,
): Promise<Answered<Body>> {
  const text = request.headers['idempotency-key']
  if (typeof text !== 'string' || text === '') return { ...(await work()), replayed: false }
  if (text.length > 255) throw new Refusal('BAD_REQUEST', 'An Idempotency-Key has at most 255 characters.')

  const key = keyOf(ctx, request, text)
  return ctx.db.atomic(async (db) => {
    const [isFirst, stored] = await Promise.all([queries.tryLock(db, key.lock), queries.storedAnswer(db, key)])
    if (!isFirst)
      throw new Refusal('IDEMPOTENCY_IN_PROGRESS', 'The first request with this key is still being answered.', [], 1)
    if (stored) return replay<Body>(ctx, db, key, stored)

    const { status, body, dataKey } = await work(db)
    const answer = dataKey.seal(body, key.place)
    queries.keepAnswer(db, {
      ...key,
      request_hash: key.requestHash,
      status,
      data_key_id: dataKey.id,
      answer,
      at: key.now,
    })
    return { status, body, replayed: false }
  })
}

type Key = { keyId: bigint; keyHash: Buffer; requestHash: Buffer; lock: bigint; place: string; since: Date; now: Date }

/**
 * Both hashes are keyed: what partners put into a key or a body may be a person's. Kept for a day of real time, because it is
 * about requests and not about business.
 */
function keyOf({ config, clock, secrets }: Ctx, request: FastifyRequest, text: string): Key {
  const keyId = callerOf(request).key.id
  const keyed = (...parts: string[]) => createHmac('sha256', secrets.index).update(JSON.stringify(parts)).digest()
  const keyHash = keyed('idempotency-key', text)
  const now = clock.realNow()
  return {
    keyId,
    keyHash,
    requestHash: keyed('idempotent-request', request.method, request.url, request.bodyText),
    lock: keyed('idempotency-lock', String(keyId), text).readBigInt64BE(),
    place: `idempotent_answers:${keyId}:${keyHash.toString('hex')}`,
    since: after(now, -config.retention.idempotencyMs),
    now,
  }
}

async function replay<Body extends object>(
  ctx: Ctx,
  db: Atomic,
  key: Key,
  stored: queries.StoredAnswer,
): Promise<Answered<Body>> {
  if (!stored.request_hash.equals(key.requestHash)) {
    throw new Refusal('IDEMPOTENCY_MISMATCH', 'This Idempotency-Key came with another request before.')
  }
  try {
    const dataKey = await ctx.keyring.get(db, stored.data_key_id)
    return { status: stored.status, body: dataKey.open<Body>(stored.answer, key.place), replayed: true }
  } catch (error) {
    if (error instanceof ErasedPerson) throw new Refusal('CONFLICT', 'The person of that transaction has been erased.')
    throw error
  }
}

/** Forgets answers that have been kept long enough, a bounded number at a time; tells how many. To be called now and then. */
export const forgetOldAnswers = ({ db, clock, config }: Pick<Ctx, 'db' | 'clock' | 'config'>): Promise<number> =>
  queries.forgetAnswers(db, after(clock.realNow(), -config.retention.idempotencyMs))
