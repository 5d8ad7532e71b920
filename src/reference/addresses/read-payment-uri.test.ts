import assert from 'node:assert/strict'
import { test } from 'node:test'

import fc from 'fast-check'

import type { AddressFamily } from './address.ts'
import { paymentUri } from './payment-uri.ts'
import { readPaymentUri } from './read-payment-uri.ts'

const usdc = '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48'
const someone = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'

const coin = (family: AddressFamily, contract: string | null = null, caip2 = 'eip155:1') => ({
  family,
  contract,
  caip2,
  decimals: 6,
})
const paid = (address: string, extraId = '') => ({ ok: true, address, extraId })
const asksFor = (what: 'network' | 'coin') => ({ ok: false, asksFor: what })

test('what our own pages ask for is read as it was written, for every family that has a form', () => {
  const coins = [
    coin('bitcoin'),
    coin('litecoin'),
    coin('dogecoin'),
    coin('cardano'),
    coin('evm'),
    coin('evm', usdc, 'eip155:137'),
    coin('solana'),
    coin('solana', 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'),
    coin('xrp'),
    coin('stellar'),
    coin('stellar', 'USDC-GA5ZSEJYB37JRC5AVCIA5MOP4RHTM335X2KGX3IHOJAPP5RE34K4KZVN'),
    coin('algorand', '31566704'),
    coin('ton'),
    coin('ton', 'EQCxE6mUtQJKFnGfaROTKOt1lZbDiiX1kCixRv7Nw2Id_sDs'),
  ]
  for (const one of coins) {
    const uri = paymentUri(one, { address: someone, extraId: '', amount: 1_500_000n })
    assert.notEqual(uri, someone, one.family)
    assert.deepEqual(readPaymentUri(one, uri), paid(someone), uri)
  }
})

test('a memo or tag that a request names is read with its address', () => {
  const xrp = 'rPEPPER7kfTD9w2To4CQk6UCfuHM9c6GDY'
  assert.deepEqual(readPaymentUri(coin('xrp'), `xrpl://${xrp}?amount=1&dt=7`), paid(xrp, '7'))
  assert.deepEqual(readPaymentUri(coin('xrp'), `ripple:${xrp}?dt=7`), paid(xrp, '7'))
  const stellar = 'web+stellar:pay?destination=GABC&amount=1&memo=a%20b&memo_type=MEMO_TEXT'
  assert.deepEqual(readPaymentUri(coin('stellar'), stellar), paid('GABC', 'a b'))
  assert.deepEqual(readPaymentUri(coin('ton'), 'ton://transfer/UQabc?amount=1&text=hello'), paid('UQabc', 'hello'))
})

test('a link of Xaman is read, and what names two tags is refused', () => {
  const xrp = 'rPEPPER7kfTD9w2To4CQk6UCfuHM9c6GDY'
  for (const start of ['https://xumm.app/detect/request:', 'https://xaman.app/detect/request:', 'xrpl:'])
    assert.deepEqual(readPaymentUri(coin('xrp'), `${start}${xrp}?amount=1&dt=7`), paid(xrp, '7'), start)
  for (const query of ['dt=7&dt=8', 'dt=7&tag=8', 'tag=8&dt=7'])
    assert.deepEqual(readPaymentUri(coin('xrp'), `xrpl:${xrp}?${query}`), { ok: false, asksFor: 'two memos' }, query)
  assert.deepEqual(readPaymentUri(coin('xrp'), `xrpl:${xrp}?dt=7&tag=7&memo=hello`), paid(xrp, '7'))
  assert.equal(readPaymentUri(coin('xrp'), `https://evil.example/detect/request:${xrp}`), undefined)
  assert.deepEqual(readPaymentUri(coin('bitcoin'), `https://xaman.app/detect/request:${xrp}`), asksFor('network'))
})

test('a request for another network or coin is never taken for ours', () => {
  const refused: [ReturnType<typeof coin>, string, 'network' | 'coin'][] = [
    [coin('litecoin'), 'bitcoin:bc1qxyz?amount=1', 'network'],
    [coin('bitcoin-cash'), 'bitcoin:1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2', 'network'],
    [coin('evm'), 'bitcoin:bc1qxyz', 'network'],
    [coin('evm', null, 'eip155:1'), `ethereum:${someone}@56`, 'network'],
    [coin('evm', usdc, 'eip155:1'), `ethereum:${usdc}@137/transfer?address=${someone}`, 'network'],
    [coin('evm'), `ethereum:${usdc}@1/transfer?address=${someone}`, 'coin'],
    [coin('evm', usdc), `ethereum:${someone}/transfer?address=${someone}`, 'coin'],
    [coin('evm', usdc), `ethereum:${usdc}/approve?address=${someone}`, 'coin'],
    [coin('solana'), 'solana:abc?spl-token=def', 'coin'],
    [coin('solana', 'abc'), 'solana:abc?spl-token=def', 'coin'],
    [coin('stellar'), 'web+stellar:pay?destination=G&asset_code=USDC&asset_issuer=G2', 'coin'],
    [coin('algorand', '1'), 'algorand://abc?asset=2', 'coin'],
  ]
  for (const [one, uri, what] of refused) assert.deepEqual(readPaymentUri(one, uri), asksFor(what), uri)
})

test('an address is no request, however it is spelled, and what a wallet leaves open is taken as ours', () => {
  for (const text of [someone, 'bc1qxyz', '', 'https://example.com/?address=1', 'bchtest:qpm2', 'constructor:x', ':'])
    assert.equal(readPaymentUri(coin('bitcoin'), text), undefined, text)
  assert.deepEqual(readPaymentUri(coin('evm', usdc, 'eip155:137'), `ethereum:${someone}`), paid(someone))
  assert.deepEqual(readPaymentUri(coin('evm'), `ETHEREUM:pay-${someone}@1?value=1`), paid(someone))
  assert.deepEqual(readPaymentUri(coin('bitcoin'), ' BITCOIN:BC1QXYZ?AMOUNT=1#x '), paid('BC1QXYZ'))
  assert.deepEqual(readPaymentUri(coin('bitcoin-cash'), 'bitcoincash:qpm2?amount=1'), paid('qpm2'))
})

test('reading a request never fails, whatever the text', () => {
  fc.assert(
    fc.property(
      fc.constantFrom<AddressFamily>('bitcoin', 'evm', 'stellar', 'ton'),
      fc.constantFrom('', 'bitcoin:', 'ethereum:', 'web+stellar:', 'ton://'),
      fc.string(),
      (family, scheme, text) => {
        readPaymentUri(coin(family, 'x'), scheme + text)
      },
    ),
  )
})
