import { resolve } from '../availability/resolve.ts'
import { refusalOf } from '../availability/rule.ts'
import { findListing, type Listing } from '../../reference/catalog/asset.ts'
import type { Ctx } from '../context.ts'
import type { Atomic } from '../../platform/db/sql.ts'
import { type Problem, Refusal } from '../../platform/lib/refusal.ts'
import type { Partner } from '../partners/partner.ts'
import type { PayoutAddress } from '../partners/payout-address.ts'
import { type CreateInput, nothingOptional } from '../transactions/create-input.ts'
import { awaitDeposit } from '../orders/await-deposit.ts'
import { advance } from '../transactions/advance.ts'
import { type B2bInput, createInBlock, type Created } from '../transactions/create.ts'
import { askOf, momentOf, termsOfPartner } from '../transactions/policy.ts'
import { type B2bRecord, b2bRecordOf } from '../transactions/record.ts'
import { findPayoutAddress, type WhomToPay } from './find-payout-address.ts'

/** A partner's request to exchange its money, paid out to a registered address. Texts as in the request. */
export type B2bOrder = Pick<CreateInput, 'fromCurrency' | 'fromNetwork' | 'toCurrency' | 'toNetwork' | 'fromAmount'> &
  WhomToPay & { externalPartnerLinkId: string | undefined }

/**
 * Creates a B2B transaction in the caller's block: it waits for the deposit at once. Refuses, in this order, what is wrong with
 * its form, what cannot be exchanged, an address that is not registered (400), one that is and is not active (409). The address
 * keeps its status until the block ends.
 */
export async function createTransaction(
  ctx: Ctx,
  db: Atomic,
  partner: Partner,
  { order, problems }: { order: B2bOrder; problems: readonly Problem[] },
): Promise<Created<B2bRecord>> {
  const [first] = problems
  if (first) throw new Refusal('BAD_REQUEST', first.message, [...problems])
  const input = inputOf(order)
  const target = judgedTarget(ctx, partner, input)
  const address = await findPayoutAddress(ctx, db, { partnerId: partner.id, target }, order)

  const read = { input: { ...input, ...destinationOf(address) }, problems: [], warnings: [] }
  const transaction = await createInBlock(ctx, db, partner, read)

  // From here on nothing may refuse.
  const change = await awaitDeposit(ctx, db, transaction)
  const [waiting] = await advance(ctx, db, [
    { transaction, cause: { kind: 'completed' }, to: 'waiting_for_deposit', change },
  ])
  if (!waiting) throw new Error('A created transaction did not move.')
  return { record: b2bRecordOf(ctx, waiting), dataKey: waiting.dataKey }
}

/** An unavailable exchange is refused before its address is checked. */
function judgedTarget(ctx: Ctx, partner: Partner, input: CreateInput): Listing {
  const terms = termsOfPartner(partner, 'b2b')
  const outcome = resolve(momentOf(ctx, ctx.clock.now()), terms, askOf(input, unknownCountry))
  if (!outcome.available) throw refusalOf(outcome.failures)
  const target = findListing(input.toCurrency, input.toNetwork)
  if (!target) throw new Error('An available exchange has a target currency that the catalog does not have.')
  return target
}

/** The partner itself is the customer: where it is was settled when its account was opened. */
const unknownCountry = { code: undefined, path: '' }

const destinationOf = ({ id, category, details }: PayoutAddress): Pick<B2bInput, 'b2b'> & Partial<CreateInput> => ({
  b2b: { payoutAddressId: id, payoutCategory: category, intermediary: details.intermediary?.bic },
  payoutAddress: details.address,
  payoutExtraId: details.extraId || undefined,
  payoutHolder: details.holder || undefined,
})

/** There is nobody at a checkout: whatever a customer could choose or be asked is absent. */
const inputOf = (order: B2bOrder): CreateInput => ({
  ...nothingOptional,
  fromCurrency: order.fromCurrency,
  fromNetwork: order.fromNetwork,
  toCurrency: order.toCurrency,
  toNetwork: order.toNetwork,
  fromAmount: order.fromAmount,
  skipChoosePaymentCategory: true,
  skipChoosePayoutAddress: true,
  externalPartnerLinkId: order.externalPartnerLinkId,
})
