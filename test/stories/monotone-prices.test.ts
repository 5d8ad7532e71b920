import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'

import { b2bTerms, defaultTerms, type PartnerTerms } from '../../src/exchange/availability/partner-terms.ts'
import { resolve } from '../../src/exchange/availability/resolve.ts'
import { momentOf } from '../../src/exchange/transactions/policy.ts'
import { formatAmount, parseAmount } from '../../src/platform/money/amount.ts'
import { openTestApi, type TestApi } from '../support/api.ts'

/** Twenty pairs that start with euros: coins of 5 to 18 decimals, tokens, and coins worth a ten-thousandth of a euro. */
const names =
  'BTC-BTC ETH-ETH SOL-SOL XRP-XRP ADA-ADA DOGE-DOGE LTC-LTC BCH-BCH TRX-TRX TON-TON ' +
  'XLM-XLM DOT-DOT BNB-BSC AVAX-AVAX USDT-TRX USDT-BSC USDC-ETH USDC-SOL ALGO-ALGO SHIB-ETH'
const targets = names.split(' ').map((name) => name.split('-') as [string, string])

let api: TestApi
before(async () => {
  api = await openTestApi()
  const now = api.ctx.clock.now()
  api.ctx.clock = { ...api.ctx.clock, now: () => now }
})
after(() => api.close())

/** Every cent from 20.00 to 25.00 euros. */
const everyCent = Array.from({ length: 501 }, (_, cent) => 2_000n + BigInt(cent))

/** The same random amounts for the same seed, rising, in cents: as many of a few digits as of many (mulberry32). */
function randomAmounts(seed: number, count: number, [min, max]: [bigint, bigint]): bigint[] {
  let state = seed
  const random = (): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  const spread = Math.log(Number(max) / Number(min))
  return Array.from({ length: count }, () => BigInt(Math.floor(Number(min) * Math.exp(random() * spread)))).toSorted(
    (one, other) => (one < other ? -1 : 1),
  )
}

const euro = { ticker: 'EUR', decimals: 2 }

/** What amounts come to at one moment, with all fees, for as many as are within the range. */
function valuesOf(terms: PartnerTerms, [ticker, network]: [string, string], amounts: readonly bigint[]): bigint[] {
  const moment = momentOf(api.ctx, api.ctx.clock.now())
  return amounts.flatMap((amount) => {
    const value = formatAmount(amount, euro)
    const ask = { fromCurrency: 'EUR', toCurrency: ticker, toNetwork: network }
    const outcome = resolve(moment, terms, { ...ask, amount: { direction: 'direct', value } })
    return outcome.available ? [outcome.sum?.toAmount ?? assert.fail()] : []
  })
}

function assertNeverFalls(values: readonly bigint[], what: string): void {
  for (let at = 1; at < values.length; at += 1) {
    assert.ok((values[at] ?? 0n) >= (values[at - 1] ?? 0n), `${what}: amount ${at} gives less than the one before`)
  }
}

const termsByName: [name: string, terms: PartnerTerms, range: [bigint, bigint]][] = [
  ['retail', defaultTerms, [2_000n, 1_500_000n]],
  ['retail, with a commission', { ...defaultTerms, commissionBasisPoints: 37 }, [2_000n, 1_500_000n]],
  ['B2B, with a minimum fee', b2bTerms, [100_000n, 90_000_000n]],
]

for (const [name, terms, range] of termsByName) {
  test(`more in never gives less out on twenty pairs: ${name}`, () => {
    const random = randomAmounts(7, terms === defaultTerms ? 10_000 : 2_000, range)
    for (const target of targets) {
      const cents = valuesOf(terms, target, everyCent)
      const others = valuesOf(terms, target, random)
      assert.equal(others.length, random.length, `${target.join()}: every amount is within the range`)
      if (terms.kind !== 'b2b') assert.equal(cents.length, everyCent.length)
      assertNeverFalls(cents, `${target.join()}, by cents`)
      assertNeverFalls(others, `${target.join()}, by seed 7`)
    }
  })
}

test('and never asks for less in where more is to come out', () => {
  const moment = momentOf(api.ctx, api.ctx.clock.now())
  for (const [ticker, network] of targets) {
    const ask = { fromCurrency: 'EUR', toCurrency: ticker, toNetwork: network }
    const [least, most] = valuesOf(defaultTerms, [ticker, network], [2_000n, 400_000n])
    const sources: bigint[] = []
    for (let step = 0n; step <= 200n; step += 1n) {
      const wanted = (least ?? 0n) + (((most ?? 0n) - (least ?? 0n)) * step) / 200n
      const value = formatAmount(wanted, resolvedTarget(ask))
      const outcome = resolve(moment, defaultTerms, { ...ask, amount: { direction: 'reverse', value } })
      assert.ok(outcome.available && outcome.sum)
      assert.ok(outcome.sum.toAmount >= wanted)
      sources.push(outcome.sum.fromAmount)
    }
    assertNeverFalls(sources, `${ticker}, reverse`)
  }

  function resolvedTarget(ask: { fromCurrency: string; toCurrency: string; toNetwork: string }) {
    const outcome = resolve(moment, defaultTerms, ask)
    return outcome.available ? outcome.exchange.target.asset : assert.fail()
  }
})

test('over HTTP every cent from 20.00 to 25.00 euros at one rate_at, the fees included or on top', async () => {
  for (const [fees, ticker] of [
    ['true', 'BTC'],
    ['false', 'BTC'],
    ['true', 'USDT'],
  ] as const) {
    const moments = new Set<unknown>()
    const values: bigint[] = []
    for (const amount of everyCent) {
      const query = `from_currency=EUR&to_currency=${ticker}&from_amount=${formatAmount(amount, euro)}&fees_included=${fees}`
      const answer = await api.app.inject({
        url: `/v1/estimate?${query}`,
        headers: { 'x-api-key': api.all.secret_key },
      })
      const body = answer.json<{ value: string; rate_at: string }>()
      assert.equal(answer.statusCode, 200, answer.body)
      moments.add(body.rate_at)
      values.push(parseAmount(body.value, { ticker, decimals: 18 }))
    }
    assert.equal(moments.size, 1)
    assertNeverFalls(values, `${ticker}, fees_included=${fees}`)
    assert.ok(new Set(values).size > 400, 'and they do rise')
  }
})
