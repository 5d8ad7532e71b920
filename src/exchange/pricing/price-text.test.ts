import assert from 'node:assert/strict'
import { test } from 'node:test'

import { findListing } from '../../reference/catalog/asset.ts'
import { languageOf } from '../../platform/language/language.ts'
import { rateText, type ShownPrice } from './price-text.ts'

const [bitcoin, ether, euro] = [findListing('BTC'), findListing('ETH'), findListing('EUR')]

const textOf = (price: ShownPrice): string => rateText(price, languageOf('en')).replaceAll('\u00A0', ' ')

test('a price has the digits that tell it, and no more', () => {
  assert(bitcoin && ether && euro)
  const swap = { numerator: 27_681_306_694_637_311_571n, denominator: 10n ** 18n }
  assert.equal(textOf({ price: swap, side: 'swap', from: bitcoin, to: ether }), '1 BTC = 27.68130669 ETH')
  const sale = { numerator: 3_418_09n, denominator: 100n }
  assert.equal(textOf({ price: sale, side: 'sell', from: ether, to: euro }), '1 ETH = 3,418.09 EUR')
  const cheap = { numerator: 12_345_678n, denominator: 10n ** 12n }
  assert.equal(textOf({ price: cheap, side: 'sell', from: ether, to: euro }), '1 ETH = 0.000012345 EUR')
})

test('it is never better than the one that is given: rounded up where it is paid, down where it is got', () => {
  assert(bitcoin && ether && euro)
  const third = { numerator: 1n, denominator: 3n }
  assert.equal(textOf({ price: third, side: 'sell', from: bitcoin, to: euro }), '1 BTC = 0.33333 EUR')
  assert.equal(textOf({ price: third, side: 'buy', from: euro, to: bitcoin }), '1 BTC = 3.00 EUR')
  const paid = { numerator: 3n, denominator: 200_000n }
  assert.equal(textOf({ price: paid, side: 'buy', from: euro, to: bitcoin }), '1 BTC = 66,666.67 EUR')
})
