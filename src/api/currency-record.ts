import { type Offers, isAvailable } from '../availability/offers.ts'
import type { Currency, CurrencyNetwork } from '../catalog/currency.ts'
import { isOpen, type PaymentMethod } from '../catalog/payment-method.ts'
import type { Ctx } from '../context.ts'

/** What partners see of a currency (wire.md, section 2). */
export type CurrencyRecord = ReturnType<typeof currencyRecord>

type From = Pick<Ctx, 'config' | 'publicUrl'>

/** Writes the record of a currency, with what can be exchanged now. */
export function currencyRecord(from: From, { currencies }: Offers, currency: Currency) {
  const open = currencies.get(currency.ticker)
  const [main] = currency.networks
  return {
    id: currency.id,
    currency_type: currency.kind,
    ticker: currency.ticker,
    name: currency.name,
    enabled: currency.enabled,
    is_available: isAvailable(open),
    is_featured: currency.isFeatured,
    is_stable: currency.isStable,
    has_external_id: currency.networks.some(({ chain }) => chain?.memo),
    enabled_subscription: false,
    logo_url: logoUrl(from, currency.logo),
    block_explorer_url_mask: main.chain?.explorerMask ?? null,
    default_exchange_value: currency.defaultExchangeValue,
    decimals: currency.decimals,
    sides: { buy: open?.buy ?? false, sell: open?.sell ?? false, swap: open?.swap ?? false, b2b: currency.sides.b2b },
    payment_methods: currency.paymentMethods.map(methodRecord),
    networks: currency.networks.map((network) => networkRecord(from, network)),
  }
}

function networkRecord(from: From, network: CurrencyNetwork) {
  const { chain } = network
  return {
    name: network.name,
    network: network.code,
    block_explorer_url_mask: chain?.explorerMask ?? null,
    token_contract: network.contract,
    logo_url: logoUrl(from, network.logo),
    network_fee: network.networkFee,
    enabled_subscription: false,
    payment_methods: network.paymentMethods.map(methodRecord),
    decimals: network.asset.decimals,
    min_confirmations: chain && (from.config.confirmations[chain.code] ?? chain.minConfirmations),
    address_regex: chain?.addressRegex ?? null,
    memo: chain?.memo ?? null,
    caip2: chain?.caip2 ?? null,
  }
}

const methodRecord = ({ type, category, deposit, withdrawal }: PaymentMethod) => ({
  type,
  payment_method: type,
  payment_category: category,
  deposit_enabled: isOpen(deposit),
  withdrawal_enabled: isOpen(withdrawal),
})

const logoUrl = ({ publicUrl }: From, logo: string): string => `${publicUrl}/logos/${logo}.svg`
