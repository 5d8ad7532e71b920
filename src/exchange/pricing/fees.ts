import type { FeeRules } from '../policies/fees.ts'
import type { Policy } from '../policies/policies.ts'

/** Whom a fee is for. The ledger has an account for each. */
export type FeeKind = 'service' | 'deposit' | 'payout' | 'partner'

/** The names under which partners and customers read the fees. */
export const feeNames: Readonly<Record<FeeKind, string>> = {
  service: 'Service fee',
  deposit: 'Payment method fee',
  payout: 'Payout method fee',
  partner: 'Partner fee',
}

/** A price list as it applies to one pair. */
export type FeeSchedule = Pick<FeeRules, 'serviceBasisPoints' | 'serviceMinimum' | 'spreadBasisPoints'> & {
  /** The policy that it is of. */
  kind: 'fees' | 'b2b'
  version: number
}

/** What a policy asks for a pair of tickers. */
export function scheduleOf({ kind, version, rules }: Policy<'fees' | 'b2b'>, from: string, to: string): FeeSchedule {
  const { service, spread } = rules.pairs.get(`${from}/${to}`) ?? {}
  return {
    kind,
    version,
    serviceMinimum: rules.serviceMinimum,
    serviceBasisPoints: service === undefined ? rules.serviceBasisPoints : everySide(service),
    spreadBasisPoints: spread === undefined ? rules.spreadBasisPoints : everySide(spread),
  }
}

const everySide = (basisPoints: number) => ({ buy: basisPoints, sell: basisPoints, swap: basisPoints })

/** Basis points as partners read them: 50 is `0.5%`. */
export function percentText(basisPoints: number): string {
  const digits = String(basisPoints).padStart(3, '0')
  const fraction = digits.slice(-2).replace(/0+$/, '')
  return `${digits.slice(0, -2)}${fraction ? `.${fraction}` : ''}%`
}
