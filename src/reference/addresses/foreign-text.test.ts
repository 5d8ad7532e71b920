import assert from 'node:assert/strict'
import { test } from 'node:test'

import { networks } from '../catalog/network.ts'
import { checkAddress, makeSandboxAddress } from './address.ts'
import { foreignSentence } from './foreign-text.ts'
import { readPaymentUri } from './read-payment-uri.ts'

const families = [...new Set(networks.map(({ family }) => family))]

test('the address of any family is named where one of another is expected, alone and in a link', () => {
  let pairs = 0
  for (const own of families) {
    for (const { family, addressExample } of networks.filter((network) => network.family !== own)) {
      for (const address of [addressExample, makeSandboxAddress(family, Uint8Array.of(3)), ` ${addressExample} `]) {
        const sentence = foreignSentence(own, 'Coin', address) ?? assert.fail(`${address} for ${own}`)
        assert.match(sentence, /^That's an? [A-Z].* address\. You're buying Coin\.$/)
      }
      pairs += 1
    }
  }
  assert.ok(pairs >= 156, `${pairs} pairs`)
  for (const [own, text, name] of [
    ['bitcoin', 'ethereum:0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed@1?value=1', 'an Ethereum'],
    ['bitcoin', 'bitcoincash:qpm2qsznhks23z7629mms6s4cwef74vcwvy22gdx6a', 'a Bitcoin Cash'],
    ['bitcoin', 'qpm2qsznhks23z7629mms6s4cwef74vcwvy22gdx6a', 'a Bitcoin Cash'],
    ['evm', 'bitcoin:bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4?amount=1', 'a Bitcoin'],
    ['bitcoin', '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD', 'an Ethereum'],
    ['bitcoin', '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAe', 'an Ethereum'],
  ] as const)
    assert.equal(foreignSentence(own, 'Coin', text), `That's ${name} address. You're buying Coin.`, text)
})

test('a Lightning invoice, an extended public key, a name and an email address are named', () => {
  for (const [text, what] of [
    [
      'lnbc2500u1pvjluezpp5qqqsyqcyq5rqwzqfqqqsyqcyq5rqwzqfqqqsyqcyq5rqwzqfqypqdq5xysxxatsyp3k7enxv4js',
      'a Lightning invoice',
    ],
    ['lightning:LNBC1PVJLUEZPP5QQQSYQCYQ5RQWZQFQQQSYQCYQ5RQWZQF', 'a Lightning invoice'],
    [
      'lnurl1dp68gurn8ghj7um9wfmxjcm99e3k7mf0v9cxj0m385ekvcenxc6r2c35xvukxefcv5mkvv34x5ekzd3ev56nyd3hxqurzepexejxxepnxscrvwfnv9nxzcn9xq6xyefhvgcxxcmyxymnserxfq5fns',
      'a Lightning invoice',
    ],
    [
      'xpub661MyMwAqRbcFtXgS5sYJABqqG9YLmC4Q1Rdap9gSE8NqtwybGhePY2gZ29ESFjqJoCu1Rupje8YtGqsefD265TMg7usUDFdp6W1EGMcet8',
      'an extended public key',
    ],
    [
      'zpub6rFR7y4Q2AijBEqTUquhVz398htDFrtymD9xYYfG1m4wAcvPhXNfE3EfH1r1ADqtfSdVCToUG868RvUUkgDKf31mGDtKsAYz2oz2AGutZYs',
      'an extended public key',
    ],
    ['vitalik.eth', 'a name'],
    ['pay.satoshi.bitcoin', 'a name'],
    ['satoshi@wallet.example', 'an email address'],
  ] as const)
    assert.equal(
      foreignSentence('bitcoin', 'Bitcoin', text),
      `That's ${what}, not an address. Copy your Bitcoin address from your wallet.`,
      text,
    )
  for (const text of [
    '',
    'x',
    'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t5',
    'example.com',
    '1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2',
  ])
    assert.equal(foreignSentence('bitcoin', 'Bitcoin', text), undefined, text)
})

test('a tag in an address of the XRP Ledger is read in each of its spellings', () => {
  const classic = 'rPEPPER7kfTD9w2To4CQk6UCfuHM9c6GDY'
  const tagged = { ok: true, canonical: classic, extraId: '12345' }
  assert.deepEqual(checkAddress('xrp', `${classic}?dt=12345`), tagged)
  assert.equal(checkAddress('xrp', `${classic}?dt=4294967296`).ok, false)
  assert.equal(checkAddress('xrp', `${classic}?dt=`).ok, false)
  const coin = { family: 'xrp', caip2: 'xrpl:0', contract: null } as const
  assert.deepEqual(readPaymentUri(coin, `xrpl://${classic}?dt=12345`), { ok: true, address: classic, extraId: '12345' })
})
