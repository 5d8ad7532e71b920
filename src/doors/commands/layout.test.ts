import assert from 'node:assert/strict'
import { test } from 'node:test'

import { layOut } from './layout.ts'

test('a list of things becomes a table', () => {
  const things = [
    { id: '1', kind: 'public', revoked_at: null, types: ['a', 'b'] },
    { id: '22', kind: 'secret', revoked_at: '2026-03-01', types: [] },
  ]
  assert.equal(
    layOut(things),
    ['id  kind    revoked_at  types', '1   public  -           a, b', '22  secret  2026-03-01  -'].join('\n'),
  )
  assert.equal(layOut([]), 'none')
})

test('a thing becomes its fields, and nested values go below their name', () => {
  const thing = { id: '1', limits: { min: null, max: '5' }, theme: {}, history: [{ status: 'new' }] }
  assert.equal(
    layOut(thing),
    ['id     1', 'limits', '  min  -', '  max  5', 'theme  -', 'history', '  status', '  new'].join('\n'),
  )
})
