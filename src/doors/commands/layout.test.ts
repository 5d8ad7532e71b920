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

test('text from outside cannot act on the terminal, turn its direction, or hide in it', () => {
  const [escape, override, hidden] = ['\u001b[2J\u001b[H', '\u202e', '\u200b']
  assert.equal(
    layOut({ body: `${escape}All is well.\nid  1`, name: `a${override}b${hidden}c` }),
    'body  \\u{1b}[2J\\u{1b}[HAll is well.\\u{a}id  1\nname  a\\u{202e}b\\u{200b}c',
  )
})
