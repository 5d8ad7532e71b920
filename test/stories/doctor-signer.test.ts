import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { type BitcoinExchange, bitcoinPolicy, startBitcoinExchange } from '../support/bitcoin-exchange.ts'
import { commandLineOf } from '../support/command.ts'
import { lookup } from '../support/journey.ts'
import { until } from '../support/telling.ts'

type Check = { check: string; state: string; message: string }

let opened: BitcoinExchange
before(async () => {
  opened = await startBitcoinExchange(bitcoinPolicy('1'), [10n ** 8n])
})
after(() => opened.stop())

/** What doctor says once a signer with another policy is asked. */
async function doctor(policy: string, check: string): Promise<Check | undefined> {
  await opened.signer.kill('SIGTERM')
  await opened.signer.start(policy)
  const { out } = await commandLineOf(opened.exchange, opened.env).cambio('doctor', '--json')
  return (JSON.parse(out) as { checks: Check[] }).checks.find((one) => one.check === check)
}

describe('doctor says of the signer', () => {
  it('that its own addresses end soon, before gas is refused to them', async () => {
    const last = 10_000_000_001n
    await lookup(opened.exchange, `select setval('row_ids', ${last})`)
    const ofEvm = ['transaction', 'P1D'].map((per) => `{ asset: ETH-ETH, per: ${per}, max: "1" }`).join(', ')
    const policyOf = (bound: bigint) => `
caps: [${ofEvm}]
destinations: { classes: [customer] }
own_addresses: ${bound}
`
    assert.equal((await doctor(policyOf(last * 2n), 'signer_addresses'))?.state, 'ok')
    const near = await doctor(policyOf(last + last / 10n), 'signer_addresses')
    assert.equal(near?.state, 'warn')
    assert.match(near.message, /^Row numbers are at \d+, and own_addresses of its policy is \d+\./)
    assert.equal((await doctor(policyOf(last), 'signer_addresses'))?.state, 'fail')
    assert.equal(await doctor(bitcoinPolicy('1'), 'signer_addresses'), undefined)
  })

  it('which bound of fees keeps payouts back', async () => {
    const found = await doctor(bitcoinPolicy('1', 'fees: [{ chain: BTC, max_amount: "0.00000001" }]'), 'signer_fees')
    assert.equal(found?.state, 'warn')
    assert.match(
      found.message,
      /^Its policy caps fees below what a transfer may need: 0\.00000001 of 0\.\d+ BTC\. Payouts wait while fees are higher/,
    )
    assert.equal((await doctor(bitcoinPolicy('1'), 'signer_fees'))?.state, 'ok')
  })

  it('what the largest fee leaves of a cap', async () => {
    await until(async () => {
      const found = await doctor(bitcoinPolicy('0.02'), 'signer_caps')
      return found?.state === 'warn' && /of \d+\.\d+ BTC, after a fee of up to 0\.\d+ BTC/.test(found.message)
    }, 'the caps to be compared')
  })
})
