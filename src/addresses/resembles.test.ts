import assert from 'node:assert/strict'
import { test } from 'node:test'

import { makeSandboxAddress } from './address.ts'
import { resembles } from './resembles.ts'

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
