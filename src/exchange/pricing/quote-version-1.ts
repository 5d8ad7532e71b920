import { ratioFrom, reduced } from '../../platform/money/ratio.ts'
import type { Ratio, RatioText } from '../../platform/money/ratio.ts'
import { percentText } from './fees.ts'
import { wholeBasisPoints } from './price.ts'
import type { QuoteCommon } from './quote.ts'

/**
 * A quote as it was written until prices crossed paths of markets: one price of each currency in the reference currency, the
 * bid of the source and the ask of the target. None are written any more; those that are stored explain themselves for ever.
 */
export type QuoteVersion1 = QuoteCommon & {
  version: 1
  prices: { from: PriceVersion1; to: PriceVersion1 }
}

/** One price, in whole reference units for one whole unit of the ticker, on the side of the market that was used. */
type PriceVersion1 = RatioText & { ticker: string; marketSide: 'bid' | 'ask'; at: string; source: string }

/** What a quote of version 1 was priced at: bid / ask less the spread, in lowest terms; the source's bid is its worth. */
export function originOfVersion1({ prices, spreadBasisPoints }: QuoteVersion1): { price: Ratio; worth: Ratio } {
  const [bid, ask] = [ratioFrom(prices.from), ratioFrom(prices.to)]
  const price = reduced({
    numerator: bid.numerator * ask.denominator * BigInt(wholeBasisPoints - spreadBasisPoints),
    denominator: bid.denominator * ask.numerator * BigInt(wholeBasisPoints),
  })
  return { price, worth: bid }
}

/** The same in words, a step a line. */
export function wordsOfVersion1({ prices, reference, spreadBasisPoints, price, from, to }: QuoteVersion1): string[] {
  const spread = percentText(spreadBasisPoints)
  return [
    ...[prices.from, prices.to].map(
      ({ ticker, marketSide, numerator, denominator, at, source }) =>
        `${ticker} ${marketSide}: ${numerator} / ${denominator} ${reference} at ${at}, source ${source}`,
    ),
    `price: bid / ask, less ${spread} spread = ${price.numerator} / ${price.denominator} ${to.ticker} for one ${from.ticker}`,
  ]
}
