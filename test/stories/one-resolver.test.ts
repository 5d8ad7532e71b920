import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'

import fc from 'fast-check'

import { listingById } from '../../src/reference/catalog/asset.ts'
import { findCountry } from '../../src/reference/catalog/country.ts'
import { networks } from '../../src/reference/catalog/network.ts'
import { paymentCategories } from '../../src/reference/catalog/payment-category.ts'
import { type Asset, formatAmount, parseAmount } from '../../src/platform/money/amount.ts'
import { waysToPay } from '../../src/exchange/orders/pay.ts'
import {
  anyAccount,
  anyAsset,
  anyCountry,
  anyMarket,
  anyMethod,
  categoryOf,
  drawn,
  openWorld,
  type World,
} from '../support/any-account.ts'
import type { TestApi, ApiAnswer } from '../support/api.ts'
import { agreed, beyondAll, estimate, listed, openWays, type Problem, type Question } from '../support/same-question.ts'

let world: World
let api: TestApi
before(async () => {
  world = await openWorld()
  api = world.api
})
after(() => api.close())

const rare = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined, freq: 1 })

/** A question as a partner would ask it, mostly of what there is. */
const anyQuestion = fc.record({
  account: anyAccount,
  market: anyMarket,
  source: anyAsset,
  target: anyAsset,
  fromNetwork: rare(fc.constantFrom(...networks.map(({ code }) => code), 'EUR', 'NOPE')),
  toNetwork: rare(fc.constantFrom(...networks.map(({ code }) => code), 'EUR', 'NOPE')),
  method: fc.option(anyMethod, { nil: undefined }),
  country: fc.option(fc.oneof({ arbitrary: anyCountry, weight: 9 }, { arbitrary: fc.constant('XX'), weight: 1 }), {
    nil: undefined,
  }),
  amount: fc.tuple(fc.bigInt(1n, 99n), fc.nat(9)).map(([digits, zeros]) => String(digits * 10n ** BigInt(zeros))),
  /** Where within the range, in thousandths. */
  within: fc.bigInt(0n, 1000n),
})

/** One that can be exchanged, whatever else is drawn. */
const plainQuestion = {
  account: 0,
  market: 0,
  source: ['EUR', 'EUR'] as const,
  target: ['BTC', 'BTC'] as const,
  fromNetwork: undefined,
  toNetwork: undefined,
  method: 0,
  country: 'DE',
  amount: '100',
  within: 1n,
}

/** Both ends are accepted; one unit outside is refused, and told the same ends. */
async function judgeEnds(question: Question, asset: Asset, { min = '', max = '' }: Partial<Problem>): Promise<void> {
  const [least, most] = [parseAmount(min, asset), parseAmount(max, asset)]
  assert.ok(least > 0n && least <= most, `${min} to ${max}`)
  for (const units of [least, most]) {
    const { problem } = await agreed(api, { ...question, amount: formatAmount(units, asset) })
    // The amount is judged before the country: an end of a range in a country that is not served is refused for the latter.
    const isCountry =
      problem?.code === 'COUNTRY_NOT_SUPPORTED' && findCountry(question.country ?? '')?.supported === false
    assert.ok(problem === undefined || isCountry, `${JSON.stringify(question)}: the end ${units}`)
  }
  for (const units of [least - 1n, most + 1n].filter((outside) => outside > 0n)) {
    const { problem } = await agreed(api, { ...question, amount: formatAmount(units, asset) })
    assert.deepEqual([problem?.code, problem?.min, problem?.max], ['AMOUNT_OUT_OF_RANGE', min, max])
  }
}

/** What can be exchanged is listed: its currencies, its ways in and out, and the ways that the checkout offers. */
async function judgeListings(question: Question, { body }: ApiAnswer): Promise<void> {
  for (const [ticker] of [question.from, question.to]) {
    const { is_available: isAvailable, sides } = await listed(api, question, ticker)
    assert.ok(isAvailable && sides[String(body.side)], `${ticker} ${JSON.stringify(question)}`)
  }
  const place = String(body.location)
  if (place !== 'ZZ') {
    const [ins, outs] = [
      await openWays(api, question, place, question.from),
      await openWays(api, question, place, question.to),
    ]
    assert.ok(ins.some((row) => row.category === body.deposit_payment_category && row.deposit_enabled))
    assert.ok(outs.some((row) => row.category === body.payout_payment_category && row.withdrawal_enabled))
  }
  const ways = await waysToPay(api.ctx, BigInt(String(body.id)))
  for (const { category } of paymentCategories) {
    const way = ways.find(({ method }) => method.category === category)
    const { status, body: priced } = await estimate(api, { ...question, category })
    assert.equal(way !== undefined, status === 200, `${category} ${JSON.stringify(question)}`)
    const target = listingById(question.to.join('-'))
    if (way && target) assert.equal(formatAmount(way.toAmount, target.asset), priced.value)
  }
}

/** The range without any method or country is that of an estimate without them. */
async function judgeRange(question: Question, asset: Asset): Promise<void> {
  const url = `/v1/market-info/min-max-range/${question.from.join('-')}_${question.to.join('-')}`
  const range = await api.ask({ url, key: question.key })
  const plain = { ...question, category: undefined, country: undefined, amount: beyondAll }
  const { problem } = await agreed(api, plain)
  assert.equal(
    range.status === 200,
    problem?.code === 'AMOUNT_OUT_OF_RANGE',
    `${range.text} ${JSON.stringify(problem)}`,
  )
  if (range.status !== 200) return
  const decimal = (number: unknown) => formatAmount(parseAmount(String(number), asset), asset)
  if (!/e/.test(`${String(range.body.min)} ${String(range.body.max)}`)) {
    assert.deepEqual([decimal(range.body.min), decimal(range.body.max)], [problem?.min, problem?.max])
  }
}

/** An amount of the range that the refusal of another has told. */
function amountWithin(asset: Asset, { min = '', max = '' }: Partial<Problem>, within: bigint): string {
  const [least, most] = [parseAmount(min, asset), parseAmount(max, asset)]
  return formatAmount(least + ((most - least) * within) / 1000n, asset)
}

test('estimate, health and create say the same, and so do ranges, listings and the checkout', async (t) => {
  const seen = { open: 0, refused: 0, created: 0 }
  const property = fc.asyncProperty(anyQuestion, async ({ account, market, source, target, ...drawnOf }) => {
    world.nextSecond(market)
    const question: Question = {
      key: world.accounts[account]?.key ?? '',
      from: [source[0], drawnOf.fromNetwork ?? source[1]],
      to: [target[0], drawnOf.toNetwork ?? target[1]],
      category: drawnOf.method === undefined ? undefined : categoryOf(source, drawnOf.method),
      country: drawnOf.country,
      amount: drawnOf.amount,
    }
    await agreed(api, question)
    const { problem } = await agreed(api, { ...question, amount: beyondAll })
    seen[problem?.code === 'AMOUNT_OUT_OF_RANGE' ? 'open' : 'refused'] += 1
    const asset = listingById(question.from.join('-'))?.asset
    if (asset && drawnOf.toNetwork === undefined) await judgeRange(question, asset)
    if (!asset || problem?.code !== 'AMOUNT_OUT_OF_RANGE') return

    await judgeEnds(question, asset, problem)
    const amount = amountWithin(asset, problem, drawnOf.within)
    const { created } = await agreed(api, { ...question, amount })
    if (created) {
      seen.created += 1
      await judgeListings({ ...question, amount }, created)
    }
  })
  await fc.assert(property, { ...drawn(t, 250), examples: [[plainQuestion]] })
  t.diagnostic(JSON.stringify(seen))
  assert.ok(seen.open > 0 && seen.refused > 0 && seen.created > 0)
})
