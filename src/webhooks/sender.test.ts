import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'

import { Webhook } from 'standardwebhooks'

import { newStream, type Receiver, startReceiver, startTelling, type Stream, type Telling, until } from '../../test/support/telling.ts'
import { eventId } from '../events/event.ts'
import { readFeed } from '../events/feed.ts'
import { after } from '../lib/clock.ts'
import { addEndpoint, removeEndpoint } from './manage-endpoints.ts'

const minute = 60_000

describe('a webhook', () => {
  it('is the event as the feed has it, signed with the endpoint’s secret', async (t) => {
    const { telling, receiver } = await start(t)
    const stream = newStream()
    await telling.tell(stream)
    await receiver.got(1)

    const [received] = receiver.all
    assert(received)
    const [body] = (await readFeed(telling.ctx, telling.partner.partner.id, { limit: 10 })).bodies
    assert.equal(received.body, body)
    assert.equal(received.headers['content-type'], 'application/json')
    assert.equal(received.headers['webhook-id'], eventId({ stream: stream.id, sequence: 1 }))
    const read = new Webhook(telling.partner.webhook_secret).verify(received.body, received.headers as Record<string, string>)
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
    const { telling, receiver } = await start(t)
    const choosy = await startReceiver(t)
    await add(telling, choosy, ['endpoint.test'])
    await telling.tell(newStream('endpoint.test'), newStream('transaction.created'))
    await Promise.all([receiver.got(1), choosy.got(1)])
    await settled(telling)
    assert.deepEqual(typesAt(receiver), ['transaction.created'])
    assert.deepEqual(typesAt(choosy), ['endpoint.test'])
    assert.deepEqual(await queueOf(telling), [])
  })

  it('keeps the order of its stream, also when the endpoint is slow, and waits for no other stream', async (t) => {
    const { telling, receiver } = await start(t)
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
    const { telling, receiver } = await start(t, { WEBHOOK_RETRY_SECONDS: '5,300,1800' })
    receiver.answer = (_request, response) => response.writeHead(500).end('not today')
    const stream = newStream()
    await telling.tell(stream)
    await telling.tell(stream)
    for (const [attempt, waitMs] of [5_000, 300_000, 1_800_000].entries()) {
      await receiver.got(attempt + 1)
      await settled(telling)
      const [first, second] = await queueOf(telling)
      assert.equal(first?.attempts, attempt + 1)
      assert.equal(second?.next_at, null, 'what comes after it waits')
      const inMs = (first?.next_at?.getTime() ?? 0) - telling.ctx.clock.now().getTime()
      assert(inMs > waitMs * 0.89 - 2_000 && inMs <= waitMs, `attempt ${attempt + 1} is followed in ${inMs} ms`)
      const due = await telling.sender.nextDue(after(telling.ctx.clock.now(), 86_400_000))
      assert.deepEqual(due, { at: first?.next_at, count: 1 })
      telling.advance(waitMs)
    }
    await receiver.got(5)
    await settled(telling)
    assert.deepEqual(sequencesOf(receiver, stream), [1, 1, 1, 1, 2], 'after the last attempt the next event has its turn')
    assert.equal((await attemptsOf(telling)).at(3)?.next_at, null)
  })

  it('keeps its id and its text at every attempt, and has the time of the attempt', async (t) => {
    const { telling, receiver } = await start(t)
    receiver.answer = (_request, response) => response.writeHead(500).end()
    await telling.tell(newStream())
    await receiver.got(1)
    await settled(telling)
    receiver.answer = (_request, response) => response.writeHead(200).end()
    telling.advance(5_000)
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
    const { telling, receiver } = await start(t)
    receiver.answer = (_request, response) => response.writeHead(429, { 'retry-after': '3600' }).end()
    await telling.tell(newStream())
    await receiver.got(1)
    await settled(telling)
    const [row] = await queueOf(telling)
    const inMs = (row?.next_at?.getTime() ?? 0) - telling.ctx.clock.now().getTime()
    assert(inMs > 3_590_000 && inMs <= 3_600_000, `comes back in ${inMs} ms`)
  })

  it('that waits is woken at once by the success of another, and only by one', async (t) => {
    const { telling, receiver } = await start(t)
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
    assert.equal(sequencesOf(receiver, poison).length, tried, 'an event that alone is refused is not tried with each success')
    telling.advance(16_000)
    await telling.tell(newStream())
    await until(() => sequencesOf(receiver, poison).length > tried)
  })

  it('is recorded with each attempt: what came back, how long it took, what comes next', async (t) => {
    const { telling, receiver } = await start(t)
    receiver.answer = (_request, response) => response.writeHead(500).end('out of order')
    await telling.tell(newStream())
    await receiver.got(1)
    await settled(telling)
    await receiver.close()
    telling.advance(5_000)
    await until(async () => (await attemptsOf(telling)).length === 2)
    const [first, second] = await attemptsOf(telling)
    assert.deepEqual([first?.number, first?.outcome, first?.status], [1, 'rejected', 500])
    assert.deepEqual([second?.number, second?.outcome, second?.status], [2, 'connection_refused', null])
    assert(first?.next_at && second?.next_at && first.took_ms >= 0)
    assert(first.response && !first.response.includes('out of order'), 'the answer is stored sealed')
  })
})

describe('an endpoint', () => {
  it('that is dead or slow delays no other', async (t) => {
    const { telling, receiver } = await start(t, { WEBHOOK_TIMEOUT: 'PT5S' })
    const hanging = await startReceiver(t)
    hanging.answer = () => undefined
    const dead = await startReceiver(t)
    for (const other of [hanging, dead]) await add(telling, other)
    await dead.close()

    const start0 = performance.now()
    for (let round = 0; round < 10; round += 1) await telling.tell(...Array.from({ length: 20 }, () => newStream()))
    await receiver.got(200)
    assert(performance.now() - start0 < 4_000, 'all were told while the hanging one still hung')
    assert.deepEqual(telling.complaints, [])
    await hanging.close()
  })

  it('that only fails is asked with one event at a time', async (t) => {
    const { telling, receiver } = await start(t)
    let busy = 0
    let most = 0
    receiver.answer = (_request, response) => {
      busy += 1
      most = Math.max(most, busy)
      setTimeout(() => {
        busy -= 1
        response.writeHead(500).end()
      }, 2)
    }
    await telling.tell(...Array.from({ length: 30 }, () => newStream()))
    await receiver.got(30)
    await settled(telling)
    assert(most > 1)
    most = 0
    await telling.tell(...Array.from({ length: 20 }, () => newStream()))
    await receiver.got(50)
    await settled(telling)
    assert.equal(most, 1)
    assert.equal((await queueOf(telling)).filter(({ attempts }) => attempts === 1).length, 50)
  })

  it('that answers 410 is disabled, told of in the feed, and gets nothing more', async (t) => {
    const { telling, receiver } = await start(t)
    const witness = await startReceiver(t)
    await add(telling, witness, ['endpoint.disabled', 'endpoint.failing'])
    receiver.answer = (_request, response) => response.writeHead(410).end()
    const stream = newStream()
    await telling.tell(stream, stream, newStream(), newStream())
    await witness.got(1)
    const told = JSON.parse(witness.all[0]?.body ?? '') as { type: string; payload: { url: string; status: string } }
    assert.deepEqual([told.type, told.payload.url, told.payload.status], ['endpoint.disabled', receiver.url, 'disabled'])
    await until(async () => (await queueOf(telling)).length === 0, 'an empty queue')
    await settled(telling)

    const before = receiver.all.length
    await telling.tell(newStream())
    await settled(telling)
    assert.equal(receiver.all.length, before)
    assert(!sequencesOf(receiver, stream).includes(2))
  })

  it('with nothing but failures is announced as failing after an hour and disabled after five days', async (t) => {
    const { telling, receiver } = await start(t)
    const witness = await startReceiver(t)
    await add(telling, witness, ['endpoint.disabled', 'endpoint.failing'])
    receiver.answer = (_request, response) => response.writeHead(500).end()
    await telling.tell(newStream())
    await receiver.got(1)
    await settled(telling)
    telling.advance(61 * minute)
    await witness.got(1)
    await settled(telling)
    assert.deepEqual(typesAt(witness), ['endpoint.failing'])

    telling.advance(4 * 24 * 60 * minute)
    await settled(telling)
    assert.deepEqual(typesAt(witness), ['endpoint.failing'])
    telling.advance(25 * 60 * minute)
    await telling.tell(newStream())
    await witness.got(2)
    assert.deepEqual(typesAt(witness), ['endpoint.failing', 'endpoint.disabled'])
    await until(async () => (await queueOf(telling)).length === 0, 'an empty queue')
  })

  it('is well again with its first success, and its five days begin anew', async (t) => {
    const { telling, receiver } = await start(t)
    const status = async () => (await telling.ctx.db.sql<object>`select status, failing_since from webhook_endpoints`)[0]
    receiver.answer = (_request, response) => response.writeHead(500).end()
    await telling.tell(newStream())
    await receiver.got(1)
    await settled(telling)
    telling.advance(61 * minute)
    await until(async () => ((await status()) as { status: string }).status === 'failing')
    receiver.answer = (_request, response) => response.writeHead(200).end()
    await telling.tell(newStream())
    await until(async () => ((await status()) as { status: string }).status === 'active')
    assert.deepEqual(await status(), { status: 'active', failing_since: null })
  })

  it('that was removed gets nothing more, and what waited for it is gone', async (t) => {
    const { telling, receiver, endpointId } = await start(t)
    receiver.answer = (_request, response) => response.writeHead(500).end()
    await telling.tell(newStream(), newStream())
    await receiver.got(2)
    await settled(telling)
    await removeEndpoint(telling.ctx, endpointId, 'test')
    telling.sender.forget()
    await until(async () => (await queueOf(telling)).length === 0, 'an empty queue')
    telling.advance(5_000)
    await telling.tell(newStream())
    await settled(telling)
    assert.equal(receiver.all.length, 2)
  })

  it('has its events delivered when it is made active again', async (t) => {
    const { telling, receiver, endpointId } = await start(t)
    const setStatus = async (status: string) => {
      await telling.ctx.db.sql`update webhook_endpoints set status = ${status} where id = ${endpointId}`
      telling.sender.forget()
    }
    await setStatus('paused')
    const stream = newStream()
    await telling.tell(stream, stream)
    await settled(telling)
    assert.equal(receiver.all.length, 0)
    assert.equal(await telling.sender.nextDue(telling.ctx.clock.now()), undefined)
    await setStatus('active')
    await receiver.got(2)
    assert.deepEqual(sequencesOf(receiver, stream), [1, 2])
  })
})

describe('a process', () => {
  it('that died leaves its deliveries to others when its leases end', async (t) => {
    const { telling, receiver } = await start(t, {}, { leaseMs: 300, pollMs: 50 })
    await telling.sender.stop()
    const dead = await telling.another({ leaseMs: 300 })
    dead.sender.start()
    const taken = await takenBy(telling, dead.sender)
    assert.equal(taken.length, 1)
    assert.equal(receiver.all.length, 0, 'it died before it sent anything')

    const heir = await telling.another({ leaseMs: 300, pollMs: 50 })
    heir.sender.start()
    await receiver.got(1)
    await until(async () => (await queueOf(telling)).length === 0, 'an empty queue')
  })

  it('that lost its lease writes nothing about the delivery', async (t) => {
    const { telling, receiver } = await start(t)
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
    const { telling, receiver } = await start(t, {}, { leaseMs: 300, pollMs: 50 })
    const other = await telling.another({ leaseMs: 300, pollMs: 50 })
    other.sender.start()
    receiver.answer = (_request, response) => setTimeout(() => response.writeHead(200).end(), 1_000)
    await telling.tell(newStream())
    await until(async () => (await attemptsOf(telling)).length === 1)
    assert.equal(receiver.all.length, 1)
  })

  it('shares the work with others: everything once, in order, with nobody waiting for ever', async (t) => {
    const { telling, receiver } = await start(t, {}, { pollMs: 50 })
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
    const { telling, receiver } = await start(t)
    receiver.answer = (_request, response) => setTimeout(() => response.writeHead(200).end(), 50)
    await telling.tell(...Array.from({ length: 40 }, () => newStream()))
    await receiver.got(1)
    await telling.sender.stop()
    const left = await queueOf(telling)
    assert.equal(left.length + (await attemptsOf(telling)).length, 40)
    assert.equal((await attemptsOf(telling)).length, receiver.all.length)
    assert(left.every(({ lease_until: leaseUntil }) => leaseUntil === null))
  })
})

async function start(t: TestContext, settings: Record<string, string> = {}, options = {}) {
  const telling = await startTelling(t, settings, options)
  const receiver = await startReceiver(t)
  const endpointId = await add(telling, receiver)
  return { telling, receiver, endpointId }
}

async function add({ ctx, partner }: Telling, { url }: Receiver, types?: string[]): Promise<bigint> {
  const { endpoint } = await addEndpoint(ctx, { partnerId: partner.partner.id, url, types }, 'test')
  return endpoint.id
}

/** All that has been committed is placed, and all that this process could do about it is done and written down. */
async function settled({ ctx, relay, sender }: Telling): Promise<void> {
  const unplaced = () => ctx.db.sql`select from events where not exists (select from event_feed where event_id = id)`
  await until(async () => (await unplaced()).length === 0 && relay.idle() && sender.idle(), 'quiet')
}

type QueueRow = { sequence: number; attempts: number; next_at: Date | null; lease_until: Date | null }

const queueOf = ({ ctx }: Telling): Promise<QueueRow[]> =>
  ctx.db.sql`select sequence, attempts, next_at, lease_until from webhook_queue order by stream, sequence`

type AttemptRow = { number: number; outcome: string; status: number | null; took_ms: number; next_at: Date | null; response: Buffer | null }

const attemptsOf = ({ ctx }: Telling): Promise<AttemptRow[]> =>
  ctx.db.sql`select number, outcome, status, took_ms, next_at, response from webhook_attempts order by at, number`

const typesAt = (receiver: Receiver): string[] => receiver.all.map(({ body }) => (JSON.parse(body) as { type: string }).type)

const sequencesOf = (receiver: Receiver, stream: Stream): number[] =>
  receiver.all.filter(({ event }) => event.id.startsWith(`evt_${stream.id}`)).map(({ event }) => event.sequence)

const counted = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1)

/** Lets a sender take one delivery in a relay's block, and never hear of the commit: as if it had died right then. */
async function takenBy({ ctx, partner, tell }: Telling, sender: Telling['sender']): Promise<unknown[]> {
  await tell(newStream())
  await until(async () => (await ctx.db.sql`select from event_feed`).length === 1)
  const [event] = await ctx.db.sql<{ id: bigint; stream: bigint; sequence: number }>`select id, stream, sequence from events`
  assert(event)
  await ctx.db.sql`delete from webhook_queue`
  const placed = { ...event, partner_id: partner.partner.id, type: 'transaction.status_changed' as const }
  await ctx.db.atomic(async (db) => sender.onSequenced({ ...db, afterCommit: () => undefined }, [placed]))
  return ctx.db.sql`select from webhook_queue where lease_until is not null`
}
