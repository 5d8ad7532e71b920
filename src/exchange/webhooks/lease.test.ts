import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import {
  attemptsOf,
  counted,
  queueOf,
  sequencesOf,
  settled,
  startDelivering,
} from '../../../test/support/delivering.ts'
import { newStream, type Telling, until } from '../../../test/support/telling.ts'

describe('a process', () => {
  it('that died leaves its deliveries to others when its leases end', async (t) => {
    const { telling, receiver } = await startDelivering(t, {}, { leaseMs: 300, pollMs: 50 })
    await telling.sender.stop()
    const dead = await telling.another({ leaseMs: 300, pollMs: 600_000 })
    dead.sender.start()
    await until(() => dead.sender.idle(), 'a first look')
    const taken = await takenBy(telling, dead.sender)
    assert.equal(taken.length, 1)
    assert.equal(receiver.all.length, 0, 'it died before it sent anything')

    const heir = await telling.another({ leaseMs: 300, pollMs: 50 })
    heir.sender.start()
    await receiver.got(1)
    await until(async () => (await queueOf(telling)).length === 0, 'an empty queue')
  })

  it('that lost its lease writes nothing about the delivery', async (t) => {
    const { telling, receiver } = await startDelivering(t)
    let answerNow = () => {}
    receiver.answer = (_request, response) => {
      answerNow = () => response.writeHead(200).end()
    }
    await telling.tell(newStream())
    await receiver.got(1)
    await telling.ctx.db.sql`update webhook_queue set fence = fence + 1, lease_until = now() + interval '1 hour'`
    answerNow()
    await settled(telling)
    assert.equal((await queueOf(telling)).length, 1)
    assert.deepEqual(await attemptsOf(telling), [])
  })

  it('keeps the lease of what takes long', async (t) => {
    const leaseMs = 4_000
    const { telling, receiver } = await startDelivering(t, {}, { leaseMs, pollMs: 50 })
    const other = await telling.another({ leaseMs, pollMs: 50 })
    other.sender.start()
    receiver.answer = (_request, response) => setTimeout(() => response.writeHead(200).end(), 1.5 * leaseMs)
    await telling.tell(newStream())
    await until(async () => (await attemptsOf(telling)).length === 1)
    assert.equal(receiver.all.length, 1)
  })

  it('shares the work with others: everything once, in order, with nobody waiting for ever', async (t) => {
    const { telling, receiver } = await startDelivering(t, {}, { pollMs: 50 })
    const other = await telling.another({ pollMs: 50 })
    other.relay.start()
    other.sender.start()
    const streams = Array.from({ length: 30 }, () => newStream())
    for (let round = 0; round < 10; round += 1) {
      await telling.tell(...streams)
      other.relay.wake()
    }
    await until(async () => (await attemptsOf(telling)).length === 300, 'three hundred attempts')
    for (const stream of streams) assert.deepEqual(sequencesOf(receiver, stream), counted(10))
    assert.deepEqual(await queueOf(telling), [])
    assert.deepEqual(telling.complaints, [])
  })

  it('that stops writes down what is under way and gives the rest back', async (t) => {
    const { telling, receiver } = await startDelivering(t)
    receiver.answer = (_request, response) => setTimeout(() => response.writeHead(200).end(), 50)
    await telling.tell(...Array.from({ length: 40 }, () => newStream()))
    await receiver.got(1)
    await telling.sender.stop()
    const left = await queueOf(telling)
    assert.equal(left.length + (await attemptsOf(telling)).length, 40)
    assert.equal((await attemptsOf(telling)).length, receiver.all.length)
    assert(left.every(({ lease_until: leaseUntil }) => leaseUntil === null))
  })

  it('that stops before it could open what it took gives that back', async (t) => {
    const { telling, receiver } = await startDelivering(t)
    await telling.tell(...Array.from({ length: 100 }, () => newStream()))
    const placed = () => telling.ctx.db.sql`select from event_feed`
    await until(async () => (await placed()).length === 100, 'that they are taken')
    await telling.sender.stop()
    const left = await queueOf(telling)
    const attempts = await attemptsOf(telling)
    assert.deepEqual([left.length + attempts.length, attempts.length], [100, receiver.all.length])
    assert(left.every(({ lease_until: leaseUntil }) => leaseUntil === null))
  })
})

/** Lets a sender take one delivery in a relay's block, and never hear of the commit: as if it had died right then. */
async function takenBy({ ctx, partner, tell }: Telling, sender: Telling['sender']): Promise<unknown[]> {
  await tell(newStream())
  await until(async () => (await ctx.db.sql`select from event_feed`).length === 1)
  const [event] = await ctx.db.sql<{
    id: bigint
    stream: bigint
    sequence: number
  }>`select id, stream, sequence from events`
  assert(event)
  await ctx.db.sql`delete from webhook_queue`
  const placed = { ...event, partner_id: partner.partner.id, type: 'transaction.status_changed' as const }
  await ctx.db.atomic(async (db) => sender.onSequenced({ ...db, afterCommit: () => undefined }, [placed]))
  return ctx.db.sql`select from webhook_queue where lease_until is not null`
}
