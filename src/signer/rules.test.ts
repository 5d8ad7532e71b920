import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, it } from 'node:test'

import { signerFolder } from '../../test/support/signer-folder.ts'
import { after as later } from '../platform/lib/clock.ts'
import { silentLog } from '../platform/lib/log.ts'
import { openAccount } from '../rails/bitcoin/keys.ts'
import { chainRules } from '../rails/bitcoin/networks.ts'
import { openSignerClient } from '../rails/keys/signer-client.ts'
import { SignerRefusal, type SignerRefusalCode } from '../rails/keys/signer.ts'
import { addressOf } from '../reference/addresses/output-script.ts'
import { runSigner, socketIn } from './open.ts'

const mnemonic = 'legal winner thank year wave sausage worth useful legal winner thank yellow'
const scripts = [`0014${'11'.repeat(20)}`, `0014${'22'.repeat(20)}`] as const
const { rules, forms } = chainRules({ network: 'regtest' })
const friends = scripts.map((script) => addressOf(script, rules, forms))
const caps = ['transaction', 'P1D'].map((per) => `{ asset: BTC-BTC, per: ${per}, max: "1" }`).join(', ')
const ltc = chainRules({ asset: 'LTC', network: 'regtest' })
const litecoin = addressOf(scripts[1], ltc.rules, ltc.forms)
const test = chainRules({ network: 'testnet' })
const testnet = String(addressOf(scripts[0], test.rules, test.forms))
const approver = 'MCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo='

let folder = ''
let now = new Date('2026-01-05T10:00:00Z')
let running: { stop(): Promise<void> } | undefined

beforeEach(async () => {
  folder = await signerFolder(mkdtempSync(join(tmpdir(), 'cambio-signer-')), mnemonic, '')
})
afterEach(async () => {
  await running?.stop()
  running = undefined
  rmSync(folder, { recursive: true, force: true })
})

async function start(policy: string, group?: string): Promise<void> {
  writeFileSync(join(folder, 'policy.yaml'), policy)
  running = await runSigner(folder, { clock: { realNow: () => now }, log: silentLog, group })
}
type Output = { script: string; amount: bigint; payout: string }
const pay = (spent: number, outputs: Output[], fee = 1_000n, chain = 'BTC regtest') => {
  const amount = outputs.reduce((sum, one) => sum + one.amount, fee)
  const input = { txid: spent.toString(16).padStart(64, '0'), vout: 0, amount: String(amount) }
  const parts = {
    chain,
    inputs: [{ ...input, branch: 0, position: '0' }],
    outputs: outputs.map((one) => ({ ...one, amount: String(one.amount) })),
  }
  return openSignerClient(socketIn(folder)).call('/sign', { family: 'bitcoin', parts })
}
const one = (payout: string, script: string = scripts[0], amount = 300_000n): Output[] => [{ payout, script, amount }]
const refused =
  (code: SignerRefusalCode) =>
  (error: unknown): boolean =>
    error instanceof SignerRefusal && error.code === code

/** The name of this process's own group. */
const groupOfTest = (): string =>
  readFileSync('/etc/group', 'utf8')
    .split('\n')
    .find((line) => line.split(':')[2] === String(process.getgid?.()))
    ?.split(':')[0] ?? assert.fail()

describe('the rules of a policy', () => {
  it('count what one destination gets within a window as one payment, so that many small ones need approvals, too', async () => {
    await start(`
caps: [${caps}]
destinations: { classes: [customer] }
approvals: [{ asset: BTC-BTC, above: "0.005", count: 1, window: PT30M }]
approvers: [{ name: ada, public_key: "${approver}" }]
`)
    await pay(1, one('1'))
    await assert.rejects(pay(2, one('2')), refused('approval_missing'))
    await pay(3, one('3', scripts[1]))
    now = later(now, 31 * 60_000)
    await pay(2, one('2'))
    await assert.rejects(pay(4, [...one('4', scripts[1]), ...one('5', scripts[1])]), refused('approval_missing'))
  })

  it('bound fees apart from payments, and allow a destination on its chain only', async () => {
    const policy = `
caps: [${caps}]
destinations: { allow: ["BTC:${friends[0]}", "LTC:${friends[1]}"] }
fees: [{ chain: BTC, max_rate: "20.5", max_amount: "0.0001" }]
test_chains: [{ network: BTC, chain: regtest }, { network: LTC, chain: regtest }]
`
    const mainnet = policy.replace(/test_chains.*\n/, '')
    for (const [bad, complaint] of [
      [policy.replace('chain: BTC', 'chain: XYZ'), /unknown chain XYZ/],
      [policy.replace('LTC:', 'XYZ:'), /names an unknown chain/],
      [policy.replace('LTC:', 'ERC20:'), /must name the chain as ETH/],
      [policy.replace('LTC:', 'ETH:'), /has no address of ETH/],
      [policy.replace('LTC:', 'XRP:'), /has no address of XRP/],
      [policy, /has no address of LTC/],
      [mainnet, /BTC:bcrt1\w+ is an address of BTC's regtest, and the policy is for its mainnet/],
      [mainnet.replace(String(friends[0]), testnet), /BTC:tb1\w+ is an address of BTC's testnet, and/],
      [
        policy.replace('chain: regtest', 'chain: testnet'),
        /BTC:bcrt1\w+ is an address of BTC's regtest, and the policy is for its testnet/,
      ],
      [policy.replace('BTC, chain: regtest', 'XRP, chain: testnet'), /XRP has no test networks that a policy names/],
      [policy.replace('BTC, chain: regtest', 'BTC, chain_id: 5'), /BTC is no network of the EVM/],
      [policy.replace('BTC:', ''), /policy\.yaml: bcrt1\w+ names no chain: write CHAIN:ADDRESS/],
    ] as const)
      await assert.rejects(start(bad), complaint)
    await start(policy.replace(`LTC:${friends[1]}`, `LTC:${litecoin}`))
    await assert.rejects(pay(1, one('1'), 10_001n), refused('fee'))
    await assert.rejects(pay(1, one('1'), 3_000n), refused('fee'))
    await assert.rejects(pay(1, one('1', scripts[1])), refused('policy'))
    await assert.rejects(pay(1, one('1'), 1_000n, 'BTC mainnet'), refused('policy'))
    await pay(1, one('1'))
  })

  it('cap what goes to listed destinations and what goes to customers apart from each other', async () => {
    await start(`
caps:
  - { asset: BTC-BTC, per: transaction, max: "1" }
  - { asset: BTC-BTC, per: P1D, max: "1" }
  - { asset: BTC-BTC, per: PT1H, max: "0.005", class: customer }
  - { asset: BTC-BTC, per: transaction, max: "0.02", class: listed }
destinations: { classes: [customer], allow: ["BTC:${friends[0]}"] }
test_chains: [{ network: BTC, chain: regtest }]
`)
    const { most } = await openSignerClient(socketIn(folder)).call<{ most: object }>('/status', {})
    assert.deepEqual(most, { 'BTC-BTC': '500000' })
    await pay(1, one('1', scripts[0], 1_500_000n))
    await assert.rejects(pay(2, one('2', scripts[0], 2_000_001n)), /cap of 0\.02 BTC .* to listed destinations/)
    await pay(3, one('3', scripts[1]))
    await assert.rejects(pay(4, [...one('4', scripts[1]), ...one('5')]), (error) => {
      assert(error instanceof SignerRefusal)
      assert.deepEqual([error.code, error.payouts, error.room], ['cap', ['4'], 200_000n])
      return /0\.005 BTC per hour to customers/.test(error.message)
    })
    now = later(now, 3_600_001)
    await pay(4, [...one('4', scripts[1]), ...one('5')])
  })

  it('refuse nothing by a cap under which it counts nothing, although that cap was lowered below what was spent', async () => {
    const policy = `
caps: [${caps}, { asset: BTC-BTC, per: PT1H, max: "0.01", class: customer }]
destinations: { classes: [customer], allow: ["BTC:${friends[0]}"] }
test_chains: [{ network: BTC, chain: regtest }]
`
    await start(policy)
    await pay(1, one('1', scripts[1]), 1_000n)
    await running?.stop()
    await start(policy.replace('0.01', '0.001'))
    await pay(2, one('2'))
    const client = openSignerClient(socketIn(folder))
    const { keys } = await client.call<{ keys: string }>('/keys', { family: 'bitcoin', chain: 'BTC regtest' })
    const { script } = openAccount(keys, rules, forms).addressAt({ branch: 1, position: 0n })
    const sign = (inputs: object[], outputs: object[]) =>
      client.call('/sign', { family: 'bitcoin', parts: { chain: 'BTC regtest', inputs, outputs } })
    const input = (spent: string, amount: string) => {
      return { txid: spent.padStart(64, '0'), vout: 0, amount, branch: 0, position: '0' }
    }
    await sign([input('3', '11000')], [{ script, amount: '10000', path: { branch: 1, position: '0' } }])
    await sign([input('1', '301000'), input('5', '1000')], [{ script: scripts[1], amount: '300000', payout: '1' }])
    await assert.rejects(pay(4, one('4', scripts[1], 1n)), refused('cap'))
  })

  it('let what stays ours go to the wallet only, and gas to addresses that somebody would look for', async () => {
    await start(`
caps: [${[caps, caps.replaceAll('BTC-BTC', 'ETH-ETH')].join(', ')}]
destinations: { classes: [customer] }
test_chains: [{ network: ETH, chain_id: 31337 }]
own_addresses: 1000
`)
    const client = openSignerClient(socketIn(folder))
    const { keys } = await client.call<{ keys: string }>('/keys', { family: 'bitcoin', chain: 'BTC regtest' })
    const account = openAccount(keys, rules, forms)
    const keep = (spent: number, branch: 0 | 1, position: string) => {
      const { script } = account.addressAt({ branch, position: BigInt(position) })
      const inputs = [
        { txid: spent.toString(16).padStart(64, '0'), vout: 0, amount: '11000', branch: 0, position: '0' },
      ]
      const outputs = [{ script, amount: '10000', path: { branch, position } }]
      return client.call('/sign', { family: 'bitcoin', parts: { chain: 'BTC regtest', inputs, outputs } })
    }
    await keep(1, 1, '0')
    await assert.rejects(keep(2, 1, '1'), refused('malformed'))
    await assert.rejects(keep(2, 0, '0'), refused('malformed'))
    const gas = (gasFor: string, nonce: string) => {
      const fees = { gas: '21000', maxFee: '1000000000', priorityFee: '1' }
      const parts = { network: 'ETH', chainId: '31337', nonce, asset: 'ETH-ETH', amount: '1', ...fees, gasFor }
      return client.call('/sign', { family: 'evm', parts })
    }
    await gas('999', '0')
    await assert.rejects(gas('1000', '1'), refused('policy'))
  })

  it('let the members of a group open the socket, and read nothing else', async () => {
    const policy = `{ caps: [], destinations: {} }`
    await assert.rejects(start(policy, 'no-such-group'), /There is no group/)
    await start(policy, groupOfTest())
    assert.deepEqual([statSync(socketIn(folder)).mode & 0o777, statSync(folder).mode & 0o777], [0o660, 0o710])
    assert.equal(statSync(socketIn(folder)).gid, process.getgid?.())
  })
})
