import assert from 'node:assert/strict'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'

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
