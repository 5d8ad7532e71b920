import { type Country, findCountry } from '../../reference/catalog/country.ts'
import type { Ctx } from '../context.ts'
import { type CreateInput, isUnread, type ReadRequest } from './create-input.ts'

/** Where a customer is, alpha-2, as far as a request tells, and the field that tells it. Undefined: it is not known. */
export type CustomerCountry = { code: string | undefined; path: string }

const bodyAddresses = ['customer.ip', 'customer.ipV4', 'customer.ipV6'] as const

/**
 * The country that a create is judged in: the one that the query names, else the one that the customer's address is assigned
 * to. Where the one that would count could not be read, the other does not take its place.
 */
export function customerCountry(ctx: Pick<Ctx, 'countries'>, read: ReadRequest<CreateInput>): CustomerCountry {
  const { input, problems } = read
  const named = 'query.customer_country'
  if (input.countryOverride !== undefined || isUnread(named, problems)) {
    return { code: input.countryOverride, path: named }
  }
  const path = input.customerIpPath
  if (bodyAddresses.some((address) => isUnread(address, problems))) return { code: undefined, path }
  return { code: countryAt(ctx, input.customerIp)?.alpha2, path }
}

/** The country of ISO 3166-1 that an address is assigned to, if it is known. */
function countryAt({ countries }: Pick<Ctx, 'countries'>, ip: string | undefined): Country | undefined {
  const code = ip === undefined ? undefined : countries.countryOf(ip)
  return code === undefined ? undefined : findCountry(code)
}

/** The country of a customer's browser, as far as it is known. */
export const browserCountry = (ctx: Pick<Ctx, 'countries'>, ip: string): string | undefined =>
  countryAt(ctx, ip)?.alpha2

/**
 * The country of a customer's browser, if we don't serve it: then the checkout does not continue. An address that the
 * database does not know is not blocked.
 */
export function blockedBrowserCountry(
  ctx: Pick<Ctx, 'countries' | 'policies' | 'clock'>,
  ip: string,
): Country | undefined {
  const country = countryAt(ctx, ip)
  const { blocked } = ctx.policies.at(ctx.clock.now(), 'countries').rules
  return country && blocked.has(country.alpha2) ? country : undefined
}
