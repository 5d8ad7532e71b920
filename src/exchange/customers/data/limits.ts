import type { KycLevel } from '../kyc-levels.ts'

/** What a customer may change in a rolling period, in euro cents. */
export type CustomerLimit = { period: 'day' | 'month'; max: bigint }

/** How long a period is, in milliseconds, counted back from now. */
export const periodMs: Readonly<Record<CustomerLimit['period'], number>> = {
  day: 86_400_000,
  month: 30 * 86_400_000,
}

/**
 * Limits of customers by how thoroughly they were verified: our own figures, no law's. A change is a new version, with its
 * date, so that a decision that was taken under an older one can be understood. Version 1 had 15,000 EUR a day for `none`, which was less
 * than the largest single order.
 */
export const customerLimits: {
  version: number
  since: string
  levels: Readonly<Record<KycLevel, readonly CustomerLimit[]>>
} = {
  version: 2,
  since: '2026-11-20',
  levels: {
    none: [
      { period: 'day', max: 20_000_00n },
      { period: 'month', max: 50_000_00n },
    ],
    basic: [
      { period: 'day', max: 100_000_00n },
      { period: 'month', max: 300_000_00n },
    ],
    full: [
      { period: 'day', max: 250_000_00n },
      { period: 'month', max: 1_000_000_00n },
    ],
  },
}
