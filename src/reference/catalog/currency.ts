import assert from 'node:assert/strict'

import type { Asset } from '../../platform/money/amount.ts'
import { type CoinEntry, coinEntries } from './data/coins.ts'
import { type FiatEntry, fiatEntries } from './data/fiat.ts'
import { type MethodEntry, methodEntries } from './data/payment-methods.ts'
import { lookupKey } from './lookup-key.ts'
import { findNetwork, type Network } from './network.ts'
import type { OfferedSide, PaymentMethod, Side, Terms } from './payment-method.ts'

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

type Bounds = { min: string | null; max: string | null }

/** One method on the terms of one currency. */
function methodOn(type: keyof typeof methodEntries, { min, max }: Bounds): PaymentMethod {
  const { category, deposit, withdrawal }: MethodEntry = methodEntries[type]
  return {
    type,
    category,
    deposit: deposit && termsOf(deposit, { min, max }),
    withdrawal: withdrawal && termsOf(withdrawal, { min, max }),
  }
}

function termsOf(terms: NonNullable<MethodEntry['deposit']>, { min, max }: Bounds): Terms {
  const b2b = terms.sides.includes('b2b') ? { b2b: { min, max: null } } : {}
  return { ...terms, min, max, ...b2b }
}

/** A currency is on a side when money can come in or go out for it. */
function sidesOf(methods: readonly PaymentMethod[]): Record<OfferedSide, boolean> {
  const opened = new Set(
    methods.flatMap(({ deposit, withdrawal }) => [...(deposit?.sides ?? []), ...(withdrawal?.sides ?? [])]),
  )
  return { buy: opened.has('buy'), sell: opened.has('sell'), swap: opened.has('swap'), b2b: opened.has('b2b') }
}

const isOffered = (sides: Record<OfferedSide, boolean>): boolean => Object.values(sides).includes(true)

/** Makes a whole currency of a fiat entry: its one network is its own ticker, and has its name. */
function assembleFiat(entry: FiatEntry): Currency {
  const { ticker, name, decimals } = entry
  const paymentMethods = entry.methods.map(({ type, ...bounds }) => methodOn(type, bounds))
  const sides = sidesOf(paymentMethods)
  const network: CurrencyNetwork = {
    asset: { id: `${ticker}-${ticker}`, ticker, network: ticker, decimals },
    code: ticker,
    name,
    chain: null,
    contract: null,
    networkFee: null,
    paymentMethods,
    logo: ticker.toLowerCase(),
  }
  return {
    id: entry.numeric.replace(/^0+/, ''),
    kind: 'FIAT',
    ticker,
    name,
    decimals,
    enabled: isOffered(sides),
    isFeatured: entry.isFeatured,
    isStable: false,
    defaultExchangeValue: entry.defaultExchangeValue,
    sides,
    networks: [network],
    paymentMethods,
    logo: network.logo,
  }
}

/** One coin on one chain. A chain that is missing from the data is a data bug, caught when the process starts. */
function coinNetwork(ticker: string, entry: CoinEntry['networks'][number]): CurrencyNetwork {
  const chain = findNetwork(entry.network)
  assert(chain, `${ticker} lives on ${entry.network}, which is not in the list of networks`)

  return {
    asset: { id: `${ticker}-${chain.code}`, ticker, network: chain.code, decimals: entry.decimals },
    code: chain.code,
    name: chain.name,
    chain,
    contract: entry.contract,
    networkFee: entry.networkFee,
    paymentMethods: [methodOn('CRYPTO_1', { min: entry.min, max: null })],
    logo: chain.logo,
  }
}

/** Makes a whole currency of a coin's entry. */
function assembleCoin(entry: CoinEntry): Currency {
  const { id, ticker, name, isFeatured, isStable, defaultExchangeValue } = entry
  const [main, ...others] = entry.networks.map((network) => coinNetwork(ticker, network))
  assert(main, `${ticker} lives on no network`)

  const sides = sidesOf([main, ...others].flatMap((network) => network.paymentMethods))
  return {
    id,
    kind: 'CRYPTO',
    ticker,
    name,
    decimals: main.asset.decimals,
    enabled: isOffered(sides),
    isFeatured,
    isStable,
    defaultExchangeValue,
    sides,
    networks: [main, ...others],
    paymentMethods: main.paymentMethods,
    logo: ticker.toLowerCase(),
  }
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
