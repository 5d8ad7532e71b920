import assert from 'node:assert/strict'
import { test } from 'node:test'

import { makeSandboxAddress } from './address.ts'
import { comparable, resembles } from './resembles.ts'

test('an address warns of another that looks the same at both ends, and of no other', () => {
  const mine = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
  assert(resembles(mine, '0x5aAe0000000000000000000000000000001BeAed'))
  assert(resembles(mine, '0x5AAE0000000000000000000000000000001BEAED'))
  assert(!resembles(mine, mine))
  assert(!resembles(mine, mine.toLowerCase()))
  assert(!resembles(mine, '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAee'))
  assert(!resembles(mine, '0x6aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'))
})

test('a beginning that all addresses share hides no look-alike, and makes none', () => {
  for (const family of ['bitcoin', 'bitcoin-cash', 'cardano', 'ton', 'tron', 'stellar'] as const) {
    const [mine, other] = [0, 1].map((byte) => makeSandboxAddress(family, Uint8Array.of(byte)))
    assert(mine && other)
    assert(!resembles(mine, other), mine)
    const alike = mine.slice(0, 18) + other.slice(18, -6) + mine.slice(-6)
    assert(resembles(mine, alike), alike)
  }
})

test('two addresses are compared in one spelling, and by their letters’ case only where it is part of them', () => {
  const [typed, earlier] = ['0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed', '0x5aaeb6053f3e94c9b9a19f33669435e7ef1beaed']
  assert.deepEqual([comparable('evm', typed), comparable('evm', earlier)], [typed.toLowerCase(), earlier])
  const segwit = 'BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4'
  assert.equal(comparable('bitcoin', segwit), segwit.toLowerCase())
  const cash = 'qpm2qsznhks23z7629mms6s4cwef74vcwvy22gdx6a'
  assert.equal(comparable('bitcoin-cash', cash.toUpperCase()), `bitcoincash:${cash}`)
  for (const family of ['tron', 'solana', 'xrp', 'ton'] as const) {
    const mixed = makeSandboxAddress(family, Uint8Array.of(7))
    assert.equal(comparable(family, mixed), mixed)
  }
  assert.equal(comparable('evm', 'X'), 'X')
})
