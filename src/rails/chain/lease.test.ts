import assert from 'node:assert/strict'
import { describe, it, mock } from 'node:test'

import { silentLog } from '../../platform/lib/log.ts'
import type { Term } from './follows.sql.ts'
import { nextLook, underLease } from './lease.ts'

const start = new Date('2026-01-01T00:00:00Z')

/** A follower whose lease is taken as `take` says, and the ends of all terms that it asked for, in seconds from the start. */
function followerWith(take: () => Promise<string[]> = () => Promise.resolve(['lease'])) {
  let now = start.getTime()
  const ends: number[] = []
  const follower = { clock: { realNow: () => new Date(now) }, log: silentLog, network: { code: 'BTC' } }
  return {
    ends,
    look: (look: () => Promise<'idle'>) =>
      underLease(
        follower,
        ({ until }: Term) => {
          ends.push((until.getTime() - start.getTime()) / 1_000)
          return take()
        },
        look,
      ),
    pass: (ms: number) => {
      now += ms
      mock.timers.tick(ms)
    },
  }
}

describe('the lease of a chain', () => {
  it('is renewed for as long as a look takes, and no longer', async () => {
    mock.timers.enable({ apis: ['setInterval'] })
    try {
      const { ends, look, pass } = followerWith()
      const round = await look(() => {
        for (let count = 0; count < 5; count += 1) pass(4_000)
        return Promise.resolve('idle')
      })
      assert.equal(round, 'idle')
      pass(60_000)
      assert.deepEqual(ends, [12, 16, 20, 24, 28, 32])
    } finally {
      mock.timers.reset()
    }
  })

  it('ends no look where it cannot be renewed: the fence refuses what another process has meanwhile', async () => {
    mock.timers.enable({ apis: ['setInterval'] })
    try {
      let count = 0
      const { look, pass } = followerWith(() =>
        (count += 1) === 1 ? Promise.resolve(['lease']) : Promise.reject(new Error('no database')),
      )
      const round = await look(() => {
        pass(4_000)
        return Promise.resolve('idle')
      })
      assert.deepEqual([round, count], ['idle', 2])
    } finally {
      mock.timers.reset()
    }
  })

  it('is not waited for with a look: another process has it, and it is asked for again within a second', async () => {
    const { look } = followerWith(() => Promise.resolve([]))
    const round = await look(() => assert.fail('looked without the lease'))
    assert.deepEqual([round, nextLook(round)], ['elsewhere', 1_000])
  })
})
