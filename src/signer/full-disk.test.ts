import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'

import { type SignerProcess, startSignerProcess } from '../../test/support/signer-process.ts'

const policy = `
caps:
  - { asset: BTC-BTC, per: transaction, max: "5" }
  - { asset: BTC-BTC, per: P1D, max: "100" }
destinations: { classes: [customer] }
`

describe('a signer whose disk is full', () => {
  let signer: SignerProcess
  before(async () => {
    signer = await startSignerProcess(policy)
  })
  after(() => signer.remove())

  const journal = () => join(signer.folder, 'journal.jsonl')
  const pay = (payout: string) =>
    signer.client.call<{ raw: string }>('/sign', {
      family: 'bitcoin',
      parts: {
        chain: 'BTC regtest',
        inputs: [{ txid: payout.padStart(64, '0'), vout: 0, amount: '11000', branch: 0, position: '0' }],
        outputs: [{ script: `0014${'11'.repeat(20)}`, amount: '10000', payout }],
      },
    })
  /** No file of the process may grow beyond this: what is written of a line stops in its middle. */
  const limit = (bytes: string) =>
    execFileSync('prlimit', ['--pid', String(signer.pid()), `--fsize=${bytes}:unlimited`])

  it('signs nothing, leaves no half line behind, and continues by itself once there is room', async () => {
    const first = await pay('1')
    const whole = readFileSync(journal(), 'utf8')
    for (const more of [0, 1, 100, 400]) {
      limit(String(statSync(journal()).size + more))
      await assert.rejects(pay('2'), /The signer failed/)
      assert.equal(readFileSync(journal(), 'utf8'), whole, `${more} bytes were left`)
    }
    limit('unlimited')
    assert.deepEqual(await pay('1'), first)
    const second = await pay('2')
    await signer.kill('SIGKILL')
    await signer.start()
    assert.deepEqual([await pay('1'), await pay('2')], [first, second])
  })
})
