import { type Listing, listings } from '../../reference/catalog/asset.ts'
import { countries, type Country, servesCountry } from '../../reference/catalog/country.ts'
import { sideOf } from '../../reference/catalog/currency.ts'
import type { PaymentMethod } from '../../reference/catalog/payment-method.ts'
import { type Category, paymentCategories } from '../../reference/catalog/payment-category.ts'
import { rateBetween } from '../pricing/rate.ts'
import { isOffered } from './offers.ts'
import type { PartnerTerms } from './partner-terms.ts'
import type { ExchangeMoment } from './exchange-moment.ts'

/** Whether customers can pay in, and be paid out, by a category. */
export type OpenWays = { deposit: boolean; withdrawal: boolean }

/** A category in a country; with a ticker or a network's code, only what moves that. */
export type CategoryAsked = {
  category: Category
  country: Country
  ticker?: string | undefined
  network?: string | undefined
}

type Method = { way: keyof OpenWays; listing: Listing; method: PaymentMethod }

/**
 * Finds the categories in which a customer in a country can pay and be paid at a moment, on a partner's terms: asks the resolver
 * for an exchange with each method until one has a range. Results are cached for this moment.
 */
export function openWaysAt(moment: ExchangeMoment, partner: PartnerTerms): (asked: CategoryAsked) => OpenWays {
  const known = new Map<string, OpenWays>()
  const anywhere = new Map<string, boolean>()
  const sources = new Set(
    listings.filter(({ currency }) => rateBetween(moment, currency.ticker, moment.market.reference)),
  )

  const isOffer = ({ way, listing, method }: Method, other: Listing, country: string | undefined): boolean => {
    const [source, target] = way === 'deposit' ? [listing, other] : [other, listing]
    // The catalog and a lost price say no quicker than the resolver would.
    const side = sideOf(source.currency, target.currency)
    if (!side || !method[way]?.sides.includes(side) || !sources.has(source)) return false
    const settled = way === 'deposit' ? { depositType: method.type } : { payoutType: method.type }
    return isOffered(moment, partner, source, target, { ...settled, country })
  }
  const isOpen = (one: Method, country: string | undefined): boolean =>
    listings.some((other) => isOffer(one, other, country))

  /** What is open to nobody is not open in any country, and is looked for once. */
  const isOpenAnywhere = (one: Method): boolean => {
    const name = `${one.way} ${one.method.type} ${one.listing.asset.id}`
    const open = anywhere.get(name) ?? isOpen(one, undefined)
    anywhere.set(name, open)
    return open
  }

  return (asked) => {
    const name = `${asked.category} ${asked.ticker} ${asked.network} ${reaches.get(asked.country)}`
    const before = known.get(name)
    if (before) return before
    const isOpenBy = (way: keyof OpenWays): boolean =>
      methodsOf(asked).some((each) => {
        const one = { way, ...each }
        return isOpenAnywhere(one) && isOpen(one, asked.country.alpha2)
      })
    const found = { deposit: isOpenBy('deposit'), withdrawal: isOpenBy('withdrawal') }
    known.set(name, found)
    return found
  }
}

/** The methods that are asked about: none where the category does not reach the country. */
function methodsOf({ category, country, ticker, network }: CategoryAsked): Omit<Method, 'way'>[] {
  if (!servesCountry(category, country)) return []
  return listings
    .filter(({ asset }) => (ticker ?? asset.ticker) === asset.ticker && (network ?? asset.network) === asset.network)
    .flatMap((listing) =>
      listing.network.paymentMethods
        .filter((method) => method.category === category)
        .map((method) => ({ listing, method })),
    )
}

/** Which categories reach a country: all that the resolver knows of one, so that those of the same reach are asked for once. */
const reaches = new Map(
  countries.map((country) => [
    country,
    paymentCategories.flatMap(({ category }) => (servesCountry(category, country) ? [category] : [])).join(),
  ]),
)
