/** How fast a bucket fills, and how much it holds. */
export type BucketSize = { perSecond: number; burst: number }

/** Buckets by name. */
export type Buckets<Name> = {
  /**
   * Takes one token of the named bucket: 0 when there was one, else the milliseconds until there will be. A size that has
   * changed holds from now on: what is in the bucket stays, as far as it fits.
   */
  take(name: Name, nowMs: number, size: BucketSize): number
}

/**
 * Makes buckets that start full. At most `most` are remembered; the one used longest ago goes first, and is full again when
 * it comes back. A clock that runs back adds nothing.
 */
export function tokenBuckets<Name>(most: number = Number.POSITIVE_INFINITY): Buckets<Name> {
  // Counted in thousandths of a token, so that what flows in within a millisecond is a whole number.
  const buckets = new Map<Name, { thousandths: number; at: number }>()

  function bucketOf(name: Name, nowMs: number, burst: number) {
    const known = buckets.get(name)
    if (!known) {
      const bucket = { thousandths: burst * 1000, at: nowMs }
      buckets.set(name, bucket)
      for (const oldest of buckets.keys()) {
        if (buckets.size <= most) break
        buckets.delete(oldest)
      }
      return bucket
    }
    if (most !== Number.POSITIVE_INFINITY) {
      buckets.delete(name)
      buckets.set(name, known)
    }
    return known
  }

  return {
    take: (name, nowMs, { perSecond, burst }) => {
      const bucket = bucketOf(name, nowMs, burst)
      const passed = Math.max(0, nowMs - bucket.at)
      bucket.thousandths = Math.min(burst * 1000, bucket.thousandths + passed * perSecond)
      bucket.at = Math.max(bucket.at, nowMs)
      if (bucket.thousandths < 1000) return Math.ceil((1000 - bucket.thousandths) / perSecond)
      bucket.thousandths -= 1000
      return 0
    },
  }
}
