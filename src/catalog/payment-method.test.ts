import assert from 'node:assert/strict'
import { describe, test } from 'node:test'

import { assertUnique } from '../../test/support/assert-unique.ts'
import { listings } from './asset.ts'
import { currencies } from './currency.ts'
import { methodEntries } from './data/payment-methods.ts'
import { findPaymentCategory, isOpen, paymentCategories } from './payment-method.ts'
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

  test('the first road: buys of every coin with every fiat currency by card, and nothing else', () => {
    for (const { sides, enabled } of currencies) {
      assert.deepEqual(sides, { buy: true, sell: false, swap: false, b2b: false })
      assert(enabled)
    }
    const ways = new Set(
      listings.flatMap(({ network }) =>
        network.paymentMethods.flatMap(({ type, deposit, withdrawal }) => [
          ...(isOpen(deposit) ? [`in by ${type}`] : []),
          ...(isOpen(withdrawal) ? [`out by ${type}`] : []),
        ]),
      ),
    )
    assert.deepEqual([...ways], ['in by VISA_MC_1', 'out by CRYPTO_1'])
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
    assert.deepEqual(findPaymentCategory('visa_mc'), { id: 4, category: 'VISA_MC', name: 'Visa/MasterCard' })
  })
})
