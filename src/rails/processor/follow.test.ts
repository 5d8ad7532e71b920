import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { testContext } from '../../../test/support/api.ts'
import { testDatabase } from '../../../test/support/database.ts'
import type { Ctx } from '../../exchange/context.ts'
import { readRefund } from '../hyperswitch/translation.ts'
import { askAbout, followOnce, type Processor } from './follow.ts'
import { findItem, type Item, rememberItem } from './store.ts'

const said = (id: string, status: string) => ({ refund_id: id, status, currency: 'EUR', amount: '4200' })

describe('a refund at a processor', () => {
  let ctx: Ctx
  before(async () => {
    ctx = await testContext(await testDatabase())
  })
  after(() => ctx.db.close())

  /** A processor that gives one answer after the other, each when it is ready; and what was reported of it. */
  async function asked(id: string, answers: Promise<string>[]) {
    const reported: string[] = []
    const { db, clock, log } = ctx
    const processor: Processor = {
      rail: 'cards',
      db,
      clock,
      log,
      everyMs: 60_000,
      look: async ({ settled }) => readRefund(said(id, (await answers.shift()) ?? ''), settled),
    }
    const at = clock.realNow()
    const key = { rail: 'cards', kind: 'refund', id } as const
    await rememberItem(db, { ...key, reference: id }, { at, lookAt: at })
    const report = async (_: unknown, events: readonly { kind: string }[]) =>
      void reported.push(...events.map(({ kind }) => kind))
    const item = async (): Promise<Item> => (await findItem(db, key)) ?? assert.fail('the refund')
    return { processor, report, reported, item }
  }
  const lookAt = async (id: string) =>
    (await ctx.db.sql<{ at: Date | null }>`select look_at as at from processor_items where id = ${id}`)[0]?.at

  it('that is seen to fail has come back, though the one who looked began before it was paid', async () => {
    let answer: (status: string) => void = () => undefined
    const slow = new Promise<string>((resolve) => (answer = resolve))
    const { processor, report, reported, item } = await asked('late', [
      slow,
      Promise.resolve('succeeded'),
      Promise.resolve('failed'),
    ])
    const following = followOnce(processor, report)
    while ((await lookAt('late'))?.getTime() === (await item()).opened_at.getTime()) continue
    await askAbout(processor, await item(), report)
    answer('failed')
    await following
    assert.deepEqual(reported, ['payout_settled', 'payout_settled', 'payout_returned'])
  })

  it('is asked about until its end was reported, though it was seen before and is long known', async () => {
    for (const [id, ageMs] of [
      ['seen', 0],
      ['old', 100 * 86_400_000],
    ] as const) {
      const { processor, report, reported, item } = await asked(id, [
        Promise.resolve('failed'),
        Promise.resolve('failed'),
      ])
      const long = { ...(await item()), opened_at: new Date(ctx.clock.realNow().getTime() - ageMs) }
      await askAbout(processor, long)
      assert.ok(await lookAt(id))
      await askAbout(processor, { ...long, status: 'failed' }, report)
      assert.deepEqual([reported, await lookAt(id)], [['payout_failed'], null])
    }
  })
})
