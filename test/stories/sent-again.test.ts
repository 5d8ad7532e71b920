import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { describe, it } from 'node:test'

import { CommitUnknown } from '../../src/platform/db/sql.ts'
import { eventId } from '../../src/exchange/events/event.ts'
import { replayEvent, replaySince } from '../../src/exchange/webhooks/replay.ts'
import { attemptsAt, attemptsOf, queueOf, sequencesOf, settled, startDelivering } from '../support/delivering.ts'
import { newStream, until } from '../support/telling.ts'

describe('an event that is to be sent again', () => {
  it('waits, with all before it, until what is under way has ended: one of a stream at a time, in order', async (t) => {
    const { telling, receiver, endpointId } = await startDelivering(t)
    const since = telling.ctx.clock.now()
    const stream = newStream()
    for (let round = 0; round < 3; round += 1) await telling.tell(stream)
    await receiver.got(3)
    await settled(telling)
    const seen: string[] = []
    let release = () => {}
    const held = new Promise<void>((resolve) => (release = resolve))
    const take = async (response: ServerResponse, sequence: number) => {
      seen.push(`begin ${sequence}`)
      if (seen.length === 1) await held
      seen.push(`end ${sequence}`)
      response.writeHead(200).end()
    }
    receiver.answer = (_request, response, { event }) => void take(response, event.sequence)
    await telling.tell(stream, stream)
    await receiver.got(4)
    await telling.ctx.db.atomic((db) => replaySince(telling.ctx, db, { id: endpointId }, since))
    const queued = () => telling.ctx.db.sql`select from webhook_replays where ended_at is not null`
    await until(async () => (await queued()).length === 1, 'that the replay is queued')
    release()
    await until(async () => (await queueOf(telling)).length === 0, 'the replay')
    const order = [4, 1, 2, 3, 4, 5]
    assert.deepEqual(
      seen,
      order.flatMap((sequence) => [`begin ${sequence}`, `end ${sequence}`]),
    )
  })

  it('gives way to earlier ones that are to be sent again, when its own attempt has failed', async (t) => {
    const { telling, receiver, endpointId } = await startDelivering(t)
    const stream = newStream()
    await telling.tell(stream)
    await receiver.got(1)
    await settled(telling)
    let fail = () => {}
    receiver.answer = (_request, response) => {
      fail = () => response.writeHead(500).end()
    }
    await telling.tell(stream)
    await receiver.got(2)
    const id = eventId({ stream: stream.id, sequence: 1 })
    await telling.ctx.db.atomic((db) => replayEvent(telling.ctx, db, { id: endpointId }, id))
    assert.deepEqual(
      (await queueOf(telling)).map((row) => row.next_at === null),
      [true, false],
    )
    receiver.answer = (_request, response) => response.writeHead(200).end()
    fail()
    await until(async () => (await queueOf(telling)).length === 0, 'both')
    assert.deepEqual(sequencesOf(receiver, stream), [1, 2, 1, 2])
  })

  it('is asked for without waiting for what is being written down, and keeps that from nothing', async (t) => {
    const { telling, receiver, endpointId } = await startDelivering(t)
    receiver.answer = (_request, response) => response.writeHead(500).end()
    const stream = newStream()
    await telling.tell(stream)
    await receiver.got(1)
    await settled(telling)
    const { ctx } = telling
    let replay: Promise<void> = Promise.resolve()
    // As attempts are written down: what waits is locked first, then the endpoint.
    await ctx.db.atomic(async (db) => {
      await db.sql`select from webhook_queue where endpoint_id = ${endpointId} for update`
      replay = ctx.db.atomic((other) =>
        replayEvent(ctx, other, { id: endpointId }, eventId({ stream: stream.id, sequence: 1 })),
      )
      await until(async () => {
        const waiting = await ctx.db.sql`
          select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
        return waiting.length > 0
      }, 'that the replay waits')
      await db.sql`select set_config('lock_timeout', '500ms', true)`
      await db.sql`select from webhook_endpoints where id = ${endpointId} for no key update`
    })
    await replay
    assert.equal((await queueOf(telling)).length, 1)
  })

  it('is another delivery than before: what ends of that one is not written down as its own', async (t) => {
    const { telling, receiver, endpointId } = await startDelivering(t)
    const { ctx } = telling
    const enders: (() => void)[] = []
    receiver.answer = (_request, response) => void enders.push(() => response.writeHead(500).end())
    const stream = newStream()
    await telling.tell(stream)
    await receiver.got(1)
    // The endpoint was disabled meanwhile, its queue dropped, and it was made active again.
    await ctx.db.sql`delete from webhook_queue`
    await ctx.db.atomic((db) => replayEvent(ctx, db, { id: endpointId }, eventId({ stream: stream.id, sequence: 1 })))
    telling.sender.wake()
    await receiver.got(2)
    for (const end of enders) end()
    await settled(telling)
    assert.equal((await attemptsOf(telling)).length, 1)
    assert.deepEqual(telling.complaints, [])
  })

  it('is, once more and in order, also while its first attempt is under way or not yet written down', async (t) => {
    const { telling, receiver, endpointId } = await startDelivering(t)
    const stream = newStream()
    let take = () => {}
    receiver.answer = (_request, response) => {
      take = () => response.writeHead(200).end()
    }
    await telling.tell(stream, stream)
    await receiver.got(1)
    const id = eventId({ stream: stream.id, sequence: 1 })
    await telling.ctx.db.atomic((db) => replayEvent(telling.ctx, db, { id: endpointId }, id))
    receiver.answer = (_request, response) => response.writeHead(200).end()
    take()
    await receiver.got(3)
    await until(async () => (await queueOf(telling)).length === 0, 'the rest')
    assert.deepEqual(sequencesOf(receiver, stream), [1, 1, 2])
    const made = (await attemptsAt(telling, endpointId)).map(({ sequence, number }) => `${sequence}.${number}`)
    assert.deepEqual(made.toSorted(), ['1.1', '1.2', '2.1'])
  })
})

describe('what came of an attempt', () => {
  it('is written down once, although nobody could say whether it was committed', async (t) => {
    const { telling, receiver } = await startDelivering(t)
    const { ctx } = telling
    const { atomic } = ctx.db
    let lost = 0
    ctx.db.atomic = async (work) => {
      const result = await atomic(work)
      if (lost === 0 && (await attemptsOf(telling)).length > 0) {
        lost += 1
        throw new CommitUnknown({ cause: new Error('The line was cut.') })
      }
      return result
    }
    receiver.answer = (_request, response) => response.writeHead(500).end()
    await telling.tell(newStream())
    await receiver.got(1)
    await until(() => lost === 1, 'a commit without an answer')
    await settled(telling)
    assert.equal((await attemptsOf(telling)).length, 1)
    assert.deepEqual(
      (await queueOf(telling)).map(({ attempts }) => attempts),
      [1],
    )
    assert.equal(telling.complaints.length, 1)
  })
})
