import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import {
  applyFeedback,
  capacityOf,
  closeIdle,
  type EndpointQueue,
  newEndpointQueue,
  nextReady,
  type Ready,
} from './endpoint-queue.ts'

const readyOf = (count: number): Ready[] =>
  Array.from({ length: count }, (_, index) => ({ delivery: { sequence: index } }) as unknown as Ready)

function queueWith(count: number, change: Partial<EndpointQueue> = {}): EndpointQueue {
  return Object.assign(newEndpointQueue(1n), { ready: readyOf(count), held: count }, change)
}

const takeAll = (queue: EndpointQueue): number => {
  let taken = 0
  while (nextReady(queue)) taken += 1
  return taken
}

describe('the queue of an endpoint', () => {
  it('gets two hundred attempts at once while the endpoint only fails, and then a few a second', () => {
    const queue = queueWith(1_000, { failures: 4 })
    const taken = takeAll(queue)
    assert(taken >= 200 && taken <= 205, `${taken} were taken`)
    applyFeedback(queue, { outcome: 'delivered', tookMs: 1 })
    queue.ready = readyOf(1_000)
    assert.equal(takeAll(queue), 1_000, 'one success, and there is no limit')
  })

  it('sends one event at a time to a suspect endpoint, and sixteen otherwise', () => {
    assert.equal(nextReady(queueWith(5, { failures: 4, sending: 1 })), undefined)
    assert(nextReady(queueWith(5, { sending: 15 })))
    assert.equal(nextReady(queueWith(5, { sending: 16 })), undefined)
  })

  it('holds more for fast endpoints, less for slow ones, and returns the surplus', () => {
    const rows: [what: string, queue: Partial<EndpointQueue>, room: number, whenCrowded: number][] = [
      ['unknown', {}, 64, 16],
      ['quick', { tookMs: 5 }, 1_024, 16],
      ['less quick', { tookMs: 50 }, 160, 16],
      ['neither', { tookMs: 500 }, 64, 16],
      ['slow', { tookMs: 3_000 }, 16, 4],
      ['failing', { tookMs: 5, failures: 2 }, 1_024, 4],
      ['only failing', { failures: 4 }, 1, 1],
    ]
    for (const [what, change, room, whenCrowded] of rows) {
      const queue = queueWith(0, change)
      assert.deepEqual([capacityOf(false, queue), capacityOf(true, queue)], [room, whenCrowded], what)
    }
    const suspect = queueWith(60, { failures: 3, sending: 1 })
    assert.equal(applyFeedback(suspect, { outcome: 'timed_out', tookMs: 15_000 }).length, 60)
    assert.deepEqual([suspect.ready.length, suspect.backlog], [0, true])
  })

  it('is closed when its endpoint gets nothing any more or was idle for an hour, and not while it holds something', () => {
    const named = (endpointId: bigint, change: Partial<EndpointQueue>) => queueWith(0, { endpointId, ...change })
    const closed = { target: Promise.resolve(undefined), current: undefined }
    const queues = new Map(
      [
        named(1n, closed),
        named(2n, { ...closed, held: 1 }),
        named(3n, { ...closed, sending: 1 }),
        named(4n, { idleMs: () => 3_600_001 }),
        named(5n, { idleMs: () => 3_599_000, failures: 5 }),
        named(6n, {}),
      ].map((queue) => [queue.endpointId, queue]),
    )
    closeIdle(queues)
    assert.deepEqual([...queues.keys()], [2n, 3n, 5n, 6n])
    assert(queues.get(6n)?.idleMs, 'its time begins to run')
  })
})
