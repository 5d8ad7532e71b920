import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'

import { makePartner, newStream, startTelling, until } from '../../../test/support/telling.ts'
import type { Ctx } from '../context.ts'
import { openKeyring } from '../../platform/privacy/data-key.ts'
import { eventId } from './event.ts'
import { eventsOf, readFeed } from './feed.ts'

describe('a partner’s feed', () => {
  it('is read page by page, and says where to continue and whether there is more', async (t) => {
    const { ctx, partnerId, stream } = await fed(t)
    const first = await readFeed(ctx, partnerId, { limit: 2 })
    assert.deepEqual(
      idsOf(first.bodies),
      [1, 2].map((sequence) => eventId({ stream: stream.id, sequence })),
    )
    assert.deepEqual([first.nextAfter, first.hasMore], [eventId({ stream: stream.id, sequence: 2 }), true])

    const second = await readFeed(ctx, partnerId, { after: first.nextAfter, limit: 2 })
    assert.deepEqual(idsOf(second.bodies), [eventId({ stream: stream.id, sequence: 3 })])
    assert.deepEqual([second.nextAfter, second.hasMore], [eventId({ stream: stream.id, sequence: 3 }), false])

    const last = await readFeed(ctx, partnerId, { after: second.nextAfter, limit: 2 })
    assert.deepEqual(last, { bodies: [], nextAfter: second.nextAfter, hasMore: false })
  })

  it('leads past what `types` leaves out', async (t) => {
    const { ctx, partnerId, stream } = await fed(t)
    const page = await readFeed(ctx, partnerId, { types: ['endpoint.test'], limit: 2 })
    assert.deepEqual(page, { bodies: [], nextAfter: eventId({ stream: stream.id, sequence: 2 }), hasMore: true })
    const all = await readFeed(ctx, partnerId, { types: ['endpoint.test', 'transaction.status_changed'], limit: 9 })
    assert.equal(all.bodies.length, 3)
  })

  it('is nobody else’s, not even by the id of an event', async (t) => {
    const { ctx, stream } = await fed(t)
    const other = (await makePartner(ctx)).id
    assert.deepEqual(await readFeed(ctx, other, { limit: 9 }), { bodies: [], nextAfter: undefined, hasMore: false })
    const code = 'BAD_REQUEST'
    for (const after of [eventId({ stream: stream.id, sequence: 1 }), 'evt_1000001', 'evt_x', '']) {
      await assert.rejects(readFeed(ctx, other, { after, limit: 9 }), { code }, after)
    }
  })

  it('tells of an erased person only that something happened', async (t) => {
    const { ctx, partnerId, stream } = await fed(t)
    await ctx.db.sql`
      update data_keys set wrapped = null, erased_at = now()
      where id = (select data_key_id from events where sequence = 2)`
    const restarted: Ctx = { ...ctx, keyring: openKeyring(ctx.secrets, ctx.rowIds) }
    const payloads = (await readFeed(restarted, partnerId, { limit: 9 })).bodies.map(
      (body) => (JSON.parse(body) as { payload: object }).payload,
    )
    const id = String(stream.id)
    assert.deepEqual(payloads, [{ id, number: 1 }, { id }, { id, number: 3 }])
  })

  it('stores nothing of an event that can be read', async (t) => {
    const { ctx } = await fed(t)
    const [row] = await ctx.db.sql<{ text: string }>`select string_agg(events::text, '') as text from events`
    for (const text of ['payload', 'EXCHANGE', '"number"']) {
      assert(!row?.text.includes(text) && !row?.text.includes(Buffer.from(text).toString('hex')), text)
    }
  })

  it('can be looked at by thing', async (t) => {
    const { ctx, stream } = await fed(t)
    const events = await eventsOf(ctx, stream.id)
    assert.deepEqual(
      events.map(({ id }) => id),
      [1, 2, 3].map((sequence) => eventId({ stream: stream.id, sequence })),
    )
    assert(events.every(({ position }) => position !== null))
  })
})

async function fed(t: TestContext) {
  const { ctx, partner, tell } = await startTelling(t)
  const stream = newStream()
  for (let round = 0; round < 3; round += 1) await tell(stream)
  const partnerId = partner.partner.id
  await until(async () => (await readFeed(ctx, partnerId, { limit: 9 })).bodies.length === 3, 'three events')
  return { ctx, partnerId, stream }
}

const idsOf = (bodies: string[]): string[] => bodies.map((body) => (JSON.parse(body) as { id: string }).id)
