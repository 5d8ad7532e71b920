import { createHmac } from 'node:crypto'

import type { FastifyRequest } from 'fastify'

import type { Ctx } from '../../exchange/context.ts'
import { after } from '../../platform/lib/clock.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import { callerOf } from './authenticate.ts'

/** What an `Idempotency-Key` and the request under it are known by. Times are real ones. */
export type IdempotencyKey = {
  /** Whose: the API key's id. */
  keyId: bigint
  keyHash: Buffer
  requestHash: Buffer
  /** The number of its advisory lock. */
  lock: bigint
  /** Where its answer is sealed for. */
  place: string
  /** An answer from before is forgotten. */
  since: Date
  now: Date
}

/** Whether a request carries a key. Only a POST has use for one; elsewhere the header is not read. */
export const hasIdempotencyKey = ({ method, headers }: FastifyRequest): boolean =>
  method === 'POST' && typeof headers['idempotency-key'] === 'string' && headers['idempotency-key'] !== ''

/** The address without a trailing slash, which changes nothing. */
const withoutSlash = (url: string): string => url.replace(/^([^?]*)\/(\?|$)/, '$1$2')

/**
 * The request's key; undefined without one. Both hashes are keyed: what partners put into a key or a body may be a person's.
 * Refuses one of more than 255 characters.
 */
export function idempotencyKeyOf(
  { policies, clock, secrets }: Pick<Ctx, 'policies' | 'clock' | 'secrets'>,
  request: FastifyRequest,
): IdempotencyKey | undefined {
  if (!hasIdempotencyKey(request)) return undefined
  const text = String(request.headers['idempotency-key'])
  if (text.length > 255) throw new Refusal('BAD_REQUEST', 'An Idempotency-Key has at most 255 characters.')

  const keyId = callerOf(request).key.id
  const keyed = (...parts: string[]) => createHmac('sha256', secrets.index).update(JSON.stringify(parts))
  const keyHash = keyed('idempotency-key', text).digest()
  const now = clock.realNow()
  return {
    keyId,
    keyHash,
    requestHash: keyed('idempotent-request', request.method, withoutSlash(request.url))
      .update(request.bodyBytes ?? '')
      .digest(),
    lock: keyed('idempotency-lock', String(keyId), text).digest().readBigInt64BE(),
    place: `idempotent_answers:${keyId}:${keyHash.toString('hex')}`,
    since: after(now, -policies.at(clock.now(), 'retention').rules.idempotencyMs),
    now,
  }
}
