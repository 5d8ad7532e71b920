import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { type Exchange, startExchange } from '../support/exchange.ts'
import { readyToPay } from '../support/journey.ts'

/** So many of each: then the median of one moves by about a percent from one time to the next. */
const draws = 2_000
/** What else the machine does may pull one comparison apart; a question more to the database pulls every one. */
const comparisons = 3
const bound = 0.05

let exchange: Exchange
let foreign: { transaction: string; customer: string }
before(async () => {
  exchange = await startExchange({ RATE_LIMITS: 'off' })
  const { id, customer_id: customer } = await readyToPay(exchange, {
    customer: { contact_info: { email: 'customer@example.com', phone_number: '+31 20 1234567' } },
  })
  foreign = { transaction: id, customer: String(customer) }
})
after(() => exchange.stop())

async function timeOf(path: string): Promise<number> {
  const begun = performance.now()
  const answer = await fetch(exchange.url + path, {
    headers: { 'x-api-key': exchange.sandbox.second_partner.secret_key },
  })
  await answer.arrayBuffer()
  const took = performance.now() - begun
  assert.equal(answer.status, 404)
  return took
}

const median = (values: number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

/** How much longer the one takes than the other: asked in turn, each going first as often as the other. */
async function ratioOf(path: (id: string) => string, id: string): Promise<number> {
  const times = { foreign: [] as number[], unknown: [] as number[] }
  for (let draw = 0; draw < draws; draw += 1) {
    // An id that was never asked for, as long as ours are.
    const unknown = `48${String(1_000_000_000_000_000 + draw * 7_919)}`
    const turn = [
      async () => times.foreign.push(await timeOf(path(id))),
      async () => times.unknown.push(await timeOf(path(unknown))),
    ]
    for (const ask of draw % 2 === 0 ? turn : turn.toReversed()) await ask()
  }
  return median(times.foreign) / median(times.unknown)
}

describe('404 of another partner’s object and of none take the same time', () => {
  const kinds: [name: 'transaction' | 'customer', path: (id: string) => string][] = [
    ['transaction', (id) => `/v1/transaction/${id}`],
    ['customer', (id) => `/v1/customer/${id}/status`],
  ]
  for (const [name, path] of kinds) {
    it(`of a ${name}`, async (t) => {
      const ratios: number[] = []
      const isWithin = (ratio: number) => Math.abs(ratio - 1) <= bound
      while (ratios.length < comparisons && !ratios.some(isWithin)) ratios.push(await ratioOf(path, foreign[name]))
      t.diagnostic(`medians of ${draws}, foreign by unknown: ${ratios.map((one) => one.toFixed(3)).join(', ')}`)
      assert.ok(ratios.some(isWithin), ratios.join(', '))
    })
  }
})
