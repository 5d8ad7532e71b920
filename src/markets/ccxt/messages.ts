/** How one exchange is reached. Everything travels to the child process over its channel, never by its environment. */
export type VenueSettings = {
  /** The exchange's name at ccxt: `kraken`. */
  exchange: string
  apiKey?: string | undefined
  secret?: string | undefined
  password?: string | undefined
  uid?: string | undefined
  /** Replaces scheme, host and port of the exchange's addresses, for tests. */
  urls?: { api: string } | undefined
}

/**
 * What can be asked of an exchange: ccxt's unified methods, and `market`, which gives the description of one market (its limits
 * and steps).
 */
export type VenueMethod =
  | 'cancelOrder'
  | 'createOrder'
  | 'fetchBalance'
  | 'fetchClosedOrders'
  | 'fetchDepositAddress'
  | 'fetchDeposits'
  | 'fetchMyTrades'
  | 'fetchOpenOrders'
  | 'fetchOrder'
  | 'fetchOrderBook'
  | 'fetchOrders'
  | 'fetchTime'
  | 'fetchWithdrawals'
  | 'market'
  | 'withdraw'

/** What the child process is asked. A venue is opened once, before its first call. */
export type Question =
  | { kind: 'open'; venue: string; settings: VenueSettings; timeoutMs: number }
  | { kind: 'call'; id: number; venue: string; method: VenueMethod; args: readonly unknown[] }

/** What it answers. Amounts and prices in `value` are decimal texts. */
export type Answer = { id: number; value?: unknown } | { id: number; failure: VenueFailure }

/**
 * Why a call failed. `classes` are ccxt's error classes, the most precise one first; empty where something else broke.
 * `retryAfterMs` is how long the exchange asked us to wait.
 */
export type VenueFailure = { classes: readonly string[]; message: string; retryAfterMs?: number }
