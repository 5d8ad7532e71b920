import type { Available } from '../../exchange/availability/resolve.ts'
import { formatAmount } from '../../platform/money/amount.ts'
import type { Ctx } from '../../exchange/context.ts'
import type { Partner } from '../../exchange/partners/partner.ts'
import type { Sum } from '../../exchange/pricing/sum.ts'
import { createTransaction } from '../../exchange/transactions/create.ts'
import type { CreateInput } from '../../exchange/transactions/create-input.ts'
import type { TransactionRecord } from '../../exchange/transactions/record.ts'
import type { Choice } from './choice.ts'
import type { Presets } from './presets.ts'

/** What a reader goes on with: an exchange that was worked out, whole. */
export type Chosen = { choice: Choice; exchange: Available['exchange']; sum: Sum }

/**
 * Creates what was worked out, for the partner whose calculator it is, by the verb that the interface has. Refuses what that
 * refuses: the amount, the pair, an address that the partner passed and that cannot be. The country is the checkout's to ask.
 */
export async function goOn(
  ctx: Ctx,
  partner: Partner,
  { presets, choice, exchange, sum, locale }: Chosen & { presets: Presets; locale: string },
): Promise<TransactionRecord> {
  const { features } = partner.settings
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
    redirects: presets.redirects,
    externalPartnerLinkId: presets.externalPartnerLinkId,
    locale,
    billing: undefined,
  }
  return (await createTransaction(ctx, partner, { input, problems: [], warnings: [] })).record
}
