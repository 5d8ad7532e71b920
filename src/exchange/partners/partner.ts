import type { PartnerSettings } from './settings.ts'

/** The company that integrates the API. Its `id` is random and is what partners know themselves by. */
export type Partner = {
  readonly id: bigint
  readonly name: string
  readonly settings: PartnerSettings
  readonly createdAt: Date
  /** Since when no key of the account is valid; null: it is not disabled. */
  readonly disabledAt: Date | null
  /** What its orders came to in 30 days, in euro cents, as counted today: see `measureVolumes`. */
  readonly volumeCents: bigint
}

/** What a key may do: a public one may be seen in a browser, a secret one may do everything. */
export type KeyKind = 'public' | 'secret'

/** A key as people see it after it has been made: its text is nowhere any more. */
export type ApiKey = {
  readonly id: bigint
  readonly partnerId: bigint
  readonly kind: KeyKind
  readonly mode: 'test' | 'live'
  /** The last four characters, to tell keys apart. */
  readonly hint: string
  readonly label: string
  /** Addresses and blocks (`192.0.2.0/24`) that it may be used from; empty is anywhere. */
  readonly allowIps: readonly string[]
  readonly createdAt: Date
  /** Real time at which it stops working by itself; null is never. */
  readonly expiresAt: Date | null
  /** To the minute. */
  readonly lastUsedAt: Date | null
  readonly revokedAt: Date | null
}
