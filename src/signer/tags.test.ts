import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { type SignerProcess, startSignerProcess, twoApprovers } from '../../test/support/signer-process.ts'
import { remoteSigner } from '../rails/xrpl/remote-signer.ts'
import { SignerRefusal } from '../rails/keys/signer.ts'

const [account, other] = ['rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh', 'rf1BiGeXwwQoi8Z2ueFYTEXSwuJYfV2Jpn']
const policy = `
caps:
  - { asset: XRP-XRP, per: transaction, max: "100" }
  - { asset: XRP-XRP, per: P1D, max: "1000" }
destinations: { classes: [customer] }
approvals: [{ asset: XRP-XRP, above: "8", count: 1, window: PT1H }]
approvers:
${twoApprovers().lines}
`

describe('a window of approvals on the XRP Ledger', () => {
  let signer: SignerProcess
  before(async () => {
    signer = await startSignerProcess(policy)
  })
  after(() => signer.remove())

  let sequence = 100
  const pay = (payout: string, destination: string, tag?: number) =>
    remoteSigner(signer.client, 'testnet').sign({
      payout,
      destination,
      ...(tag === undefined ? {} : { tag }),
      amount: '5000000',
      fee: '10',
      sequence: (sequence += 1),
      lastLedger: 1_020,
    })
  const isMissing = (error: unknown): boolean => error instanceof SignerRefusal && error.code === 'approval_missing'

  it('counts what an account gets under any tag, also after a restart', async () => {
    await pay('1', account, 1)
    await assert.rejects(pay('2', account, 2), isMissing)
    await assert.rejects(pay('3', account), isMissing)
    await pay('4', other, 1)
    await signer.kill()
    await signer.start()
    await assert.rejects(pay('5', account, 5), isMissing)
  })
})
