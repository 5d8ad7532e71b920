import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'

import { table } from '../../../test/support/table.ts'
import { canonicalQuery, signWidgetQuery } from './widget-signature.ts'

test('the canonical string is the documented one', () => {
  const rows = table(`
    query                                  canonical
    b=2&a=1                                a=1&b=2
    a=1&signature=00&b=2                   a=1&b=2
    a=x%20y&b=x+y                          a=x%20y&b=x%20y
    a=-._~                                 a=-._~
    a=!'()*                                a=%21%27%28%29%2A
    a=%7B%22t%22%3A%5B%5D%7D               a=%7B%22t%22%3A%5B%5D%7D
    ä=é&b=1                                b=1&%C3%A4=%C3%A9
    B=1&a=2                                B=1&a=2
    a=&b                                   a=&b=
  `)
  for (const { query = '', canonical } of rows)
    assert.equal(canonicalQuery(new URLSearchParams(query)), canonical, query)
})

test('a signature is HMAC-SHA256 over it in lower-case hex, with the partner_id in it', () => {
  const expected = createHmac('sha256', 'secret').update('partner_id=77&theme=dark').digest('hex')
  for (const query of [
    'theme=dark',
    '?theme=dark',
    'theme=dark&partner_id=77',
    'partner_id=77&theme=dark&signature=old',
  ]) {
    assert.equal(signWidgetQuery('secret', 77n, query), expected, query)
  }
})

test('a query that cannot be checked is not signed', () => {
  for (const query of ['a=1&a=2', 'a=1&partner_id=78', 'partner_id=77&partner_id=78']) {
    assert.throws(() => signWidgetQuery('secret', 77n, query), { code: 'BAD_REQUEST' }, query)
  }
})
