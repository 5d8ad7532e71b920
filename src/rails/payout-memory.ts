/** A payment as it was handed to its rail. `amount` in the asset's smallest unit; `at` in business time. */
export type RememberedPayout = { rail: string; key: string; asset: string; amount: string; at: string }

/** Remembers outside the database what was handed to rails: a database that was restored has forgotten it. */
export type PayoutMemory = {
  /** Keeps the newest thousand; written to disk soon, not at once. */
  note(payout: RememberedPayout): void
  all(): readonly RememberedPayout[]
  /** Says whose payouts these are; those of another exchange are forgotten. */
  belongTo(exchangeId: string): void
}

/** Remembers nothing. */
export const noPayoutMemory: PayoutMemory = { note: () => undefined, all: () => [], belongTo: () => undefined }
