import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { describe, test } from 'node:test'

import { base58, bech32, bech32m } from '@scure/base'
import fc from 'fast-check'

import { checkAddress, makeSandboxAddress } from './address.ts'
import type { AddressFamily } from './address.ts'
import { encodeBase58 } from './base58.ts'
import { encodeCashAddr } from './cashaddr.ts'

const require = createRequire(import.meta.url)

/** A second opinion, loaded by these tests and nothing else. It knows nothing of TON. */
const oracle = () =>
  require('multicoin-address-validator') as { validate: (address: string, currency: string) => boolean }

const currencies = {
  bitcoin: 'btc',
  litecoin: 'ltc',
  dogecoin: 'doge',
  'bitcoin-cash': 'bch',
  evm: 'eth',
  tron: 'trx',
  solana: 'sol',
  xrp: 'xrp',
  stellar: 'xlm',
  cardano: 'ada',
  polkadot: 'dot',
  algorand: 'algo',
} as const
type KnownTicker = keyof typeof currencies
const known = Object.keys(currencies) as KnownTicker[]

const ours = (family: AddressFamily, text: string): boolean => checkAddress(family, text).ok
const theirs = (family: KnownTicker, text: string): boolean => oracle().validate(text, currencies[family])

const base58Address = (version: number) => (hash: Uint8Array) =>
  encodeBase58(Uint8Array.of(version, ...hash.subarray(0, 20)))
const witness = (prefix: string, version: number, length: number) => (hash: Uint8Array) => {
  const code = version === 0 ? bech32 : bech32m
  return code.encode(prefix, [version, ...code.toWords(hash.subarray(0, length))])
}
const shelley = (header: number, length: number) => (hash: Uint8Array) =>
  bech32.encode('addr', bech32.toWords(Uint8Array.of(header, ...hash, ...hash).subarray(0, 1 + length)), false)

/** Every kind of valid address that both know, in addition to the one that the sandbox makes. */
const kinds: Partial<Record<KnownTicker, ((hash: Uint8Array) => string)[]>> = {
  bitcoin: [base58Address(0), base58Address(5), witness('bc', 0, 32), witness('bc', 1, 32), witness('bc', 16, 2)],
  litecoin: [base58Address(0x30), base58Address(0x32), witness('ltc', 0, 32), witness('ltc', 1, 32)],
  dogecoin: [base58Address(0x16)],
  'bitcoin-cash': [
    base58Address(0),
    base58Address(5),
    (hash) => encodeCashAddr('bitcoincash', { type: 1, hash: hash.subarray(0, 20) }).replace('bitcoincash:', ''),
  ],
  evm: [(hash) => makeSandboxAddress('evm', hash).toLowerCase()],
  cardano: [shelley(0x01, 56), shelley(0x11, 56), shelley(0x71, 28)],
}

/**
 * Where the oracle is wrong or lax, each with what it says of an address that we judge otherwise. Only these texts are left
 * out of the comparison.
 */
const exceptions: {
  family: KnownTicker
  why: string
  covers: (text: string) => boolean
  example: string
  theirs: boolean
}[] = [
  {
    family: 'solana',
    why: 'it takes any base58 of 43 or 44 characters; we ask for 32 bytes that are a public key',
    covers: (text) => /^[1-9A-HJ-NP-Za-km-z]{43,44}$/.test(text) && !ours('solana', text),
    example: '4BJXYkfvg37zEmBbsacZjeQDpTNx91KppxFJxRqrz48e',
    theirs: true,
  },
  {
    family: 'solana',
    why: 'it refuses keys that begin with zero bits, which make fewer than 43 characters',
    covers: (text) => text.length < 43,
    example: base58.encode(Uint8Array.from({ length: 32 }, (_, at) => (at === 31 ? 2 : 0))),
    theirs: false,
  },
  {
    family: 'algorand',
    why: 'it overlooks the two bits of the last letter that mean nothing; we take one spelling only',
    covers: (text) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(text.slice(-1)) % 4 !== 0,
    example: 'MO2H6ZU47Q36GJ6GVHUKGEBEQINN7ZWVACMWZQGIYUOE3RBSRVYHV4ACJJ',
    theirs: true,
  },
  {
    family: 'algorand',
    why: 'it reads letters that base32 does not have as sevens',
    covers: (text) => /[^A-Z2-7]/.test(text),
    example: 'MO2H6ZU41Q36GJ6GVHUKGEBEQINN7ZWVACMWZQGIYUOE3RBSRVYHV4ACJI',
    theirs: true,
  },
  {
    family: 'polkadot',
    why: 'it takes addresses of other chains; we take those of Polkadot only',
    covers: (text) => !text.startsWith('1'),
    example: '5GrwvaEF5zXb26Fz9rcQpDWS57CtERHpNehXCPcNoHGKutQY',
    theirs: true,
  },
  {
    family: 'bitcoin-cash',
    why: 'it knows no scripts with a hash of 32 bytes, which came in 2023',
    covers: (text) => text.length > 60,
    example: encodeCashAddr('bitcoincash', { type: 1, hash: new Uint8Array(32).fill(7) }),
    theirs: false,
  },
  {
    family: 'bitcoin-cash',
    why: 'it looks at the form of CashAddr and not at the checksum; the specification has vectors, and a separate test',
    covers: (text) => /^(bitcoincash:)?[qp][0-9a-z]{41}$/.test(text) && !ours('bitcoin-cash', text),
    example: 'bitcoincash:qpm2qsznhks23z7629mms6s4cwef74vcwvy22gdx6q',
    theirs: true,
  },
  {
    family: 'bitcoin-cash',
    why: 'it refuses the prefix in capitals, which the specification takes',
    covers: (text) => text.startsWith('BITCOINCASH:'),
    example: 'BITCOINCASH:QPM2QSZNHKS23Z7629MMS6S4CWEF74VCWVY22GDX6A',
    theirs: false,
  },
  {
    family: 'xrp',
    why: 'it knows no X-addresses',
    covers: (text) => text.startsWith('X'),
    example: 'XVLhHMPHU98es4dbozjVtdWzVrDjtV5fdx1mHp98tDMoQXb',
    theirs: false,
  },
  {
    family: 'stellar',
    why: 'it knows no muxed accounts',
    covers: (text) => text.startsWith('M'),
    example: 'MA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJUAAAAAAAAAAAACJUQ',
    theirs: false,
  },
]
const isExcepted = (family: KnownTicker, text: string): boolean =>
  exceptions.some((exception) => exception.family === family && exception.covers(text))

const hash = fc.uint8Array({ minLength: 32, maxLength: 32 })
const letters = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz0IOl'.split('')

describe('a second opinion', () => {
  for (const family of known) {
    const makers = [(hash: Uint8Array) => makeSandboxAddress(family, hash), ...(kinds[family] ?? [])]

    test(`${family}: every kind of valid address is one for the oracle too`, () => {
      fc.assert(
        fc.property(hash, fc.constantFrom(...makers), (hash, make) => {
          const text = make(hash)
          assert(ours(family, text), text)
          if (!isExcepted(family, text)) assert(theirs(family, text), text)
        }),
        { numRuns: 100 },
      )
    })

    test(`${family}: of an address with one changed character both think the same`, () => {
      fc.assert(
        fc.property(
          hash,
          fc.constantFrom(...makers),
          fc.nat(120),
          fc.constantFrom(...letters),
          (hash, make, place, wrong) => {
            const address = make(hash)
            const at = place % address.length
            const text = address.slice(0, at) + wrong + address.slice(at + 1)
            if (!isExcepted(family, text)) assert.equal(ours(family, text), theirs(family, text), text)
          },
        ),
        { numRuns: 300 },
      )
    })
  }

  for (const { family, why, covers, example, theirs: opinion } of exceptions) {
    test(`${family}: where it differs, ${why}`, () => {
      assert(covers(example))
      assert.equal(theirs(family, example), opinion)
      assert.equal(ours(family, example), !opinion)
    })
  }
})
