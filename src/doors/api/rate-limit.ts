import type { FastifyReply } from 'fastify'

import type { Ctx } from '../../exchange/context.ts'
import { networkOf } from '../../platform/lib/client-address.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import type { Caller } from '../../exchange/partners/accounts.ts'
import { indexHash } from '../../platform/privacy/master-key.ts'
import { type SharedBuckets, sharing } from './share-limits.ts'
import { type Buckets, type BucketSize, tokenBuckets } from './token-bucket.ts'

/** How often callers may ask. Each call takes one token, or refuses with RATE_LIMITED. */
export type RateLimits = {
  /** Any request with this key. */
  takeRequest(caller: Caller, reply: FastifyReply): void
  /** A create with this key. */
  takeCreate(caller: Caller, reply: FastifyReply): void
  /**
   * A create for a customer at this address, or at an IPv6 address of the same line: counted over all partners, and apart for an
   * account whose limits of customers are its own.
   */
  takeCustomer(ip: string, whose: Pick<Caller, 'partner'>, reply: FastifyReply): void
  /** A request without a key from this address, or from an IPv6 address of the same line. */
  takeKeyless(ip: string, reply: FastifyReply): void
  /** Tells other processes what was let through here, and takes off what they have let through. To be called each second. */
  share(): Promise<void>
}

/** Customer addresses that are remembered at once; one that is dropped for newer ones starts again with a full bucket. */
const mostCustomers = 100_000

/**
 * Limits as the settings of the environment say, and where an account has its own as those say; none at all when they are
 * switched off. Counted in real time, in the memory of this process and, by `share`, over all of them. Customers' addresses are known
 * by keyed hashes, because they are shared with other processes.
 */
export function rateLimits(ctx: Pick<Ctx, 'config' | 'clock' | 'db' | 'policies' | 'secrets'>): RateLimits {
  const { config, clock, policies, secrets } = ctx
  const { rateLimits: usual } = config
  if (!usual.on) {
    return { takeRequest() {}, takeCreate() {}, takeCustomer() {}, takeKeyless() {}, share: () => Promise.resolve() }
  }

  const requests = tokenBuckets<bigint>()
  const creates = tokenBuckets<bigint>()
  const customers = tokenBuckets<string>(mostCustomers)
  const keyless = tokenBuckets<string>(mostCustomers)
  const hashOf = (address: string): string =>
    indexHash(secrets, 'limited-address', address).toString('base64url', 0, 15)

  type BucketUse<Name> = { buckets: Buckets<Name>; name: Name; size: BucketSize; sentence: string }
  const take = <Name>({ buckets, name, size, sentence }: BucketUse<Name>, reply: FastifyReply): void => {
    const waitMs = buckets.take(name, clock.realNow().getTime(), size)
    if (waitMs === 0) return

    const seconds = Math.ceil(waitMs / 1000)
    reply.headers({ 'ratelimit-limit': size.burst, 'ratelimit-remaining': 0, 'ratelimit-reset': seconds })
    throw new Refusal('RATE_LIMITED', sentence, [], seconds)
  }
  return {
    takeRequest: ({ key, partner }, reply) => {
      const { keyPerSecond, keyBurst } = partner.settings.rateLimits
      const size = { perSecond: keyPerSecond ?? usual.keyPerSecond, burst: keyBurst ?? usual.keyBurst }
      take({ buckets: requests, name: key.id, size, sentence: 'Too many requests with this key.' }, reply)
    },
    takeCreate: ({ key, partner }, reply) => {
      const { createsPerSecond, createsBurst } = partner.settings.rateLimits
      const size = {
        perSecond: createsPerSecond ?? usual.createsPerSecond,
        burst: createsBurst ?? usual.createsBurst,
      }
      take({ buckets: creates, name: key.id, size, sentence: 'Too many new transactions with this key.' }, reply)
    },
    takeCustomer: (ip, { partner }, reply) => {
      const { customerIpPerSecond, customerIpBurst } = partner.settings.rateLimits
      const hasOwn = customerIpPerSecond !== null || customerIpBurst !== null
      const size = {
        perSecond: customerIpPerSecond ?? usual.customerIpPerSecond,
        burst: customerIpBurst ?? usual.customerIpBurst,
      }
      const network = networkOf(ip)
      const address = hasOwn ? `${partner.id} ${network}` : network
      take(
        { buckets: customers, name: hashOf(address), size, sentence: 'Too many new transactions for this customer.' },
        reply,
      )
    },
    takeKeyless: (ip, reply) => {
      const { keylessReads: size } = policies.at(clock.now(), 'caps').rules
      const name = hashOf(networkOf(ip))
      take({ buckets: keyless, name, size, sentence: 'Too many requests without a key from this network.' }, reply)
    },
    share: sharing(ctx, { requests: byId(requests), creates: byId(creates), customers, keyless }),
  }
}

/** Buckets of keys, by the text of their ids. */
const byId = ({ charge, takenSince }: Buckets<bigint>): SharedBuckets[string] => ({
  charge: (name, nowMs, tokens) => charge(BigInt(name), nowMs, tokens),
  takenSince: () => takenSince().map(([id, tokens]) => [String(id), tokens]),
})
