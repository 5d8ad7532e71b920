import assert from 'node:assert/strict'

import { reduced } from '../../platform/money/ratio.ts'
import type { Ratio } from '../../platform/money/ratio.ts'

/** Hundredths of a percent in a whole. */
export const wholeBasisPoints = 10_000

/**
 * What a customer gets for one whole unit of the source, in whole units of the target, exactly: the market's price less the
 * spread that we keep. In lowest terms.
 *
 * Because the spread is never negative, what holds of the market's prices holds of ours: no round trip gains.
 */
export function lessSpread({ numerator, denominator }: Ratio, spreadBasisPoints: number): Ratio {
  assert(spreadBasisPoints >= 0 && spreadBasisPoints < wholeBasisPoints, 'a spread is part of the price')

  return reduced({
    numerator: numerator * BigInt(wholeBasisPoints - spreadBasisPoints),
    denominator: denominator * BigInt(wholeBasisPoints),
  })
}
