import { testAddressRegex } from '../../reference/addresses/test-network.ts'
import { confirmationsOf } from '../../rails/confirmations.ts'
import { type Offers, isAvailable } from '../../exchange/availability/offers.ts'
import type { Currency, CurrencyNetwork } from '../../reference/catalog/currency.ts'
import { isOpen, type Kind, type PaymentMethod, type Terms } from '../../reference/catalog/payment-method.ts'
import type { Ctx } from '../../exchange/context.ts'
import { type Asset, formatAmount, parseAmount } from '../../platform/money/amount.ts'

/** What partners see of a currency. */
export type CurrencyRecord = ReturnType<typeof currencyRecord>

type From = Pick<Ctx, 'config' | 'publicUrl' | 'rails'>

/** What can be exchanged now, by whose exchange it is. */
export type OffersByKind = Readonly<Record<Kind, Offers>>

/** Writes the record of a currency, with what can be exchanged now: as customers' lists have it, or B2B's. */
export function currencyRecord(from: From, offers: OffersByKind, currency: Currency, kind: Kind = 'retail') {
  const [open, openB2b] = [offers.retail.currencies, offers.b2b.currencies].map((listed) => listed.get(currency.ticker))
  const isOpenNow = { retail: isAvailable(open), b2b: isAvailable(openB2b) }
  const methodRecord = methodRecordOf(from, kind)
  const [main] = currency.networks
  return {
    id: currency.id,
    currency_type: currency.kind,
    ticker: currency.ticker,
    name: currency.name,
    enabled: currency.enabled,
    is_available: isOpenNow[kind],
    is_featured: currency.isFeatured,
    is_stable: currency.isStable,
    has_external_id: currency.networks.some(({ chain }) => chain?.memo),
    enabled_subscription: false,
    logo_url: logoUrl(from, currency.logo),
    block_explorer_url_mask: main.chain?.explorerMask ?? null,
    default_exchange_value: kind === 'b2b' ? b2bExchangeValue(main.asset, currency) : currency.defaultExchangeValue,
    decimals: currency.decimals,
    sides: { buy: open?.buy ?? false, sell: open?.sell ?? false, swap: open?.swap ?? false, b2b: isOpenNow.b2b },
    payment_methods: currency.paymentMethods.flatMap((method) => methodRecord(method, currency.networks)),
    networks: currency.networks.map((network) => networkRecord(from, network, methodRecord)),
  }
}

function networkRecord(from: From, network: CurrencyNetwork, methodRecord: ReturnType<typeof methodRecordOf>) {
  const { chain } = network
  return {
    name: network.name,
    network: network.code,
    block_explorer_url_mask: chain?.explorerMask ?? null,
    token_contract: network.contract,
    logo_url: logoUrl(from, network.logo),
    network_fee: network.networkFee,
    enabled_subscription: false,
    payment_methods: network.paymentMethods.flatMap((method) => methodRecord(method, [network])),
    decimals: network.asset.decimals,
    min_confirmations: chain && confirmationsOf(from.config, chain),
    address_regex: chain ? (testAddressRegex(chain.family) ?? chain.addressRegex) : null,
    memo: chain?.memo ?? null,
    caip2: chain?.caip2 ?? null,
  }
}

/** Customers' lists have every method, open or not; B2B's only those that institutions may use. What has no rail is not open. */
const methodRecordOf =
  ({ rails }: From, kind: Kind) =>
  ({ type, category, deposit, withdrawal }: PaymentMethod, networks: readonly CurrencyNetwork[]) => {
    const isOpenTo = (terms: Terms | null) =>
      isOpen(terms) && (kind === 'retail' || terms?.sides.includes('b2b') === true)
    const depositEnabled = isOpenTo(deposit) && networks.some(({ code }) => rails.forDeposit(category, code))
    const withdrawalEnabled = isOpenTo(withdrawal) && networks.some(({ code }) => rails.forPayout(category, code))
    if (kind === 'b2b' && !depositEnabled && !withdrawalEnabled) return []
    return [
      {
        type,
        payment_method: type,
        payment_category: category,
        deposit_enabled: depositEnabled,
        withdrawal_enabled: withdrawalEnabled,
      },
    ]
  }

/** Institutions exchange a hundred times what a customer's form begins with. */
const b2bExchangeValue = (asset: Asset, { defaultExchangeValue }: Currency): string =>
  formatAmount(parseAmount(defaultExchangeValue, asset) * 100n, asset)

const logoUrl = ({ publicUrl }: From, logo: string): string => `${publicUrl}/logos/${logo}.svg`
