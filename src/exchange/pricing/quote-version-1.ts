import { ratioFrom, reduced } from '../../platform/money/ratio.ts'
import type { Ratio } from '../../platform/money/ratio.ts'
import { percentText } from './fees.ts'
import { wholeBasisPoints } from './price.ts'
import type { QuoteVersion1 } from './quote.ts'

/** What a quote of version 1 was priced at: bid / ask less the spread, in lowest terms; the source's bid is its worth. */
export function originOfVersion1({ prices, spreadBasisPoints }: QuoteVersion1): { price: Ratio; worth: Ratio } {
  const [bid, ask] = [ratioFrom(prices.from), ratioFrom(prices.to)]
  const price = reduced({
    numerator: bid.numerator * ask.denominator * BigInt(wholeBasisPoints - spreadBasisPoints),
    denominator: bid.denominator * ask.numerator * BigInt(wholeBasisPoints),
  })
  return { price, worth: bid }
}

/** The same as text, a step a line. */
export function linesOfVersion1({ prices, reference, spreadBasisPoints, price, from, to }: QuoteVersion1): string[] {
  const spread = percentText(spreadBasisPoints)
  return [
    ...[prices.from, prices.to].map(
      ({ ticker, marketSide, numerator, denominator, at, source }) =>
        `${ticker} ${marketSide}: ${numerator} / ${denominator} ${reference} at ${at}, source ${source}`,
    ),
    `price: bid / ask, less ${spread} spread = ${price.numerator} / ${price.denominator} ${to.ticker} for one ${from.ticker}`,
  ]
}
