import assert from 'node:assert/strict'
import { describe, test } from 'node:test'

import * as iso4217 from 'currency-codes'

import { assertUnique } from '../../../test/support/assert-unique.ts'
import { checkAddress } from '../addresses/address.ts'
import { parseAmount } from '../../platform/money/amount.ts'
import { allAssets, assetById, assetOf, findListing, listingById, listings } from './asset.ts'
import { findCountry } from './country.ts'
import { coins, currencies, fiatCurrencies, findCurrency, sideOf } from './currency.ts'
import { findNetwork, networks } from './network.ts'
import type { Network } from './network.ts'
import { findPaymentCategory } from './payment-category.ts'

/** The spelling of a token on its chain, as the data's sources have it; undefined when it can not be one. */
function contractOf({ family, native }: Network, contract: string): string | undefined {
  if (family === 'algorand') return /^[1-9]\d{0,18}$/.test(contract) ? contract : undefined
  if (family === 'stellar') return stellarAsset(contract, native.ticker)

  const address = checkAddress(family, contract)
  if (!address.ok) return undefined
  return family === 'ton' ? contract.replace(/^U.*/s, '') : address.canonical
}

function stellarAsset(text: string, native: string): string | undefined {
  const [code = '', issuer = '', ...rest] = text.split('-')
  const isAsset = /^[A-Za-z0-9]{1,12}$/.test(code) && code !== native && rest.length === 0
  return isAsset && checkAddress('stellar', issuer).ok ? `${code}-${issuer}` : undefined
}

describe('currencies', () => {
  test('there are many: fiat money of every number of decimals, coins on every chain, dollars on several', () => {
    assert(fiatCurrencies.length >= 22 && coins.length >= 32)
    assert.deepEqual(new Set(fiatCurrencies.map(({ decimals }) => decimals)), new Set([0, 2, 3]))
    assert.deepEqual(
      [findCurrency('JPY')?.decimals, findCurrency('BHD')?.decimals, assetOf('ETH')?.decimals],
      [0, 3, 18],
    )
    assert.equal(
      currencies.find(({ ticker }) => ticker === 'BGN'),
      undefined,
      'Bulgaria has the euro',
    )

    const inhabited = new Set(listings.map(({ network }) => network.code))
    for (const { code, native } of networks) {
      assert(inhabited.has(code), `${code} has no coin`)
      assert.equal(assetOf(native.ticker, code)?.decimals, native.decimals, `${code} without its own coin`)
    }
    for (const ticker of ['USDT', 'USDC']) assert((findCurrency(ticker)?.networks.length ?? 0) >= 8, ticker)
  })

  test('a dollar has the decimals of its contract on each chain', () => {
    const decimals = (ticker: string): Record<string, number> =>
      Object.fromEntries(findCurrency(ticker)?.networks.map(({ code, asset }) => [code, asset.decimals]) ?? [])
    assert.deepEqual(decimals('USDT'), { ETH: 6, TRX: 6, BSC: 18, SOL: 6, MATIC: 6, AVAX: 6, ARBITRUM: 6, TON: 6 })
    assert.deepEqual(decimals('USDC'), {
      ETH: 6,
      SOL: 6,
      BASE: 6,
      ARBITRUM: 6,
      OPTIMISM: 6,
      MATIC: 6,
      AVAX: 6,
      ALGO: 6,
      XLM: 7,
    })
  })

  test('each id, ticker and asset is used once, and is well formed', () => {
    assertUnique(currencies.map(({ id }) => id))
    assertUnique(currencies.map(({ ticker }) => ticker))
    assertUnique(allAssets().map(({ id }) => id))
    for (const { id, ticker } of currencies) {
      assert.match(id, /^[1-9]\d{0,8}$/)
      assert.match(ticker, /^[A-Z0-9]{2,12}$/)
    }
    for (const { id, ticker, network } of allAssets()) assert.equal(id, `${ticker}-${network}`)
  })

  test('each asset has from 0 to 18 decimals, and a native coin those of its chain', () => {
    for (const { currency, network, asset } of listings) {
      assert(Number.isInteger(asset.decimals) && asset.decimals >= 0 && asset.decimals <= 18, asset.id)
      if (network.chain?.native.ticker === asset.ticker) assert.equal(asset.decimals, network.chain.native.decimals)
      assert(network === currency.networks[0] ? asset.decimals === currency.decimals : true)
    }
  })

  test('a coin is either native to its chain or has a contract that is an address there', () => {
    for (const { asset, network } of listings) {
      const { chain, contract } = network
      if (chain === null) assert.equal(contract, null)
      else assert.equal(contract === null, chain.native.ticker === asset.ticker, asset.id)
      if (chain && contract !== null) assert.equal(contractOf(chain, contract), contract, asset.id)
    }
  })

  test('no contract stands for two coins', () => {
    assertUnique(
      listings.flatMap(({ network: { code, contract } }) => (contract === null ? [] : [`${code} ${contract}`])),
    )
  })

  test('fiat money has one network, its own ticker, without a chain or network fee; a coin has both', () => {
    for (const { ticker, networks: places, kind } of fiatCurrencies) {
      assert.equal(kind, 'FIAT')
      assert.deepEqual(
        places.map(({ code, chain, networkFee }) => [code, chain, networkFee]),
        [[ticker, null, null]],
      )
    }
    for (const { kind, networks: places } of coins) {
      assert.equal(kind, 'CRYPTO')
      for (const { chain, code, networkFee } of places) assert(chain?.code === code && networkFee !== null)
    }
  })

  test('every amount of the data is one of its asset, and a payout covers its network fee', () => {
    for (const { currency, network, asset } of listings) {
      const amount = (text: string): bigint => parseAmount(text, asset)
      assert(amount(currency.defaultExchangeValue) > 0n, asset.id)
      const fee = network.networkFee === null ? 0n : amount(network.networkFee)
      for (const terms of network.paymentMethods.flatMap(({ deposit, withdrawal }) => [deposit, withdrawal])) {
        const [min, max] = [terms?.min ?? null, terms?.max ?? null]
        if (min !== null) assert(amount(min) > 0n && amount(min) >= 3n * fee, asset.id)
        if (min !== null && max !== null) assert(amount(min) < amount(max), asset.id)
      }
    }
  })

  test('ISO 4217 knows each fiat currency with the same number and minor units', () => {
    for (const { id, ticker, decimals } of fiatCurrencies) {
      const known = iso4217.code(ticker) ?? assert.fail(ticker)
      assert.deepEqual([known.number, known.digits], [id.padStart(3, '0'), decimals], ticker)
    }
  })

  test('Unicode knows each fiat currency with the same minor units, but for two that it writes without', () => {
    for (const { ticker, decimals } of fiatCurrencies) {
      const format = new Intl.NumberFormat('en', { style: 'currency', currency: ticker }).resolvedOptions()
      assert(Intl.supportedValuesOf('currency').includes(ticker), ticker)
      if (ticker !== 'HUF' && ticker !== 'COP') assert.equal(format.maximumFractionDigits, decimals, ticker)
    }
  })

  test('the side follows from the two kinds of money', () => {
    const [eur, btc] = [findCurrency('EUR'), findCurrency('BTC')]
    assert(eur && btc)
    assert.deepEqual(
      [sideOf(eur, btc), sideOf(btc, eur), sideOf(btc, btc), sideOf(eur, eur)],
      ['buy', 'sell', 'swap', undefined],
    )
  })
})

describe('looking up', () => {
  test('any letter case is read, and a missing network is the main one', () => {
    assert.equal(assetOf('usdt')?.id, 'USDT-ETH')
    assert.equal(assetOf('Usdt', 'trx')?.id, 'USDT-TRX')
    assert.equal(assetOf('eur', 'Eur')?.id, 'EUR-EUR')
    assert.equal(assetOf('EUR')?.id, 'EUR-EUR')
    assert.equal(findNetwork('trx')?.code, 'TRX')
    assert.equal(findCountry('de')?.numeric, '276')
  })

  test('an unknown text finds nothing', () => {
    const odd = [
      '',
      'XXX',
      '__proto__',
      'constructor',
      ' BTC',
      'BTC ',
      'btc\n',
      'BTC-TRX',
      'ﬁ',
      'ET\u0048\u0301',
      'x'.repeat(1e6),
    ]
    for (const text of odd) {
      assert.equal(findCurrency(text), undefined)
      assert.equal(findNetwork(text), undefined)
      assert.equal(findCountry(text), undefined)
      assert.equal(findPaymentCategory(text), undefined)
      assert.equal(findListing('BTC', text), undefined)
      assert.equal(assetById(text), undefined)
    }
    assert.equal(assetOf('EUR', 'BTC'), undefined)
    assert.equal(assetOf('BTC', 'TRX'), undefined)
    assert.equal(assetOf('BSC'), undefined)
    assert.equal(assetOf('USDT', 'BTC'), undefined)
  })

  test('an asset is found by its exact id only, and every asset is', () => {
    for (const asset of allAssets()) {
      assert.equal(assetById(asset.id), asset)
      assert.equal(listingById(asset.id)?.asset, asset)
      assert.equal(findListing(asset.ticker, asset.network)?.asset, asset)
      assert.equal(assetById(asset.id.toLowerCase()), undefined)
    }
  })
})
