import type { FastifyReply } from 'fastify'

import type { Ctx } from '../context.ts'
import { Refusal } from '../lib/refusal.ts'
import { type Buckets, tokenBuckets } from './token-bucket.ts'

/** How often callers may ask, in this process. Each call takes one token, or refuses with RATE_LIMITED. */
export type RateLimits = {
  /** Any request with this key. */
  takeRequest(keyId: bigint, reply: FastifyReply): void
  /** A create with this key. */
  takeCreate(keyId: bigint, reply: FastifyReply): void
  /** A create for a customer at this address, whoever the partner is. */
  takeCustomer(ip: string, reply: FastifyReply): void
}

/** Customer addresses that are remembered at once; whoever is dropped for newer ones starts with a full bucket. */
const mostCustomers = 100_000

/** Limits as the settings say; none at all when they are switched off. Counted in real time. */
export function rateLimits({ config, clock }: Pick<Ctx, 'config' | 'clock'>): RateLimits {
  const { on, keyPerSecond, keyBurst, createsPerSecond, createsBurst, customerIpPerSecond, customerIpBurst } =
    config.rateLimits
  if (!on) return { takeRequest() {}, takeCreate() {}, takeCustomer() {} }

  const requests = tokenBuckets<bigint>({ perSecond: keyPerSecond, burst: keyBurst })
  const creates = tokenBuckets<bigint>({ perSecond: createsPerSecond, burst: createsBurst })
  const customers = tokenBuckets<string>({
    perSecond: customerIpPerSecond,
    burst: customerIpBurst,
    most: mostCustomers,
  })
  const take = <Name>(buckets: Buckets<Name>, name: Name, reply: FastifyReply, sentence: string): void => {
    const waitMs = buckets.take(name, clock.realNow().getTime())
    if (waitMs === 0) return

    const seconds = Math.ceil(waitMs / 1000)
    reply.headers({ 'ratelimit-limit': buckets.burst, 'ratelimit-remaining': 0, 'ratelimit-reset': seconds })
    throw new Refusal('RATE_LIMITED', sentence, [], seconds)
  }
  return {
    takeRequest: (keyId, reply) => take(requests, keyId, reply, 'Too many requests with this key.'),
    takeCreate: (keyId, reply) => take(creates, keyId, reply, 'Too many new transactions with this key.'),
    takeCustomer: (ip, reply) => take(customers, ip, reply, 'Too many new transactions for this customer.'),
  }
}
