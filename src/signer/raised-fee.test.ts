import assert from 'node:assert/strict'
import { generateKeyPairSync, sign } from 'node:crypto'
import { after, before, describe, it } from 'node:test'

import { type SignerProcess, startSignerProcess } from '../../test/support/signer-process.ts'
import { after as later } from '../platform/lib/clock.ts'
import { SignerRefusal } from '../rails/keys/signer.ts'
import { approvalContent } from './approval.ts'
import type { SignerStatus } from './signer.ts'

const script = `0014${'22'.repeat(20)}`
const pair = generateKeyPairSync('ed25519')
const other = generateKeyPairSync('ed25519')
const line = (name: string, { publicKey }: typeof pair): string =>
  `{ name: ${name}, public_key: "${publicKey.export({ type: 'spki', format: 'der' }).toString('base64')}" }`
const policyOf = (approver: string): string => `
caps:
  - { asset: BTC-BTC, per: transaction, max: "1" }
  - { asset: BTC-BTC, per: P1D, max: "10" }
destinations: { classes: [customer] }
approvals: [{ asset: BTC-BTC, above: "0.01", count: 1, window: PT1H }]
approvers: [${approver}]
`

describe('a payment that was signed gets its fee raised', () => {
  let signer: SignerProcess
  before(async () => {
    signer = await startSignerProcess(policyOf(line('ada', pair)))
  })
  after(() => signer.remove())

  const amount = 600_000n
  /** Pays from a separate coin that leaves the first fee, and from another one that leaves the rest. */
  const pay = (payout: string, first: bigint, raised?: bigint) => {
    const coins = [
      { txid: payout.padStart(64, 'a'), amount: amount + first },
      ...(raised === undefined ? [] : [{ txid: `${raised}`.padStart(64, payout), amount: raised - first }]),
    ]
    const inputs = coins.map((coin) => ({ ...coin, amount: String(coin.amount), vout: 0, branch: 0, position: '0' }))
    const outputs = [{ script, amount: String(amount), payout }]
    return signer.client.call('/sign', { family: 'bitcoin', parts: { chain: 'BTC regtest', inputs, outputs } })
  }
  const approve = async (payout: string, maxFee: bigint): Promise<void> => {
    const { policy } = await signer.client.call<SignerStatus>('/status', {})
    const payment = { payout, asset: 'BTC-BTC', amount, destination: script }
    const bounds = { maxFee, policy, expires: later(new Date(), 3_600_000) }
    const signature = sign(null, Buffer.from(approvalContent(payment, bounds)), pair.privateKey).toString('base64')
    const said = { ...payment, amount: String(amount), max_fee: String(maxFee), expires: bounds.expires.toISOString() }
    await signer.client.call('/approve', { ...said, policy, approver: 'ada', signature })
  }
  const isFee = (error: unknown): boolean => error instanceof SignerRefusal && error.code === 'fee'

  it('although what was paid since would need an approval together with it', async () => {
    await pay('1', 1_000n)
    await approve('2', 5_000n)
    await pay('2', 1_000n)
    await pay('1', 1_000n, 2_000n)
  })

  it('within its approvals, although who gave them approves no more', async () => {
    await approve('3', 5_000n)
    await pay('3', 1_000n)
    await signer.kill('SIGTERM')
    await signer.start(policyOf(line('ben', other)))
    await pay('3', 1_000n, 5_000n)
    await assert.rejects(pay('3', 1_000n, 5_001n), isFee)
  })

  it('within its approvals, although it would need none any more', async () => {
    await signer.kill('SIGTERM')
    await signer.start(policyOf(line('ben', other)).replace('"0.01"', '"1"'))
    await assert.rejects(pay('3', 1_000n, 5_002n), isFee)
    await pay('3', 1_000n, 4_000n)
  })
})
