import assert from 'node:assert/strict'
import { test } from 'node:test'

import { explainQuote } from './explain.ts'
import { eurCentsOf, fingerprintOf } from './quote.ts'
import type { StoredQuote } from './quote.ts'

/** Two quotes as the program stored them that wrote version 1: direct with a fee's minimum, and reverse with fees on top. */
const stored = [
  `{"version":1,"side":"buy","from":{"id":"GBP-GBP","ticker":"GBP","network":"GBP","decimals":2},"to":{"id":"USDT-TRX","ticker":"USDT","network":"TRX","decimals":6},"direction":"direct","asked":"123.45","fromAmountAtLeast":null,"feesIncluded":true,"reference":"EUR","prices":{"from":{"ticker":"GBP","marketSide":"bid","numerator":"1201144744","denominator":"1000000000","at":"2026-11-20T08:00:00.000Z","source":"recorded"},"to":{"ticker":"USDT","marketSide":"ask","numerator":"9619070486","denominator":"10000000000","at":"2026-11-20T08:00:00.000Z","source":"recorded"}},"spreadBasisPoints":50,"price":{"numerator":"29878475507","denominator":"24047676215"},"feeSchedule":"own-3","fees":[{"kind":"service","name":"Service fee","basisPoints":100,"minimumInReference":"1.5","minimum":"1.25","rounding":"up","amount":"1.25"},{"kind":"deposit","name":"Payment method fee","basisPoints":250,"minimumInReference":"0","minimum":"0","rounding":"up","amount":"3.09"},{"kind":"partner","name":"Partner fee","basisPoints":30,"minimumInReference":"0","minimum":"0","rounding":"up","amount":"0.38"}],"networkFee":"2","roundings":{"fees":"up","payout":"down","rate":"down"},"fromAmount":"123.45","convertedAmount":"118.73","toAmount":"145.518261","rate":"1.22562335","madeAt":"2026-11-20T08:00:03.217Z","validForSeconds":900,"validUntil":"2026-11-20T08:15:03.217Z","fingerprint":"c2070066720496d6e4330ba643abbd182ac9b976fa67d8708633017983046ec5"}`,
  `{"version":1,"side":"buy","from":{"id":"USD-USD","ticker":"USD","network":"USD","decimals":2},"to":{"id":"ETH-ETH","ticker":"ETH","network":"ETH","decimals":18},"direction":"reverse","asked":"0.050000000000000001","fromAmountAtLeast":"20","feesIncluded":false,"reference":"EUR","prices":{"from":{"ticker":"USD","marketSide":"bid","numerator":"963858821","denominator":"1000000000","at":"2026-11-20T08:00:00.000Z","source":"recorded"},"to":{"ticker":"ETH","marketSide":"ask","numerator":"3226886857","denominator":"1000000","at":"2026-11-20T08:00:00.000Z","source":"recorded"}},"spreadBasisPoints":50,"price":{"numerator":"191807905379","denominator":"645377371400000"},"feeSchedule":"own-3","fees":[{"kind":"service","name":"Service fee","basisPoints":100,"minimumInReference":"1.5","minimum":"1.56","rounding":"up","amount":"1.7"},{"kind":"deposit","name":"Payment method fee","basisPoints":250,"minimumInReference":"0","minimum":"0","rounding":"up","amount":"4.24"},{"kind":"partner","name":"Partner fee","basisPoints":30,"minimumInReference":"0","minimum":"0","rounding":"up","amount":"0.51"}],"networkFee":"0.0003","roundings":{"fees":"up","payout":"down","rate":"down"},"fromAmount":"169.25","convertedAmount":"169.25","toAmount":"0.050001559093981816","rate":"0.00029543018","madeAt":"2026-11-20T08:00:03.217Z","validForSeconds":900,"validUntil":"2026-11-20T08:15:03.217Z","fingerprint":"412fbc22dedd2ed4ed6f7c88b5f8dcc3f3dd71b869f940028321a698631e7709"}`,
].map((text) => JSON.parse(text) as StoredQuote)

/** What that program printed of the first. */
const derivation = `
asked: a buy, direct, 123.45 GBP to USDT-TRX
GBP bid: 1201144744 / 1000000000 EUR at 2026-11-20T08:00:00.000Z, source recorded
USDT ask: 9619070486 / 10000000000 EUR at 2026-11-20T08:00:00.000Z, source recorded
price: bid / ask, less 0.5% spread = 29878475507 / 24047676215 USDT for one GBP
Service fee: 1% of 123.45 GBP, at least 1.5 EUR = 1.25 GBP, rounded up = 1.25 GBP (schedule own-3)
Payment method fee: 2.5% of 123.45 GBP, rounded up = 3.09 GBP (schedule own-3)
Partner fee: 0.3% of 123.45 GBP, rounded up = 0.38 GBP (schedule own-3)
converted: 118.73 GBP, 123.45 less the fees
paid for: 118.73 x price, rounded down = 147.518261 USDT
paid out: less the network fee of 2 = 145.518261 USDT
rate: paid out / converted, rounded down, for display = 1.22562335
made at 2026-11-20T08:00:03.217Z, valid for 900 s, until 2026-11-20T08:15:03.217Z
`

test('a stored quote of version 1 is still recomputed from itself to the last digit', () => {
  for (const quote of stored) {
    assert.equal(quote.version, 1)
    const { agrees, differences } = explainQuote(quote)
    assert.ok(agrees, differences.join('\n'))
  }
})

test('and is still explained in its original terms', () => {
  assert.deepEqual(explainQuote(stored[0] ?? assert.fail()).lines, derivation.trim().split('\n'))
})

test('a stored quote of version 1 that was altered and sealed again does not agree', () => {
  for (const quote of stored) {
    for (const change of [
      { price: { numerator: '1', denominator: '2' } },
      { toAmount: '9' },
      { spreadBasisPoints: 0 },
    ]) {
      const altered: StoredQuote = { ...quote, ...change }
      assert.equal(explainQuote({ ...altered, fingerprint: fingerprintOf(altered) }).agrees, false)
    }
  }
})

test('what a quote of version 1 is worth in euro cents is its source at the bid', () => {
  // 123.45 pounds at 1.201144744.
  assert.equal(eurCentsOf(stored[0] ?? assert.fail(), 12_345n), 14_828n)
})
