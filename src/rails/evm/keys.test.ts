import assert from 'node:assert/strict'
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'

import { mnemonicToAccount } from 'viem/accounts'

import { createKeystore, showKeystore } from './rails.ts'
import { deriveKeys, openAddresses } from './keys.ts'
import { readKeystore, readPasswordFile, writeKeystore } from '../keys/keystore.ts'

const mnemonic = 'test test test test test test test test test test test junk'
const password = 'correct horse'
let folder = ''
let file = ''

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'cambio-keystore-'))
  file = join(folder, 'keystore')
  await writeKeystore(file, mnemonic, password)
})
after(() => rmSync(folder, { recursive: true, force: true }))

describe('the keystore', () => {
  it('gives its mnemonic only with the password', async () => {
    assert.equal(await readKeystore(file, password), mnemonic)
    await assert.rejects(readKeystore(file, 'correct-horse'), {
      message: `The password does not open the keystore ${file}, or the file was changed.`,
    })
    const text = readFileSync(file, 'utf8')
    assert.equal(text.includes('junk'), false)
    const { kdf } = JSON.parse(text) as { kdf: Record<'n' | 'r' | 'p', number> }
    assert.equal(128 * kdf.n * kdf.r * kdf.p, 2 ** 27, 'a guess takes 128 MiB')
  })

  it('is for its owner only, and is not opened otherwise', async () => {
    assert.equal(statSync(file).mode & 0o777, 0o600)
    chmodSync(file, 0o640)
    await assert.rejects(readKeystore(file, password), {
      message: `The keystore ${file} may be read by others: run chmod 600 on it.`,
    })
    chmodSync(file, 0o600)
    const secret = join(folder, 'password')
    writeFileSync(secret, `${password}\nanother line\n`, { mode: 0o644 })
    await assert.rejects(readPasswordFile(secret), /may be read by others/)
    chmodSync(secret, 0o400)
    assert.equal(await readPasswordFile(secret), password)
  })

  it('is never overwritten, and not made with a password that can be guessed', async () => {
    await assert.rejects(createKeystore(file, password), /is never overwritten/)
    await assert.rejects(createKeystore(join(folder, 'new'), 'short'), /at least 12 characters/)
    assert.equal(await readKeystore(file, password), mnemonic)
  })

  it('that was changed, is missing or is something else is refused in a sentence', async () => {
    const changed = join(folder, 'changed')
    const read = JSON.parse(readFileSync(file, 'utf8')) as { kdf: { n: number }; cipher: { text: string } }
    const write = (content: unknown): void => writeFileSync(changed, JSON.stringify(content), { mode: 0o600 })
    write({
      ...read,
      cipher: { ...read.cipher, text: read.cipher.text.replace(/^./, (digit) => (digit === '0' ? '1' : '0')) },
    })
    await assert.rejects(readKeystore(changed, password), /does not open the keystore|was changed/)
    for (const other of [
      {},
      { ...read, kdf: { ...read.kdf, n: 2 ** 30 } },
      { ...read, kdf: { ...read.kdf, n: 2 } },
      [],
    ]) {
      write(other)
      await assert.rejects(readKeystore(changed, password), /is no keystore of this version/)
    }
    await assert.rejects(readKeystore(join(folder, 'nowhere'), password), /cannot be read \(ENOENT\)/)
  })

  it('makes a new mnemonic every time, and shows the address that pays out', async () => {
    const [one, other] = [join(folder, 'one'), join(folder, 'other')]
    const { hot } = await createKeystore(one, password)
    assert.match(hot, /^0x[0-9a-fA-F]{40}$/)
    assert.deepEqual(await showKeystore(one, password), { hot })
    assert.notEqual((await createKeystore(other, password)).hot, hot)
    assert.equal((await readKeystore(one, password)).split(' ').length, 24)
  })
})

describe('our keys', () => {
  it('are those of every other wallet program for the same mnemonic', async () => {
    const keys = await deriveKeys(mnemonic)
    assert.equal(keys.hot, '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266', 'as the tools of Ethereum developers print it')
    assert.equal(keys.depositAddress(1n), keys.depositAddress(1n))
    const ids = [0n, 1n, 2n ** 31n - 1n, 2n ** 31n, 2n ** 31n + 1n, 2n ** 62n - 1n]
    assert.equal(new Set(ids.map(keys.depositAddress)).size, ids.length)
    for (const id of [-1n, 2n ** 62n]) assert.throws(() => keys.depositAddress(id), /No address can be derived/)
  })

  it('sign the same transfer into the same bytes', async () => {
    const keys = await deriveKeys(mnemonic)
    const fees = { gas: 21_000n, maxFee: 3n, priorityFee: 2n }
    const movement = { network: 'ETH', asset: 'ETH-ETH', amount: 5n, route: { gasFor: 1n } }
    const transfer = { ...movement, chainId: 1n, nonce: 7n, ...fees }
    const signed = await keys.sign(transfer)
    assert.deepEqual(await keys.sign(transfer), signed)
    assert.notDeepEqual(await keys.sign({ ...transfer, nonce: 8n }), signed)
    assert.notDeepEqual(await keys.sign({ ...transfer, route: { sweepOf: 1n } }), signed)
  })

  it('have addresses that public keys alone give', async () => {
    const { publicKeys, depositAddress } = await deriveKeys(mnemonic)
    const own = await openAddresses(publicKeys)
    for (const id of [0n, 1n, 2n ** 31n, 2n ** 62n - 1n]) {
      const [high, low] = [id / 2n ** 31n, id % 2n ** 31n]
      const { address } = mnemonicToAccount(mnemonic, { path: `m/44'/60'/1'/0/${high}/${low}` })
      assert.deepEqual([own.depositAddress(id), depositAddress(id)], [address, address])
    }
  })
})
