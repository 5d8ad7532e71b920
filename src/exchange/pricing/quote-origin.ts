import { ratioText, reduced } from '../../platform/money/ratio.ts'
import type { Ratio, RatioText } from '../../platform/money/ratio.ts'
import { percentText } from './fees.ts'
import { lessSpread } from './price.ts'
import { originOfVersion1, linesOfVersion1 } from './quote-version-1.ts'
import type { Quote, QuotedLeg, StoredQuote } from './quote.ts'

/** Where a quote's price came from, computed again from what the quote says of the market. */
export type Origin = {
  /** Whole units of the target for one of the source, the spread taken off. */
  price: Ratio
  /** Whole units of the reference currency for one of the source. */
  worth: Ratio
  /** The results as the quote states them. */
  results: { price: RatioText; worth?: Quote['worth'] }
}

/** A quote whose legs do not lead from its source to its target, or to the reference: `reason` says where they break off. */
export type Broken = { reason: string }

/** Computes the price of a stored quote again, from the legs (or, of version 1, the prices) in it and nothing else. */
export function originOf(quote: StoredQuote): Origin | Broken {
  if (quote.version === 1) {
    const { price, worth } = originOfVersion1(quote)
    return { price, worth, results: { price: ratioText(price) } }
  }
  const { from, to, reference, legs, worth } = quote
  const rate = alongLegs('legs', legs, from.ticker, to.ticker)
  const value = alongLegs('worth', worth.legs, from.ticker, reference)
  if ('reason' in rate) return rate
  if ('reason' in value) return value

  const price = lessSpread(rate, quote.spreadBasisPoints)
  return { price, worth: value, results: { price: ratioText(price), worth: { ...ratioText(value), legs: worth.legs } } }
}

/** Walks quoted legs from one ticker to another: what one whole unit comes to, in lowest terms. */
function alongLegs(name: string, legs: readonly QuotedLeg[], from: string, to: string): Ratio | Broken {
  let [numerator, denominator] = [1n, 1n]
  let here = from
  for (const { market, crossing, ...price } of legs) {
    const [base = '', quote = ''] = market.split('/')
    const isKnown = crossing === 'sell' || crossing === 'buy'
    const [entrance, exit] = crossing === 'sell' ? [base, quote] : [quote, base]
    if (!isKnown || entrance !== here)
      return { reason: `${name}: nobody can ${crossing} ${base} with ${here} at ${market}` }
    const [by, over] = [BigInt(price.numerator), BigInt(price.denominator)]
    numerator *= crossing === 'sell' ? by : over
    denominator *= crossing === 'sell' ? over : by
    here = exit
  }
  return here === to
    ? reduced({ numerator, denominator })
    : { reason: `${name}: the path ends at ${here}, not at ${to}` }
}

/** The origin of the price as text, a step a line, with the stored figures. */
export function originLines(quote: StoredQuote): string[] {
  if (quote.version === 1) return linesOfVersion1(quote)

  const { from, to, reference, legs, worth, price } = quote
  const spread = percentText(quote.spreadBasisPoints)
  const isTheSame = from.ticker === reference
  return [
    ...legs.map((leg, at) => `leg ${at + 1}: ${legText(leg)}`),
    `price: ${productText(legs)}, less ${spread} spread = ${price.numerator} / ${price.denominator} ${to.ticker} for one ${from.ticker}`,
    ...worth.legs.map((leg, at) => `worth, leg ${at + 1}: ${legText(leg)}`),
    ...(isTheSame
      ? []
      : [
          `worth: ${productText(worth.legs)} = ${worth.numerator} / ${worth.denominator} ${reference} for one ${from.ticker}`,
        ]),
  ]
}

function legText({ market, crossing, numerator, denominator, at, source, leftOut }: QuotedLeg): string {
  const others = leftOut === undefined ? '' : `, left out: ${leftOut}`
  const [base = '', quote = ''] = market.split('/')
  const action = crossing === 'sell' ? `sell ${base} at the bid` : `buy ${base} at the ask`
  return `${market}, ${action}: ${numerator} / ${denominator} ${quote} for one ${base} at ${at}, source ${source}${others}`
}

/** `bid 1 x bid 2 / ask 3`, by the legs' numbers. */
function productText(legs: readonly QuotedLeg[]): string {
  const factors = legs
    .map(({ crossing }, at) => (crossing === 'sell' ? ` x bid ${at + 1}` : ` / ask ${at + 1}`))
    .join('')
  return `1${factors}`
}
