import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import type { Delivery } from './delivery.ts'
import { forgetIdle, type Lane, learn, newLane, nextReady, type Ready, roomIn } from './lane.ts'

const readyOf = (count: number): Ready[] =>
  Array.from({ length: count }, (_, index) => ({
    delivery: { sequence: index } as unknown as Delivery,
    body: Buffer.of(),
  }))

function laneWith(count: number, change: Partial<Lane> = {}): Lane {
  return Object.assign(newLane(1n), { ready: readyOf(count), inHand: count }, change)
}

const takeAll = (lane: Lane): number => {
  let taken = 0
  while (nextReady(lane)) taken += 1
  return taken
}

describe('a lane', () => {
  it('of an endpoint that only fails is asked two hundred times at once, and then a few times a second', () => {
    const lane = laneWith(1_000, { failures: 4 })
    const taken = takeAll(lane)
    assert(taken >= 200 && taken <= 205, `${taken} were taken`)
    learn(lane, { outcome: 'delivered', tookMs: 1 })
    lane.ready = readyOf(1_000)
    assert.equal(takeAll(lane), 1_000, 'one success, and there is no limit')
  })

  it('sends one at a time while it is in doubt, and sixteen otherwise', () => {
    assert.equal(nextReady(laneWith(5, { failures: 4, underWay: 1 })), undefined)
    assert(nextReady(laneWith(5, { underWay: 15 })))
    assert.equal(nextReady(laneWith(5, { underWay: 16 })), undefined)
  })

  it('holds more of who is quick, less of who is slow, and gives back what is too much', () => {
    const rows: [what: string, lane: Partial<Lane>, room: number, whenCrowded: number][] = [
      ['unknown', {}, 64, 16],
      ['quick', { tookMs: 5 }, 1_024, 16],
      ['less quick', { tookMs: 50 }, 160, 16],
      ['neither', { tookMs: 500 }, 64, 16],
      ['slow', { tookMs: 3_000 }, 16, 4],
      ['failing', { tookMs: 5, failures: 2 }, 1_024, 4],
      ['only failing', { failures: 4 }, 1, 1],
    ]
    for (const [what, change, room, whenCrowded] of rows) {
      const lane = laneWith(0, change)
      assert.deepEqual([roomIn(false, lane), roomIn(true, lane)], [room, whenCrowded], what)
    }
    const doubted = laneWith(60, { failures: 3, underWay: 1 })
    assert.equal(learn(doubted, { outcome: 'timed_out', tookMs: 15_000 }).length, 60)
    assert.deepEqual([doubted.ready.length, doubted.backlog], [0, true])
  })

  it('is forgotten when its endpoint gets nothing any more, or had nothing to get for long, and not while it has something', () => {
    const named = (endpointId: bigint, change: Partial<Lane>) => laneWith(0, { endpointId, ...change })
    const lanes = new Map(
      [
        named(1n, { isClosed: true }),
        named(2n, { isClosed: true, inHand: 1 }),
        named(3n, { isClosed: true, underWay: 1 }),
        named(4n, { idleMs: () => 3_600_001 }),
        named(5n, { idleMs: () => 3_599_000, failures: 5 }),
        named(6n, {}),
      ].map((lane) => [lane.endpointId, lane]),
    )
    forgetIdle(lanes)
    assert.deepEqual([...lanes.keys()], [2n, 3n, 5n, 6n])
    assert(lanes.get(6n)?.idleMs, 'its time begins to run')
  })
})
