import { listings } from '../../reference/catalog/asset.ts'
import type { Listing } from '../../reference/catalog/asset.ts'
import { sideOf } from '../../reference/catalog/currency.ts'
import type { Side } from '../../reference/catalog/payment-method.ts'
import { resolve } from './resolve.ts'
import type { ExchangeRequest } from './request.ts'
import type { PartnerTerms } from './partner-terms.ts'
import type { ExchangeMoment } from './exchange-moment.ts'

/** On which sides something can be exchanged now, at either end. */
export type OpenSides = Readonly<Record<Side, boolean>>

/** What can be exchanged now. */
export type Offers = {
  /** By asset id (`USDT-TRX`). Every asset of the catalog is in it. */
  assets: ReadonlyMap<string, OpenSides>
  /** By ticker: open where one of its networks is. */
  currencies: ReadonlyMap<string, OpenSides>
}

const closed: OpenSides = { buy: false, sell: false, swap: false }

/** Available means: on some side, from or to something. */
export const isAvailable = (sides: OpenSides | undefined): boolean =>
  sides !== undefined && (sides.buy || sides.sell || sides.swap)

/** The fixed parts of an exchange: its methods by type, the customer's country. */
export type FixedTerms = Pick<ExchangeRequest, 'depositType' | 'payoutType' | 'country'>

/**
 * Whether some amount can be exchanged from one asset to another now, by some method. The resolver takes the first method that
 * is open where none is named, and its bounds may leave no amount; then the others are asked for by name.
 */
export function isOffered(
  moment: ExchangeMoment,
  partner: PartnerTerms,
  source: Listing,
  target: Listing,
  settled: FixedTerms = {},
): boolean {
  const pair = {
    fromCurrency: source.currency.ticker,
    fromNetwork: source.network.code,
    toCurrency: target.currency.ticker,
    toNetwork: target.network.code,
    ...settled,
  }
  const outcome = resolve(moment, partner, pair)
  if (outcome.available) return true
  if (outcome.failures[0].rule !== 'the pair has a range') return false

  const deposits = typesOf(source, settled.depositType)
  const payouts = typesOf(target, settled.payoutType)
  if (deposits.length * payouts.length === 1) return false
  return deposits.some((depositType) =>
    payouts.some((payoutType) => resolve(moment, partner, { ...pair, depositType, payoutType }).available),
  )
}

const typesOf = ({ network }: Listing, named: string | undefined): readonly string[] =>
  named === undefined ? network.paymentMethods.map(({ type }) => type) : [named]

/**
 * What can be exchanged now on a partner's terms, by asking the resolver itself: an asset is offered on a side when some
 * exchange with it has a range. Looks for one counterpart an asset and side, and no further.
 */
export function offersAt(moment: ExchangeMoment, partner: PartnerTerms): Offers {
  const assets = new Map(
    listings.map((listing) => {
      const isOpen = (side: Side): boolean => isOpenOn(side, listing, moment, partner)
      return [listing.asset.id, { buy: isOpen('buy'), sell: isOpen('sell'), swap: isOpen('swap') }]
    }),
  )
  const currencies = new Map<string, OpenSides>()
  for (const { asset } of listings) {
    const [one, known] = [assets.get(asset.id) ?? closed, currencies.get(asset.ticker) ?? closed]
    currencies.set(asset.ticker, {
      buy: one.buy || known.buy,
      sell: one.sell || known.sell,
      swap: one.swap || known.swap,
    })
  }
  return { assets, currencies }
}

const isOpenOn = (side: Side, listing: Listing, moment: ExchangeMoment, partner: PartnerTerms): boolean =>
  listings.some(
    (other) =>
      (sideOf(listing.currency, other.currency) === side && isOffered(moment, partner, listing, other)) ||
      (sideOf(other.currency, listing.currency) === side && isOffered(moment, partner, other, listing)),
  )
