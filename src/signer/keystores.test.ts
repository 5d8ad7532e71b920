import assert from 'node:assert/strict'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'

import { runCommand } from '../../test/support/command.ts'
import { type SignerProcess, startSignerProcess } from '../../test/support/signer-process.ts'
import { writeKeystore } from '../rails/keys/keystore.ts'
import { SignerRefusal } from '../rails/keys/signer.ts'

const password = 'a-password-for-tests'
const mnemonics = {
  bitcoin: 'legal winner thank year wave sausage worth useful legal winner thank yellow',
  xrpl: 'zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo wrong',
}

describe('a signer with a keystore for each family of chains', () => {
  let signer: SignerProcess
  before(async () => {
    signer = await startSignerProcess('{ caps: [], destinations: {} }')
  })
  after(() => signer.remove())

  const chains = { bitcoin: 'BTC mainnet', xrpl: 'mainnet', evm: 'ETH' }
  const keysOf = async (family: keyof typeof chains): Promise<string> => {
    const { keys } = await signer.client.call<{ keys: unknown }>('/keys', { family, chain: chains[family] })
    return JSON.stringify(keys)
  }
  const all = () => Promise.all([keysOf('bitcoin'), keysOf('xrpl'), keysOf('evm')])
  const add = async (name: string, mnemonic: string): Promise<void> => {
    await writeKeystore(join(signer.folder, `${name}.keystore`), mnemonic, password)
    writeFileSync(join(signer.folder, `${name}.keystore-password`), password, { mode: 0o600 })
  }
  const again = async (): Promise<void> => {
    await signer.kill('SIGTERM')
    await signer.start()
  }

  it('signs for each family with its own, and with signer.keystore for the others', async () => {
    const [bitcoin, xrpl, evm] = await all()
    await add('bitcoin', mnemonics.bitcoin)
    await again()
    const [moved, ...others] = await all()
    assert.notEqual(moved, bitcoin)
    assert.deepEqual(others, [xrpl, evm])
    await add('xrpl', mnemonics.xrpl)
    await again()
    const [own, ledger, same] = await all()
    assert.deepEqual([own, same], [moved, evm])
    assert.notEqual(ledger, xrpl)

    // Without signer.keystore, the families that have a keystore are those that it signs for.
    for (const name of ['signer.keystore', 'signer.keystore-password']) rmSync(join(signer.folder, name))
    await again()
    assert.deepEqual([await keysOf('bitcoin'), await keysOf('xrpl')], [own, ledger])
    await assert.rejects(keysOf('evm'), (error) => {
      return (
        error instanceof SignerRefusal && error.code === 'malformed' && /no keys of this family/.test(error.message)
      )
    })
    await add('typo', mnemonics.xrpl)
    await signer.kill('SIGTERM')
    await assert.rejects(signer.start(), /typo\.keystore is for no family of chains: bitcoin, xrpl, evm, or signer/)
    rmSync(join(signer.folder, 'typo.keystore'))
    for (const name of ['bitcoin', 'xrpl']) rmSync(join(signer.folder, `${name}.keystore`))
    await assert.rejects(signer.start(), /has no keystore/)
  })
})

describe('signer init', () => {
  const folder = mkdtempSync(join(tmpdir(), 'cambio-signer-'))
  const dir = join(folder, 'data')
  after(() => rmSync(folder, { recursive: true }))
  const init = (...flags: string[]) => runCommand(['signer', 'init', '--dir', dir, ...flags], {})
  const keys = () => readFileSync(join(dir, 'signer.keystore'), 'utf8')

  it('keeps what is there where it is asked to, and finishes what it has begun', async () => {
    mkdirSync(dir)
    writeFileSync(join(dir, 'policy.yaml'), '# begun\n')
    assert.match((await init()).err, /has a signer already/)
    assert.equal((await init('--keep')).exitCode, 0)
    const made = keys()
    const again = await init('--keep')
    assert.equal(again.exitCode, 0, again.err)
    assert.match(again.out, /has a signer already\. Nothing was changed\./)
    assert.equal(keys(), made)
    assert.equal(readFileSync(join(dir, 'policy.yaml'), 'utf8'), '# begun\n')
    renameSync(join(dir, 'signer.keystore'), join(dir, 'evm.keystore'))
    assert.equal((await init('--keep')).exitCode, 0)
    assert(!existsSync(join(dir, 'signer.keystore')))
  })
})
