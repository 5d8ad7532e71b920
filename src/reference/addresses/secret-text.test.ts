import assert from 'node:assert/strict'
import { test } from 'node:test'

import { networks } from '../catalog/network.ts'
import { makeSandboxAddress } from './address.ts'
import { secretIn } from './secret-text.ts'

/** Published examples: Bitcoin's wiki, BIP-32, BIP-84, SEP-5, the genesis of the XRP Ledger, a Solana tutorial's length. */
const keys = [
  '5HueCGU8rMjxEXxiPuD5BDku4MkFqeZyd4dZ1jvhTVqvbTLvyTJ',
  'KwdMAjGmerYanjeui5SHS7JkmpZvVipYvB2LJGU1ZxJwYvP98617',
  'xprv9s21ZrQH143K3QTDL4LXw2F7HEK3wJUD2nW2nRk4stbPy6cq3jPPqjiChkVvvNKmPGJxWUtg6LnF5kejMRNNU3TGtRBeJgk33yuGBxrMPHi',
  'zprvAdG4iTXWBoARxkkzNpNh8r6Qag3irQB8PzEMkAFeTRXxHpbF9z4QgEvBRmfvqWvGp42t42nvgGpNgYSJA9iefm1yYNZKEm7z6qUWCroSQnE',
  'E9873D79C6D87DC0FB6A5778633389F4453213303DA61F20BD67FC233AA33262',
  '0xe9873d79c6d87dc0fb6a5778633389f4453213303da61f20bd67fc233aa33262',
  'SBGWSG6BTNCKCOB3DIFBGCVMUPQFYPA2G4O34RMTB343OYPXU5DJDVMN',
  'snoPBrXtMeMyMHUVTgbuqAfg1SUTb',
  `[${Array.from({ length: 64 }, (_, index) => index * 3).join(', ')}]`,
]
const phrase = 'legal winner thank year wave sausage worth useful legal winner thank yellow'

test('private keys are known in all their usual forms', () => {
  for (const key of keys) for (const text of [key, ` ${key}\n`]) assert.equal(secretIn(text), 'private_key', text)
})

test('recovery phrases are known however they are written, and with a mistyped word among more than twelve', () => {
  const words = phrase.split(' ')
  for (const text of [
    phrase,
    phrase.toUpperCase(),
    words.join(', '),
    words.map((word, index) => `${index + 1}. ${word}`).join('\n'),
    `My wallet: ${phrase}. Please help!`,
    `oops ${phrase} ${phrase}`,
  ]) {
    assert.equal(secretIn(text), 'recovery_phrase', text)
  }
})

test('addresses of every network, extended public keys, ids and ordinary sentences are no secrets', () => {
  const addresses = networks.flatMap(({ family, addressExample }) => [
    addressExample,
    ...[1, 2, 3].map((seed) => makeSandboxAddress(family, Uint8Array.of(seed))),
  ])
  for (const text of [
    ...addresses,
    'xpub661MyMwAqRbcFtXgS5sYJABqqG9YLmC4Q1Rdap9gSE8NqtwybGhePY2gZ29ESFjqJoCu1Rupje8YtGqsefD265TMg7usUDFdp6W1EGMcet8',
    '3f2504e0-4f89-41d3-9a0c-0305e82c3301',
    'About once a year we move house and then the young one has to change the school again.',
    phrase.split(' ').slice(0, 11).join(' '),
    '',
  ]) {
    assert.equal(secretIn(text), undefined, text)
  }
})
