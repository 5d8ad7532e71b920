import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { systemClock } from './clock.ts'

const start = Date.parse('2026-01-01T12:00:00Z')
const hour = 3_600_000

/** A clock on a machine whose own is `wrongMs` ahead of the truth, which `pass` moves on. */
function clockOn(wrongMs = 0) {
  const state = { truth: start, wrongMs }
  const clock = systemClock({ now: () => state.truth + state.wrongMs, steady: () => state.truth - start })
  return {
    clock,
    state,
    /** The database said the time `agoMs` ago, within the `tookMs` that its answer took. */
    follow: (tookMs = 0, agoMs = 0) => clock.follow(new Date(state.truth - agoMs), tookMs),
    pass: (ms: number) => {
      state.truth += ms
    },
    off: () => clock.realNow().getTime() - state.truth,
  }
}

describe('the clock of a process', () => {
  it('is the machine’s until the database has said the time, and the database’s from then on', () => {
    for (const wrongMs of [hour, -hour, 5_000]) {
      const { follow, off, pass } = clockOn(wrongMs)
      assert.equal(off(), wrongMs)
      assert.equal(follow(), -wrongMs)
      assert.equal(off(), 0)
      pass(90_000)
      assert.equal(off(), 0)
    }
  })

  it('is not moved by somebody who sets the machine’s', () => {
    const { follow, off, state } = clockOn()
    follow()
    state.wrongMs = -hour
    assert.equal(off(), 0)
    assert.equal(follow(), hour, 'it is noticed all the same')
    assert.equal(off(), 0)
  })

  it('is not moved by an answer that took long: the database may have given it at any moment of that', () => {
    for (const agoMs of [0, 400, 800]) {
      const { follow, off } = clockOn()
      follow()
      assert.equal(follow(800, agoMs), 0)
      assert.equal(off(), 0)
    }
  })

  it('follows a database that is another one, with another time', () => {
    const { clock, follow, off, state } = clockOn()
    follow()
    assert.equal(clock.follow(new Date(state.truth + 10_000), 0), 10_000)
    assert.equal(off(), 10_000)
  })

  it('keeps the offset of business time', () => {
    const { clock, follow, state } = clockOn(hour)
    clock.learnOffset(60_000)
    follow()
    clock.learnOffset(30_000)
    assert.equal(clock.now().getTime(), state.truth + 60_000)
  })
})
