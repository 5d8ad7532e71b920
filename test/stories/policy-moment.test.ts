import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'

import { explainPrices } from '../../src/exchange/checks/explain-price.ts'
import { propose } from '../../src/exchange/proposals/proposal.ts'
import type { TransactionRecord } from '../../src/exchange/transactions/record.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { advance, create } from '../support/journey.ts'
import { feesDocument } from '../support/policies.ts'

let exchange: Exchange
before(async () => {
  exchange = await startExchange({ RATE_LIMITS: 'off' })
})
after(() => exchange.stop())

it('218 creates around the moment of a policy have the fees of their own moment each, and none is refused', async () => {
  const { ctx } = exchange.service.composition
  const effectiveAt = new Date(ctx.clock.now().getTime() + 3_600_000)
  const made = await propose(
    ctx,
    {
      kind: 'fees',
      document: feesDocument({ service: { buy: '2%', sell: '2%', swap: '1%' } }),
      reason: 'A test asks for it.',
      effectiveAt,
      days: 1,
    },
    { actor: 'cli:test' },
  )
  assert.ok('proposal' in made)
  const { version } = made.proposal

  const records: TransactionRecord[] = [await create(exchange)]
  const restMs = effectiveAt.getTime() - ctx.clock.now().getTime()
  await advance(exchange, `PT${Math.floor(restMs / 1_000) - 1}S`)
  let left = 217
  // The moment passes while creates are on their way; on a fast machine more of them are needed until then.
  const createSome = async (): Promise<void> => {
    while (left > 0 || ctx.clock.now() < effectiveAt) {
      left -= 1
      records.push(await create(exchange))
    }
  }
  await Promise.all(Array.from({ length: 16 }, createSome))
  records.push(await create(exchange))
  assert.ok(records.length > 218, String(records.length))

  const later = records.filter((record) => {
    const isLater = new Date(record.created_at) >= effectiveAt
    const { policies, estimate_breakdown: fees } = record
    assert.deepEqual(
      [policies.fees, fees.serviceFees[0]?.amount],
      isLater ? [version, '2'] : [version - 1, '1'],
      `${record.id} of ${record.created_at}`,
    )
    return isLater
  })
  assert.ok(later.length > 0 && later.length < records.length, String(later.length))
  const versions = records
    .toSorted((a, b) => (a.created_at < b.created_at ? -1 : 1))
    .map(({ policies }) => policies.fees)
  assert.deepEqual(
    versions,
    versions.toSorted((a = 0, b = 0) => a - b),
  )
  for (const { id, policies } of records) {
    const [quote] = await explainPrices(ctx, BigInt(id))
    assert.deepEqual([quote?.agrees, quote?.policies.fees], [true, policies.fees])
  }
})
