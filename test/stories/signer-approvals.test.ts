import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, it } from 'node:test'

import { makeSandboxAddress } from '../../src/reference/addresses/address.ts'
import { type BitcoinExchange, bitcoinPolicy, startBitcoinExchange, whileMining } from '../support/bitcoin-exchange.ts'
import { commandLineOf, runCommand } from '../support/command.ts'
import { arrive, lookup, pay, readyToPay } from '../support/journey.ts'
import { until } from '../support/telling.ts'

const pair = generateKeyPairSync('ed25519')
const key = pair.publicKey.export({ type: 'spki', format: 'der' }).toString('base64')

let opened: BitcoinExchange
before(async () => {
  const rules = `approvals: [{ asset: BTC-BTC, above: "0.000001", count: 1 }]
approvers: [{ name: ada, public_key: "${key}" }]
`
  opened = await startBitcoinExchange(bitcoinPolicy('1', rules), [10n ** 8n])
  writeFileSync(join(opened.signer.folder, 'ada.pem'), pair.privateKey.export({ type: 'pkcs8', format: 'pem' }))
})
after(() => opened.stop())

it('a payout whose approval has expired waits, says so, and leaves once it is approved again', async () => {
  const { exchange, signer, env, node } = opened
  const { told } = commandLineOf(exchange, env)
  const address = makeSandboxAddress('bitcoin', Buffer.from('approved'))
  const { id } = await readyToPay(exchange, { to_currency: 'BTC', payout_info: { payout_address: address } })
  await pay(exchange, id)
  await arrive(exchange, id, 'sending')
  const [row] = await lookup<{ id: string; amount: string }>(
    exchange,
    `select payouts.id::text as id, to_char(amount / 1e8, 'FM0.00000000') as amount from payouts
     join transactions on transactions.id = transaction_id where public_id = ${id}`,
  )
  const { id: payout = '', amount = '' } = row ?? {}
  type Shown = { refusal: { code: string; message: string } | null }
  const refusal = async () => (await told<Shown>('payout', 'show', payout)).refusal
  const code = async () => (await refusal())?.code ?? 'none'
  let number = ''
  const approve = async (valid: string): Promise<string> => {
    const what = ['--asset', 'BTC-BTC', '--amount', amount, '--to', address, '--max-fee', '0.001', '--valid', valid]
    const who = ['--approver', 'ada', '--key', join(signer.folder, 'ada.pem'), '--dir', signer.folder]
    const { exitCode, out, err } = await runCommand(['signer', 'approve', number, ...who, ...what, '--json'], {})
    assert.equal(exitCode, 0, err)
    return (JSON.parse(out) as { expires: string }).expires
  }
  /** When what was refused is tried again: usually after half a minute. */
  const again = (after: string) =>
    lookup(exchange, `update chain_refusals set refused_until = now() + interval '${after}'`)
  await until(async () => (await code()) === 'approval_missing', 'the signer to ask for an approval')
  number =
    /The signer's number for this payout is (\d+)\.$/.exec((await refusal())?.message ?? '')?.[1] ?? assert.fail()
  await again('1 hour')
  const expires = await approve('PT5S')
  await until(() => Promise.resolve(new Date().toISOString() > expires), 'the approval to expire')
  await again('0')
  await until(async () => (await code()) === 'approval_expired', 'the signer to ask again')
  await approve('PT1H')
  await again('0')
  await whileMining(node, () => arrive(exchange, id, 'finished'))
})
