import assert from 'node:assert/strict'
import { it } from 'node:test'

import { testContext } from '../../../test/support/api.ts'
import { testDatabase } from '../../../test/support/database.ts'
import { lastCompared, signedUnknown } from './signed-unknown.ts'

it('a journal that was replaced is read from its beginning, and it is known when one could not be read', async () => {
  const ctx = await testContext(await testDatabase())
  const line = { line: 1, payout: '4711', asset: 'BTC-BTC', amount: '5', destination: `0014${'22'.repeat(20)}` }
  const page = { from: '0'.repeat(64), upTo: 1, hash: 'a'.repeat(64), lines: 1, payments: [] }
  const asked: number[] = []
  let answer = (_after: number): object => page
  const signer = {
    call: (_path: string, body: object) => {
      asked.push('after' in body ? Number(body.after) : -1)
      return Promise.resolve().then(() => answer(asked.at(-1) ?? 0)) as Promise<never>
    },
  }
  const rail = { name: 'btc', custodyAccount: 'btc', payout: { most: () => 1n } }
  const rails = { all: [rail], forPayout: () => rail } as never
  const found = async () => (await signedUnknown({ ...ctx, rails, signer })).map(({ key }) => key)
  try {
    assert.deepEqual(await found(), [])
    answer = (after) => (after === 0 ? { ...page, payments: [line] } : { ...page, from: 'b'.repeat(64) })
    assert.deepEqual(await found(), ['btc out 4711'])
    assert.deepEqual(asked, [0, 1, 0])

    const at = await lastCompared(ctx.db)
    answer = () => assert.fail('it is away')
    assert.deepEqual(await found(), [])
    assert.equal(await lastCompared(ctx.db), at)
  } finally {
    await ctx.db.close()
  }
})
