import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { crc32 } from 'node:zlib'

import { base58, bech32 } from '@scure/base'

import { notPayable, payable } from '../../../test/vectors/addresses/cardano.ts'
import { accepts, lines, refuses } from '../../../test/vectors/addresses/judge.ts'

const shelley = (...bytes: number[]): string => bech32.encode('addr', bech32.toWords(Uint8Array.from(bytes)), false)
const hash = Array.from({ length: 28 }, (_, at) => at)

describe('Shelley', () => {
  test('every kind of CIP-19 that pays is accepted on the main network, in either case', () => {
    assert.equal(payable.length, 8)
    for (const text of payable) {
      accepts('cardano', text)
      accepts('cardano', text.toUpperCase(), text)
    }
  })

  test('every stake address and every address of a test network in CIP-19 is refused, and says why', () => {
    assert.equal(notPayable.length, 12)
    for (const text of notPayable) refuses('cardano', text, text.startsWith('stake') ? /stake/ : /test network/)
  })

  test('the main network is read from the address, not from its beginning', () => {
    refuses('cardano', shelley(0x60, ...hash), /test network/)
    refuses('cardano', shelley(0x63, ...hash), /test network/)
    accepts('cardano', shelley(0x61, ...hash))
  })

  test('a part too much or too little, a broken pointer and an unknown kind are refused', () => {
    refuses('cardano', shelley(0x01, ...hash), /length/)
    refuses('cardano', shelley(0x61, ...hash, 1), /length/)
    refuses('cardano', shelley(0x01, ...hash, ...hash, 1), /length/)
    accepts('cardano', shelley(0x41, ...hash, 1, 2, 3))
    refuses('cardano', shelley(0x41, ...hash, 1, 2), /length/)
    refuses('cardano', shelley(0x41, ...hash, 1, 2, 0x83), /length/)
    refuses('cardano', shelley(0x41, ...hash, 1, 2, 3, 4), /length/)
    refuses('cardano', shelley(0x41, ...hash, 0x90, 0x80, 0x80, 0x80, 0, 2, 3), /length/)
    refuses('cardano', shelley(0x81, ...hash), /can not be paid/)
    refuses('cardano', shelley(0xe1, ...hash), /can not be paid/)
  })

  test('the checksum of later bech32 and mixed case are refused', () => {
    const [text = ''] = payable
    refuses('cardano', text.replace('addr1q', 'addr1Q'))
    refuses('cardano', `${text.slice(0, -1)}q`)
  })
})

describe('Byron', () => {
  /** CIP-13; cardano-serialization-lib's, Trezor's and Ledger's tests; IOHK's documents of the format. */
  const known = lines(`
    Ae2tdPwUPEZ76BjmWDTS7poTekAvNqBjgfthF92pSLSDVpRVnLP7meaFhVd
    Ae2tdPwUPEZFRbyhz3cpfC2CumGzNkFBN2L42rcUc2yjQpEkxDbkPodpMAi
    Ae2tdPwUPEZLCq3sFv4wVYxwqjMH2nUzBVt1HFr4v87snYrtYq3d3bq2PUQ
    Ae2tdPwUPEZKmwoy3AU3cXb5Chnasj6mvVNxV1H11997q3VW5ihbSfQwGpm
    4swhHtxKapQbj3TZEipgtp7NQzcRWDYqCxXYoPQWjGyHmhxS1w1TjUEszCQT1sQucGwmPQMYdv1FYs3d51KgoubviPBf
    DdzFFzCqrht7HGoJ87gznLktJGywK1LbAJT2sbd4txmgS7FcYLMQFhawb18ojS9Hx55mrbsHPr7PTraKh14TSQbGBPJHbDZ9QVh6Z6Di
  `)

  test('known addresses, short and long, are accepted', () => {
    for (const text of known) accepts('cardano', text)
  })

  test("the test networks' addresses of CIP-19 and of wallets' tests are refused, and say why", () => {
    for (const text of lines(`
      37btjrVyb4KDXBNC4haBVPCrro8AQPHwvCMp3RFhhSVWwfFmZ6wwzSK6JK1hY6wHNmtrpTf1kdbva8TCneM2YsiXT7mrzT21EacHnPpz5YyUdj64na
      2657WMsDfac6Cmfg4Varph2qyLKGi2K9E8jrtvjHVzfSjmbTMGy5sY3HpxCKsmtDA
      2657WMsDfac5F3zbgs9BwNWx3dhGAJERkAL93gPa68NJ2i8mbCHm2pLUHWSj8Mfea
    `)) {
      refuses('cardano', text, /test network/)
    }
  })

  test('a changed byte, a byte more and a byte less are refused', () => {
    const bytes = base58.decode(known[0] ?? '')
    for (let at = 0; at < bytes.length; at++) {
      const changed = Uint8Array.from(bytes)
      changed[at] = (changed[at] ?? 0) ^ 1
      refuses('cardano', base58.encode(changed))
    }
    refuses('cardano', base58.encode(Uint8Array.of(...bytes, 0)))
    refuses('cardano', base58.encode(bytes.subarray(0, -1)))
  })

  /** `[24(bytes), crc32]` around `[root, attributes, kind]`, each given as CBOR. */
  function byron(root: number[], attributes: number[], kind: number[]): string {
    const body = Uint8Array.of(0x83, ...root, ...attributes, ...kind)
    const sum = new DataView(new ArrayBuffer(4))
    sum.setUint32(0, crc32(body))
    const checksum = [0x1a, ...new Uint8Array(sum.buffer)]
    return base58.encode(Uint8Array.of(0x82, 0xd8, 24, 0x58, body.length, ...body, ...checksum))
  }
  const root = [0x58, 28, ...hash]

  test('vouchers, scripts that never came to be, and roots of another length are refused', () => {
    accepts('cardano', byron(root, [0xa0], [0]))
    refuses('cardano', byron(root, [0xa0], [1]), /can not be paid/)
    refuses('cardano', byron(root, [0xa0], [2]), /can not be paid/)
    refuses('cardano', byron([0x58, 27, ...hash.slice(1)], [0xa0], [0]))
    refuses('cardano', byron(root, [0xa0], [0, 0]))
  })

  test('a count of attributes that promises billions is refused at once', { timeout: 10_000 }, () => {
    refuses('cardano', byron(root, [0xba, 0xff, 0xff, 0xff, 0xff], [0]))
  })
})
