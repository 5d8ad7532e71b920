import type { Listing } from '../../reference/catalog/asset.ts'
import { servesCountry } from '../../reference/catalog/country.ts'
import type { Country } from '../../reference/catalog/country.ts'
import { lookupKey } from '../../reference/catalog/lookup-key.ts'
import { termsFor } from '../../reference/catalog/payment-method.ts'
import type { Kind, PaymentMethod, Side } from '../../reference/catalog/payment-method.ts'
import type { Direction } from '../../rails/rail.ts'
import type { ServedRails } from '../../rails/registry.ts'
import { broken } from './rule.ts'
import type { AddFailure } from './rule.ts'

/** The use of a method, how the request names it, and the fields of these names. */
export type MethodWanted = {
  way: Direction
  rails: ServedRails
  /** Whose exchange it is; a customer's if nothing is said. */
  kind?: Kind
  side: Side
  /** Undefined: not known, any method will do. */
  country: Country | undefined
  /** A type (`SEPA_1`) or a category (`SEPA`), any letter case; undefined is not named. */
  type: string | undefined
  category: string | undefined
  paths: { type: string; category: string; neither: string }
}

/**
 * Chooses the first method, in catalog order, that matches the request, is open for the side, has a rail and reaches the country;
 * reports why none does. For a country that we do not serve at all, the country is reported and not the method.
 */
export function judgeMethod(listing: Listing, wanted: MethodWanted, tell: AddFailure): PaymentMethod | undefined {
  const { way, rails, kind = 'retail', side, country } = wanted
  const open = listing.network.paymentMethods.filter((method) => {
    const terms = way === 'deposit' ? method.deposit : method.withdrawal
    const isOpen = termsFor(terms, kind, side) !== undefined && hasRail(rails, way, method, listing)
    return isOpen && isNamed(method, wanted.type) && isNamed(method, wanted.category)
  })
  const chosen = open.find(({ category }) => !country?.supported || servesCountry(category, country))
  if (chosen) return chosen

  const action = `${way === 'deposit' ? 'pay' : 'receive'} ${listing.currency.ticker}`
  const path = pathOf(wanted)
  if (open.length > 0) {
    tell(broken(`the ${way} method reaches the country`, path, `There is no such way to ${action} in this country.`))
  } else {
    tell(broken(`the ${way} method is open`, path, `There is no such way to ${action} in this exchange.`))
  }
  return undefined
}

/** Whether payments by a method move in a direction at all: what has no rail is not available. */
const hasRail = (
  rails: ServedRails,
  way: Direction,
  { category }: Pick<PaymentMethod, 'category'>,
  { network }: Pick<Listing, 'network'>,
): boolean =>
  (way === 'deposit' ? rails.forDeposit(category, network.code) : rails.forPayout(category, network.code)) !== undefined

function isNamed(method: PaymentMethod, name: string | undefined): boolean {
  if (name === undefined) return true
  const wanted = lookupKey(name)
  return method.type === wanted || method.category === wanted
}

function pathOf({ type, category, paths }: MethodWanted): string {
  if (type !== undefined) return paths.type
  return category === undefined ? paths.neither : paths.category
}
