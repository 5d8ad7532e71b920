import { describe, test } from 'node:test'

import { bech32, bech32m } from '@scure/base'

import { encodeBase58 } from './base58.ts'
import {
  bip173Invalid,
  bip173Valid,
  bip350Invalid,
  bip350Valid,
  noAddresses,
} from '../../../test/vectors/addresses/bitcoin.ts'
import * as dogecoinVectors from '../../../test/vectors/addresses/dogecoin.ts'
import { accepts, lines, refuses } from '../../../test/vectors/addresses/judge.ts'
import * as litecoinVectors from '../../../test/vectors/addresses/litecoin.ts'

const ofMainNetwork = (text: string): boolean => /^bc1/i.test(text)

describe('bitcoin', () => {
  test('every valid address of BIP-350 on the main network is accepted, in lower case', () => {
    for (const text of bip350Valid.filter(ofMainNetwork)) accepts('bitcoin', text, text.toLowerCase())
  })

  test('every valid address of BIP-350 on a test network is refused, and says why', () => {
    const others = bip350Valid.filter((text) => !ofMainNetwork(text))
    for (const text of others) refuses('bitcoin', text, /test network/)
  })

  test('every valid address of BIP-173 is accepted, but for those that BIP-350 gave another checksum', () => {
    const isOfVersion0 = (text: string): boolean => /^bc1q/i.test(text)
    for (const text of bip173Valid.filter(isOfVersion0)) accepts('bitcoin', text, text.toLowerCase())
    for (const text of bip173Valid.filter((text) => !isOfVersion0(text))) refuses('bitcoin', text)
    accepts('bitcoin', 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4')
    accepts('bitcoin', 'bc1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3qccfmv3')
  })

  test('every address that BIP-173 and BIP-350 call invalid is refused', () => {
    for (const text of [...bip173Invalid, ...bip350Invalid]) refuses('bitcoin', text)
  })

  test('no bare bech32 text of BIP-173 and BIP-350 is taken for an address, whole or broken', () => {
    const broken = [
      '\u00201nwldj5',
      '\u007f1axkwrx',
      '\u00801eym55h',
      'de1lg7wt\u00ff',
      '\u00201xj0phk',
      '\u007f1g6xzxy',
    ]
    for (const text of [...noAddresses, ...broken]) refuses('bitcoin', text)
  })

  test('an address in mixed case is refused even where its letters would match', () => {
    refuses('bitcoin', 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kV8f3t4')
    refuses('bitcoin', 'Bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4')
  })

  test('a longer human-readable part that begins like ours is refused', () => {
    refuses('bitcoin', bech32.encode('bc1x', [0, ...bech32.toWords(new Uint8Array(20))]))
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

  test('an address of a test network or of another chain is refused, and says why', () => {
    for (const text of lines(`
      mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn
      2MzQwSSnBHWHqSAqtTVQ6v47XtaisrJa1Vc
      bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080
    `)) {
      refuses('bitcoin', text, /test network/)
    }
    refuses('bitcoin', 'LT2KVaAy1ppRuxRgrS5RNU3vBsy7RibPeA', /another network than Bitcoin/)
    refuses('bitcoin', 'DD4KSSuBJqcjuTcvUg1CgUKeurPUFeEZkE', /another network than Bitcoin/)
    refuses('bitcoin', 'TLLM21wteSPs4hKjbxgmH1L6poyMjeTbHm', /another network than Bitcoin/)
  })
})

describe('litecoin', () => {
  test("every valid address of Litecoin Core's tests on the main network is accepted", () => {
    for (const text of litecoinVectors.valid) accepts('litecoin', text)
    accepts('litecoin', 'LTC1QHDHVRWE6RGQNS8FZ28TEE0HPHR5X7ULW5EXV4W', 'ltc1qhdhvrwe6rgqns8fz28tee0hphr5x7ulw5exv4w')
  })

  test("every address of test networks in Litecoin Core's tests is refused, and says why", () => {
    for (const text of litecoinVectors.ofTestNetworks) refuses('litecoin', text, /test network/)
  })

  test("every text that Litecoin Core's tests call invalid is refused", () => {
    for (const text of litecoinVectors.invalid) refuses('litecoin', text)
  })

  test('an address that may be one of Bitcoin is refused, and the spelling that can be only of Litecoin is asked for', () => {
    refuses('litecoin', '3EktnHQD7RiAE6uzMj2ZifT9YgRrkSgzQX', /begins with M/)
    refuses('litecoin', '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa', /another network/)
    refuses('litecoin', 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4')
  })

  test('what leads into extension blocks is no address to pay to', () => {
    for (const version of [8, 9]) {
      refuses('litecoin', bech32m.encode('ltc', [version, ...bech32m.toWords(new Uint8Array(32).fill(7))]), /paid to/)
    }
  })
})

describe('dogecoin', () => {
  test("every valid address of Dogecoin Core's tests on the main network is accepted", () => {
    for (const text of dogecoinVectors.valid) accepts('dogecoin', text)
  })

  test("every address of test networks in Dogecoin Core's tests is refused, and says why", () => {
    for (const text of dogecoinVectors.ofTestNetworks) refuses('dogecoin', text, /test network/)
  })

  test('private keys, and addresses of Bitcoin, are refused', () => {
    for (const text of dogecoinVectors.privateKeys) refuses('dogecoin', text)
    refuses('dogecoin', '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa', /another network than Dogecoin/)
    refuses('dogecoin', 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4')
    refuses('dogecoin', encodeBase58(new Uint8Array(20).fill(0x1e)))
  })
})
