import type { Available } from '../../exchange/availability/resolve.ts'
import { formatAmount } from '../../platform/money/amount.ts'
import type { Ctx } from '../../exchange/context.ts'
import type { Partner } from '../../exchange/partners/partner.ts'
import type { Sum } from '../../exchange/pricing/sum.ts'
import { createTransaction } from '../../exchange/transactions/create.ts'
import { type CreateInput, unsignedWarning, type Warning } from '../../exchange/transactions/create-input.ts'
import { redirectFault } from '../../exchange/transactions/redirect.ts'
import type { TransactionRecord } from '../../exchange/transactions/record.ts'
import type { Choice } from './choice.ts'
import type { Presets } from './presets.ts'

/** An exchange that was calculated in full. */
export type CalculatedExchange = { choice: Choice; exchange: Available['exchange']; sum: Sum }

/**
 * Creates the transaction for the partner whose calculator it is, by the same function as the API. Refuses what that refuses: the
 * amount, the pair, an invalid address that the partner passed. The checkout asks for the country.
 */
export async function startOrder(
  ctx: Ctx,
  partner: Partner,
  { presets: given, isUnsigned, choice, exchange, sum, locale }: CalculatedExchange & OrderRequest,
): Promise<TransactionRecord> {
  const { settings } = partner
  const { features } = settings
  const { presets, warnings } = isUnsigned ? withoutFixed(given) : unchanged(given)
  const address = features.preset_payout_address ? presets.payoutAddress : undefined
  const { from, to } = choice
  const input: CreateInput = {
    fromCurrency: from.currency.ticker,
    fromNetwork: from.network.code,
    toCurrency: to.currency.ticker,
    toNetwork: to.network.code,
    fromAmount: formatAmount(sum.fromAmount, from.asset),
    depositCategory: exchange.deposit.category,
    skipChoosePaymentCategory: presets.paymentCategory !== undefined,
    payoutAddress: address,
    payoutExtraId: address === undefined ? undefined : presets.payoutExtraId,
    payoutHolder: undefined,
    skipChoosePayoutAddress: address !== undefined && presets.skipChoosePayoutAddress,
    email: presets.email,
    phoneNumber: undefined,
    customerIp: undefined,
    customerIpPath: 'customer.ip',
    countryOverride: features.customer_country ? presets.customerCountry : undefined,
    redirects: allowedRedirects(ctx, partner, presets),
    externalPartnerLinkId: presets.externalPartnerLinkId,
    locale,
    billing: undefined,
  }
  return (await createTransaction(ctx, partner, { input, problems: [], warnings })).record
}

/** What the address of the calculator passes, and whether that was signed. */
type OrderRequest = { presets: Presets; isUnsigned: boolean; locale: string }

const unchanged = (presets: Presets) => ({ presets, warnings: [] })

/** Without what only a signed address may fix, each part of it reported. */
function withoutFixed(given: Presets): { presets: Presets; warnings: Warning[] } {
  const { successful, failed, cancelled } = given.redirects
  const fixed = {
    payout_address: given.payoutAddress,
    payout_extra_id: given.payoutExtraId,
    skip_choose_payout_address: given.skipChoosePayoutAddress || undefined,
    email: given.email,
    redirects_successful: successful,
    redirects_failed: failed,
    redirects_cancelled: cancelled,
  }
  const names = Object.entries(fixed).flatMap(([name, value]) => (value === undefined ? [] : [name]))
  const none = {
    payoutAddress: undefined,
    payoutExtraId: undefined,
    skipChoosePayoutAddress: false,
    email: undefined,
    redirects: { successful: undefined, failed: undefined, cancelled: undefined },
  }
  return { presets: { ...given, ...none }, warnings: names.map((name) => unsignedWarning(`query.${name}`)) }
}

/** An address that customers of the account may not be sent back to is left out: the checkout shows none then. */
function allowedRedirects(ctx: Ctx, { settings }: Partner, { redirects }: Presets): Presets['redirects'] {
  const allowed = { origins: settings.redirectOrigins, allowsLoopback: ctx.config.environment.loopbackRedirects }
  const kept = (url: string | undefined) =>
    url !== undefined && redirectFault(url, allowed) === undefined ? url : undefined
  return {
    successful: kept(redirects.successful),
    failed: kept(redirects.failed),
    cancelled: kept(redirects.cancelled),
  }
}
