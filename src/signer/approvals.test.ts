import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, beforeEach, describe, it } from 'node:test'

import { runCommand } from '../../test/support/command.ts'
import { type SignerProcess, startSignerProcess } from '../../test/support/signer-process.ts'
import { SignerRefusal, type SignerRefusalCode } from '../rails/keys/signer.ts'
import { chainRules } from '../rails/bitcoin/networks.ts'
import { addressOf } from '../reference/addresses/output-script.ts'
import { after as later } from '../platform/lib/clock.ts'
import { approvalContent, refuseDearer, refuseUnapproved } from './approval.ts'
import { readPolicy } from './policy.ts'

const script = `0014${'11'.repeat(20)}`
const { rules, forms } = chainRules({ network: 'regtest' })
const address = String(addressOf(script, rules, forms))
const pair = generateKeyPairSync('ed25519')
const key = pair.publicKey.export({ type: 'spki', format: 'der' }).toString('base64')
const policy = `
caps:
  - { asset: BTC-BTC, per: transaction, max: "1" }
  - { asset: BTC-BTC, per: P1D, max: "10" }
destinations: { classes: [customer] }
fees: [{ chain: BTC, max_amount: "0.0001" }]
approvals: [{ asset: BTC-BTC, above: "0.005", count: 1 }]
approvers: [{ name: ada, public_key: "${key}" }]
`
const refused =
  (code: SignerRefusalCode) =>
  (error: unknown): boolean =>
    error instanceof SignerRefusal && error.code === code

describe('an approval that is handed to the signer', () => {
  let signer: SignerProcess
  before(async () => {
    signer = await startSignerProcess(policy)
    writeFileSync(join(signer.folder, 'ada.pem'), pair.privateKey.export({ type: 'pkcs8', format: 'pem' }))
  })
  after(() => signer.remove())

  let spent = 0
  let payout = 0
  beforeEach(() => {
    payout += 1
  })
  const amount = 600_000n
  /** Pays from a coin that leaves a fee, and from others. */
  const pay = (fee: bigint, ...others: { txid: string; amount: bigint }[]) => {
    const txid = String((spent += 1)).padStart(64, '0')
    const coins = others.length > 0 ? others : [{ txid, amount: amount + fee }]
    const inputs = coins.map((coin) => ({ ...coin, amount: String(coin.amount), vout: 0, branch: 0, position: '0' }))
    const outputs = [{ script, amount: String(amount), payout: String(payout) }]
    return signer.client.call('/sign', { family: 'bitcoin', parts: { chain: 'BTC regtest', inputs, outputs } })
  }
  const approve = (...flags: string[]) => {
    const said = ['--asset', 'BTC-BTC', '--amount', '0.006', '--to', address, '--approver', 'ada']
    const own = ['--dir', signer.folder, '--key', join(signer.folder, 'ada.pem')]
    return runCommand(['signer', 'approve', String(payout), ...own, ...said, ...flags], {})
  }
  const approved = async (...flags: string[]): Promise<void> => {
    const { exitCode, err } = await approve(...flags)
    assert.equal(exitCode, 0, err)
  }

  it('bounds the fee of the transfer, as the approver or else the policy says', async () => {
    await approved('--max-fee', '0.00002')
    await assert.rejects(pay(2_001n), /The fee exceeds what the approvals of the payout allow/)
    await pay(2_000n)
    payout += 1
    await approved()
    await pay(10_000n)
  })

  it('bounds the fee of a later transfer of the payment, too', async () => {
    await approved('--max-fee', '0.00002')
    const coin = { txid: 'a'.repeat(64), amount: amount + 1_000n }
    await pay(1_000n, coin)
    await assert.rejects(pay(2_001n, coin, { txid: 'b'.repeat(64), amount: 1_001n }), refused('fee'))
    await pay(2_000n, coin, { txid: 'c'.repeat(64), amount: 1_000n })
  })

  it('is refused where it is malformed, as any other request that is, or too long', async () => {
    const call = (path: string, body: object) => signer.client.call(path, body)
    const said = { payout: '1', asset: 'BTC-BTC', amount: '1', destination: script, approver: 'ada' }
    const approval = { ...said, signature: `${'A'.repeat(86)}==`, max_fee: '1', policy: 'a'.repeat(64) }
    const expires = '2026-01-05T10:00:00.000Z'
    await assert.rejects(call('/approve', { ...approval, expires }), refused('policy'))
    await assert.rejects(call('/approve', approval), refused('malformed'))
    await assert.rejects(call('/approve', { ...approval, expires: '2026-13-05T10:00:00.000Z' }), refused('malformed'))
    await assert.rejects(call('/export', {}), refused('malformed'))
    await assert.rejects(call('/sign', { family: 'bitcoin', parts: {} }), refused('malformed'))
    await assert.rejects(call('/sign', { family: 'evm', parts: {} }), refused('malformed'))
    await assert.rejects(call('/halt', { reason: 'x', more: 1 }), refused('malformed'))
    await assert.rejects(call('/halt', { reason: 'x'.repeat(2_000_000) }))
  })

  it('counts under the policy that the approver has read, and no other', async () => {
    await approved()
    await signer.kill('SIGTERM')
    await signer.start(policy.replace('"10"', '"9"'))
    await assert.rejects(pay(1_000n), /The payout needs 1 approvals under the policy in force/)
    await approved()
    await pay(1_000n)
    await signer.kill('SIGTERM')
    payout += 1
    await signer.start(policy.replace('"10"', '"9"'))
    await approved()
    await signer.kill('SIGTERM')
    await signer.start(`${policy.replace('"10"', '"9"')}# a comment changes nothing\n`)
    await pay(1_000n)
  })

  it('says what to do where the signer is of an earlier version, which has no bounds', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'cambio-signer-'))
    const server = createServer((_, response) =>
      response.end(JSON.stringify({ halted: null, signatures: 0, lines: 0 })),
    )
    await new Promise<void>((resolve) => server.listen(join(folder, 'signer.sock'), resolve))
    try {
      const own = ['--dir', folder, '--key', join(signer.folder, 'ada.pem'), '--approver', 'ada']
      const said = ['--asset', 'BTC-BTC', '--amount', '0.006', '--to', address]
      const { err } = await runCommand(['signer', 'approve', '1', ...own, ...said], {})
      assert.match(err, /The signer is of an earlier version: update it first\./)
    } finally {
      server.close()
      rmSync(folder, { recursive: true })
    }
  })

  it('is refused where it is for too long, or without a bound of fees', async () => {
    assert.match((await approve('--valid', 'P31D')).err, /valid for 30 days at most/)
    assert.match((await approve('--valid', 'PT0S')).err, /The approval has expired/)
    await signer.kill('SIGTERM')
    await signer.start(policy.replace(', max_amount: "0.0001"', ''))
    assert.match((await approve()).err, /Give --max-fee: the policy has no bound for fees of BTC/)
    await signer.kill('SIGTERM')
    await signer.start(policy)
  })

  it('has a line for each of its fields, so that none is read as another', () => {
    const bounds = { maxFee: 1n, policy: 'a'.repeat(64), expires: new Date() }
    for (const payout of ['1\nBTC-BTC', '1\r', '1\u2028']) {
      const payment = { payout, asset: 'BTC-BTC', amount: 1n, destination: script }
      assert.throws(() => approvalContent(payment, bounds), refused('malformed'), JSON.stringify(payout))
    }
  })

  it('of before there were bounds counts for a payment that was signed then, and for no other', async () => {
    const old = { approver: 'ada', bounds: undefined }
    const asked = { payout: '1', needed: 1, fee: 10n, now: new Date() }
    const read = readPolicy(policy)
    assert.equal(refuseDearer([old], asked), undefined)
    assert.equal(refuseUnapproved(read, [old], asked)?.code, 'approval_missing')
  })

  it('expires, unless the payment was signed in time', () => {
    const read = readPolicy(policy)
    const now = new Date('2026-01-05T10:00:00Z')
    const one = { approver: 'ada', bounds: { maxFee: 10n, policy: read.version, expires: later(now, 1_000) } }
    const asked = { payout: '1', needed: 1, fee: 10n }
    assert.equal(refuseUnapproved(read, [one], { ...asked, now }), undefined)
    const then = later(now, 1_000)
    const expired = refuseUnapproved(read, [one], { ...asked, now: then })
    assert.deepEqual([expired?.code, expired?.payouts], ['approval_expired', ['1']])
    assert.equal(refuseDearer([one], asked), undefined)
    assert.equal(refuseDearer([one], { ...asked, fee: 11n })?.code, 'fee')
    const dearer = { approver: 'ben', bounds: { ...one.bounds, maxFee: 20n } }
    assert.equal(refuseDearer([one, dearer], { needed: 1, fee: 11n }), undefined)
    assert.equal(refuseDearer([one, dearer], { needed: 2, fee: 11n })?.code, 'fee')
  })
})
