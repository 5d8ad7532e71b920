/** Buckets by name, each of which fills at the same rate up to `burst`. */
export type Buckets<Name> = {
  readonly burst: number
  /** Takes one token of the named bucket: 0 when there was one, else the milliseconds until there will be. */
  take(name: Name, nowMs: number): number
}

/**
 * Makes buckets that start full. At most `most` are remembered; the one used longest ago goes first, and is full again when
 * it comes back. A clock that runs back adds nothing.
 */
export function tokenBuckets<Name>(limits: { perSecond: number; burst: number; most?: number }): Buckets<Name> {
  const { perSecond, burst, most = Number.POSITIVE_INFINITY } = limits
  // Counted in thousandths of a token, so that what flows in within a millisecond is a whole number.
  const buckets = new Map<Name, { thousandths: number; at: number }>()

  function bucketOf(name: Name, nowMs: number) {
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
    burst,
    take: (name, nowMs) => {
      const bucket = bucketOf(name, nowMs)
      const passed = Math.max(0, nowMs - bucket.at)
      bucket.thousandths = Math.min(burst * 1000, bucket.thousandths + passed * perSecond)
      bucket.at = Math.max(bucket.at, nowMs)
      if (bucket.thousandths < 1000) return Math.ceil((1000 - bucket.thousandths) / perSecond)
      bucket.thousandths -= 1000
      return 0
    },
  }
}
