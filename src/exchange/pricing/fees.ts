import assert from 'node:assert/strict'

import type { Side } from '../../reference/catalog/payment-method.ts'

/** Whom a fee is for. The ledger has an account for each. */
export type FeeKind = 'service' | 'deposit' | 'payout' | 'partner'

/** The names under which partners and customers read the fees. */
export const feeNames: Readonly<Record<FeeKind, string>> = {
  service: 'Service fee',
  deposit: 'Payment method fee',
  payout: 'Payout method fee',
  partner: 'Partner fee',
}

/** What the house takes, from a moment of business time on. A schedule is never edited once in force: a new one is added. */
export type FeeSchedule = {
  /** Stored with every quote made under it. */
  version: string
  /** Business time from which it holds, until a later one does. */
  from: Date
  /** Service fee by side, in hundredths of a percent of what the customer pays. */
  serviceBasisPoints: Readonly<Record<Side, number>>
  /** Least service fee, decimal text in the market's reference currency. */
  serviceMinimum: string
  /** Kept from the market's price, in hundredths of a percent. */
  spreadBasisPoints: Readonly<Record<Side, number>>
}

/** The house's schedules, oldest first. The first one holds since ever. */
export const feeSchedules: readonly FeeSchedule[] = [
  {
    version: '2026-01',
    from: new Date('1970-01-01T00:00:00.000Z'),
    serviceBasisPoints: { buy: 100, sell: 100, swap: 50 },
    serviceMinimum: '0',
    spreadBasisPoints: { buy: 50, sell: 50, swap: 40 },
  },
]

/** The same for institutions: large amounts, paid by transfers that cannot be charged back. */
export const b2bFeeSchedules: readonly FeeSchedule[] = [
  {
    version: 'b2b-2026-01',
    from: new Date('1970-01-01T00:00:00.000Z'),
    serviceBasisPoints: { buy: 30, sell: 30, swap: 20 },
    serviceMinimum: '5',
    spreadBasisPoints: { buy: 20, sell: 20, swap: 15 },
  },
]

/** The schedule in force at a business time. A list that begins after it is a fault: there is always a price list. */
export function scheduleAt(businessTime: Date, schedules: readonly FeeSchedule[] = feeSchedules): FeeSchedule {
  const schedule = schedules.findLast(({ from }) => from.getTime() <= businessTime.getTime())
  return schedule ?? assert.fail(`no fee schedule holds at ${businessTime.toISOString()}`)
}

/** Basis points as partners read them: 50 is `0.5%`. */
export function percentText(basisPoints: number): string {
  const digits = String(basisPoints).padStart(3, '0')
  const fraction = digits.slice(-2).replace(/0+$/, '')
  return `${digits.slice(0, -2)}${fraction ? `.${fraction}` : ''}%`
}
