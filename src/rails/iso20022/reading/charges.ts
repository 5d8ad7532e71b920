import type { Asset } from '../../../platform/money/amount.ts'
import { signed, unitsOf } from './amounts.ts'
import type { StatedAmount, StatedCharge, StatementEntry } from './statement.ts'

/**
 * What the bank kept of an entry for itself: the difference to its payments, which must be the charges that it states, one by one or
 * in all, of the entry or of its payments. Undefined where it is not.
 */
export function chargesIn(asset: Asset, entry: StatementEntry, whole: bigint, payments: bigint): bigint | undefined {
  const difference = payments - whole
  if (difference === 0n) return 0n
  if (difference < 0n) return undefined
  const total = (all: (StatedAmount | undefined)[]): bigint =>
    all.reduce((sum, one) => sum + (one?.currency === asset.ticker ? unitsOf(asset, one) : 0n), 0n)
  const records = (all: StatedCharge[]): bigint[] => {
    const sum = all.reduce((whole, one) => whole + chargeOf(asset, one), 0n)
    return [sum, sum + all.reduce((whole, one) => whole + taxIn(asset, one), 0n)]
  }
  const stated = [
    ...records(entry.charges),
    ...records(entry.payments.flatMap(({ charges }) => charges)),
    total([entry.totalCharges]),
    total(entry.payments.map(({ totalCharges }) => totalCharges)),
  ]
  return stated.includes(difference) ? difference : undefined
}

/** What the bank says that it kept of a credit whose payment's own amount it does not say. */
export function includedIn(asset: Asset, { charges, totalCharges }: StatementEntry): bigint {
  const total = totalCharges?.currency === asset.ticker ? unitsOf(asset, totalCharges) : 0n
  if (charges.length === 0) return total
  const included = charges.filter(({ isIncluded }) => isIncluded)
  const sum = included.reduce((all, one) => all + chargeOf(asset, one), 0n)
  const taxed = included.reduce((all, one) => all + taxIn(asset, one), sum)
  // Only the total says whether the tax is in the amounts.
  return sum <= 0n ? 0n : total === taxed ? taxed : sum
}

function chargeOf(asset: Asset, { amount, isCredit }: StatedCharge): bigint {
  if (amount.currency !== asset.ticker) return 0n
  return signed(asset, amount, isCredit)
}

const taxIn = (asset: Asset, { tax, ...charge }: StatedCharge): bigint =>
  tax ? chargeOf(asset, { ...charge, amount: tax, tax: undefined }) : 0n
