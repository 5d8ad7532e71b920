import assert from 'node:assert/strict'

import type { Currency, CurrencyNetwork } from './currency.ts'
import type { CoinEntry } from './data/coins.ts'
import type { FiatEntry } from './data/fiat.ts'
import { methodEntries } from './data/payment-methods.ts'
import type { MethodEntry } from './data/payment-methods.ts'
import { findNetwork } from './network.ts'
import type { OfferedSide, PaymentMethod, Terms } from './payment-method.ts'

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

function termsOf({ b2bBasisPoints, ...terms }: NonNullable<MethodEntry['deposit']>, { min, max }: Bounds): Terms {
  const b2b = b2bBasisPoints === undefined ? {} : { b2b: { min, max: null, feeBasisPoints: b2bBasisPoints } }
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
export function assembleFiat(entry: FiatEntry): Currency {
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

/** One coin on one chain. A chain that the data does not know is a fault of the data, found when the process starts. */
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
export function assembleCoin(entry: CoinEntry): Currency {
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
