import { formatAmount } from '../../platform/money/amount.ts'
import { tenTo } from '../../platform/money/ratio.ts'
import { listings } from '../../reference/catalog/asset.ts'
import { sideOf } from '../../reference/catalog/currency.ts'
import { termsFor } from '../../reference/catalog/payment-method.ts'
import type { Kind as ExchangeKind } from '../../reference/catalog/payment-method.ts'
import type { Exchange } from '../availability/exchange.ts'
import type { PartnerTerms } from '../availability/partner-terms.ts'
import { resolve } from '../availability/resolve.ts'
import type { ExchangeMoment } from '../availability/exchange-moment.ts'
import type { Cost, FeeRules } from '../policies/fees.ts'
import { partsOf, wholeParts } from '../pricing/price.ts'
import { bareSum } from '../pricing/sum.ts'

/** An exchange that would cost the house more than it brings. */
export type LossExample = {
  /** `EUR-EUR_BTC-BTC`. */
  pair: string
  deposit: string
  payout: string
  /** In whole units of the source. */
  amount: string
  currency: string
  /** In euros. */
  loss: string
}

/** What was looked at, and the worst loss of each pair of methods, the worst first. */
export type LossCheck = { exchanges: number; losses: LossExample[] }

/** A millionth of a euro. */
const micro = { decimals: 6 }
const microPerCent = 10_000n
const free: Cost = { basisPoints: 0, fixedCents: 0n }

/**
 * Looks at every pair and method at its least and its greatest amount, and where the least service fee stops to count, at the
 * prices of this moment. The house gains the fees and the spread; it pays for the methods. A network fee covers what sending costs,
 * and a commission is the partner's.
 */
export function lossesUnder(moment: ExchangeMoment, rules: FeeRules, terms: PartnerTerms): LossCheck {
  const worst = new Map<string, { micros: bigint; example: LossExample }>()
  let exchanges = 0
  for (const exchange of exchangesOf(moment, terms)) {
    exchanges += 1
    for (const amount of amountsOf(exchange)) {
      const micros = gainOf(exchange, rules, amount)
      const key = `${exchange.deposit.type} ${exchange.payout.type} ${exchange.side}`
      if (micros >= 0n || micros >= (worst.get(key)?.micros ?? 0n)) continue
      worst.set(key, { micros, example: exampleOf(exchange, amount, micros) })
    }
  }
  const found = [...worst.values()].toSorted((one, other) => (one.micros < other.micros ? -1 : 1))
  return { exchanges, losses: found.map(({ example }) => example) }
}

/** Every pair that is available, by each pair of methods. */
function* exchangesOf(moment: ExchangeMoment, terms: PartnerTerms): Generator<Exchange> {
  const kind: ExchangeKind = terms.kind ?? 'retail'
  for (const source of listings) {
    for (const target of listings) {
      const side = source === target ? undefined : sideOf(source.currency, target.currency)
      if (!side) continue
      for (const deposit of source.network.paymentMethods) {
        if (!termsFor(deposit.deposit, kind, side)) continue
        for (const payout of target.network.paymentMethods) {
          if (!termsFor(payout.withdrawal, kind, side)) continue
          const outcome = resolve(moment, terms, {
            fromCurrency: source.asset.ticker,
            fromNetwork: source.asset.network,
            toCurrency: target.asset.ticker,
            toNetwork: target.asset.network,
            depositType: deposit.type,
            payoutType: payout.type,
          })
          if (outcome.available) yield outcome.exchange
        }
      }
    }
  }
}

/** Between these amounts the gain is a straight line. */
function amountsOf({ range, terms }: Exchange): bigint[] {
  const service = terms.fees.find(({ kind }) => kind === 'service')
  const parts = partsOf(service?.basisPoints ?? 0)
  const turns = [
    ...(service && parts > 0n ? [(service.minimum * wholeParts) / parts] : []),
    ...(service?.tiers ?? []).map(({ above }) => above),
  ]
  return [range.min, ...turns.filter((turn) => turn > range.min && turn < range.max), range.max]
}

/** In millionths of a euro, rounded down. */
function gainOf({ terms, deposit, payout }: Exchange, { costs }: FeeRules, amount: bigint): bigint {
  const sum = bareSum(terms, amount, { feesIncluded: true })
  const commission = sum.fees.find(({ rule }) => rule.kind === 'partner')?.amount ?? 0n
  const { price: market } = terms.rate
  const { price: worth } = terms.worth
  const [fromUnit, toUnit] = [tenTo(terms.from.decimals), tenTo(terms.to.decimals)]
  const spent = sum.toAmount + terms.networkFee
  const euros = (units: bigint) => (units * worth.numerator * tenTo(6)) / (worth.denominator * fromUnit)

  // What is paid out, in units of the source at the market's price, rounded up.
  const [by, over] = [spent * market.denominator * fromUnit, market.numerator * toUnit]
  const paidFor = (by + over - 1n) / over
  const cost = (of: Cost, units: bigint) =>
    (euros(units) * BigInt(of.basisPoints)) / 10_000n + of.fixedCents * microPerCent
  return (
    euros(amount - commission - paidFor) -
    cost(costs.get(deposit.category) ?? free, amount) -
    cost(costs.get(payout.category) ?? free, paidFor)
  )
}

const exampleOf = ({ source, target, deposit, payout }: Exchange, amount: bigint, micros: bigint): LossExample => ({
  pair: `${source.asset.id}_${target.asset.id}`,
  deposit: deposit.type,
  payout: payout.type,
  amount: formatAmount(amount, source.asset),
  currency: source.asset.ticker,
  loss: formatAmount(-micros, micro),
})
