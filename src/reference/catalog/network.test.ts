import assert from 'node:assert/strict'
import { describe, test } from 'node:test'

// oxlint-disable-next-line import/default -- a CommonJS module: all of it is the default
import particle from '@particle-network/chains'
import fc from 'fast-check'

import { assertUnique } from '../../../test/support/assert-unique.ts'
import { checkAddress, makeSandboxAddress } from '../addresses/address.ts'
import { findNetwork, networks } from './network.ts'
import type { Network } from './network.ts'

const chainOf = (code: string): Network => findNetwork(code) ?? assert.fail(code)

describe('networks', () => {
  test('there are many, of every family', () => {
    assert(networks.length >= 18)
    assert.equal(new Set(networks.map(({ family }) => family)).size, 13)
  })

  test('each code, alias and CAIP-2 name is used once, and is well formed', () => {
    assertUnique(networks.flatMap(({ code, aliases }) => [code, ...aliases]))
    assertUnique(networks.map(({ caip2 }) => caip2))
    for (const { code, aliases, caip2 } of networks) {
      for (const name of [code, ...aliases]) assert.match(name, /^[A-Z0-9]{2,12}$/)
      assert.match(caip2, /^[-a-z0-9]{3,8}:[-_a-zA-Z0-9]{1,32}$/)
    }
  })

  test('another spelling is read, and written as the code', () => {
    const codes = {
      op: 'OPTIMISM',
      Pol: 'MATIC',
      polygon: 'MATIC',
      erc20: 'ETH',
      Bep20: 'BSC',
      BNB: 'BSC',
      trc20: 'TRX',
      arb: 'ARBITRUM',
    }
    for (const [alias, code] of Object.entries(codes)) assert.equal(findNetwork(alias)?.code, code, alias)
  })

  test('each has a page for a transfer and sensible numbers', () => {
    for (const { code, explorerMask, minConfirmations, blockSeconds, native } of networks) {
      assert(new URL(explorerMask.replace('$$', 'hash')).href.includes('hash'), code)
      assert.equal(explorerMask.split('$$').length, 2, code)
      assert(Number.isInteger(minConfirmations) && minConfirmations >= 1 && blockSeconds > 0, code)
      assert(minConfirmations * blockSeconds <= 2 * 3600, `${code}: a customer waits for hours`)
      assert(native.decimals >= 0 && native.decimals <= 18, code)
    }
  })

  test("each one's example is an address by its form and by its checksum, in the spelling that we keep", () => {
    for (const { code, addressRegex, addressExample, family } of networks) {
      assert.match(addressRegex, /^\^.*\$$/, code)
      assert.match(addressExample, new RegExp(addressRegex, 'u'))
      assert.deepEqual(checkAddress(family, addressExample), { ok: true, canonical: addressExample })
    }
  })

  test('the form of a network takes every address of the sandbox there', () => {
    for (const { code, addressRegex, family } of networks) {
      for (let seed = 0; seed < 50; seed++) {
        const address = makeSandboxAddress(family, Uint8Array.of(seed))
        assert.match(address, new RegExp(addressRegex, 'u'), code)
      }
    }
  })
})

describe('outside tables', () => {
  /** The table still has Polygon's coin by its name before September 2024. */
  const renamed: Record<string, string> = { MATIC: 'POL' }

  test('Particle Network knows each EVM chain by the same number, with the same coin and explorer', () => {
    const evm = networks.filter(({ family }) => family === 'evm')
    assert(evm.length >= 7)
    for (const { code, caip2, native, explorerMask } of evm) {
      const [, number = ''] = caip2.split(':')
      const known = particle.chains.getEVMChainInfoById(Number(number)) ?? assert.fail(code)
      const { symbol, decimals } = known.nativeCurrency
      assert.equal(caip2, `eip155:${known.id}`)
      assert.deepEqual({ ticker: renamed[symbol] ?? symbol, decimals }, native, code)
      assert.equal(new URL(explorerMask).host, new URL(known.blockExplorerUrl).host)
    }
  })

  /**
   * Hashes of first blocks, as nodes have them: Bitcoin Core, Litecoin Core and Dogecoin Core (chainparams.cpp), Bitcoin Cash
   * Node (its first own block), java-tron, `solana genesis-hash`, Polkadot's and Algorand's chain specifications.
   */
  const firstBlocks: Record<string, string> = {
    BTC: '000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f',
    LTC: '12a765e31ffd4059bada1e25190f6e98c99d9714d334efa41a195a7e7e04bfe2',
    DOGE: '1a91e3dace36e2be3bf030a65679fe821aa1d6ef92e7c9902eb318182c355691',
    BCH: '000000000000000000651ef99cb9fcbe0dadde1d424bd9f15ff20136191a5eec',
    SOL: '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d',
    DOT: '68d56f15f85d3136970ec16946040bc1752654e906147f7e43e9d539d7c3de2f',
    ALGO: 'wGHE2Pwdvd7S12BL5FaOP20EGYesN73ktiC1qzkkit8=',
  }

  test('a chain named for its first block is named for that block', () => {
    for (const [code, hash] of Object.entries(firstBlocks)) {
      assert.equal(chainOf(code).caip2.split(':')[1], hash.slice(0, 32), code)
    }
    const tron = '00000000000000001ebf88508a03865c71d452e25f4d51194196a1d22b6653dc'
    assert.equal(chainOf('TRX').caip2, `tron:${BigInt(`0x${tron.slice(-8)}`)}`)
  })

  test('the others have the names that their namespaces give them', () => {
    const named = networks.filter(({ code, family }) => family !== 'evm' && code !== 'TRX' && !(code in firstBlocks))
    assert.deepEqual(Object.fromEntries(named.map(({ code, caip2 }) => [code, caip2])), {
      ADA: 'cip34:1-764824073',
      XLM: 'stellar:pubnet',
      XRP: 'xrpl:0',
      TON: 'tvm:-239',
    })
  })
})

describe('memos', () => {
  const takes = (code: string, memo: string): boolean =>
    new RegExp(chainOf(code).memo?.regex ?? assert.fail(code), 'u').test(memo)

  test('the chains whose exchanges need one have one, nobody must give one, and each rule holds for the whole text', () => {
    const withMemo = networks.filter(({ memo }) => memo)
    assert.deepEqual(withMemo.map(({ code }) => code).toSorted(), ['TON', 'XLM', 'XRP'])
    for (const { code, memo } of withMemo) {
      assert.equal(memo?.required, false)
      assert.match(memo.regex, /^\^.*\$$/)
      for (const text of ['', ' ', '1\n', '\n1', '1 ', ' 1', '\u0000', 'é'])
        assert(!takes(code, text), `${code}: ${JSON.stringify(text)}`)
      assert(takes(code, '1'), code)
    }
  })

  test('an XRP tag is a whole number of 32 bits, written in one way', () => {
    for (const tag of ['0', '9', '10', '4294967295', '4294967294', '4294967199', '4294899999', '3999999999'])
      assert(takes('XRP', tag), tag)
    for (const tag of [
      '4294967296',
      '4294967300',
      '4300000000',
      '5000000000',
      '10000000000',
      '01',
      '-1',
      '1.0',
      '1e3',
      'x',
    ])
      assert(!takes('XRP', tag), tag)
    fc.assert(
      fc.property(fc.bigInt(0n, 2n ** 34n), (tag) => {
        assert.equal(takes('XRP', String(tag)), tag < 2n ** 32n)
      }),
    )
  })

  test('a Stellar memo has at most 28 bytes, a TON comment at most 120', () => {
    for (const [code, longest] of [
      ['XLM', 28],
      ['TON', 120],
    ] as const) {
      assert(takes(code, 'x'.repeat(longest)) && !takes(code, 'x'.repeat(longest + 1)), code)
      assert(takes(code, 'order 12/a') && takes(code, 'xy'))
    }
  })
})
