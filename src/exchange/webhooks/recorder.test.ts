import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { until } from '../../../test/support/telling.ts'
import { openRecorder } from './recorder.ts'
import type { Attempt } from './settle.ts'

const attempts = Array.from({ length: 300 }, (_, index) => ({ took: index }) as unknown as Attempt)
const refused = Object.assign(new Error('duplicate key value'), { code: '23505' })

/** A recorder whose database does what `fails` says of each batch. */
function recording(fails: (batch: Attempt[], call: number) => Error | undefined) {
  const written: Attempt[] = []
  const givenUp: Attempt[] = []
  const said: string[] = []
  let calls = 0
  const say = (_: object, text: string) => void said.push(text)
  const recorder = openRecorder(
    {
      record: async (batch) => {
        const failure = fails(batch, (calls += 1))
        if (failure) throw failure
        written.push(...batch)
      },
      giveUp: (attempt) => void givenUp.push(attempt),
    },
    { debug() {}, info() {}, warn: say, error: say },
  )
  return { recorder, written, givenUp, said }
}

describe('what came of attempts', () => {
  it('is written down although one of them never can be, which alone is given up', async () => {
    const [poison = assert.fail()] = attempts.slice(117)
    const { recorder, written, givenUp, said } = recording((batch) => (batch.includes(poison) ? refused : undefined))
    for (const attempt of attempts) recorder.note(attempt)
    await until(() => recorder.idle(), 'all of it')
    assert.deepEqual(
      written,
      attempts.filter((one) => one !== poison),
    )
    assert.deepEqual(givenUp, [poison])
    assert.equal(said.length, 1)
  })

  it('is handed over once more where the database could not be asked', async () => {
    const { recorder, written, givenUp } = recording((_, call) => (call === 1 ? new Error('gone') : undefined))
    for (const attempt of attempts) recorder.note(attempt)
    await until(() => recorder.idle(), 'all of it')
    assert.deepEqual([written, givenUp], [attempts, []])
  })
})
