import { judgeMethod } from '../availability/judge-method.ts'
import { haltedForSeconds } from '../availability/rule.ts'
import { type Available, resolve } from '../availability/resolve.ts'
import type { ExchangeRequest } from '../availability/request.ts'
import { findListing, type Listing } from '../../reference/catalog/asset.ts'
import { findCountry } from '../../reference/catalog/country.ts'
import { sideOf } from '../../reference/catalog/currency.ts'
import type { PaymentMethod } from '../../reference/catalog/payment-method.ts'
import type { Ctx } from '../context.ts'
import { type Problem, Refusal, type RefusalCode } from '../../platform/lib/refusal.ts'
import type { Partner } from '../partners/partner.ts'
import { type CreateInput, isUnread, type ReadRequest } from './create-input.ts'
import { customerCountry, type CustomerCountry } from './customer-country.ts'
import { checkDestination, extraIdFault, holderFault } from './payout-destination.ts'
import { askOf, kindOf, momentOf, termsOfPartner } from './policy.ts'

/** One rule that a request breaks: `code` answers the request, `problem` says what is wrong, and where. */
export type Fault = { code: RefusalCode; problem: Problem }

/** What judging a create came to. */
export type Judgment = {
  /** Every rule that it breaks, in the order in which it is refused. */
  faults: readonly Fault[]
  /** On what terms it is made; undefined when its pair, its amount or its country is at fault, or could not be read. */
  available: Available | undefined
  /** The customer's country, alpha-2, as far as the request tells it. */
  country: string | undefined
}

/**
 * The one judge of a create: the create refuses with the first of these faults, the health check names them all. In order: the
 * form, the pair and the amount as the one resolver finds them, where the money is to go, the country. A rule that needs
 * an unreadable field is not judged, so that a cause is reported without its consequences.
 */
export function judgeCreate(ctx: Ctx, partner: Partner, read: ReadRequest<CreateInput>, now: Date): Judgment {
  const { input, problems } = read
  const country = customerCountry(ctx, read)
  const outcome = resolve(momentOf(ctx, now), termsOfPartner(partner, kindOf(input)), askAsRead(read, country))
  const failures = outcome.available ? [] : outcome.failures.filter(({ problem }) => !isUnread(problem.path, problems))
  const ofCountry = failures.filter(({ code }) => code === 'COUNTRY_NOT_SUPPORTED')
  const others = failures.filter(({ code }) => code !== 'COUNTRY_NOT_SUPPORTED')
  const destination = outcome.available ? destinationIn(outcome) : destinationNamed(ctx, read, country.code)

  return {
    faults: [
      ...problems.map(badRequest),
      ...others.map(({ code, problem }) => ({ code, problem })),
      ...(destination ? judgeDestination(ctx, input, destination).map(badRequest) : []),
      ...ofCountry.map(({ code, problem }) => ({ code, problem })),
    ],
    available: outcome.available ? outcome : undefined,
    country: country.code,
  }
}

/** The refusal of a create whose first fault this is. All problems of the form are reported, in the order of its fields. */
export const refusalOfFaults = ({ code, problem }: Fault, form: readonly Problem[]): Refusal =>
  new Refusal(
    code,
    problem.message,
    form.length > 0 ? [...form] : [problem],
    code === 'SERVICE_UNAVAILABLE' ? haltedForSeconds : undefined,
  )

const badRequest = (problem: Problem): Fault => ({ code: 'BAD_REQUEST', problem })

/** The same question as the create's. What could not be read names nothing there is, instead of what is meant when absent. */
function askAsRead({ input, problems }: ReadRequest<CreateInput>, country: CustomerCountry): ExchangeRequest {
  const nothing = ''
  const ask = askOf(input, country)
  return {
    ...ask,
    ...(isUnread('from_network', problems) ? { fromNetwork: nothing } : {}),
    ...(isUnread('to_network', problems) ? { toNetwork: nothing } : {}),
    ...(isUnread('deposit.payment_category', problems) ? { depositCategory: nothing } : {}),
  }
}

/** Where a payout goes: its currency and its payment method. */
type Destination = { listing: Listing; method: PaymentMethod }

const destinationIn = ({ exchange: { target, payout } }: Available): Destination => ({
  listing: target,
  method: payout,
})

/**
 * The same as the resolver would have found, as far as it can be known when something else is at fault: an address can be
 * wrong in an exchange that is not available.
 */
function destinationNamed(
  { rails }: Pick<Ctx, 'rails'>,
  { input, problems }: ReadRequest<CreateInput>,
  country: string | undefined,
): Destination | undefined {
  const listing = isUnread('to_network', problems) ? undefined : findListing(input.toCurrency, input.toNetwork)
  if (!listing) return undefined

  const source = findListing(input.fromCurrency, input.fromNetwork)
  const side = source && sideOf(source.currency, listing.currency)
  const method = judgeMethod(
    listing,
    {
      way: 'payout',
      rails,
      kind: kindOf(input),
      side: side ?? (listing.network.chain ? 'buy' : 'sell'),
      country: country === undefined ? undefined : findCountry(country),
      type: undefined,
      category: input.b2b?.payoutCategory,
      paths: { type: '', category: '', neither: '' },
    },
    () => undefined,
  )
  return method && { listing, method }
}

/**
 * A preset destination must be one of its network or bank, checksum included, and not our own, with the memo that the network
 * demands.
 */
function judgeDestination(
  ctx: Pick<Ctx, 'rails'>,
  { payoutAddress, payoutExtraId, payoutHolder }: CreateInput,
  destination: Destination,
): Problem[] {
  if (payoutAddress === undefined) return []

  const written = { address: payoutAddress, extraId: payoutExtraId ?? '' }
  const check = checkDestination(ctx, destination, written)
  const problems: Problem[] = []
  if (!check.ok) {
    const { field, code, reason } = check
    problems.push({ path: pathOf[field], code, message: reason })
    const memoProblem = field === 'address' ? extraIdFault(destination, written.extraId) : undefined
    if (memoProblem) problems.push({ path: pathOf.extraId, code: memoProblem.code, message: memoProblem.reason })
  }
  const fault = payoutHolder === undefined || destination.listing.network.chain ? undefined : holderFault(payoutHolder)
  if (fault !== undefined) problems.push({ path: 'payout_info.full_name', code: 'INVALID_VALUE', message: fault })
  return problems
}

const pathOf = { address: 'payout_info.payout_address', extraId: 'payout_info.extra_id' } as const
