import assert from 'node:assert/strict'
import { describe, test } from 'node:test'

import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'

import { decodeCashAddr, encodeCashAddr, hasCashAddrChecksum } from './cashaddr.ts'
import { checksums, hashes, translations, undefinedTypes } from '../../../test/vectors/addresses/cashaddr.ts'
import { accepts, refuses } from '../../../test/vectors/addresses/judge.ts'

const split = (text: string): [prefix: string, payload: string] => {
  const at = text.indexOf(':')
  return [text.slice(0, at), text.slice(at + 1)]
}
const pairs = translations.flatMap((legacy, at) => (at % 2 ? [] : [{ legacy, cashAddr: translations[at + 1] ?? '' }]))
const typed = hashes.flatMap((type, at) =>
  at % 3 ? [] : [{ type: parseInt(type), text: hashes[at + 1] ?? '', hex: (hashes[at + 2] ?? '').toLowerCase() }],
)

describe('CashAddr', () => {
  test('every checksum of the specification is right, and wrong behind another prefix', () => {
    for (const text of [...checksums, ...undefinedTypes, ...typed.map(({ text }) => text)]) {
      const [prefix, payload] = split(text)
      assert(hasCashAddrChecksum(prefix, payload), text)
      assert(!hasCashAddrChecksum(`${prefix}x`, payload), text)
    }
  })

  test('every hash of the specification, of 20 to 64 bytes, is read', () => {
    assert.equal(typed.length, 24)
    for (const { type, text, hex } of typed) {
      const decoded = decodeCashAddr(...split(text))
      assert.deepEqual(decoded, { type, hash: hexToBytes(hex) }, text)
      assert.equal(bytesToHex(decoded.hash), hex)
      assert.equal(encodeCashAddr(split(text)[0], decoded), text)
    }
  })

  test('a text whose length is not what its type byte announces is not read', () => {
    for (const text of undefinedTypes.slice(0, 5)) assert.equal(decodeCashAddr(...split(text)), undefined, text)
    assert.equal(decodeCashAddr(...split(undefinedTypes[5] ?? ''))?.type, 15)
  })
})

describe('bitcoin-cash', () => {
  test('every translation of the specification is accepted in both spellings, as CashAddr with its prefix', () => {
    assert.equal(pairs.length, 6)
    for (const { legacy, cashAddr } of pairs) {
      accepts('bitcoin-cash', cashAddr)
      accepts('bitcoin-cash', legacy, cashAddr)
      accepts('bitcoin-cash', cashAddr.replace('bitcoincash:', ''), cashAddr)
      accepts('bitcoin-cash', cashAddr.toUpperCase(), cashAddr)
      accepts('bitcoin-cash', cashAddr.replace('bitcoincash:', '').toUpperCase(), cashAddr)
    }
  })

  test('the vectors that pay to a hash of 20 bytes on the main network are accepted, all others of the table refused', () => {
    for (const { text, hex } of typed) {
      if (text.startsWith('bitcoincash:') && hex.length === 40) accepts('bitcoin-cash', text)
      else refuses('bitcoin-cash', text)
    }
  })

  test('texts with nothing but a right checksum are refused', () => {
    for (const text of [...checksums, ...undefinedTypes]) refuses('bitcoin-cash', text)
  })

  test('a script with a hash of 32 bytes is accepted, a key with one is not', () => {
    const hash = new Uint8Array(32).fill(7)
    accepts('bitcoin-cash', encodeCashAddr('bitcoincash', { type: 1, hash }))
    refuses('bitcoin-cash', encodeCashAddr('bitcoincash', { type: 0, hash }), /paid to/)
  })

  test('an address of a wallet that takes tokens is the same place as the plain one', () => {
    const hash = new Uint8Array(20).fill(7)
    for (const type of [0, 1]) {
      const plain = encodeCashAddr('bitcoincash', { type, hash })
      accepts('bitcoin-cash', encodeCashAddr('bitcoincash', { type: type + 2, hash }), plain)
    }
    refuses('bitcoin-cash', encodeCashAddr('bitcoincash', { type: 4, hash }), /paid to/)
  })

  test('test networks are named, with their prefix and without', () => {
    for (const prefix of ['bchtest', 'bchreg']) {
      const text = encodeCashAddr(prefix, { type: 0, hash: new Uint8Array(20).fill(7) })
      refuses('bitcoin-cash', text, /test network/)
      refuses('bitcoin-cash', split(text)[1], /test network/)
    }
    refuses('bitcoin-cash', 'mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn', /test network/)
    refuses('bitcoin-cash', '2MzQwSSnBHWHqSAqtTVQ6v47XtaisrJa1Vc', /test network/)
  })

  test('mixed case, two prefixes and other chains are refused', () => {
    const [{ cashAddr } = { cashAddr: '' }] = pairs
    refuses('bitcoin-cash', cashAddr.replace('q', 'Q'), /upper case/)
    refuses('bitcoin-cash', cashAddr.replace('bitcoincash', 'BITCOINCASH'), /upper case/)
    refuses('bitcoin-cash', `bitcoincash:${cashAddr}`)
    refuses('bitcoin-cash', cashAddr.replace('bitcoincash', 'simpleledger'), /another network/)
    refuses('bitcoin-cash', 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4')
    refuses('bitcoin-cash', 'LT2KVaAy1ppRuxRgrS5RNU3vBsy7RibPeA', /another network/)
  })
})
