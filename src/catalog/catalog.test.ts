import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { describe, test } from 'node:test'

import { assertUnique } from '../../test/support/assert-unique.ts'
import { checkAddress } from '../addresses/address.ts'
import { parseAmount } from '../money/amount.ts'
import { allAssets, assetById, assetOf, findListing, listingById, listings } from './asset.ts'
import { findCountry } from './country.ts'
import { coins, currencies, fiatCurrencies, findCurrency, sideOf } from './currency.ts'
import { findNetwork, networks } from './network.ts'
import { findPaymentCategory } from './payment-method.ts'

/** The tests run from dist/src/catalog. */
const logos = `${import.meta.dirname}/../../../assets/logos`

describe('networks', () => {
  test('each code, alias and CAIP-2 name is used once, and is well formed', () => {
    assertUnique(networks.flatMap(({ code, aliases }) => [code, ...aliases]))
    assertUnique(networks.map(({ caip2 }) => caip2))
    for (const { code, aliases, caip2 } of networks) {
      for (const name of [code, ...aliases]) assert.match(name, /^[A-Z0-9]{2,12}$/)
      assert.match(caip2, /^[-a-z0-9]{3,8}:[-_a-zA-Z0-9]{1,32}$/)
    }
  })

  test('each has a page for a transfer, sensible numbers, and a memo rule that compiles', () => {
    for (const { code, explorerMask, minConfirmations, blockSeconds, native, memo } of networks) {
      assert(new URL(explorerMask.replace('$$', 'hash')).href.includes('hash'), code)
      assert.equal(explorerMask.split('$$').length, 2, code)
      assert(minConfirmations >= 1 && blockSeconds > 0, code)
      assert(native.decimals >= 0 && native.decimals <= 18, code)
      if (memo) assert.match(memo.regex, /^\^.*\$$/, code)
      assert.doesNotThrow(() => new RegExp(memo?.regex ?? '', 'u'), code)
    }
  })

  test("each one's example is an address by its form and by its checksum, and no form takes another's", () => {
    for (const { addressRegex, addressExample, family } of networks) {
      assert.match(addressRegex, /^\^.*\$$/)
      assert(new RegExp(addressRegex, 'u').test(addressExample))
      assert(checkAddress(family, addressExample).ok, addressExample)
      for (const other of networks) {
        assert.equal(new RegExp(other.addressRegex, 'u').test(addressExample), other.family === family)
      }
    }
  })
})

describe('currencies', () => {
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
      if (chain && contract !== null)
        assert.deepEqual(checkAddress(chain.family, contract), { ok: true, canonical: contract })
    }
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
        if (min !== null) assert(amount(min) > 2n * fee, asset.id)
        if (min !== null && max !== null) assert(amount(min) < amount(max), asset.id)
      }
    }
  })

  test('ISO 4217 knows each fiat currency with the same minor units', () => {
    for (const { ticker, decimals } of fiatCurrencies) {
      const known = new Intl.NumberFormat('en', { style: 'currency', currency: ticker }).resolvedOptions()
      assert(Intl.supportedValuesOf('currency').includes(ticker), ticker)
      assert.equal(known.maximumFractionDigits, decimals, ticker)
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

  test('what is not there is not found, whatever the text', () => {
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
    assert.equal(assetOf('TRX'), undefined)
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

describe('logos', () => {
  test('every currency and network has its drawing, and every drawing is of one', () => {
    const wanted = new Set(
      [...currencies, ...networks, ...listings.map(({ network }) => network)].map(({ logo }) => `${logo}.svg`),
    )
    for (const name of wanted) assert(existsSync(`${logos}/${name}`), `${name} is missing`)
    assert.deepEqual(readdirSync(logos).toSorted(), [...wanted].toSorted())
  })

  test('a drawing is small and plain: no script, no style, nothing fetched', () => {
    for (const name of readdirSync(logos)) {
      const text = readFileSync(`${logos}/${name}`, 'utf8')
      assert(text.length < 2_000, name)
      assert.match(text, /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" [^>]*role="img" aria-label="[^"]+">/, name)
      assert.doesNotMatch(
        text.replace('http://www.w3.org/2000/svg', ''),
        /script|style|href|url\(|http|on[a-z]+=|<image|<!/i,
        name,
      )
    }
  })
})
