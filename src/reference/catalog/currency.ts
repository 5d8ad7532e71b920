import type { Asset } from '../../platform/money/amount.ts'
import { assembleCoin, assembleFiat } from './assemble.ts'
import { coinEntries } from './data/coins.ts'
import { fiatEntries } from './data/fiat.ts'
import { lookupKey } from './lookup-key.ts'
import type { Network } from './network.ts'
import type { OfferedSide, PaymentMethod, Side } from './payment-method.ts'

/** One currency where it lives: a coin on a chain, or fiat money on its one network, its own ticker. */
export type CurrencyNetwork = {
  asset: Asset
  /** The network's code as partners write it; a fiat currency's is its ticker. */
  code: string
  name: string
  /** The chain; null for fiat. */
  chain: Network | null
  /** The token's contract, spelled as its chain spells it; null for a native coin and for fiat. */
  contract: string | null
  /** What sending one payout usually costs, decimal text in this asset; null for fiat. */
  networkFee: string | null
  paymentMethods: readonly PaymentMethod[]
  logo: string
}

/** A currency that partners can name. */
export type Currency = {
  /** Decimal digits; ISO 4217's number for fiat, our own from 1001 on for coins. Never changes. */
  id: string
  kind: 'FIAT' | 'CRYPTO'
  ticker: string
  name: string
  /** Of its main network. */
  decimals: number
  /** Some side is open for it. */
  enabled: boolean
  isFeatured: boolean
  /** A coin that follows the price of fiat money. */
  isStable: boolean
  /** The amount that a form starts with, decimal text. */
  defaultExchangeValue: string
  /** Which sides some method of some network opens for it. */
  sides: Readonly<Record<OfferedSide, boolean>>
  /** Every network it lives on; the first is the main one, meant where a partner names none. */
  networks: readonly [CurrencyNetwork, ...CurrencyNetwork[]]
  /** The methods of its main network. */
  paymentMethods: readonly PaymentMethod[]
  logo: string
}

/** Every fiat currency, in the order of the data. */
export const fiatCurrencies: readonly Currency[] = fiatEntries.map(assembleFiat)

/** Every coin, in the order of the data. */
export const coins: readonly Currency[] = coinEntries.map(assembleCoin)

/** Every currency, fiat first. */
export const currencies: readonly Currency[] = [...fiatCurrencies, ...coins]

const byTicker = new Map(currencies.map((currency) => [currency.ticker, currency]))

/** Finds a currency by its ticker, in any letter case. */
export const findCurrency = (text: string): Currency | undefined => byTicker.get(lookupKey(text))

/** The side of an exchange between two kinds of money; undefined between fiat and fiat, which we do not exchange. */
export function sideOf(source: Pick<Currency, 'kind'>, target: Pick<Currency, 'kind'>): Side | undefined {
  if (source.kind === 'FIAT') return target.kind === 'CRYPTO' ? 'buy' : undefined
  return target.kind === 'FIAT' ? 'sell' : 'swap'
}
