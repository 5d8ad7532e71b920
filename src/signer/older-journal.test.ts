import assert from 'node:assert/strict'
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, beforeEach, describe, it } from 'node:test'

import { runAlone } from '../../test/support/command.ts'
import { type SignerProcess, startSignerProcess } from '../../test/support/signer-process.ts'
import { openSignerClient, type SignerClient } from '../rails/keys/signer-client.ts'

const policy = `
caps:
  - { asset: BTC-BTC, per: transaction, max: "5" }
  - { asset: BTC-BTC, per: P1D, max: "100" }
destinations: { classes: [customer] }
`

describe('the journal of a signer, and a service that has seen it', () => {
  let signer: SignerProcess
  let client: SignerClient
  let line: { lines: number; hash: string } | undefined
  let ids = 0
  before(async () => {
    signer = await startSignerProcess(policy)
    client = openSignerClient(signer.socket, {
      seen: () => Promise.resolve(line),
      keep: (newest) => Promise.resolve((line = newest)),
    })
  })
  after(() => signer.remove())
  beforeEach(() => {
    ids += 1
  })

  const journal = () => join(signer.folder, 'journal.jsonl')
  const files = () => [journal(), `${journal()}.head`] as const
  const stored = () => files().map((file) => readFileSync(file, 'utf8'))
  const store = (texts: readonly string[]) => {
    for (const [index, file] of files().entries()) writeFileSync(file, texts[index] ?? '')
  }
  const pay = (payout: string, spent = payout) =>
    client.call<{ raw: string }>('/sign', {
      family: 'bitcoin',
      parts: {
        chain: 'BTC regtest',
        inputs: [{ txid: spent.padStart(64, '0'), vout: 0, amount: '11000', branch: 0, position: '0' }],
        outputs: [{ script: `0014${'11'.repeat(20)}`, amount: '10000', payout }],
      },
    })
  const stateOf = () => client.call<{ lines: number; hash: string; has_seen: boolean }>('/status', {})

  it('is refused where it is an older copy, and nothing is signed a second time', async () => {
    await pay('1')
    const older = stored()
    const second = await pay('2')
    const newest = stored()
    const { lines, hash } = await stateOf()
    assert.deepEqual(line, { lines, hash })
    await signer.kill('SIGTERM')
    store(older)
    await signer.start()
    await assert.rejects(pay('2', '3'), /is an older copy/)
    assert.equal((await stateOf()).has_seen, false)
    assert.deepEqual(stored(), older)
    await signer.kill('SIGTERM')
    store(newest)
    await signer.start()
    assert.deepEqual(await pay('2'), second)
    assert.equal((await stateOf()).has_seen, true)
  })

  it('is refused where an older copy has grown past what was seen', async () => {
    const older = stored()
    await pay('4')
    const newest = stored()
    await signer.kill('SIGTERM')
    store(older)
    await signer.start()
    await signer.client.call('/halt', { reason: 'grows' })
    await assert.rejects(pay('5'), /is an older copy/)
    await signer.kill('SIGTERM')
    store(newest)
    await signer.start()
  })

  it('is brought back to whole lines by an operator, who is shown what is dropped', async () => {
    const before = await stateOf()
    const [whole = ''] = stored()
    await signer.kill('SIGTERM')
    const last = whole.trimEnd().split('\n').at(-1) ?? ''
    // As a full disk left it: the beginning of a line, and the next one right behind it.
    writeFileSync(journal(), whole.slice(0, -last.length - 1))
    appendFileSync(journal(), `${last.slice(0, 40)}${last}\n`)
    await assert.rejects(signer.start(), /The journal was changed at line/)
    const { exitCode, out } = await runAlone(['signer', 'repair', '--dir', signer.folder, '--json'], {})
    assert.equal(exitCode, 0)
    const { dropped, copy } = JSON.parse(out) as { dropped: { line: number; text: string }[]; copy: string }
    assert.deepEqual(
      dropped.map(({ text }) => text),
      [last.slice(0, 40)],
    )
    assert.match(readFileSync(copy, 'utf8'), /\n$/)
    await signer.start()
    assert.deepEqual(await stateOf(), before)
    await signer.kill('SIGTERM')
    appendFileSync(journal(), '{"number":9,"at":"x","entry":{"payments":[{"payout":"77"}]}}\n')
    const lost = await runAlone(['signer', 'repair', '--dir', signer.folder], {})
    assert.match(lost.out, /It was about the payouts 77\./)
    await signer.start()
    assert.deepEqual(await stateOf(), before)
  })
})
