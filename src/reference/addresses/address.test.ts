import assert from 'node:assert/strict'
import { describe, test } from 'node:test'

import fc from 'fast-check'

import { anyCodePoint } from '../../../test/support/any-code-point.ts'
import { checkAddress, makeSandboxAddress } from './address.ts'
import type { AddressFamily } from './address.ts'
import { accepts, lines, refuses } from '../../../test/vectors/addresses/judge.ts'

const families: AddressFamily[] = [
  'bitcoin',
  'litecoin',
  'dogecoin',
  'bitcoin-cash',
  'evm',
  'tron',
  'solana',
  'xrp',
  'stellar',
  'cardano',
  'polkadot',
  'algorand',
  'ton',
]
/** Without a checksum over every character: mixed case is all that Ethereum has, and Solana has the curve. */
const unchecked: AddressFamily[] = ['evm', 'solana']

const seed = fc.uint8Array({ maxLength: 40 })
const letter = fc.constantFrom(...'0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz:-_+/='.split(''))

describe('every family', () => {
  test('a sandbox address is accepted by its own family, is canonical, and is the same for the same seed', () => {
    for (const family of families) {
      fc.assert(
        fc.property(seed, (bytes) => {
          const address = makeSandboxAddress(family, bytes)
          accepts(family, address)
          assert.equal(makeSandboxAddress(family, bytes), address)
        }),
        { numRuns: 50 },
      )
    }
  })

  test('another seed is another address, and no family accepts the address of another', () => {
    const made = families.flatMap((family) =>
      [0, 1, 2].map((byte) => ({ family, text: makeSandboxAddress(family, Uint8Array.of(byte)) })),
    )
    assert.equal(new Set(made.map(({ text }) => text)).size, made.length)
    for (const { family, text } of made) for (const other of families) if (other !== family) refuses(other, text)
  })

  test('where a checksum covers every character, one changed character is refused', () => {
    for (const family of families.filter((family) => !unchecked.includes(family))) {
      fc.assert(
        fc.property(seed, fc.nat(120), letter, (bytes, place, wrong) => {
          const address = makeSandboxAddress(family, bytes)
          const at = place % address.length
          fc.pre(address.charAt(at) !== wrong)
          refuses(family, address.slice(0, at) + wrong + address.slice(at + 1))
        }),
        // One changed character in 65,536 passes the checksum of Polkadot: two bytes of a hash. So always the same ones.
        { numRuns: 200, seed: 1 },
      )
    }
  })

  test('one character too few or too many, anywhere, is refused', () => {
    for (const family of families.filter((family) => family !== 'solana')) {
      fc.assert(
        fc.property(seed, fc.nat(120), letter, (bytes, place, more) => {
          const address = makeSandboxAddress(family, bytes)
          const at = place % address.length
          refuses(family, address.slice(0, at) + more + address.slice(at))
          refuses(family, address.slice(0, at) + address.slice(at + 1))
        }),
        { numRuns: 100, seed: 1 },
      )
    }
  })

  test('spaces, other alphabets and long texts are refused with a sentence that says so', () => {
    for (const family of families) {
      const address = makeSandboxAddress(family, Uint8Array.of(7))
      refuses(family, '', /empty/)
      for (const text of [' ', ` ${address}`, `${address} `, `${address}\n`, `${address.slice(0, -1)}а`])
        refuses(family, text, /only letters and digits, and no spaces/)
      for (const text of ['z'.repeat(129), 'z'.repeat(1_000_000), '1'.repeat(129)]) refuses(family, text, /too long/)
    }
  })
})

describe('whatever the text', () => {
  const word = fc.string({ unit: anyCodePoint, maxLength: 200 })
  /** Beginnings that lead deep into the checks, with anything behind. */
  const starts = `0: -1: 0x 1 3 bc1 tb1 ltc1 D bitcoincash: bitcoincash:q bchtest: T r X G M addr1 addr_test1 stake1
    Ae2tdPwUPEZ DdzFFzCqrh 5 EQ UQ : :: 1:1`
  const start = fc.constantFrom('', ...lines(starts))
  const likely = fc.tuple(start, fc.array(letter, { maxLength: 130 })).map(([start, rest]) => start + rest.join(''))
  const made = fc.tuple(fc.constantFrom(...families), seed).map(([family, bytes]) => makeSandboxAddress(family, bytes))
  const bent = fc
    .tuple(made, fc.constantFrom('upper', 'lower', 'bare', 'as it is'))
    .map(([text, how]) =>
      how === 'upper'
        ? text.toUpperCase()
        : how === 'lower'
          ? text.toLowerCase()
          : how === 'bare'
            ? text.replace(/^.*:/, '')
            : text,
    )

  test('no check throws: it accepts, or refuses in one sentence', () => {
    fc.assert(
      fc.property(fc.constantFrom(...families), fc.oneof(word, likely, bent), (family, text) => {
        const check = checkAddress(family, text)
        if (!check.ok) assert.match(check.reason, /^[A-Z][^\n]*\.$/)
      }),
      { numRuns: 5000 },
    )
  })

  test('what is accepted has a canonical spelling that is its own', () => {
    fc.assert(
      fc.property(fc.constantFrom(...families), fc.oneof(likely, bent), (family, text) => {
        const check = checkAddress(family, text)
        if (check.ok) accepts(family, check.canonical)
      }),
      { numRuns: 5000 },
    )
  })
})

test('digits that could be the number of a card are part of an address like any others', () => {
  accepts('evm', '0x4111111111111111555555555555444437828224')
  accepts('ton', `0:${'4111111111111111'.repeat(4)}`, 'UQBBEREREREREUERERERERERQRERERERERFBEREREREREWkc')
})
