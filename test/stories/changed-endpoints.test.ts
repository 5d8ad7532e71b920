import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { changeEndpoint } from '../../src/exchange/webhooks/manage-endpoints.ts'
import { removeEndpoint } from '../../src/exchange/webhooks/manage-endpoints.ts'
import { attemptsOf, queueOf, sequencesOf, settled, startDelivering } from '../support/delivering.ts'
import { newStream, type Receiver, startReceiver, type Telling, until } from '../support/telling.ts'
import { promised } from '../support/promised.ts'

const day = 86_400_000

/** How an endpoint stands. */
async function healthAt({ ctx }: Telling, endpointId: bigint): Promise<{ status: string; isFailing: boolean }> {
  const [row] = await ctx.db.sql<{ status: string; isFailing: boolean }>`
    select status, failing_since is not null as "isFailing" from webhook_endpoints where id = ${endpointId}`
  return row ?? assert.fail()
}

describe('an endpoint that moves to another URL', () => {
  const move = async ({ ctx, sender }: Telling, id: bigint, { url }: Receiver) => {
    await changeEndpoint(ctx, { id }, { url }, 'test')
    sender.forget()
  }

  it('is not ended by the 410 of the one it has left, and what that wanted no more comes to the new one', async (t) => {
    const { telling, receiver, endpointId } = await startDelivering(t)
    const gone: (() => void)[] = []
    receiver.answer = (_request, response) => gone.push(() => response.writeHead(410).end())
    const streams = Array.from({ length: 3 }, () => newStream())
    await telling.tell(...streams)
    await receiver.got(3)
    const next = await startReceiver(t)
    await move(telling, endpointId, next)
    for (const answer of gone) answer()
    await until(async () => (await queueOf(telling)).length === 0, 'everything')
    assert.deepEqual(await healthAt(telling, endpointId), { status: 'active', isFailing: false })
    for (const stream of streams) assert.deepEqual(sequencesOf(next, stream), [1])
    assert.deepEqual((await attemptsOf(telling)).map(({ outcome }) => outcome).toSorted(), [
      'delivered',
      'delivered',
      'delivered',
      'gone',
      'gone',
      'gone',
    ])
  })

  it('takes what was under way to the one it has left, and nothing of it is cut', async (t) => {
    const { telling, receiver, endpointId } = await startDelivering(t)
    const taken: (() => void)[] = []
    receiver.answer = (_request, response) => taken.push(() => response.writeHead(200).end())
    await telling.tell(...Array.from({ length: 5 }, () => newStream()))
    await receiver.got(5)
    const next = await startReceiver(t)
    await move(telling, endpointId, next)
    await telling.tell(newStream())
    await next.got(1)
    for (const answer of taken) answer()
    await settled(telling)
    const outcomes = (await attemptsOf(telling)).map(({ outcome }) => outcome)
    assert.deepEqual(outcomes, ['delivered', 'delivered', 'delivered', 'delivered', 'delivered', 'delivered'])
  })

  it('begins its health anew, and what waits for a later time is tried there at once', async (t) => {
    const { telling, receiver, endpointId } = await startDelivering(t)
    receiver.answer = (_request, response) => response.writeHead(500).end()
    const streams = Array.from({ length: 3 }, () => newStream())
    await telling.tell(...streams)
    await receiver.got(3)
    await settled(telling)
    for (const days of [0.1, 1, 3.5]) {
      telling.advance(days * day)
      await settled(telling)
    }
    assert.equal((await healthAt(telling, endpointId)).status, 'failing')
    telling.advance(day)
    const next = await startReceiver(t)
    next.answer = (_request, response) => response.writeHead(500).end()
    await move(telling, endpointId, next)
    assert.deepEqual(await healthAt(telling, endpointId), { status: 'active', isFailing: false })
    await next.got(3)
    await settled(telling)
    assert.deepEqual(await healthAt(telling, endpointId), { status: 'active', isFailing: true })

    next.answer = (_request, response) => response.writeHead(200).end()
    const asked = next.all.length
    await changeEndpoint(telling.ctx, { id: endpointId }, { status: 'active' }, 'test')
    telling.sender.forget()
    await next.got(asked + 3)
    await until(async () => (await queueOf(telling)).length === 0, 'everything')
    for (const stream of streams) assert.equal(sequencesOf(next, stream).at(-1), 1)
  })
})

describe('an endpoint that is paused', () => {
  it('takes what was under way, and nothing of it is cut; the rest waits', async (t) => {
    const { telling, receiver, endpointId } = await startDelivering(t)
    const taken: (() => void)[] = []
    receiver.answer = (_request, response) => taken.push(() => response.writeHead(200).end())
    await telling.tell(...Array.from({ length: 20 }, () => newStream()))
    await receiver.got(16)
    await changeEndpoint(telling.ctx, { id: endpointId }, { status: 'paused' }, 'test')
    telling.sender.forget()
    taken.shift()?.()
    await until(async () => (await queueOf(telling)).filter((row) => row.lease_until === null).length === 4, 'a pause')
    for (const answer of taken) answer()
    await settled(telling)
    const outcomes = (await attemptsOf(telling)).map(({ outcome }) => outcome)
    assert.deepEqual([outcomes.length, new Set(outcomes)], [16, new Set(['delivered'])])
    assert.equal((await queueOf(telling)).length, 4)
  })
})

describe('an endpoint with a rate limit', () => {
  it('gets nothing more when it is removed, though many wait for their turn', async (t) => {
    const { telling, receiver, endpointId } = await startDelivering(t)
    await changeEndpoint(telling.ctx, { id: endpointId }, { perSecond: 1 }, 'test')
    telling.sender.forget()
    await telling.tell(...Array.from({ length: 10 }, () => newStream()))
    await receiver.got(1)
    await removeEndpoint(telling.ctx, { id: endpointId }, 'test')
    telling.sender.forget()
    const before = receiver.all.length
    await until(async () => (await queueOf(telling)).length === 0 && telling.sender.idle(), 'the end')
    assert.ok(before < 10 && receiver.all.length <= before + 1, `${receiver.all.length} came, ${before} before`)
  })

  it('is called by another rate limit, or another URL, when it has one, though many wait for their turn', async (t) => {
    const { telling, receiver, endpointId } = await startDelivering(t)
    await changeEndpoint(telling.ctx, { id: endpointId }, { perSecond: 1 }, 'test')
    telling.sender.forget()
    await telling.tell(...Array.from({ length: 30 }, () => newStream()))
    await receiver.got(1)
    const next = await startReceiver(t)
    await changeEndpoint(telling.ctx, { id: endpointId }, { url: next.url }, 'test')
    telling.sender.forget()
    const before = receiver.all.length
    await next.got(1)
    assert.ok(receiver.all.length <= before + 1, `${receiver.all.length} came to the old URL, ${before} before`)
    const start = performance.now()
    await changeEndpoint(telling.ctx, { id: endpointId }, { perSecond: null }, 'test')
    telling.sender.forget()
    await until(async () => (await queueOf(telling)).length === 0, 'everything')
    assert.ok(performance.now() - start < promised(8_000), 'nobody waited for a turn of before')
    assert.deepEqual(telling.complaints, [])
  })
})
