import type { Atomic } from '../platform/db/sql.ts'

/** Payments that may have left before the database went back in time. They are not ordered again: what the provider says decides. */
export type UnsurePayments = {
  /** Takes everything that waits to leave for such payments, in the block that closes a restored exchange. */
  all(db: Atomic): void
  /** Takes a prepared payment for one, instead of `submit`, as often as is wanted. It may have left between two moments. */
  one(plan: { key: string; body: Record<string, string> }, between: { since: Date; until: Date }): Promise<void>
}
