import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { Webhook } from 'standardwebhooks'

import {
  addReceiver,
  attemptsOf,
  counted,
  queueOf,
  sequencesOf,
  settled,
  startDelivering,
  typesAt,
} from '../../../test/support/delivering.ts'
import { firstRetryMs, newStream, startReceiver, until } from '../../../test/support/telling.ts'
import { eventId } from '../events/event.ts'
import { readFeed } from '../events/feed.ts'
import { after } from '../../platform/lib/clock.ts'

describe('a webhook', () => {
  it('is the event as the feed has it, signed with the endpoint’s secret', async (t) => {
    const { telling, receiver } = await startDelivering(t)
    const stream = newStream()
    await telling.tell(stream)
    await receiver.got(1)

    const [received] = receiver.all
    assert(received)
    const [body] = (await readFeed(telling.ctx, telling.partner.partner.id, { limit: 10 })).bodies
    assert.equal(received.body, body)
    assert.equal(received.headers['content-type'], 'application/json')
    assert.equal(received.headers['webhook-id'], eventId({ stream: stream.id, sequence: 1 }))
    const read = new Webhook(telling.partner.webhook_secret).verify(
      received.body,
      received.headers as Record<string, string>,
    )
    const { created_at: createdAt, ...rest } = read as Record<string, unknown>
    assert.match(String(createdAt), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    assert.deepEqual(rest, {
      requesterType: 'EXCHANGE',
      version: '1.0',
      id: eventId({ stream: stream.id, sequence: 1 }),
      type: 'transaction.status_changed',
      sequence: 1,
      payload: { id: String(stream.id), number: 1 },
    })
  })

  it('goes to each endpoint that wants its type, and to no other partner’s', async (t) => {
    const { telling, receiver } = await startDelivering(t)
    const choosy = await startReceiver(t)
    await addReceiver(telling, choosy, ['endpoint.test'])
    await telling.tell(newStream('endpoint.test'), newStream('transaction.created'))
    await Promise.all([receiver.got(1), choosy.got(1)])
    await settled(telling)
    assert.deepEqual(typesAt(receiver), ['transaction.created'])
    assert.deepEqual(typesAt(choosy), ['endpoint.test'])
    assert.deepEqual(await queueOf(telling), [])
  })

  it('keeps the order of its stream, also when the endpoint is slow, and waits for no other stream', async (t) => {
    const { telling, receiver } = await startDelivering(t)
    receiver.answer = (_request, response) => setTimeout(() => response.writeHead(200).end(), 3)
    const streams = Array.from({ length: 8 }, () => newStream())
    for (let round = 0; round < 6; round += 1) await telling.tell(...streams, ...streams.slice(0, 2))
    await receiver.got(8 * 6 + 2 * 6)
    await settled(telling)
    for (const stream of streams) assert.deepEqual(sequencesOf(receiver, stream), counted(stream.events))
    assert.deepEqual(await queueOf(telling), [])
    assert.deepEqual(telling.complaints, [])
  })

  it('comes back by the schedule on business time, and its stream behind it', async (t) => {
    const { telling, receiver } = await startDelivering(t, { WEBHOOK_RETRY_SECONDS: '60,300,1800' })
    receiver.answer = (_request, response) => response.writeHead(500).end('not today')
    const stream = newStream()
    let begun = telling.ctx.clock.now().getTime()
    await telling.tell(stream)
    await telling.tell(stream)
    for (const [attempt, waitMs] of [60_000, 300_000, 1_800_000].entries()) {
      await receiver.got(attempt + 1)
      await settled(telling)
      const [first, second] = await queueOf(telling)
      assert.equal(first?.attempts, attempt + 1)
      assert.equal(second?.next_at, null, 'what comes after it waits')
      const next = first?.next_at?.getTime() ?? 0
      const [least, most] = [next - telling.ctx.clock.now().getTime(), next - begun]
      assert(most >= waitMs * 0.9 && least <= waitMs, `attempt ${attempt + 1} is followed in ${least} to ${most} ms`)
      const due = await telling.sender.nextDue(after(telling.ctx.clock.now(), 86_400_000))
      assert.deepEqual(due, { at: first?.next_at, count: 1 })
      begun = telling.ctx.clock.now().getTime() + waitMs
      telling.advance(waitMs)
    }
    await receiver.got(5)
    await settled(telling)
    assert.deepEqual(
      sequencesOf(receiver, stream),
      [1, 1, 1, 1, 2],
      'after the last attempt the next event has its turn',
    )
    assert.equal((await attemptsOf(telling)).at(3)?.next_at, null)
  })

  it('keeps its id and its text at every attempt, and has the time of the attempt', async (t) => {
    const { telling, receiver } = await startDelivering(t)
    receiver.answer = (_request, response) => response.writeHead(500).end()
    await telling.tell(newStream())
    await receiver.got(1)
    await settled(telling)
    receiver.answer = (_request, response) => response.writeHead(200).end()
    telling.advance(firstRetryMs)
    await receiver.got(2)
    const [first, second] = receiver.all
    assert.equal(first?.body, second?.body)
    assert.equal(first?.headers['webhook-id'], second?.headers['webhook-id'])
    for (const { body, headers } of receiver.all) {
      new Webhook(telling.partner.webhook_secret).verify(body, headers as Record<string, string>)
    }
    await settled(telling)
    assert.deepEqual(await queueOf(telling), [])
  })

  it('does not come back before the endpoint said', async (t) => {
    const { telling, receiver } = await startDelivering(t)
    receiver.answer = (_request, response) => response.writeHead(429, { 'retry-after': '3600' }).end()
    const begun = telling.ctx.clock.now().getTime()
    await telling.tell(newStream())
    await receiver.got(1)
    await settled(telling)
    const [row] = await queueOf(telling)
    const next = row?.next_at?.getTime() ?? 0
    const [least, most] = [next - telling.ctx.clock.now().getTime(), next - begun]
    assert(most >= 3_600_000 && least <= 3_600_000, `comes back in ${least} to ${most} ms`)
  })

  it('that waits is woken at once by the success of another, and only by one', async (t) => {
    const { telling, receiver } = await startDelivering(t)
    let down = true
    const poison = newStream()
    receiver.answer = (_request, response, { headers }) => {
      const refused = down || headers['webhook-id'] === eventId({ stream: poison.id, sequence: 1 })
      response.writeHead(refused ? 500 : 200).end()
    }
    const waiting = Array.from({ length: 40 }, () => newStream())
    await telling.tell(poison, ...waiting)
    await receiver.got(41)
    await settled(telling)
    down = false
    await telling.tell(newStream())
    await until(async () => (await queueOf(telling)).length === 1)
    await settled(telling)
    for (const stream of waiting) assert.deepEqual(sequencesOf(receiver, stream), [1, 1])

    const tried = sequencesOf(receiver, poison).length
    for (let round = 0; round < 5; round += 1) {
      await telling.tell(newStream())
      await settled(telling)
    }
    assert.equal(
      sequencesOf(receiver, poison).length,
      tried,
      'an event that alone is refused is not tried with each success',
    )
    telling.advance(3 * firstRetryMs)
    await telling.tell(newStream())
    await until(() => sequencesOf(receiver, poison).length > tried)
  })

  it('is recorded with each attempt: what came back, how long it took, what comes next', async (t) => {
    const { telling, receiver } = await startDelivering(t)
    receiver.answer = (_request, response) => response.writeHead(500).end('out of order')
    await telling.tell(newStream())
    await receiver.got(1)
    await settled(telling)
    await receiver.close()
    telling.advance(firstRetryMs)
    await until(async () => (await attemptsOf(telling)).length === 2)
    const [first, second] = await attemptsOf(telling)
    assert.deepEqual([first?.number, first?.outcome, first?.status], [1, 'rejected', 500])
    assert.deepEqual([second?.number, second?.outcome, second?.status], [2, 'connection_refused', null])
    assert(first?.next_at && second?.next_at && first.took_ms >= 0)
    assert(first.response && !first.response.includes('out of order'), 'the answer is stored sealed')
  })
})
