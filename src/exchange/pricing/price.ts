import assert from 'node:assert/strict'

import { reduced } from '../../platform/money/ratio.ts'
import type { Ratio } from '../../platform/money/ratio.ts'

/** Hundredths of a percent in a whole. */
export const wholeBasisPoints = 10_000

/** The parts in a whole in which shares of any decimals are exact. */
export const wholeParts = 10_000_000_000n

/** A share in hundredths of a percent, with at most six decimals, in parts of `wholeParts`: `12.5` is 12,500,000. */
export const partsOf = (basisPoints: number): bigint => BigInt(Math.round(basisPoints * 1_000_000))

/**
 * What a customer gets for one whole unit of the source, in whole units of the target, exactly: the market's price less the
 * spread that we keep. In lowest terms.
 *
 * Because the spread is never negative, what holds of the market's prices holds of ours: no round trip gains.
 */
export function lessSpread({ numerator, denominator }: Ratio, spreadBasisPoints: number): Ratio {
  assert(spreadBasisPoints >= 0 && spreadBasisPoints < wholeBasisPoints, 'a spread is part of the price')

  return reduced({
    numerator: numerator * (wholeParts - partsOf(spreadBasisPoints)),
    denominator: denominator * wholeParts,
  })
}
