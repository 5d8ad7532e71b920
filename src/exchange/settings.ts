import type { EvmSettings } from '../rails/evm/settings.ts'
import type { Confirmations } from '../rails/confirmations.ts'

/** What an exchange with real money is stricter about. */
export type Environment = {
  /** What protects money and customers (TLS, company data, a backup of the master key) is demanded, not only advised. */
  demandsSafeguards: boolean
  /** The prefix of API keys, `sk_test_...` or `sk_live_...`. Keys of the other kind don't work here. */
  keyMode: 'test' | 'live'
  httpsWebhooksOnly: boolean
  /** Whether customers may be sent back to pages on the developer's own machine, over plain http. */
  loopbackRedirects: boolean
  /** A node must serve the chain that the catalog names, not a test network or a local copy. */
  catalogChainsOnly: boolean
  /** Forms sent over plain http from the host that the request names count as ours: localhost where PUBLIC_URL says 127.0.0.1. */
  trustsHostHeader: boolean
  /** Whether operators need a second factor to use the console. */
  secondFactor: boolean
  /** Origins that may frame any partner's calculator, in addition to the partner's own. */
  frameOrigins: readonly string[]
  /** A policy that one operator proposes is approved by a second one. */
  twoOperators: boolean
  /** Operators approve with keys of theirs only; elsewhere the service vouches for an operator without one. */
  operatorKeys: boolean
  /** Bank transfers of others than the customer wait for staff. */
  holdsThirdPartyMoney: boolean
  /** Business time may be moved ahead of real time. Elsewhere the database, which would say so, is not asked. */
  movesTime: boolean
}

/** The operator as customers see it: checkout footers, e-mails and receipts. */
export type Company = {
  name: string
  address: string
  license?: string
  /** An e-mail address or a URL. */
  support: string
}

/** The operator on two lines: name and address, license and contact. */
export const companyLines = ({ name, address, license, support }: Company): [string, string] => [
  `${name}, ${address}`,
  [license, support].filter(Boolean).join(' · '),
]

/** How far the house's exposure in a currency may go, as decimal texts in whole units. Undefined: by its worth. */
export type ExposureBounds = { target: string; minimum: string | undefined; lot: string | undefined }

/** How the house hedges its exposure. Caps are euro cents. */
export type HedgingSettings = {
  /** Hedges within the caps are sent without approval. */
  isAutomatic: boolean
  /** The name of the venue's custody account. */
  venue: string
  pairs: readonly { base: string; quote: string }[]
  /** The asset that the venue holds of a ticker, where the catalog has several. */
  assets: Readonly<Record<string, string>>
  everyMs: number
  slippageBasisPoints: number
  expiresAfterMs: number
  bounds: Readonly<Record<string, ExposureBounds>>
  capPerOrder: bigint
  capPerDay: bigint
}

/** A custody account that money may be moved to, and an asset of it. `address`: where it is paid to, for the operator. */
export type RebalancingDestination = { name: string; account: string; asset: string; address?: string | undefined }

/** How much of an asset a custody account should hold, as decimal texts in whole units. */
export type BalanceLevel = {
  account: string
  asset: string
  target: string
  minimum: string | undefined
  maximum: string | undefined
  /** The destination of what is too much, and the account that refills what is too little. */
  surplusTo: string | undefined
  refillFrom: string | undefined
}

/** Between which custody accounts the operator moves money. */
export type RebalancingSettings = {
  destinations: readonly RebalancingDestination[]
  levels: readonly BalanceLevel[]
}

/**
 * What the business and its doors read of the operator's settings; `app/config/` reads and checks them. Times are in
 * milliseconds where a name ends in `Ms`. Whether money is real is not among them: only `app/` and `sandbox/` may ask.
 */
export type Settings = {
  environment: Environment
  /** Undefined where the operator configured none, in the sandbox only. */
  company?: Company | undefined
  /** Undefined where hedging is off. */
  hedging?: HedgingSettings | undefined
  rebalancing?: RebalancingSettings | undefined
  roles: readonly string[]
  outsideTimeoutMs: number
  http: {
    host: string
    port: number
    publicUrl: string | undefined
    bodyLimitBytes: number
    requestTimeoutMs: number
    maxConnections: number
    trustedProxies: string[]
  }
  rateLimits: {
    on: boolean
    keyPerSecond: number
    keyBurst: number
    createsPerSecond: number
    createsBurst: number
    customerIpPerSecond: number
    customerIpBurst: number
  }
  pricing: { staleAfterMs: number }
  /** Final depths that differ from the catalog's, by network. */
  confirmations: Confirmations
  jobs: { leaseMs: number }
  shutdownGraceMs: number
  webhooks: {
    timeoutMs: number
    retrySeconds: number[]
    allowPrivate: boolean
    /** Empty: any. */
    ports: number[]
    disableAfterMs: number
    rotationOverlapMs: number
  }
  b2b: { coolingOffMs: number }
  operator: { token: string | undefined }
  mail: {
    smtpUrl: string | undefined
    caFile: string | undefined
    dkimKeyFile: string | undefined
    dkimSelector: string
    from: string
  }
  oneTimeCode: { validityMs: number }
  legal: {
    termsUrl: string | undefined
    termsVersion: string
    privacyUrl: string | undefined
    privacyVersion: string
  }
  evm: EvmSettings
}
