import assert from 'node:assert/strict'
import { test } from 'node:test'

import { policies } from '../../../test/support/policies.ts'
import { servingRail } from '../../../test/support/every-rail.ts'
import { recordedMarket } from '../../markets/recorded/recorded-market.ts'
import { openRegistry } from '../../rails/registry.ts'
import { findCountry } from '../../reference/catalog/country.ts'
import { isAvailable, offersAt } from './offers.ts'
import { openWaysAt } from './open-ways.ts'
import type { ExchangeMoment } from './exchange-moment.ts'
import { defaultTerms } from './partner-terms.ts'
import type { ExchangeRequest } from './request.ts'
import { resolve } from './resolve.ts'
import { waysToPay } from './ways-to-pay.ts'

/** Bank transfers in euro, both ways; bitcoin, both ways; ether and Tron's coins, out only. No cards at all. */
const moment: ExchangeMoment = {
  market: recordedMarket(1),
  now: new Date('2026-11-20T08:00:00.000Z'),
  maxPriceAgeSeconds: 60,
  policies,
  rails: openRegistry([
    servingRail([{ directions: ['deposit', 'payout'], categories: ['SEPA'], networks: ['EUR'] }], 'bank'),
    servingRail(
      [
        { directions: ['deposit', 'payout'], categories: ['CRYPTO'], networks: ['BTC'] },
        { directions: ['payout'], categories: ['CRYPTO'], networks: ['ETH', 'TRX'] },
      ],
      'chains',
    ),
  ]),
}
const buy: ExchangeRequest = { fromCurrency: 'EUR', toCurrency: 'BTC' }
const rulesOf = (ask: ExchangeRequest): string[] => {
  const outcome = resolve(moment, defaultTerms, ask)
  return outcome.available ? [] : outcome.failures.map(({ rule }) => rule)
}

test('a method without a rail is not chosen, and refused when it is named', () => {
  const outcome = resolve(moment, defaultTerms, buy)
  assert(outcome.available)
  assert.equal(outcome.exchange.deposit.category, 'SEPA')
  assert.deepEqual(rulesOf({ ...buy, depositCategory: 'VISA_MC' }), ['the deposit method is open'])
  assert.deepEqual(rulesOf({ fromCurrency: 'BTC', toCurrency: 'EUR', payoutCategory: 'SWIFT' }), [
    'the payout method is open',
  ])
})

test('a network with a rail in one direction is offered in that direction only', () => {
  assert.deepEqual(rulesOf({ fromCurrency: 'EUR', toCurrency: 'ETH' }), [])
  assert.deepEqual(rulesOf({ fromCurrency: 'ETH', toCurrency: 'EUR' }), ['the deposit method is open'])
  assert.deepEqual(rulesOf({ fromCurrency: 'EUR', toCurrency: 'USDT', toNetwork: 'TRX' }), [])
  assert.deepEqual(rulesOf({ fromCurrency: 'EUR', toCurrency: 'USDT', toNetwork: 'BSC' }), [
    'the payout method is open',
  ])
})

test('a currency without a rail is on no list', () => {
  const { currencies, assets } = offersAt(moment, defaultTerms)
  const open = [...currencies].flatMap(([ticker, sides]) => (isAvailable(sides) ? [ticker] : []))
  assert(['EUR', 'BTC', 'ETH', 'USDT', 'TRX'].every((ticker) => open.includes(ticker)))
  assert(
    ['GBP', 'XRP', 'SOL'].every((ticker) => !open.includes(ticker)),
    open.join(),
  )
  assert.deepEqual(assets.get('ETH-ETH'), { buy: true, sell: false, swap: true })
  assert.equal(isAvailable(assets.get('USDT-SOL')), false)
})

test('a payment category without a rail is open in no country, and no way to pay', () => {
  const germany = findCountry('DE') ?? assert.fail()
  const waysOf = openWaysAt(moment, defaultTerms)
  assert.deepEqual(waysOf({ category: 'VISA_MC', country: germany }), { deposit: false, withdrawal: false })
  assert.deepEqual(waysOf({ category: 'SEPA', country: germany }), { deposit: true, withdrawal: true })
  const amount = { direction: 'direct', value: '100' } as const
  assert.deepEqual(
    waysToPay(moment, defaultTerms, { ...buy, amount }).map(({ method }) => method.category),
    ['SEPA'],
  )
})
