import assert from 'node:assert/strict'
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'

import { runCommand } from '../../test/support/command.ts'
import { writeCheapKeystore } from '../../test/support/signer-folder.ts'
import { type SignerProcess, startSignerProcess } from '../../test/support/signer-process.ts'
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
    await writeCheapKeystore(join(signer.folder, `${name}.keystore`), mnemonic, password)
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
    const finished = await init('--keep')
    assert.match(finished.out, /^Made journal\.jsonl, signer\.keystore and its password in /)
    const made = keys()
    const again = await init('--keep')
    assert.equal(again.exitCode, 0, again.err)
    assert.match(again.out, /has a signer already\. Nothing was made\./)
    assert.equal(keys(), made)
    assert.equal(readFileSync(join(dir, 'policy.yaml'), 'utf8'), '# begun\n')
    renameSync(join(dir, 'signer.keystore'), join(dir, 'evm.keystore'))
    assert.equal((await init('--keep')).exitCode, 0)
    assert(!existsSync(join(dir, 'signer.keystore')))
    rmSync(join(dir, 'policy.yaml'))
    assert.match((await init('--keep')).out, /^Made policy\.yaml in /)
  })

  it('makes no keys next to a journal of others, and no journal next to keys that may have signed', async () => {
    const other = join(folder, 'other')
    mkdirSync(other)
    writeFileSync(join(other, 'journal.jsonl'), '{}\n')
    const refused = await runCommand(['signer', 'init', '--dir', other, '--keep'], {})
    assert.match(refused.err, /has a journal and no keys: bring its keystores back/)
    assert(!existsSync(join(other, 'signer.keystore')))
    rmSync(join(dir, 'journal.jsonl'))
    const without = await init('--keep')
    assert.match(without.err, /has keys and no journal: without it the signer does not know what it has signed/)
    assert(!existsSync(join(dir, 'journal.jsonl')))
  })

  it('and another start leave the journal of a signer that runs as it is, also a line that it is writing', async () => {
    const signer = await startSignerProcess('{ caps: [], destinations: {} }')
    try {
      await signer.client.call('/halt', { reason: 'a drill' })
      const file = join(signer.folder, 'journal.jsonl')
      appendFileSync(file, '{"number":2')
      const written = readFileSync(file, 'utf8')
      for (const command of [['init', '--keep'], ['run']]) {
        const [action = '', ...flags] = command
        const { err } = await runCommand(['signer', action, '--dir', signer.folder, ...flags], {})
        assert.match(err, /Another signer listens on .*signer\.sock/)
        assert.equal(readFileSync(file, 'utf8'), written, action)
      }
    } finally {
      await signer.remove()
    }
  })
})
