import assert from 'node:assert/strict'
import { describe, test } from 'node:test'

import { bech32 } from '@scure/base'
import fc from 'fast-check'

import { checkAddress, makeSandboxAddress } from './address.ts'
import type { AddressFamily } from './address.ts'
import { resembles } from './resembles.ts'

const families: AddressFamily[] = ['bitcoin', 'evm', 'tron']
const lines = (text: string): string[] => text.trim().split(/\s+/)

function accepts(family: AddressFamily, text: string, canonical = text): void {
  assert.deepEqual(checkAddress(family, text), { ok: true, canonical })
}

function refuses(family: AddressFamily, text: string): void {
  const check = checkAddress(family, text)
  assert(!check.ok, `${family} accepts ${JSON.stringify(text)}`)
  assert.match(check.reason, /^[A-Z].*\.$/)
}

describe('bitcoin', () => {
  test('every main network address of BIP-350 and the version 0 ones of BIP-173 is accepted', () => {
    for (const text of lines(`
      BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4
      bc1pw508d6qejxtdg4y5r3zarvary0c5xw7kw508d6qejxtdg4y5r3zarvary0c5xw7kt5nd6y
      BC1SW50QGDZ25J
      bc1zw508d6qejxtdg4y5r3zarvaryvaxxpcs
      bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0
      bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4
    `)) {
      accepts('bitcoin', text, text.toLowerCase())
    }
  })

  test('every address that BIP-173 and BIP-350 call invalid is refused', () => {
    for (const text of lines(`
      tc1qw508d6qejxtdg4y5r3zarvary0c5xw7kg3g4ty
      bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t5
      BC13W508D6QEJXTDG4Y5R3ZARVARY0C5XW7KN40WF2
      bc1rw5uspcuh
      bc10w508d6qejxtdg4y5r3zarvary0c5xw7kw508d6qejxtdg4y5r3zarvary0c5xw7kw5rljs90
      BC1QR508D6QEJXTDG4Y5R3ZARVARYV98GJ9P
      tb1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3q0sL5k7
      bc1zw508d6qejxtdg4y5r3zarvaryvqyzf3du
      tb1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3pjxtptv
      bc1gmk9yu
      tc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vq5zuyut
      bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqh2y7hd
      tb1z0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqglt7rf
      BC1S0XLXVLHEMJA6C4DQV22UAPCTQUPFHLXM9H8Z3K2E72Q4K9HCZ7VQ54WELL
      bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kemeawh
      tb1q0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vq24jc47
      bc1p38j9r5y49hruaue7wxjce0updqjuyyx0kh56v8s25huc6995vvpql3jow4
      BC130XLXVLHEMJA6C4DQV22UAPCTQUPFHLXM9H8Z3K2E72Q4K9HCZ7VQ7ZWS8R
      bc1pw5dgrnzv
      bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7v8n0nx0muaewav253zgeav
      tb1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vq47Zagq
      bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7v07qwwzcrf
      tb1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vpggkg4j
    `)) {
      refuses('bitcoin', text)
    }
  })

  test('the later versions of BIP-173, which BIP-350 gave another checksum, are refused', () => {
    for (const text of lines(`
      bc1pw508d6qejxtdg4y5r3zarvary0c5xw7kw508d6qejxtdg4y5r3zarvary0c5xw7k7grplx
      BC1SW50QA3JX3S
      bc1zw508d6qejxtdg4y5r3zarvaryvg6kdaj
    `)) {
      refuses('bitcoin', text)
    }
  })

  test('an address in mixed case is refused even where its letters would match', () => {
    refuses('bitcoin', 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kV8f3t4')
    refuses('bitcoin', 'Bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4')
  })

  test('a longer human-readable part that begins like ours is refused', () => {
    const text = bech32.encode('bc1x', [0, ...bech32.toWords(new Uint8Array(20))])
    assert(text.startsWith('bc1'))
    refuses('bitcoin', text)
  })

  test('known base58 addresses of keys and scripts are accepted', () => {
    for (const text of lines(`
      1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa
      17VZNX1SN5NtKa8UQFxwQbFeFc3iqRYhem
      3EktnHQD7RiAE6uzMj2ZifT9YgRrkSgzQX
      3P14159f73E4gFr7JterCCQh9QjiTjiZrG
    `)) {
      accepts('bitcoin', text)
    }
  })

  test('an address of a test network is refused, and says why', () => {
    for (const text of lines(`
      mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn
      2MzQwSSnBHWHqSAqtTVQ6v47XtaisrJa1Vc
      tb1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3q0sl5k7
      tb1pqqqqp399et2xygdj5xreqhjjvcmzhxw4aywxecjdzew6hylgvsesf3hn0c
      bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080
    `)) {
      assert.deepEqual(checkAddress('bitcoin', text), { ok: false, reason: 'This is an address of a test network.' })
    }
  })
})

describe('evm', () => {
  const vectors = lines(`
    0x52908400098527886E0F7030069857D2E4169EE7
    0x8617E340B3D01FA5F11F306F4090FD50E238070D
    0xde709f2102306220921060314715629080e2fb77
    0x27b1fdb04752bbc536007a920d24acb045561c26
    0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed
    0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359
    0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB
    0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb
  `)

  test('the addresses of EIP-55 are accepted as they stand, in lower and in upper case', () => {
    for (const text of vectors) {
      accepts('evm', text)
      accepts('evm', text.toLowerCase(), text)
      accepts('evm', `0x${text.slice(2).toUpperCase()}`, text)
    }
  })

  test('one letter in the wrong case is refused', () => {
    for (const text of vectors.slice(4)) {
      const at = text.slice(2).search(/[a-f]/) + 2
      refuses('evm', text.slice(0, at) + text.charAt(at).toUpperCase() + text.slice(at + 1))
    }
  })

  test('what is not 0x and 40 hex digits, and the zero address, is refused', () => {
    const [some = ''] = vectors
    const wrong = [
      some.slice(2),
      some.slice(0, -1),
      `${some}0`,
      some.replace('0x', '0X'),
      some.replace('5', 'g'),
      `0x${'0'.repeat(40)}`,
    ]
    for (const text of wrong) refuses('evm', text)
  })
})

describe('tron', () => {
  test('known addresses are accepted', () => {
    for (const text of lines(`
      TLLM21wteSPs4hKjbxgmH1L6poyMjeTbHm
      TXmVpin5vq5gdZsciyyjdZgKRUju4st1wM
      TLsV52sRDL79HXGGm9yzwKibb6BeruhUzy
      TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t
      TQHgMpVzWkhSsRB4BzZgmV8uW4cFL8eaBr
    `)) {
      accepts('tron', text)
    }
  })

  test('hex, the zero address and other networks are refused', () => {
    refuses('tron', '419D1015E669C2DF831003C5C54CEB48DA613D9979')
    refuses('tron', 'T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb')
    refuses('tron', '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa')
    refuses('tron', '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed')
  })
})

describe('every family', () => {
  const seed = fc.uint8Array({ maxLength: 40 })
  const letter = fc.constantFrom(...'123456789ACDEFGHacdefghq'.split(''))

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

  test('where the checksum covers every character, one changed character is refused', () => {
    for (const family of ['bitcoin', 'tron'] as const) {
      fc.assert(
        fc.property(seed, fc.nat(60), letter, (bytes, place, wrong) => {
          const address = makeSandboxAddress(family, bytes)
          const at = place % address.length
          fc.pre(address.charAt(at) !== wrong)
          refuses(family, address.slice(0, at) + wrong + address.slice(at + 1))
        }),
        { numRuns: 200 },
      )
    }
  })

  test('no text makes it throw, and spaces, other alphabets and long texts are refused', () => {
    for (const family of families) {
      fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 120 }), (text) => void checkAddress(family, text)))
      const address = makeSandboxAddress(family, Uint8Array.of(7))
      const cyrillic = `${address.slice(0, -1)}а`
      for (const text of ['', ' ', ` ${address}`, `${address} `, `${address}\n`, cyrillic, 'z'.repeat(1_000_000)]) {
        refuses(family, text)
      }
      const spaced = { ok: false, reason: 'An address has only letters and digits, and no spaces.' }
      assert.deepEqual(checkAddress(family, ` ${address}`), spaced)
      assert.deepEqual(checkAddress(family, 'z'.repeat(101)), { ok: false, reason: 'The address is too long.' })
    }
  })
})

test('an address warns of another that looks the same at both ends, and of no other', () => {
  const mine = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
  assert(resembles(mine, '0x5aAe0000000000000000000000000000001BeAed'))
  assert(resembles(mine, '0x5AAE0000000000000000000000000000001BEAED'))
  assert(!resembles(mine, mine))
  assert(!resembles(mine, mine.toLowerCase()))
  assert(!resembles(mine, '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAee'))
  assert(!resembles(mine, '0x6aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'))
})
