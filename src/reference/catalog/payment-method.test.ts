import assert from 'node:assert/strict'
import { describe, test } from 'node:test'

import { assertUnique } from '../../../test/support/assert-unique.ts'
import { listings } from './asset.ts'
import { currencies, fiatCurrencies, findCurrency } from './currency.ts'
import { methodEntries } from './data/payment-methods.ts'
import type { MethodEntry } from './data/payment-methods.ts'
import { isOpen } from './payment-method.ts'
import { findPaymentCategory, paymentCategories } from './payment-category.ts'
import type { OfferedSide, Terms } from './payment-method.ts'

describe('what is open', () => {
  const allowed: Record<string, OfferedSide[]> = {
    'FIAT deposit': ['buy', 'b2b'],
    'FIAT withdrawal': ['sell', 'b2b'],
    'CRYPTO deposit': ['sell', 'swap', 'b2b'],
    'CRYPTO withdrawal': ['buy', 'swap', 'b2b'],
  }

  test('a method opens only sides that money can take there', () => {
    for (const { currency, network } of listings) {
      for (const { type, deposit, withdrawal } of network.paymentMethods) {
        const opens = (terms: Terms | null, way: string): void =>
          assert.deepEqual(
            terms?.sides.filter((side) => !allowed[`${currency.kind} ${way}`]?.includes(side)) ?? [],
            [],
            type,
          )
        opens(deposit, 'deposit')
        opens(withdrawal, 'withdrawal')
      }
    }
  })

  test('a side that money can enter it can also leave, and the other way round', () => {
    for (const side of ['buy', 'sell', 'swap', 'b2b'] as const) {
      const methods = Object.values(methodEntries)
      const enters = methods.some(({ deposit }) => deposit?.sides.some((open: OfferedSide) => open === side))
      const leaves = methods.some(({ withdrawal }) => withdrawal?.sides.some((open: OfferedSide) => open === side))
      assert.equal(enters, leaves, side)
    }
  })

  test('every fiat currency buys and sells, every coin does all three, and everything is open to institutions', () => {
    for (const { ticker, kind, sides, enabled } of currencies) {
      assert.deepEqual(sides, { buy: true, sell: true, swap: kind === 'CRYPTO', b2b: true }, ticker)
      assert(enabled)
    }
  })

  test('every network of every currency has a way in and a way out that are open', () => {
    for (const { asset, network } of listings) {
      assert(
        network.paymentMethods.some(({ deposit }) => isOpen(deposit)),
        `no way in for ${asset.id}`,
      )
      assert(
        network.paymentMethods.some(({ withdrawal }) => isOpen(withdrawal)),
        `no way out for ${asset.id}`,
      )
    }
  })

  test('a page takes money one way, a transfer both ways, and every category has a method', () => {
    for (const [type, { category, withdrawal }] of Object.entries<MethodEntry>(methodEntries)) {
      const flow = findPaymentCategory(category)?.flow
      assert.equal(withdrawal === null, flow === 'page', type)
    }
    assert.deepEqual(
      new Set(Object.values(methodEntries).map(({ category }) => category)),
      new Set(paymentCategories.map(({ category }) => category)),
    )
  })

  test('the card comes first, everywhere, and for euro it takes 20 to 15,000', () => {
    for (const { ticker, paymentMethods } of fiatCurrencies) assert.equal(paymentMethods[0]?.type, 'VISA_MC_1', ticker)
    const card = findCurrency('EUR')?.paymentMethods[0]?.deposit
    assert.deepEqual([card?.min, card?.max], ['20', '15000'])
  })

  test('a method that moves one currency moves no other', () => {
    const only: Record<string, string[]> = {
      SEPA: ['EUR'],
      FASTERPAYMENTS: ['GBP'],
      OPEN_BANKING: ['EUR', 'GBP'],
      PIX: ['BRL'],
      SPEI: ['MXN'],
      PSE: ['COP'],
    }
    for (const [category, tickers] of Object.entries(only)) {
      const moved = fiatCurrencies.filter(({ paymentMethods }) =>
        paymentMethods.some((method) => method.category === category),
      )
      assert.deepEqual(
        moved.map(({ ticker }) => ticker),
        tickers,
        category,
      )
    }
  })

  test('every network of every currency has a method, each type once, of a known category', () => {
    for (const { asset, network } of listings) {
      assert(network.paymentMethods.length > 0, asset.id)
      assertUnique(network.paymentMethods.map(({ type }) => type))
      for (const { type, category } of network.paymentMethods) {
        assert(findPaymentCategory(category), category)
        assert.match(type, new RegExp(`^${category}_[1-9]$`))
      }
    }
  })
})

describe('payment categories', () => {
  test('there are twelve, each id and code once, and VISA_MC is 4', () => {
    assert.equal(paymentCategories.length, 12)
    assertUnique(paymentCategories.map(({ id }) => String(id)))
    assertUnique(paymentCategories.map(({ category }) => category))
    assert.deepEqual(findPaymentCategory('visa_mc'), {
      id: 4,
      category: 'VISA_MC',
      name: 'Visa/MasterCard',
      flow: 'page',
    })
  })
})
