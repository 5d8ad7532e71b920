import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { verify } from '../../src/exchange/checks/verify.ts'
import type { FeesDocument } from '../../src/exchange/policies/fees.ts'
import { feeMethods } from '../../src/exchange/policies/fees.ts'
import { propose } from '../../src/exchange/proposals/proposal.ts'
import { measureVolumes } from '../../src/exchange/partners/volume.ts'
import { commandLineOf } from '../support/command.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { advance, assertBooksHold, buy, lookup } from '../support/journey.ts'
import { until } from '../support/telling.ts'
import { tellAndSettle } from '../support/told-facts.ts'

type Fee = { name: string; amount: string; percentage: string }

const document: FeesDocument = {
  service: { buy: '0.875%', sell: '1%', swap: '0.5%' },
  tiers: [
    { above: '1000', service: { buy: '0.125%', sell: '1%', swap: '0.5%' } },
    { above: '2000', service: { buy: '0.00000001%', sell: '0.75%', swap: '0.25%' } },
  ],
  methods: { ...feeMethods, VISA_MC: { percent: '2.5%', fixed: '0.25' }, SEPA: { fixed: '1.5' } },
  spread: '0.4375%',
}

let exchange: Exchange
before(async () => {
  exchange = await startExchange({ RATE_LIMITS: 'off' })
})
after(() => exchange.stop())

const proposed = (change: Partial<FeesDocument>, days = 1) =>
  propose(
    exchange.service.composition.ctx,
    { kind: 'fees', document: { ...document, ...change }, reason: 'A test asks for it.', days },
    { actor: 'cli:test' },
  )

async function feesOf(amount: string, way: string): Promise<[string, string, string][]> {
  const query = `/v1/estimate?from_amount=${amount}&from_currency=EUR&to_currency=BTC&${way}`
  const { body } = await exchange.api<{ service_fees: Fee[] }>(query)
  return body.service_fees.map(({ name, amount: charged, percentage }) => [name, charged, percentage])
}

describe('a price list with decimals, tiers and fixed parts', () => {
  it('is charged to the cent, and its percentages say what a fee came to', async () => {
    assert.ok('proposal' in (await proposed({})))
    const card = 'deposit_category=VISA_MC'
    assert.deepEqual(await feesOf('100', card), [
      ['Service fee', '0.88', '0.88%'],
      ['Payment method fee', '2.75', '2.75%'],
    ])
    // 8.75 and 1.25 for the first two thousands; what is above costs hardly anything, and is rounded up with the rest.
    assert.deepEqual(await feesOf('3000', card), [
      ['Service fee', '10.01', '0.33%'],
      ['Payment method fee', '75.25', '2.51%'],
    ])
    assert.deepEqual(await feesOf('1000', 'deposit_category=SEPA'), [
      ['Service fee', '8.75', '0.88%'],
      ['Payment method fee', '1.5', '0.15%'],
    ])
  })

  it('asks an account less once its orders of 30 days come to a volume, counted once a day, and again more later', async () => {
    const { ctx } = exchange.service.composition
    const share = async (): Promise<string | undefined> => (await feesOf('100', 'deposit_category=VISA_MC'))[0]?.[2]
    const half = { buy: '0.5%', sell: '0.5%', swap: '0.25%' }
    const volumes = [
      { from: '150', service: half },
      { from: '1000000', service: { buy: '0.1%', sell: '0.1%', swap: '0.1%' } },
    ]
    assert.ok('proposal' in (await proposed({ volumes })))
    await measureVolumes(ctx)
    assert.equal(await share(), '0.88%')
    await buy(exchange)
    await buy(exchange)
    await measureVolumes(ctx)
    assert.equal(await share(), '0.88%', 'what comes today counts tomorrow')
    await advance(exchange, 'P1D')
    await measureVolumes(ctx)
    await until(async () => (await share()) === '0.5%', 'the volume to be known')
    await advance(exchange, 'P31D')
    await measureVolumes(ctx)
    await until(async () => (await share()) === '0.88%', 'the volume to be over')
  })

  it('counts no order whose money was taken back, and tries a change of volumes at those that accounts have', async () => {
    const { ctx } = exchange.service.composition
    const share = async (): Promise<string | undefined> => (await feesOf('100', 'deposit_category=VISA_MC'))[0]?.[2]
    const { id } = await buy(exchange)
    await buy(exchange)
    await advance(exchange, 'P1D')
    await measureVolumes(ctx)
    await until(async () => (await share()) === '0.5%', 'the volume to be known')
    const fifth = { buy: '0.4%', sell: '0.4%', swap: '0.2%' }
    const tried = await proposed({ volumes: [{ from: '150', service: fifth }] }, 2)
    assert.ok('proposal' in tried && tried.dryRun.revenue.change.startsWith('-'), 'it costs revenue')
    const sql = `select deposits.payment, reference, deposits.amount::text from deposits join rail_events on rail_events.id = event_id
      join transactions on transactions.id = deposits.transaction_id where public_id = $1`
    const [paid] = await lookup<{ payment: string; reference: string; amount: string }>(exchange, sql, [id])
    assert.ok(paid)
    const dispute = { ...paid, amount: BigInt(paid.amount), dispute: { id: 'volume', fundsMoved: true } }
    await tellAndSettle(exchange, { ...dispute, key: 'taken back', kind: 'dispute_opened' })
    await advance(exchange, 'P1D')
    await measureVolumes(ctx)
    await until(async () => (await share()) === '0.88%', 'what was taken back not to count')
    await tellAndSettle(exchange, { ...dispute, key: 'given back', kind: 'dispute_won' })
  })

  it('explains a quote that was made under it, by what the quote keeps', async () => {
    const { id } = await buy(exchange)
    const explained = await commandLineOf(exchange).told<{ agrees: boolean }>('price', 'explain', id)
    assert.equal(explained.agrees, true)
    const [row] = await lookup<{ fees: { kind: string; tiers?: unknown; fixedInReference?: string }[] }>(
      exchange,
      `select quote -> 'fees' as fees from quotes join transactions on transactions.id = transaction_id where public_id = $1`,
      [id],
    )
    assert.deepEqual(
      row?.fees.map(({ kind, tiers, fixedInReference }) => [kind, tiers, fixedInReference]),
      [
        [
          'service',
          [
            { above: '1000', basisPoints: 12.5 },
            { above: '2000', basisPoints: 0.000001 },
          ],
          undefined,
        ],
        ['deposit', undefined, '0.25'],
      ],
    )
    assert.deepEqual(await verify(exchange.service.composition.ctx), [])
    await assertBooksHold(exchange)
  })

  it('is refused where paying in parts would be cheaper, or where it is no fee', async () => {
    const cases: [Partial<FeesDocument>, string][] = [
      [{ tiers: [{ above: '100', service: { buy: '2%', sell: '1%', swap: '0.5%' } }] }, 'tiers.0.service.buy'],
      [{ tiers: [{ above: '0', service: document.service }] }, 'tiers.0.above'],
      [{ volumes: [{ from: '0', service: document.service }] }, 'volumes.0.from'],
      [{ tiers: [...(document.tiers ?? []), ...(document.tiers ?? [])] }, 'tiers.2.above'],
      [{ methods: { ...feeMethods, SEPA: { fixed: '100.01' } } }, 'methods.SEPA'],
      [{ spread: '0.123456789%' }, 'spread'],
      [{ service: { ...document.service, buy: '-0.5%' } }, 'service.buy'],
    ]
    for (const [change, path] of cases) {
      const answer = await proposed(change)
      assert.ok('problems' in answer, path)
      assert.ok(
        answer.problems.some((one) => one.path === path),
        JSON.stringify(answer.problems),
      )
    }
  })
})
