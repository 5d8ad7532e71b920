import assert from 'node:assert/strict'
import { test } from 'node:test'

import fc from 'fast-check'

import type { AddressFamily } from './address.ts'
import { paymentUri } from './payment-uri.ts'
import type { RequestedCoin } from './payment-uri.ts'

const coin = (family: AddressFamily, decimals: number, contract: string | null = null, caip2 = ''): RequestedCoin => ({
  family,
  decimals,
  contract,
  caip2,
})
const pay = (address: string, amount: bigint, extraId = '') => ({ address, amount, extraId })

const examples: [standard: string, uri: string, coin: RequestedCoin, payment: ReturnType<typeof pay>][] = [
  [
    'BIP-21',
    'bitcoin:175tWpb8K1S7NmH4Zx6rewF9WQrcZv245W?amount=20.3',
    coin('bitcoin', 8),
    pay('175tWpb8K1S7NmH4Zx6rewF9WQrcZv245W', 20_3000_0000n),
  ],
  [
    'BIP-21 for Litecoin',
    'litecoin:LT2KVaAy1ppRuxRgrS5RNU3vBsy7RibPeA?amount=50',
    coin('litecoin', 8),
    pay('LT2KVaAy1ppRuxRgrS5RNU3vBsy7RibPeA', 50_0000_0000n),
  ],
  [
    'BIP-21 for Dogecoin',
    'dogecoin:DD4KSSuBJqcjuTcvUg1CgUKeurPUFeEZkE?amount=0.00000001',
    coin('dogecoin', 8),
    pay('DD4KSSuBJqcjuTcvUg1CgUKeurPUFeEZkE', 1n),
  ],
  [
    'CashAddr, "Double prefix"',
    'bitcoincash:qpm2qsznhks23z7629mms6s4cwef74vcwvy22gdx6a?amount=1',
    coin('bitcoin-cash', 8),
    pay('bitcoincash:qpm2qsznhks23z7629mms6s4cwef74vcwvy22gdx6a', 1_0000_0000n),
  ],
  [
    'ERC-681 (2.014 ETH; the number written out, the chain named)',
    'ethereum:0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359@1?value=2014000000000000000',
    coin('evm', 18, null, 'eip155:1'),
    pay('0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359', 2_014n * 10n ** 15n),
  ],
  [
    'ERC-681 (a token)',
    'ethereum:0x89205a3a3b2a69de6dbf7f01ed13b2108b2c43e7@137/transfer?address=0x8e23ee67d1332ad560396262c48ffbb01f93d052&uint256=1',
    coin('evm', 6, '0x89205a3a3b2a69de6dbf7f01ed13b2108b2c43e7', 'eip155:137'),
    pay('0x8e23ee67d1332ad560396262c48ffbb01f93d052', 1n),
  ],
  [
    'Solana Pay',
    'solana:mvines9iiHiQTysrwkJjGf2gb9Ex9jXJX8ns3qwf2kN?amount=1&memo=OrderId1234',
    coin('solana', 9),
    pay('mvines9iiHiQTysrwkJjGf2gb9Ex9jXJX8ns3qwf2kN', 10n ** 9n, 'OrderId1234'),
  ],
  [
    'Solana Pay (a token)',
    'solana:mvines9iiHiQTysrwkJjGf2gb9Ex9jXJX8ns3qwf2kN?amount=0.01&spl-token=EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
    coin('solana', 6, 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'),
    pay('mvines9iiHiQTysrwkJjGf2gb9Ex9jXJX8ns3qwf2kN', 10_000n),
  ],
  [
    'Xaman, "Payment Request Link"',
    'xrpl://rwietsevLFg8XSmG3bEZzFein1g8RBqWDZ?amount=2&dt=123',
    coin('xrp', 6),
    pay('rwietsevLFg8XSmG3bEZzFein1g8RBqWDZ', 2_000_000n, '123'),
  ],
  [
    'SEP-7',
    'web+stellar:pay?destination=GCALNQQBXAPZ2WIRSDDBMSTAKCUH5SG6U76YBFLQLIXJTF7FE5AX7AOO&amount=120.1234567&memo=skdjfasf&memo_type=MEMO_TEXT',
    coin('stellar', 7),
    pay('GCALNQQBXAPZ2WIRSDDBMSTAKCUH5SG6U76YBFLQLIXJTF7FE5AX7AOO', 1_201_234_567n, 'skdjfasf'),
  ],
  [
    'SEP-7 (an asset)',
    'web+stellar:pay?destination=GCALNQQBXAPZ2WIRSDDBMSTAKCUH5SG6U76YBFLQLIXJTF7FE5AX7AOO&amount=120.123&asset_code=USD&asset_issuer=GCRCUE2C5TBNIPYHMEP7NK5RWTT2WBSZ75CMARH7GDOHDDCQH3XANFOB&memo=hasysda987fs&memo_type=MEMO_TEXT',
    coin('stellar', 7, 'USD-GCRCUE2C5TBNIPYHMEP7NK5RWTT2WBSZ75CMARH7GDOHDDCQH3XANFOB'),
    pay('GCALNQQBXAPZ2WIRSDDBMSTAKCUH5SG6U76YBFLQLIXJTF7FE5AX7AOO', 1_201_230_000n, 'hasysda987fs'),
  ],
  [
    'CIP-13',
    'web+cardano:Ae2tdPwUPEZ76BjmWDTS7poTekAvNqBjgfthF92pSLSDVpRVnLP7meaFhVd?amount=2.5',
    coin('cardano', 6),
    pay('Ae2tdPwUPEZ76BjmWDTS7poTekAvNqBjgfthF92pSLSDVpRVnLP7meaFhVd', 2_500_000n),
  ],
  [
    'ARC-26',
    'algorand://TMTAD6N22HCS2LKH7677L2KFLT3PAQWY6M4JFQFXQS32ECBFC23F57RYX4?amount=150500000',
    coin('algorand', 6),
    pay('TMTAD6N22HCS2LKH7677L2KFLT3PAQWY6M4JFQFXQS32ECBFC23F57RYX4', 150_500_000n),
  ],
  [
    'ARC-26 (an asset)',
    'algorand://TMTAD6N22HCS2LKH7677L2KFLT3PAQWY6M4JFQFXQS32ECBFC23F57RYX4?amount=150&asset=45',
    coin('algorand', 0, '45'),
    pay('TMTAD6N22HCS2LKH7677L2KFLT3PAQWY6M4JFQFXQS32ECBFC23F57RYX4', 150n),
  ],
  [
    'TON, "Deep links"',
    'ton://transfer/UQDYzZmfsrGzhObKJUw4gzdeIxEai3jAFbiGKGwxvxHinf4K?amount=5000000&text=hello',
    coin('ton', 9),
    pay('UQDYzZmfsrGzhObKJUw4gzdeIxEai3jAFbiGKGwxvxHinf4K', 5_000_000n, 'hello'),
  ],
  [
    'TON, "Deep links" (a jetton)',
    'ton://transfer/UQDYzZmfsrGzhObKJUw4gzdeIxEai3jAFbiGKGwxvxHinf4K?jetton=EQCxE6mUtQJKFnGfaROTKOt1lZbDiiX1kCixRv7Nw2Id_sDs&amount=5000&text=hello',
    coin('ton', 6, 'EQCxE6mUtQJKFnGfaROTKOt1lZbDiiX1kCixRv7Nw2Id_sDs'),
    pay('UQDYzZmfsrGzhObKJUw4gzdeIxEai3jAFbiGKGwxvxHinf4K', 5_000n, 'hello'),
  ],
]

for (const [standard, uri, coin, payment] of examples) {
  test(`a wallet is asked as ${standard} asks`, () => {
    assert.equal(paymentUri(coin, payment), uri)
  })
}

test('where no form is established, a wallet gets the plain address and never a request for another coin', () => {
  for (const [coins, address] of [
    [coin('tron', 6), 'TLLM21wteSPs4hKjbxgmH1L6poyMjeTbHm'],
    [coin('tron', 6, 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t'), 'TLLM21wteSPs4hKjbxgmH1L6poyMjeTbHm'],
    [coin('polkadot', 10), '15oF4uVJwmo4TdGW7VfQxNLavjCXviqxT9S1MgbjMNHr6Sp5'],
    [coin('cardano', 6, 'a token'), 'Ae2tdPwUPEZ76BjmWDTS7poTekAvNqBjgfthF92pSLSDVpRVnLP7meaFhVd'],
    [coin('bitcoin', 8, 'a token'), '175tWpb8K1S7NmH4Zx6rewF9WQrcZv245W'],
    [coin('xrp', 6, 'a token'), 'rwietsevLFg8XSmG3bEZzFein1g8RBqWDZ'],
    [coin('stellar', 7, 'no issuer'), 'GCALNQQBXAPZ2WIRSDDBMSTAKCUH5SG6U76YBFLQLIXJTF7FE5AX7AOO'],
    [coin('evm', 18, null, 'cosmos:1'), '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359'],
  ] as const) {
    assert.equal(paymentUri(coins, pay(address, 7n, 'memo')), address)
  }
})

test('a memo of Stellar that is a number of 64 bits travels as one, every other as text', () => {
  const typeOf = (memo: string) =>
    new URL(paymentUri(coin('stellar', 7), pay('G', 1n, memo))).searchParams.get('memo_type')
  for (const memo of ['0', '7', '18446744073709551615']) assert.equal(typeOf(memo), 'MEMO_ID')
  for (const memo of ['18446744073709551616', '007', '1.5', 'x7', '-1']) assert.equal(typeOf(memo), 'MEMO_TEXT')
})

test('a memo arrives as it was written, whatever is in it', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1, unit: 'grapheme' }), (memo) => {
      const uri = new URL(paymentUri(coin('ton', 9), pay('UQ', 1n, memo)))
      assert.equal(uri.searchParams.get('text'), memo)
      assert.equal(uri.searchParams.get('amount'), '1')
    }),
  )
})
