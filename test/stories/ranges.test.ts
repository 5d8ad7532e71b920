import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, it } from 'node:test'

import { commandLineOf } from '../support/command.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import type { Refused } from '../support/journey.ts'
import { putInForce } from '../support/policies.ts'
import { stopMarket } from '../support/still-market.ts'
import { until } from '../support/telling.ts'

let exchange: Exchange
before(async () => {
  exchange = await startExchange({ RATE_LIMITS: 'off' })
  stopMarket(exchange)
})
after(() => exchange.stop())

/** Orders a swap of two coins whose methods take less than ten euros, and gives the least that a refusal names. */
async function order(amount: string): Promise<{ status: number; least: string | undefined }> {
  const body = { from_amount: amount, from_currency: 'LTC', to_currency: 'XLM', customer_country: 'DE' }
  const answer = await exchange.api<Refused>('/v1/transaction', { body })
  const out = answer.status === 400 ? answer.body.errors.find(({ code }) => code === 'AMOUNT_OUT_OF_RANGE') : undefined
  return { status: answer.status, least: out?.min }
}

it('a range that names only its least and its most is stored whole, and an order below the least is refused', async () => {
  const { ctx } = exchange.service.composition
  const { least = '' } = await order('0.00000001')
  const [below, at] = [(Number(least) * 0.9).toFixed(8), { status: 201, least: undefined }]
  await putInForce(ctx, { kind: 'ranges', document: { least: { EUR: '8' }, most: { EUR: '60000' } } })
  assert.deepEqual(await order(below), at)

  const file = join(exchange.dataDir, 'ranges.json')
  await writeFile(file, '{"least":{"EUR":"10"},"most":{"EUR":"50000"}}')
  const line = commandLineOf(exchange)
  await line.told('policy', 'propose', 'ranges', file, '--reason', 'A test asks for it.')
  const { document } = await line.told<{ document: object }>('policy', 'show', 'ranges')
  assert.deepEqual(document, {
    least: { EUR: '10' },
    most: { EUR: '50000' },
    swap: { most: { EUR: '100000' } },
    b2b: { least: { EUR: '1000' }, most: { EUR: '1000000' }, swap: { most: { EUR: '2000000' } } },
  })
  await until(async () => (await order(below)).status === 400, 'the new range')
  assert.deepEqual(await order(below), { status: 400, least })
  assert.deepEqual(await order(least), at)
})
