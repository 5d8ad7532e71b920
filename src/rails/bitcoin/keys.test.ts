import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { decodeBase58 } from '../../reference/addresses/base58.ts'
import { pubECDSA } from '@scure/btc-signer/utils.js'

import { independentAddresses } from '../../../test/support/bitcoin-node.ts'
import { deriveAccount, type KeyPath, openAccount } from './keys.ts'
import { chainRules } from './networks.ts'
import { localSigner, signTransfer } from './sign.ts'

const abandon = `${'abandon '.repeat(11)}about`
const bitcoin = chainRules({})

describe('our addresses on Bitcoin and its relatives', () => {
  it('are those of the test vectors of BIP-84, from the public key alone', async () => {
    const zpub =
      'zpub6rFR7y4Q2AijBEqTUquhVz398htDFrtymD9xYYfG1m4wAcvPhXNfE3EfH1r1ADqtfSdVCToUG868RvUUkgDKf31mGDtKsAYz2oz2AGutZYs'
    const watched = openAccount(zpub, bitcoin.rules, bitcoin.forms)
    const owned = openAccount(
      await (await localSigner(abandon, bitcoin.rules)).accountKey(),
      bitcoin.rules,
      bitcoin.forms,
    )
    const vectors: [KeyPath, string][] = [
      [{ branch: 0, position: 0n }, 'bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu'],
      [{ branch: 0, position: 1n }, 'bc1qnjg0jd8228aq7egyzacy8cys3knf9xvrerkf9g'],
      [{ branch: 1, position: 0n }, 'bc1q8c6fshw2dlwun7ekn9qwf37cu2rn755upcp6el'],
    ]
    for (const [path, address] of vectors) {
      assert.equal(watched.addressAt(path).address, address)
      assert.equal(owned.addressAt(path).address, address)
    }
  })

  it('agree with an independent library for 1,000 indexes', async () => {
    const accountKey = (await deriveAccount(abandon, bitcoin.rules)).publicExtendedKey
    const account = openAccount(accountKey, bitcoin.rules, bitcoin.forms)
    const ours = Array.from({ length: 1_000 }, (_, index) => account.addressAt({ branch: 0, position: BigInt(index) }))
    assert.deepEqual(
      ours.map(({ address }) => address),
      independentAddresses(accountKey, 1_000),
    )
    assert.equal(new Set(ours.map(({ script }) => script)).size, 1_000)
  })

  it('are written as each chain writes them', async () => {
    const cases = [
      ['LTC', 'mainnet', /^ltc1q[a-z0-9]{38}$/],
      ['DOGE', 'mainnet', /^D[1-9A-HJ-NP-Za-km-z]{33}$/],
      ['BCH', 'mainnet', /^bitcoincash:q[a-z0-9]{41}$/],
      ['BTC', 'regtest', /^bcrt1q/],
      ['BCH', 'regtest', /^bchreg:q/],
      ['DOGE', 'testnet', /^n/],
    ] as const
    for (const [asset, network, form] of cases) {
      const { rules, forms } = chainRules({ asset, network })
      const account = openAccount((await deriveAccount(abandon, rules)).publicExtendedKey, rules, forms)
      assert.match(account.addressAt({ branch: 0, position: 7n }).address, form)
    }
  })

  it('end where BIP-32 ends, and a private key is no account key', async () => {
    const key = await deriveAccount(abandon, bitcoin.rules)
    const account = openAccount(key.publicExtendedKey, bitcoin.rules, bitcoin.forms)
    for (const position of [-1n, 2n ** 31n]) {
      assert.throws(() => account.addressAt({ branch: 0, position }), /No address can be derived/)
    }
    assert.throws(() => openAccount(key.privateExtendedKey, bitcoin.rules, bitcoin.forms))
    await assert.rejects(deriveAccount('abandon abandon', bitcoin.rules), /no valid mnemonic/)
  })
})

describe('a signature for Bitcoin Cash', () => {
  it('is that of a published vector for the digest with the id of the fork', async () => {
    // go-sdk of the fork that kept this digest, transaction/signaturehash_test.go; the same transfer is in libsv/libsv.
    const privateKey = decodeBase58('cNGwGSc7KRrTmdLUZ54fiSXWbhLNDc2Eg5zNucgQxyQCzuQ5YRDq')?.slice(1, 33)
    assert(privateKey)
    const { rules } = chainRules({ asset: 'BCH', network: 'testnet' })
    const previous = '93a35408b6068499e0d5abd799d3e827d9bfe70c9b75ebe209c91d2507232651'
    const txid = Buffer.from(Buffer.from(previous, 'hex').toReversed()).toString('hex')
    const signed = await signTransfer(
      {
        inputs: [{ txid, vout: 0, amount: 100_000_000n, branch: 0, position: 0n }],
        outputs: [
          { script: '76a91404ff367be719efa79d76e4416ffb072cd53b208888ac', amount: 5_000_000n },
          { script: '76a91404d03f746652cfcb6cb55119ab473a045137d26588ac', amount: 94_999_774n },
        ],
      },
      [{ privateKey, publicKey: pubECDSA(privateKey) }],
      rules,
    )
    assert.equal(signed.txid, '19dcf16ecc9286c3734fdae3d45d4fc4eb6b25f841131e06460f4939bba0026e')
    assert.match(
      signed.raw,
      /6b483045022100c1d77036dc6cd1f3fa1214b0688391ab7f7a16cd31ea4e5a1f7a415ef167df820220751aced6d24649fa235132f1e6969e163b9400f80043a72879237dab4a1190ad412103b8b40a84/,
    )
  })
})
