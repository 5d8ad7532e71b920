import type { FastifyReply, FastifyRequest } from 'fastify'

import type { Ctx } from '../../exchange/context.ts'
import type { Atomic } from '../../platform/db/sql.ts'
import { after } from '../../platform/lib/clock.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import { type DataKey, ErasedPerson } from '../../platform/privacy/data-key.ts'
import { seal, unseal } from '../../platform/privacy/seal.ts'
import { exposeHeaders } from './cors.ts'
import { type IdempotencyKey, idempotencyKeyOf } from './idempotency-key.ts'
import { refuseUnreadable } from './json-body.ts'
import * as queries from './queries.ts'
import { signatureOnceMs } from './signature.ts'

/** The response of a POST, and the data key of the person it describes; undefined when it has no personal data. */
export type Answer<Body> = { status: number; body: Body; dataKey: DataKey | undefined }

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by `answerOnce`: the door sees to it that a route which promises to call it has done so. */
    isAnsweredOnce: boolean
  }
}

/**
 * Does a POST once for its `Idempotency-Key`, where the work is one atomic block. Without the header, `work` just runs. With
 * it, the lock of the key, the work and the stored answer are one block: there is no moment at which a crash could leave work
 * without its answer, or a key that is taken for ever. Refusals keep nothing, so the same key may be used for the corrected
 * request. A route says `once: 'with-its-work'` to do this; any other POST is kept by the door (`keep-answers.ts`).
 *
 * Refuses 409 while the first request with the key still runs, 422 when the key came with another request before, and 400
 * what could not be read.
 */
export async function answerOnce<Body>(
  ctx: Ctx,
  request: FastifyRequest,
  reply: FastifyReply,
  work: (db?: Atomic) => Promise<Answer<Body>>,
): Promise<Body> {
  request.isAnsweredOnce = true
  const key = idempotencyKeyOf(ctx, request)
  if (!key) {
    refuseUnreadable(request)
    return send(reply, await work())
  }
  return ctx.db.atomic(async (db) => {
    const first = await answerBefore<Body>(ctx, db, key)
    if (first) return send(reply, first, true)
    refuseUnreadable(request)
    const answer = await work(db)
    keepAnswer(ctx, db, key, answer)
    return send(reply, answer)
  })
}

/** Says status and headers, and gives the body that is to be sent. */
export function send<Body>(
  reply: FastifyReply,
  { status, body }: Omit<Answer<Body>, 'dataKey'>,
  isReplay = false,
): Body {
  exposeHeaders(reply)
  if (isReplay) reply.header('idempotency-replayed', 'true')
  reply.code(status)
  return body
}

/**
 * Takes the key's lock until the block ends, and gives the answer that it was given before, if it was. Refuses 409 and 422 as
 * `answerOnce` says.
 */
export async function answerBefore<Body>(
  ctx: Ctx,
  db: Atomic,
  key: IdempotencyKey,
): Promise<Omit<Answer<Body>, 'dataKey'> | undefined> {
  const [isFirst, { stored, isRunning }] = await Promise.all([
    queries.tryLock(db, key.lock),
    queries.storedAnswer(db, key),
  ])
  if (!isFirst || isRunning) {
    throw new Refusal('IDEMPOTENCY_IN_PROGRESS', 'The first request with this key is still being answered.', [], 1)
  }
  if (!stored) return undefined
  if (!stored.request_hash.equals(key.requestHash)) {
    throw new Refusal('IDEMPOTENCY_MISMATCH', 'This Idempotency-Key was already used with a different request.')
  }
  try {
    return { status: stored.status, body: await openAnswer<Body>(ctx, db, key, stored) }
  } catch (error) {
    if (error instanceof ErasedPerson) throw new Refusal('CONFLICT', 'The person of that transaction has been erased.')
    throw error
  }
}

/** Keeps an answer, sealed with the key of the person it tells of, else with the house's own. */
export function keepAnswer<Body>(
  { secrets }: Pick<Ctx, 'secrets'>,
  db: Atomic,
  key: IdempotencyKey,
  { status, body, dataKey }: Answer<Body>,
): void {
  const text = JSON.stringify(body ?? null)
  const answer = dataKey ? dataKey.sealBytes(Buffer.from(text), key.place) : seal(secrets.sealing, text, key.place)
  queries.keepAnswer(db, {
    ...key,
    request_hash: key.requestHash,
    status,
    data_key_id: dataKey?.id ?? null,
    answer,
    at: key.now,
  })
}

async function openAnswer<Body>(
  { keyring, secrets }: Ctx,
  db: Atomic,
  { place }: IdempotencyKey,
  { data_key_id: dataKeyId, answer }: queries.StoredAnswer,
): Promise<Body> {
  const text =
    dataKeyId === null
      ? unseal(secrets.sealing, answer, place)
      : (await keyring.get(db, dataKeyId)).openBytes(answer, place)
  return JSON.parse(text.toString('utf8')) as Body
}

/**
 * Forgets answers that have been kept long enough, used signatures, and steps and leases of work that was done or died as long ago, in small
 * batches, each its own commit, so many a call at most; tells how many answers. To be called now and then.
 */
export async function forgetOldAnswers({
  db,
  clock,
  policies,
}: Pick<Ctx, 'db' | 'clock' | 'policies'>): Promise<number> {
  const since = after(clock.realNow(), -policies.at(clock.now(), 'retention').rules.idempotencyMs)
  let total = 0
  for (let done = 0; done < mostBatches; done += 1) {
    const [work, steps, answers, signatures] = [
      await queries.forgetWork(db, since),
      await queries.forgetSteps(db, since),
      await queries.forgetAnswers(db, since),
      await queries.forgetSignatures(db, after(clock.realNow(), -signatureOnceMs)),
    ]
    total += answers
    if (Math.max(work, steps, answers, signatures) < queries.forgottenAtOnce) break
  }
  return total
}

const mostBatches = 100
