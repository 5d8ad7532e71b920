import assert from 'node:assert/strict'
import { test } from 'node:test'

import { cookiesOf, tokenIn } from './session-cookie.ts'

const token = 'a'.repeat(43)

test('over https the cookie belongs to this host alone, and never travels in the clear', () => {
  const cookies = cookiesOf({ publicUrl: 'https://exchange.example' }, 7n, { token, claim: 'c', device: 'd' })[
    'set-cookie'
  ]
  const [cookie = ''] = cookies ?? []
  assert.equal(cookies?.length, 3)
  assert.match(cookie, /^__Host-checkout-7=a{43}; Path=\/; .*HttpOnly; SameSite=Lax; Secure$/)
  assert.doesNotMatch(cookie, /Domain/i)
  assert.equal(tokenIn(`x=1; ${cookie.split(';')[0]}`, 7n), token)
})

test('only the token of this very order is read, and only one that can be one', () => {
  assert.equal(tokenIn(`checkout-7=${token}`, 7n), token)
  for (const cookie of [
    `checkout-77=${token}`,
    'checkout-7=short',
    `checkout-7=${token}!`,
    'checkout-7',
    '',
    undefined,
  ]) {
    assert.equal(tokenIn(cookie, 7n), undefined)
  }
})
