import assert from 'node:assert/strict'
import { test } from 'node:test'

import { decodeRippleBase58, encodeRippleBase58 } from './base58.ts'
import { accepts, lines, refuses } from '../../../test/vectors/addresses/judge.ts'
import { tagged } from '../../../test/vectors/addresses/xrp.ts'

const cases = tagged.flatMap((classic, at) => {
  const [tag = '', main = '', test = ''] = tagged.slice(at + 1)
  return at % 4 ? [] : [{ classic, tag: tag === '-' ? undefined : tag, main, test }]
})

test('every X-address of XLS-5 on the main network is its classic address and its tag', () => {
  assert.equal(cases.length, 22)
  for (const { classic, tag, main } of cases) {
    accepts('xrp', classic)
    accepts('xrp', main, classic, tag)
  }
})

test('every X-address of XLS-5 on a test network is refused, and says why', () => {
  for (const { test } of cases) refuses('xrp', test, /test network/)
})

/** ripple-address-codec's tests (XRPLF/xrpl.js, as of 2026-08-20). */
test('the classic addresses of the published tests are accepted, the broken ones refused', () => {
  for (const text of lines(`
    rJrRMgiRgrU6hDF4pgu5DXQdWyPbY35ErN
    rU6K7V3Po4snVhBBaU29sesqs2qTQJWDw1
    rLUEXYuLiQptky37CqLcm9USQpPiz5rkpD
  `)) {
    accepts('xrp', text)
  }
  for (const text of lines(`
    rU6K7V3Po4snVhBBaU29sesqs2qTQJWDw2
    XVLhHMPHU98es4dbozjVtdWzVrDjtV5fdx1mHp98tDMoQXa
    dGzKGt8CVpWoa8aWL1k18tAdy9Won3PxynvbbpkAqp3V47g
    XVLhHMPHU98es4dbozjVtdWzVrDjtV18pX8zeUygYrCgrPh
    r
  `)) {
    refuses('xrp', text)
  }
})

test('a tag of 64 bits, an unknown flag, and a tag behind the flag for none are refused', () => {
  const [none, one] = cases.map(({ main }) => decodeRippleBase58(main))
  const changed = (bytes: Uint8Array | undefined, place: number, byte: number): string =>
    encodeRippleBase58(Uint8Array.from(bytes ?? [], (old, at) => (at === place ? byte : old)))
  accepts('xrp', changed(one, 23, 2), 'r9cZA1mLK5R5Am25ArfXFmqgNwjZgnfk59', '2')
  for (const text of [changed(one, 22, 2), changed(one, 22, 3), changed(one, 27, 1), changed(one, 30, 1)])
    refuses('xrp', text, /tag/)
  refuses('xrp', changed(none, 23, 1), /tag/)
})

/** xrpl.org, "Special addresses": ACCOUNT_ZERO and ACCOUNT_ONE. */
test('accounts without a key, secret keys and addresses of other chains are refused', () => {
  refuses('xrp', 'rrrrrrrrrrrrrrrrrrrrrhoLvTp', /lost/)
  refuses('xrp', 'rrrrrrrrrrrrrrrrrrrrBZbvji', /lost/)
  refuses('xrp', 'sn259rEFXrQrWyx3Q7XneWcwV6dfL', /Show it to nobody/)
  refuses('xrp', '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa')
})
