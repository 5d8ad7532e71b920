import { type Listing, listingById } from '../../reference/catalog/asset.ts'
import type { Language } from '../../platform/language/language.ts'
import { parseAmount } from '../../platform/money/amount.ts'
import { unitPriceOf, unitPriceText } from './price-text.ts'
import type { StoredQuote } from './quote.ts'
import type { CostPart, TotalCost } from './total-cost.ts'

/** What a price says of its network fee, with the names of its currencies. */
export type PricedOrder = { quote: Pick<StoredQuote, 'networkFee' | 'side'>; from: Listing; to: Listing }

/** `6.38 EUR (6.4%)` */
export function totalCostText(order: PricedOrder, cost: TotalCost, { amount, percent }: Language): string {
  return `${amount(cost.amount, moneyOf(order, cost))} (${percent(cost.basisPoints)})`
}

/** One part of a total cost, as pages, e-mails and receipts show it. */
export type CostLine = { name: string; note?: string; value: string }

/** The parts of a total cost. They add up to it. */
export function costLines(order: PricedOrder, cost: TotalCost, language: Language): CostLine[] {
  const money = moneyOf(order, cost)
  return cost.parts.map((part) => {
    const note = noteOf(part, order, cost, language)
    return {
      name: language.say(nameKeys[part.kind]),
      ...(note === undefined ? {} : { note }),
      value: language.amount(part.amount, money),
    }
  })
}

const nameKeys = {
  service: 'summary.fee.service',
  deposit: 'summary.fee.deposit',
  payout: 'summary.fee.payout',
  partner: 'summary.fee.partner',
  network: 'summary.networkFee',
  spread: 'summary.spread',
  refund: 'receipt.refundCost',
} as const

const moneyOf = ({ from, to }: PricedOrder, { asset }: TotalCost): Listing =>
  [to, from].find((one) => one.asset.id === asset.id) ?? listingById(asset.id) ?? from

/** A fee's percentage, the network fee in its own coin, and what the spread is taken from. */
function noteOf(
  { kind, basisPoints }: CostPart,
  order: PricedOrder,
  cost: TotalCost,
  language: Language,
): string | undefined {
  const { say, amount, percent } = language
  const { quote, to } = order
  if (kind === 'network') {
    return cost.asset.id === to.asset.id ? undefined : amount(parseAmount(quote.networkFee, to.asset), to)
  }
  if (kind !== 'spread') return basisPoints === undefined || basisPoints === 0 ? undefined : percent(basisPoints)
  if (basisPoints === undefined || basisPoints === 0) return undefined
  const shown = { ...order, price: cost.marketPrice, side: quote.side }
  const key = unitPriceOf(shown).isPaid ? 'summary.spreadAbove' : 'summary.spreadBelow'
  return say(key, { share: percent(basisPoints), price: unitPriceText(shown, language) })
}
