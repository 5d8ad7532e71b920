import assert from 'node:assert/strict'

import type { MarketPrice } from '../money/market.ts'
import { reduced } from '../money/ratio.ts'
import type { Ratio } from '../money/ratio.ts'

/** Hundredths of a percent in a whole. */
export const wholeBasisPoints = 10_000

/**
 * What a customer gets for one whole unit of the source, in whole units of the target, exactly:
 * we take the source at the market's bid, give the target at its ask, and keep the spread.
 *
 * Because bid <= ask and the spread is never negative, price(A to B) x price(B to A) <= 1: no round trip gains.
 */
export function crossPrice(
  source: Pick<MarketPrice, 'bid'>,
  target: Pick<MarketPrice, 'ask'>,
  spreadBasisPoints: number,
): Ratio {
  assert(spreadBasisPoints >= 0 && spreadBasisPoints < wholeBasisPoints, 'a spread is part of the price')

  return reduced({
    numerator: source.bid.numerator * target.ask.denominator * BigInt(wholeBasisPoints - spreadBasisPoints),
    denominator: source.bid.denominator * target.ask.numerator * BigInt(wholeBasisPoints),
  })
}
