import assert from 'node:assert/strict'
import { describe, test } from 'node:test'

import { base64url } from '@scure/base'

import { crc16 } from './crc16.ts'
import { accepts, lines, refuses } from '../../../test/vectors/addresses/judge.ts'

/** TEP-2; docs.ton.org, "Working with contract addresses"; the crate ton_smart_contract_address. */
const sameAccounts = [
  lines(`
    Uf_lZ1T4NCb2mwkme9h2rJfESCE0W34ma9lWp7-_uY3zXGYv
    Ef_lZ1T4NCb2mwkme9h2rJfESCE0W34ma9lWp7-_uY3zXDvq
    Uf/lZ1T4NCb2mwkme9h2rJfESCE0W34ma9lWp7+/uY3zXGYv
    -1:e56754f83426f69b09267bd876ac97c44821345b7e266bd956a7bfbfb98df35c
    -1:E56754F83426F69B09267BD876AC97C44821345B7E266BD956A7BFBFB98DF35C
  `),
  lines(`
    UQC6YL-9UnwM0tcMY5ZjDFCkmK8BW5h62q0dSp4of2BFNqQF
    EQC6YL-9UnwM0tcMY5ZjDFCkmK8BW5h62q0dSp4of2BFNvnA
    EQC6YL+9UnwM0tcMY5ZjDFCkmK8BW5h62q0dSp4of2BFNvnA
    0:ba60bfbd527c0cd2d70c6396630c50a498af015b987adaad1d4a9e287f604536
  `),
]

/** The friendly form of any tag, workchain and hash. */
function friendly(tag: number, workchain: number, hash = new Uint8Array(32).fill(7)): string {
  const body = Uint8Array.of(tag, workchain, ...hash)
  const checksum = crc16(body)
  return base64url.encode(Uint8Array.of(...body, checksum >> 8, checksum & 0xff))
}

describe('ton', () => {
  test('every form of one account in TEP-2 and the documents is accepted, as the url-safe non-bounceable one', () => {
    for (const [canonical = '', ...others] of sameAccounts) {
      accepts('ton', canonical)
      for (const text of others) accepts('ton', text, canonical)
    }
    const raw = '0:ca6e321c7cce9ecedf0a8ca2492ec8592494aa5fb5ce0387dff96ef6af982a3e'
    accepts(
      'ton',
      'EQDKbjIcfM6ezt8KjKJJLshZJJSqX7XOA4ff-W72r5gqPrHF',
      'UQDKbjIcfM6ezt8KjKJJLshZJJSqX7XOA4ff-W72r5gqPuwA',
    )
    accepts('ton', raw, 'UQDKbjIcfM6ezt8KjKJJLshZJJSqX7XOA4ff-W72r5gqPuwA')
  })

  test('an address for test networks only is refused, and says why', () => {
    for (const tag of [0x91, 0xd1]) refuses('ton', friendly(tag, 0), /test network/)
  })

  test('other tags and workchains are refused', () => {
    accepts('ton', friendly(0x51, 0))
    accepts('ton', friendly(0x51, 0xff))
    refuses('ton', friendly(0x51, 1), /paid to/)
    refuses('ton', friendly(0x52, 0), /paid to/)
    refuses('ton', `1:${'07'.repeat(32)}`)
  })

  /** TEP-2: a public key and an ADNL address in their armour. */
  test('what TEP-2 writes that is no account is refused', () => {
    refuses('ton', 'Pubjns2gp7DGCnEH7EOWeCnb6Lw1akm538YYaz6sdLVHfRB2')
    refuses('ton', 'vcqmha5j3ceve35ammfrhqty46rkhi455otydstv66pk2tmf7rl25f3')
  })

  test('the zero address, mixed alphabets, wrong case and other lengths are refused', () => {
    refuses('ton', 'EQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAM9c', /lost/)
    refuses('ton', `0:${'0'.repeat(64)}`, /lost/)
    const [canonical = ''] = sameAccounts[0] ?? []
    assert(canonical.includes('-') && canonical.includes('_'))
    refuses('ton', canonical.replace('-', '+'))
    refuses('ton', canonical.toLowerCase())
    refuses('ton', `${canonical}==`)
    refuses('ton', `0:${'7'.repeat(63)}`)
    refuses('ton', `00:${'7'.repeat(64)}`)
  })
})
