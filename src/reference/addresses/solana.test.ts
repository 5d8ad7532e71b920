import assert from 'node:assert/strict'
import { test } from 'node:test'

import { hexToBytes } from '@noble/hashes/utils.js'
import { base58 } from '@scure/base'
import fc from 'fast-check'

import { isOnCurve } from './ed25519.ts'
import { accepts, lines, refuses } from '../../../test/vectors/addresses/judge.ts'

test("the public keys of RFC 8032's test vectors are on the curve, and addresses", () => {
  for (const hex of lines(`
    d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a
    3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c
    fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025
    278117fc144c72340f67d0f2316e8386ceffbf2b2428c9c51fef7c597f1d426e
    ec172b93ad5e563bf4932c70e1245034c35467ef2efd4d64ebf819683467e2bf
  `)) {
    assert(isOnCurve(hexToBytes(hex)), hex)
    accepts('solana', base58.encode(hexToBytes(hex)))
  }
})

/** solana.com, cookbook, "How to check if a public key is valid" and the Solana Pay specification. */
test('the addresses of wallets in the documents of the chain are accepted', () => {
  for (const text of lines(`
    5oNDL3swdJJF1g9DzJiZ4ynHXgszjAEpUkxVYejchzrY
    mvines9iiHiQTysrwkJjGf2gb9Ex9jXJX8ns3qwf2kN
    EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v
  `)) {
    accepts('solana', text)
  }
})

test('an address off the curve, where nobody has a key, is refused', () => {
  refuses('solana', '4BJXYkfvg37zEmBbsacZjeQDpTNx91KppxFJxRqrz48e', /wallet itself/)
})

test('the system program, other lengths and other alphabets are refused', () => {
  refuses('solana', '1'.repeat(32), /lost/)
  refuses('solana', base58.encode(new Uint8Array(31).fill(7)))
  refuses('solana', base58.encode(new Uint8Array(33).fill(7)))
  refuses('solana', '5oNDL3swdJJF1g9DzJiZ4ynHXgszjAEpUkxVYejchzr0')
  refuses('solana', 'testPubkey')
})

test('about half of all slips of the hand lead off the curve', () => {
  const share = fc.sample(fc.uint8Array({ minLength: 32, maxLength: 32 }), { numRuns: 400, seed: 1 }).filter(isOnCurve)
  assert(share.length > 150 && share.length < 250, `${share.length} of 400`)
})
