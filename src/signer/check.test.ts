import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'

import { runCommand } from '../../test/support/command.ts'
import { type SignerProcess, startSignerProcess } from '../../test/support/signer-process.ts'

const valid = `
caps: []
destinations:
  allow: ["BTC:bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"]
`
const bad = valid.replace('bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4', 'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx')
const complaint =
  /BTC:tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx is an address of BTC's testnet, and the policy is for its mainnet/

describe('an allow-list with an address of a test network', () => {
  let signer: SignerProcess
  before(async () => {
    signer = await startSignerProcess(valid)
  })
  after(() => signer.remove())

  it('is refused where the policy is read, and by the commands that check it', async () => {
    const check = () => runCommand(['signer', 'check', '--dir', signer.folder], {})
    const fine = await check()
    assert.deepEqual([fine.exitCode, fine.err], [0, ''])
    assert.match(fine.out, /policy\.yaml has no faults\./)
    const [folder, socket] = [mkdtempSync(join(tmpdir(), 'cambio-config-')), join(signer.folder, 'signer.sock')]
    const file = join(folder, 'cambio.yaml')
    const company = `company: { name: Example Ltd, address: Main Street 1, support: help@example.com }`
    writeFileSync(file, `${company}\ncustody: { signer: { socket: ${socket} } }\n`)
    const checkConfig = () => runCommand(['config', 'check', file], {})
    const before = await checkConfig()
    await signer.kill('SIGTERM')
    await assert.rejects(signer.start(bad), complaint)
    const [own, config] = [await check(), await checkConfig()]
    assert.equal(own.exitCode, 1)
    assert.match(own.out + own.err, complaint)
    assert.doesNotMatch(before.out + before.err, /custody/)
    assert.equal(config.exitCode, 1)
    assert.match(config.out + config.err, complaint)
    // Where the signer's folder belongs to another user, the service can't look into it.
    mkdirSync(join(folder, 'elsewhere'))
    writeFileSync(file, `${company}\ncustody: { signer: { socket: ${join(folder, 'elsewhere/signer.sock')} } }\n`)
    const apart = await checkConfig()
    assert.doesNotMatch(apart.out + apart.err, /custody|policy/)
    rmSync(folder, { recursive: true })
  })
})
