import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { until } from '../../../test/support/telling.ts'
import { silentLog } from '../../platform/lib/log.ts'
import { openBatchWriter } from './batch-writer.ts'

const items = Array.from({ length: 300 }, (_, index) => index)
const refused = Object.assign(new Error('duplicate key value'), { code: '23505' })

/** A writer that fails as `fails` says for each batch. */
function startWriter(fails: (batch: number[], call: number) => Error | undefined) {
  const written: number[] = []
  const dropped: number[] = []
  const logged: string[] = []
  let calls = 0
  const log = (_: object, text: string) => void logged.push(text)
  const writer = openBatchWriter<number>(
    {
      write: async (batch) => {
        const failure = fails(batch, (calls += 1))
        if (failure) throw failure
        written.push(...batch)
      },
      drop: (item) => void dropped.push(item),
    },
    { debug() {}, info() {}, warn: log, error: log },
  )
  return { writer, written, dropped, logged }
}

describe('a batch writer', () => {
  it('writes everything although one item can never be written, and drops only that one', async () => {
    const [poison = assert.fail()] = items.slice(117)
    const { writer, written, dropped, logged } = startWriter((batch) => (batch.includes(poison) ? refused : undefined))
    for (const item of items) writer.add(item)
    await until(() => writer.idle(), 'all of it')
    assert.deepEqual(
      written,
      items.filter((one) => one !== poison),
    )
    assert.deepEqual(dropped, [poison])
    assert.equal(logged.length, 1)
  })

  it('writes a batch again when the database was unavailable', async () => {
    const { writer, written, dropped } = startWriter((_, call) => (call === 1 ? new Error('gone') : undefined))
    for (const item of items) writer.add(item)
    await until(() => writer.idle(), 'all of it')
    assert.deepEqual([written, dropped], [items, []])
  })

  it('writes what comes after its timer fired during a write', async () => {
    const written: number[] = []
    const write = async (batch: number[]) => {
      await new Promise((resolve) => setTimeout(resolve, 60))
      written.push(...batch)
    }
    const writer = openBatchWriter<number>({ write, drop: () => assert.fail('dropped') }, silentLog)
    writer.add(1)
    writer.flush()
    await new Promise(setImmediate)
    writer.add(2)
    await until(() => written.length === 2 && writer.idle(), 'two items')
    writer.add(3)
    await until(() => written.length === 3, 'the third item')
  })
})
