import assert from 'node:assert/strict'
import { afterEach, describe, it } from 'node:test'

import { type AddressFamily, checkAddress, makeSandboxAddress } from './address.ts'
import { type AddressForms, addressOf, scriptOf } from './output-script.ts'
import { testAddressRegex, type TestNetwork, useTestNetwork } from './test-network.ts'

const families: [AddressFamily, AddressForms, boolean][] = [
  ['bitcoin', { keyVersion: 0x6f, scriptVersion: 0xc4, prefix: 'bcrt' }, true],
  ['litecoin', { keyVersion: 0x6f, scriptVersion: 0x3a, prefix: 'rltc' }, true],
  ['dogecoin', { keyVersion: 0x6f, scriptVersion: 0xc4, prefix: undefined }, false],
  ['bitcoin-cash', { keyVersion: 0x6f, scriptVersion: 0xc4, prefix: 'bchreg' }, false],
]
const isOk = (family: AddressFamily, text: string): boolean => checkAddress(family, text).ok

afterEach(() => {
  for (const [family] of families) useTestNetwork(family, undefined)
})

describe('addresses of a test network', () => {
  for (const [family, forms, hasWitness] of families) {
    it(`are taken instead of the main network's while it is in use: ${family}`, () => {
      const main = makeSandboxAddress(family, Buffer.from('main'))
      const made: Record<string, string> = {}
      for (const network of ['testnet', 'regtest'] as TestNetwork[]) {
        useTestNetwork(family, network)
        const own = makeSandboxAddress(family, Buffer.from('own'))
        made[network] = own
        assert.equal(isOk(family, own), true, own)
        assert.match(own, new RegExp(testAddressRegex(family) ?? 'none', 'u'))
        assert.equal(isOk(family, main), false, 'coins sent there would be on another chain')
      }
      const script = scriptOf(made.regtest ?? '', forms)
      assert(script !== undefined)
      const rules = { hasWitness, hasForkId: family === 'bitcoin-cash' }
      assert.equal(addressOf(script, rules, forms), made.regtest)
      useTestNetwork(family, undefined)
      assert.equal(isOk(family, main), true)
      for (const own of Object.values(made)) assert.equal(isOk(family, own), false, own)
      assert.equal(testAddressRegex(family), undefined)
    })
  }

  it('pay to the scripts that BIP-173 and BIP-350 give as test vectors', () => {
    const forms = { keyVersion: 0, scriptVersion: 5, prefix: 'bc' }
    const vectors = [
      ['bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4', '0014751e76e8199196d454941c45d1b3a323f1433bd6'],
      [
        'bc1pw508d6qejxtdg4y5r3zarvary0c5xw7kw508d6qejxtdg4y5r3zarvary0c5xw7kt5nd6y',
        '5128751e76e8199196d454941c45d1b3a323f1433bd6751e76e8199196d454941c45d1b3a323f1433bd6',
      ],
      ['bc1sw50qgdz25j', '6002751e'],
      ['1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2', '76a91477bff20c60e522dfaa3350c39b030a5d004e839a88ac'],
      ['3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy', 'a914b472a266d0bd89c13706a4132ccfb16f7c3b9fcb87'],
    ] as const
    for (const [address, script] of vectors) {
      assert.equal(scriptOf(address, forms), script)
      assert.equal(addressOf(script, { hasWitness: true, hasForkId: false }, forms), address)
    }
    for (const other of ['ltc1qw508d6qejxtdg4y5r3zarvary0c5xw7kgmn4n9', 'nonsense', '']) {
      assert.equal(scriptOf(other, forms), undefined)
    }
  })
})
