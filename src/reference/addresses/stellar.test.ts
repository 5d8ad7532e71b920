import assert from 'node:assert/strict'
import { test } from 'node:test'

import { crc16 } from './crc16.ts'
import { accepts, refuses } from '../../../test/vectors/addresses/judge.ts'
import { invalid, notAccounts } from '../../../test/vectors/addresses/stellar.ts'

const account = 'GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ'

test('every valid account of SEP-23 is accepted, a muxed one as its account and its number', () => {
  accepts('stellar', account)
  accepts('stellar', 'MA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJUAAAAAAAAAAAACJUQ', account, '0')
  accepts(
    'stellar',
    'MA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVAAAAAAAAAAAAAJLK',
    account,
    '9223372036854775808',
  )
})

test('every strkey that SEP-23 calls invalid is refused', () => {
  assert.equal(invalid.length, 15)
  for (const text of invalid) refuses('stellar', text)
})

test('the valid strkeys of SEP-23 that are no accounts are refused', () => {
  assert.equal(notAccounts.length, 5)
  for (const text of notAccounts) refuses('stellar', text, text.startsWith('C') ? /contract/ : /begins with G or M/)
})

test('a secret key is refused with a warning', () => {
  refuses('stellar', 'SBGWKM3CD4IL47QN6X54N6Y33T3JDNVI6AIJ6CD5IM47HG3IG4O36XCU', /Show it to nobody/)
})

test('lower case, the zero account and other chains are refused', () => {
  refuses('stellar', account.toLowerCase())
  refuses('stellar', 'GAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAWHF', /lost/)
  refuses('stellar', 'MO2H6ZU47Q36GJ6GVHUKGEBEQINN7ZWVACMWZQGIYUOE3RBSRVYHV4ACJI')
})

/** The check value of CRC-16/XMODEM in the catalog of parametrised CRC algorithms (reveng.sourceforge.io). */
test('the checksum is the CRC16 that the standard names', () => {
  assert.equal(crc16(new TextEncoder().encode('123456789')), 0x31c3)
})
