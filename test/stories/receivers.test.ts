import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { describe, it, type TestContext } from 'node:test'

import { changeEndpoint } from '../../src/exchange/webhooks/manage-endpoints.ts'
import { forgetOldAttempts } from '../../src/exchange/webhooks/attempts.ts'
import { replaySince } from '../../src/exchange/webhooks/replay.ts'
import {
  addReceiver,
  attemptsAt,
  attemptsOf,
  counted,
  queueOf,
  sequencesOf,
  settled,
  startDelivering,
} from '../support/delivering.ts'
import { newStream, type Receiver, startReceiver, type Stream, until } from '../support/telling.ts'
import { putInForce } from '../support/policies.ts'
import { promised } from '../support/promised.ts'

const day = 86_400_000

/** What a receiver may do instead of taking an event. */
const bad: Record<string, Receiver['answer']> = {
  'answers 500': (_request, response) => response.writeHead(500).end('no'),
  hangs: () => undefined,
  'drips bytes of its head': (request) => drip(request.socket, 'HTTP/1.1 200 OK\r\nx-a: '),
  'closes early': (request) => request.socket.destroy(),
  redirects: (_request, response) => response.writeHead(302, { location: 'http://127.0.0.1:9/' }).end(),
  'speaks no HTTP': (request) => request.socket.end('hello\r\n\r\n'),
}

function drip(socket: ServerResponse['socket'], beginning: string): void {
  socket?.write(beginning)
  const timer = setInterval(() => socket?.write('x'), 20)
  socket?.once('close', () => clearInterval(timer))
  socket?.on('error', () => undefined)
}

/** Each event came, the first time in its stream's order. */
function assertAllInOrder(receiver: Receiver, streams: Stream[], what: string): void {
  for (const stream of streams) {
    const first = [...new Set(sequencesOf(receiver, stream))]
    assert.deepEqual(first, counted(stream.events), what)
  }
}

/** How long a receiver may take to answer: long enough for a healthy one in this very process, however much else goes on. */
async function twoReceivers(t: TestContext, timeout = 'PT1.5S') {
  const started = await startDelivering(t, { WEBHOOK_TIMEOUT: timeout })
  const healthy = await startReceiver(t)
  await addReceiver(started.telling, healthy)
  return { ...started, healthy }
}

describe('a receiver', () => {
  for (const [what, answer] of Object.entries(bad)) {
    it(`that ${what} for a day gets every event afterwards, in order, and the others never notice`, async (t) => {
      const { telling, receiver, endpointId, healthy } = await twoReceivers(t)
      let isDown = true
      const taken: Receiver = { ...receiver, all: [] }
      receiver.answer = (request, response, received) => {
        if (isDown) return answer(request, response, received)
        taken.all.push(received)
        response.writeHead(200).end()
      }
      const streams = Array.from({ length: 3 }, () => newStream())
      for (let round = 0; round < 3; round += 1) await telling.tell(...streams)
      await healthy.got(9)
      for (const hours of [6, 18]) {
        await settled(telling)
        telling.advance(hours * 3_600_000)
      }
      await settled(telling)
      const failed = (await attemptsAt(telling, endpointId)).filter(({ outcome }) => outcome !== 'delivered')
      assert.equal(failed.length, 9, 'each stream’s first event was tried once in each of three rounds')
      await telling.tell(...streams)
      await healthy.got(12)
      isDown = false
      await telling.tell(newStream())
      await until(async () => (await queueOf(telling)).length === 0, 'everything')
      assertAllInOrder(taken, streams, what)
      assert.equal(taken.all.length, 13, 'it took each event once')
      assertAllInOrder(healthy, streams, 'the other one')
      assert.equal(healthy.all.length, 13, 'the other one was told each event once')
      await settled(telling)
      const ends = (await attemptsAt(telling, endpointId)).filter(({ outcome }) => outcome === 'delivered')
      const [first, last] = [ends[0]?.at.getTime() ?? NaN, ends.at(-1)?.at.getTime() ?? NaN]
      assert.ok(last - first < promised(60_000), `the rest followed the first success within ${last - first} ms`)
    })
  }

  it('that answers 200 with a gigabyte is told each event once, and is not read to its end', async (t) => {
    const { telling, receiver, healthy } = await twoReceivers(t, 'PT15S')
    let sent = 0
    receiver.answer = (_request, response) => {
      response.on('error', () => undefined)
      response.writeHead(200, { 'content-length': String(2 ** 30) })
      const more = () => {
        while (!response.destroyed && response.write(Buffer.alloc(65_536, 'x'))) sent += 65_536
      }
      response.on('drain', more)
      more()
    }
    const streams = Array.from({ length: 10 }, () => newStream())
    for (let round = 0; round < 3; round += 1) await telling.tell(...streams)
    await Promise.all([receiver.got(30), healthy.got(30)])
    await settled(telling)
    assertAllInOrder(receiver, streams, 'in order')
    assert.equal(receiver.all.length, 30)
    assert.ok(sent < 30 * 20_000_000, `${sent} bytes were taken`)
    const kept = (await attemptsOf(telling)).map(({ response }) => response?.length ?? 0)
    assert.ok(Math.max(...kept) < 2_000)
  })

  it('that fails is asked quickly only so often; what waits costs the others nothing', async (t) => {
    const { telling, receiver, healthy } = await twoReceivers(t)
    receiver.answer = (_request, response) => response.writeHead(500).end()
    const begun = performance.now()
    await telling.tell(...Array.from({ length: 800 }, () => newStream()))
    await healthy.got(800)
    await receiver.got(220)
    const asked = receiver.all.length
    const start = performance.now()
    await telling.tell(newStream())
    await healthy.got(801)
    assert.ok(receiver.all.length - asked < 20 + ((performance.now() - start) / 1_000) * 5)
    const most = 300 + ((performance.now() - begun) / 1_000) * 5
    assert.ok(receiver.all.length < most, `${receiver.all.length} attempts of at most ${most}`)
    receiver.answer = (_request, response) => response.writeHead(200).end()
    await until(async () => (await queueOf(telling)).length === 0, 'everything')
  })

  it('that does not ask for order gets what comes after an event that it refuses', async (t) => {
    const { telling, receiver, endpointId } = await startDelivering(t)
    await changeEndpoint(telling.ctx, { id: endpointId }, { isOrdered: false }, 'test')
    receiver.answer = (_request, response, { event }) => response.writeHead(event.sequence === 1 ? 500 : 200).end()
    const stream = newStream()
    for (let round = 0; round < 3; round += 1) await telling.tell(stream)
    await until(() => new Set(sequencesOf(receiver, stream)).size === 3, 'all three')
    await settled(telling)
    assert.deepEqual(
      (await queueOf(telling)).map(({ sequence }) => sequence),
      [1],
    )
  })

  it('with a rate limit is told no faster, also by two processes', async (t) => {
    const { telling, receiver, endpointId } = await startDelivering(t)
    await changeEndpoint(telling.ctx, { id: endpointId }, { perSecond: 20 }, 'test')
    telling.sender.forget()
    const other = await telling.another()
    other.relay.start()
    other.sender.start()
    const times: number[] = []
    receiver.answer = (_request, response) => {
      times.push(performance.now())
      response.writeHead(200).end()
    }
    const begun = performance.now()
    await telling.tell(...Array.from({ length: 50 }, () => newStream()))
    await receiver.got(50)
    for (const [index, at] of times.entries()) {
      const ms = at - begun
      assert.ok(ms > (index / 20) * 1_000 * 0.85, `${index + 1} deliveries took ${ms} ms`)
    }
    assert.deepEqual(telling.complaints, [])
  })

  it('has a replay in order, while an event of the same stream is put off', async (t) => {
    const { telling, receiver, endpointId } = await startDelivering(t)
    const since = telling.ctx.clock.now()
    const stream = newStream()
    for (let round = 0; round < 4; round += 1) await telling.tell(stream)
    await receiver.got(4)
    await settled(telling)
    receiver.answer = (_request, response) => response.writeHead(500).end()
    await telling.tell(stream, stream)
    await receiver.got(5)
    await settled(telling)
    receiver.answer = (_request, response) => response.writeHead(200).end()
    await telling.ctx.db.atomic((db) => replaySince(telling.ctx, db, { id: endpointId }, since))
    await until(async () => receiver.all.length >= 11 && (await queueOf(telling)).length === 0, 'the replay')
    assert.deepEqual(sequencesOf(receiver, stream), [1, 2, 3, 4, 5, 1, 2, 3, 4, 5, 6])
    const numbers = await telling.ctx.db.sql<{ sequence: number; numbers: number[] }>`
      select sequence, array_agg(number order by number) as numbers
      from webhook_attempts join events on events.id = event_id group by sequence order by sequence`
    assert.deepEqual(
      numbers.map((row) => row.numbers),
      [[1, 2], [1, 2], [1, 2], [1, 2], [1, 2], [1]],
    )
  })
})

describe('the record of attempts', () => {
  it('ages out by business time in small batches, and the events stay', async (t) => {
    const { telling, receiver } = await startDelivering(t)
    const document = { events: 'P90D', webhook_attempts: 'P10D', idempotent_answers: 'PT24H' }
    await putInForce(telling.ctx, { kind: 'retention', document })
    await telling.tell(...Array.from({ length: 1_200 }, () => newStream()))
    await receiver.got(1_200)
    await settled(telling)
    telling.advance(9 * day)
    await telling.tell(newStream())
    await receiver.got(1_201)
    await settled(telling)
    assert.equal(await forgetOldAttempts(telling.ctx), 0)
    telling.advance(2 * day)
    assert.equal(await forgetOldAttempts(telling.ctx), 1_200)
    assert.equal((await attemptsOf(telling)).length, 1)
    assert.equal((await telling.ctx.db.sql`select from events`).length, 1_201)
  })
})
