import { type Listing, findListing } from '../../reference/catalog/asset.ts'
import { isLocale } from '../../platform/language/language.ts'
import { badField } from '../../platform/lib/refusal.ts'
import { isCardForDestination } from '../../reference/bank/card-for-destination.ts'
import { textFault, type TextPlace } from '../ui/text-fault.ts'

/** Whether the calculator buys coins with money, sells coins for money, or swaps coins. */
export const sides = ['buy', 'sell', 'swap'] as const
export type Side = (typeof sides)[number]

/** The parameters of a calculator's URL. Invalid values are ignored. */
export type Presets = {
  /** Undefined: as the device is set. */
  theme: 'light' | 'dark' | undefined
  isWide: boolean
  side: Side
  /** Whether the customer may switch sides. */
  mayTurn: boolean
  /** The currencies to choose from; undefined: all that are available. */
  fiat: readonly Listing[] | undefined
  coins: readonly Listing[] | undefined
  /** The initial choice. */
  defaultFiat: Listing | undefined
  defaultCoin: Listing | undefined
  defaultFiatAmount: string | undefined
  /** Passed on to the created transaction. */
  payoutAddress: string | undefined
  payoutExtraId: string | undefined
  skipChoosePayoutAddress: boolean
  paymentCategory: string | undefined
  email: string | undefined
  customerCountry: string | undefined
  redirects: { successful: string | undefined; failed: string | undefined; cancelled: string | undefined }
  externalPartnerLinkId: string | undefined
  locale: string | undefined
}

/** What the parameters are that are no identifiers. */
const places: Readonly<Record<string, TextPlace>> = {
  payout_address: { place: 'destination', isCard: isCardForDestination },
  payout_extra_id: { place: 'destination', isCard: () => false },
  email: { place: 'text' },
}

/** Refuses what no door takes: keys to coins, card numbers, characters that cannot be seen. */
export function refuseParameters(query: URLSearchParams): void {
  for (const [name, text] of query) {
    const fault = textFault(text, places[name] ?? { place: 'identifier' })
    if (fault) throw badField(`query.${name}`, fault.message, fault.code)
  }
}

/** Reads the parameters of a calculator that was granted access; unknown names and invalid values are ignored. */
export function readPresets(query: URLSearchParams): Presets {
  const text = (name: string): string | undefined => query.get(name)?.trim() || undefined
  const isOn = (name: string): boolean => ['true', '1', 'yes'].includes(text(name)?.toLowerCase() ?? '')
  const theme = text('theme')?.toLowerCase()
  const locale = text('locale')
  const redirect = (name: string): string | undefined => text(`redirects_${name}`)
  return {
    // A page that embeds it is light unless it says otherwise.
    theme: theme === 'auto' ? undefined : theme === 'dark' ? 'dark' : 'light',
    isWide: text('type')?.toLowerCase() === 'wide',
    side: sides.find((side) => text('default_side')?.toLowerCase() === `${side}_crypto`) ?? 'buy',
    mayTurn: !isOn('side_toggle_disabled'),
    fiat: listIn(query.get('fiat_currencies_list'), 'FIAT'),
    coins: listIn(query.get('crypto_currencies_list'), 'CRYPTO'),
    defaultFiat: ofKind(findListing(text('default_fiat_currency') ?? ''), 'FIAT'),
    defaultCoin: ofKind(findListing(text('default_crypto_currency') ?? '', text('default_crypto_network')), 'CRYPTO'),
    defaultFiatAmount: text('default_fiat_amount'),
    payoutAddress: text('payout_address'),
    payoutExtraId: text('payout_extra_id'),
    skipChoosePayoutAddress: isOn('skip_choose_payout_address'),
    paymentCategory: text('payment_category')?.toUpperCase(),
    email: text('email'),
    customerCountry: text('customer_country')?.toUpperCase(),
    redirects: {
      successful: redirect('successful'),
      failed: redirect('failed'),
      cancelled: redirect('cancelled'),
    },
    externalPartnerLinkId: text('external_partner_link_id')?.slice(0, 255),
    locale: locale !== undefined && isLocale(locale) ? locale : undefined,
  }
}

const ofKind = (listing: Listing | undefined, kind: Kind): Listing | undefined =>
  listing?.currency.kind === kind ? listing : undefined

type Kind = Listing['currency']['kind']

/** `[{"ticker": "USDT", "network": "TRX"}]`; without a network, all networks of the coin. Undefined if none is known. */
function listIn(text: string | null, kind: Kind): readonly Listing[] | undefined {
  const given = jsonIn(text)
  if (!Array.isArray(given)) return undefined
  const found = given.flatMap((one: unknown): Listing[] => {
    const { ticker, network } = (typeof one === 'object' && one !== null ? one : { ticker: one }) as Record<
      string,
      unknown
    >
    if (typeof ticker !== 'string') return []
    const listing = ofKind(findListing(ticker, typeof network === 'string' ? network : undefined), kind)
    if (!listing) return []
    if (typeof network === 'string' && network !== '') return [listing]
    return listing.currency.networks.flatMap(({ code }) => findListing(ticker, code) ?? [])
  })
  return found.length > 0 ? [...new Set(found)] : undefined
}

function jsonIn(text: string | null): unknown {
  try {
    return JSON.parse(text ?? 'null')
  } catch {
    return undefined // what is no JSON is no list: all that is on offer may be chosen
  }
}
