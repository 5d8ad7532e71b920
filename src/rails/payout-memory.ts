/** A payment as it was handed to its rail. `amount` in the asset's smallest unit; `at` in business time. */
export type RememberedPayout = { rail: string; key: string; asset: string; amount: string; at: string }

/** Remembers outside the database what was handed to rails: a database that was restored has forgotten it. */
export type PayoutMemory = {
  /** Keeps the newest thousand; written to disk soon, not at once. */
  note(payout: RememberedPayout): void
  all(): readonly RememberedPayout[]
  /** Says whose payouts these are; those of another exchange are forgotten, and when it was seen. */
  belongTo(exchangeId: string): void
  /** This machine, and when it has last seen the exchange's database, in the database's time. */
  sighting(): Sighting
  /** Written to disk at once. */
  noteSeen(at: Date): void
}

export type Sighting = { machine: string; at: Date | undefined }

/** Remembers nothing. */
export const noPayoutMemory: PayoutMemory = {
  note: () => undefined,
  all: () => [],
  belongTo: () => undefined,
  sighting: () => ({ machine: '', at: undefined }),
  noteSeen: () => undefined,
}
