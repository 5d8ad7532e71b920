/** How fast a bucket fills, and how much it holds. */
export type BucketSize = { perSecond: number; burst: number }

export type Buckets<Name> = {
  /**
   * Takes one token of the named bucket: 0 when there was one, else the milliseconds until there will be. A size that has
   * changed holds from now on: what is in the bucket stays, as far as it fits.
   */
  take(name: Name, nowMs: number, size: BucketSize): number
  /** Takes what was given out of this bucket elsewhere, whether it is there or not: the bucket owes it then. */
  charge(name: Name, nowMs: number, tokens: number): void
  /** What was taken of each bucket since this was asked before. */
  takenSince(): [name: Name, tokens: number][]
}

/** Counted in thousandths of a token, so that what flows in within a millisecond is a whole number. */
type Bucket = { thousandths: number; at: number; size: BucketSize; taken: number }

/**
 * Makes buckets that start full. At most `most` are remembered; the one used longest ago goes first, and is full again when
 * it comes back. A clock that runs back adds nothing.
 */
export function tokenBuckets<Name>(most: number = Number.POSITIVE_INFINITY): Buckets<Name> {
  const buckets = new Map<Name, Bucket>()
  /** What is owed by buckets that have not been used in this process yet, so their size is unknown. */
  const owed = new Map<Name, { thousandths: number; at: number }>()
  let touched: [Name, Bucket][] = []

  function bucketOf(name: Name, nowMs: number, size: BucketSize): Bucket {
    const known = buckets.get(name)
    if (!known) {
      const debt = owed.get(name)
      owed.delete(name)
      const thousandths = size.burst * 1000 - (debt?.thousandths ?? 0)
      const bucket = { thousandths, at: debt?.at ?? nowMs, size, taken: 0 }
      buckets.set(name, bucket)
      dropOldest(buckets, most)
      return bucket
    }
    if (most !== Number.POSITIVE_INFINITY) {
      buckets.delete(name)
      buckets.set(name, known)
    }
    known.size = size
    return known
  }

  return {
    take: (name, nowMs, size) => {
      const bucket = bucketOf(name, nowMs, size)
      fill(bucket, nowMs)
      if (bucket.thousandths < 1000) return Math.ceil((1000 - bucket.thousandths) / size.perSecond)
      bucket.thousandths -= 1000
      bucket.taken += 1
      if (bucket.taken === 1) touched.push([name, bucket])
      return 0
    },
    charge: (name, nowMs, tokens) => {
      const bucket = buckets.get(name)
      if (bucket) {
        fill(bucket, nowMs)
        bucket.thousandths -= tokens * 1000
        return
      }
      const thousandths = (owed.get(name)?.thousandths ?? 0) + tokens * 1000
      owed.delete(name)
      owed.set(name, { thousandths, at: nowMs })
      dropOldest(owed, Math.min(most, mostDebts))
    },
    takenSince: () => {
      const since = touched.map(([name, bucket]): [Name, number] => [name, bucket.taken])
      for (const [, bucket] of touched) bucket.taken = 0
      touched = []
      return since
    },
  }
}

function fill(bucket: Bucket, nowMs: number): void {
  const { perSecond, burst } = bucket.size
  const passed = Math.max(0, nowMs - bucket.at)
  bucket.thousandths = Math.min(burst * 1000, bucket.thousandths + passed * perSecond)
  bucket.at = Math.max(bucket.at, nowMs)
}

/** Debts of buckets that are never asked here. */
const mostDebts = 100_000

function dropOldest(map: Map<unknown, unknown>, most: number): void {
  for (const oldest of map.keys()) {
    if (map.size <= most) return
    map.delete(oldest)
  }
}
