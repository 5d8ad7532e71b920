import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, it } from 'node:test'

import { testContext } from '../../../test/support/api.ts'
import { testDatabase } from '../../../test/support/database.ts'
import type { VenueFill } from '../../markets/trading-venue.ts'
import type { Ctx } from '../context.ts'
import { balanceOf } from '../ledger/balance.ts'
import { bookFills } from './book-fills.ts'
import { exactOf, unitsOf } from './decimals.ts'
import { type Hedge, hedgeRows } from './hedge.ts'
import { misfilled, readHedge } from './hedges.sql.ts'

let ctx: Ctx
before(async () => {
  ctx = await testContext(await testDatabase())
  ctx.config.hedging = {
    isAutomatic: true,
    venue: 'venue',
    pairs: [{ base: 'BTC', quote: 'EUR' }],
    assets: { USDT: 'USDT-ETH' },
    everyMs: 1_000,
    slippageBasisPoints: 50,
    expiresAfterMs: 1_000,
    bounds: {},
    capPerOrder: 1n,
    capPerDay: 1n,
  }
})
after(() => ctx.db.close())

async function hedgeOf(side: 'buy' | 'sell'): Promise<Hedge> {
  const id = await ctx.rowIds.next()
  const venue = `venue-${id}`
  await ctx.db.atomic((db) => {
    hedgeRows.insert(db, [
      {
        id,
        venue,
        clientOrderId: randomUUID(),
        pair: 'BTC/EUR',
        side,
        base: 'BTC-BTC',
        quote: 'EUR-EUR',
        amount: 1_000_000n,
        limitPrice: '90000',
        worth: 90_000n,
        state: 'approved',
        reason: 'test',
        proposedBy: 'test',
        proposedAt: new Date(),
      },
    ])
    return Promise.resolve()
  })
  return (await readHedge(ctx.db, id)) ?? assert.fail('no hedge')
}

const fillOf = (change: Partial<VenueFill> = {}): VenueFill => ({
  id: randomUUID(),
  amount: '0.005',
  cost: '445.00501',
  fees: [{ ticker: 'EUR', amount: '1.1112' }],
  at: new Date(),
  ...change,
})
const book = async (hedge: Hedge, fills: VenueFill[], counted: string) =>
  ctx.db.atomic(async (db) => bookFills(ctx, db, (await readHedge(db, hedge.id)) ?? hedge, fills, exactOf(counted)))
const held = (hedge: Hedge, asset: string): Promise<bigint> => balanceOf(ctx.db, `held:${hedge.venue}`, asset)

describe('the fills of a hedge', () => {
  it('are rounded so that the books never claim more than there is', async () => {
    const bought = await hedgeOf('buy')
    assert.deepEqual(await book(bought, [fillOf()], '0.005'), { filled: 500_000n, isComplete: true })
    assert.deepEqual([await held(bought, 'BTC-BTC'), await held(bought, 'EUR-EUR')], [500_000n, -44_501n - 112n])
    const sold = await hedgeOf('sell')
    await book(sold, [fillOf({ amount: '0.005000001', cost: '445.009' })], '0.005000001')
    assert.deepEqual([await held(sold, 'BTC-BTC'), await held(sold, 'EUR-EUR')], [-500_001n, 44_500n - 112n])
  })

  it('are booked once, however often and in whatever order a venue shows them', async () => {
    const hedge = await hedgeOf('buy')
    const [one, other] = [fillOf(), fillOf()]
    assert.equal((await book(hedge, [one], '0.01')).isComplete, false)
    assert.deepEqual(await book(hedge, [other, one, one], '0.01'), { filled: 1_000_000n, isComplete: true })
    assert.deepEqual(await book(hedge, [one, other], '0.01'), { filled: 1_000_000n, isComplete: true })
    assert.equal(await held(hedge, 'BTC-BTC'), 1_000_000n)
  })

  it('may have a fee that was paid to us, one in a third currency, or one in what was bought', async () => {
    const rebate = await hedgeOf('buy')
    await book(rebate, [fillOf({ fees: [{ ticker: 'EUR', amount: '-0.119' }] })], '0.005')
    assert.equal(await held(rebate, 'EUR-EUR'), -44_501n + 11n)
    const third = await hedgeOf('buy')
    await book(third, [fillOf({ fees: [{ ticker: 'USDT', amount: '0.2500001' }] })], '0.005')
    assert.deepEqual([await held(third, 'EUR-EUR'), await held(third, 'USDT-ETH')], [-44_501n, -250_001n])
    const base = await hedgeOf('buy')
    await book(base, [fillOf({ fees: [{ ticker: 'BTC', amount: '0.00001' }] })], '0.005')
    assert.equal(await held(base, 'BTC-BTC'), 500_000n - 1_000n)
    const free = await hedgeOf('buy')
    await book(free, [fillOf({ fees: [] })], '0.005')
    assert.equal(await held(free, 'EUR-EUR'), -44_501n)
    assert.deepEqual(await misfilled(ctx.db), [])
  })

  it('fail the block when they cannot be understood, and nothing of it is booked', async () => {
    const hedge = await hedgeOf('buy')
    for (const wrong of [
      fillOf({ amount: '-1' }),
      fillOf({ amount: '1e-3' }),
      fillOf({ fees: [{ ticker: 'NOCOIN', amount: '1' }] }),
      fillOf({
        fees: [
          { ticker: 'EUR', amount: '1' },
          { ticker: 'BTC', amount: '1' },
        ],
      }),
    ]) {
      await assert.rejects(book(hedge, [fillOf(), wrong], '0.01'))
    }
    assert.equal(await held(hedge, 'BTC-BTC'), 0n)
  })
})

it('numbers of venues are read exactly or not at all', () => {
  assert.equal(exactOf('0.000000000000000001'), 1n)
  assert.equal(exactOf('-12.50'), -12_500_000_000_000_000_000n)
  for (const text of ['', '1e5', 'NaN', '1.', '.5', '0.0000000000000000001']) assert.throws(() => exactOf(text), text)
  assert.deepEqual([unitsOf(15n * 10n ** 15n, 2, 'down'), unitsOf(15n * 10n ** 15n, 2, 'up')], [1n, 2n])
})
