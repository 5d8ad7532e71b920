import assert from 'node:assert/strict'
import { test } from 'node:test'

import { openRefusedWrites } from './refused-writes.ts'

test('a refused write says why none is taken, until one that came after it succeeds; a read that is refused says nothing', () => {
  const refused = openRefusedWrites()
  assert.equal(refused.note('53100', 'select a from b order by a'), false)
  assert.equal(refused.note('23505', 'insert into a values (1)'), false)
  assert.equal(refused.last(), undefined)

  assert.equal(refused.note('53100', 'with a as (select 1) INSERT into b select * from a'), true)
  const first = refused.last() ?? assert.fail()
  assert.equal(first.why, 'disk_full')
  assert.equal(refused.note('25006', 'update a set b = 1'), true)
  refused.end(first)
  assert.equal(refused.last()?.why, 'read_only', 'a newer one stays')
  refused.end(refused.last() ?? assert.fail())
  assert.equal(refused.last(), undefined)
})
