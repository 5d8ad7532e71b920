import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { newestRead } from './newest-read.ts'

describe('reads that overlap', () => {
  it('leave what the one that began last has found, in whatever order they end', async () => {
    let seen = ''
    const refresh = newestRead(
      (answer: Promise<string>) => answer,
      (found) => (seen = found),
    )
    let [endFirst, endSecond] = [() => {}, () => {}]
    const first = refresh(new Promise((resolve) => (endFirst = () => resolve('before'))))
    const second = refresh(new Promise((resolve) => (endSecond = () => resolve('after'))))
    endSecond()
    await second
    assert.equal(seen, 'after')
    endFirst()
    await first
    assert.equal(seen, 'after', 'what was before does not come back')
    await refresh(Promise.resolve('later'))
    assert.equal(seen, 'later')
  })

  it('that fail keep what is known, and fail for who asked', async () => {
    let seen = 'known'
    const refresh = newestRead(
      (answer: Promise<string>) => answer,
      (found) => (seen = found),
    )
    await assert.rejects(refresh(Promise.reject(new Error('no database'))), /no database/)
    assert.equal(seen, 'known')
  })
})
