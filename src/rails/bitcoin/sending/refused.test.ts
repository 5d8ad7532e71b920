import assert from 'node:assert/strict'
import { afterEach, describe, it } from 'node:test'

import {
  done,
  paidTo,
  refuseTransfers,
  stateOf,
  submitted,
  takeTransfers,
} from '../../../../test/support/bitcoin-payouts.ts'
import { type BitcoinWorld, openBitcoinWorld } from '../../../../test/support/bitcoin-world.ts'
import { signerMnemonic, type SignerProcess, startSignerProcess } from '../../../../test/support/signer-process.ts'
import { Refusal } from '../../../platform/lib/refusal.ts'
import { refusalOf } from '../../chain/refusals.ts'
import type { SignInput } from '../keys.ts'
import { localSigner } from '../sign.ts'

const notExcluded = (error: unknown): boolean => error instanceof Refusal && error.code === 'NOT_EXCLUDED'
const coins = (text: number): bigint => BigInt(Math.round(text * 1e8))
const policyOf = (perTransaction: string, more = '', perHour = '100'): string => `
caps:
  - { asset: BTC-BTC, per: transaction, max: "${perTransaction}" }
  - { asset: BTC-BTC, per: PT1H, max: "${perHour}" }
  - { asset: BTC-BTC, per: P1D, max: "100" }
destinations: { classes: [customer] }
${more}`
const approvals = `approvals: [{ asset: BTC-BTC, above: "0.001", count: 1 }]
approvers: [{ name: ada, public_key: "MCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=" }]
`

describe('payouts that the signer refuses, with its own process', () => {
  let signer: SignerProcess
  let world: BitcoinWorld
  async function open(policy: string): Promise<void> {
    signer = await startSignerProcess(policy)
    world = await openBitcoinWorld({}, { funds: 10n, signer: signer.client })
  }
  afterEach(async () => {
    await world.close()
    await signer.remove()
  })

  const settle = async (): Promise<void> => {
    await world.one.follow()
    await world.node.mine(2)
    await world.one.follow()
  }

  it('ten payouts above the cap together leave at once as far as it allows, and the others in the next transfer', async () => {
    await open(policyOf('0.5'))
    const plans = await submitted(world, ...Array.from({ length: 10 }, () => coins(0.06)))
    await world.one.follow()
    assert.equal((await world.node.waiting()).length, 1)
    await world.node.mine(2)
    const states = async () => Promise.all(plans.map((plan) => stateOf(world, plan)))
    await world.one.follow()
    assert.equal((await states()).filter((state) => state === 'done').length, 8)
    await settle()
    assert.deepEqual(new Set(await states()), new Set(['done']))
    for (const plan of plans) assert.equal(await paidTo(world, (await done(world, plan)).hash, plan), coins(0.06))
  })

  it('one above the cap waits with its reason, and keeps back nobody', async () => {
    await open(policyOf('0.5'))
    const [large, ...small] = await submitted(world, coins(0.7), coins(0.01), coins(0.02), coins(0.03))
    assert(large)
    await settle()
    for (const plan of small) await done(world, plan)
    assert.equal(await stateOf(world, large), 'pending')
    const refusal = await refusalOf(world.db, 'BTC', large.key)
    assert.equal(refusal?.code, 'cap')
    assert(refusal.refusedUntil.getTime() > world.one.chain.clock.realNow().getTime())
    await signer.kill('SIGTERM')
    await signer.start(policyOf('1'))
    world.pass(31_000)
    await settle()
    await done(world, large)
    assert.equal(await refusalOf(world.db, 'BTC', large.key), undefined)
  })

  it('a hundred and more that wait for approvals do not starve the next one', async () => {
    await open(policyOf('0.5', approvals))
    const waiting = await submitted(world, ...Array.from({ length: 105 }, () => coins(0.002)))
    const [fine] = await submitted(world, coins(0.001))
    assert(fine)
    await settle()
    await done(world, fine)
    assert.equal((await refusalOf(world.db, 'BTC', waiting[104]?.key ?? ''))?.code, 'approval_missing')
  })

  it('what exceeds the cap of an hour waits, and a smaller one that fits leaves', async () => {
    await open(policyOf('0.5', '', '0.2'))
    const [first] = await submitted(world, coins(0.15))
    await settle()
    const [second, third] = await submitted(world, coins(0.1), coins(0.02))
    assert(first && second && third)
    await settle()
    await done(world, first)
    await done(world, third)
    assert.equal((await refusalOf(world.db, 'BTC', second.key))?.code, 'cap')
  })

  it('can be ended while it is refused, and never once it is in a transfer that may be confirmed', async () => {
    await open(policyOf('0.5'))
    const { payout } = world.one
    const end = payout.end ?? assert.fail()
    const progress = payout.progress ?? assert.fail()
    const [large, small] = await submitted(world, coins(0.7), coins(0.01))
    assert(large && small)
    await world.one.follow()
    assert.equal((await progress(small)).state, 'sent')
    const { state, refusal } = await progress(large)
    assert.deepEqual([state, refusal?.code], ['waiting', 'cap'])
    for (const how of ['check', 'end'] as const) await assert.rejects(end(small, how), notExcluded)
    await end(large, 'check')
    assert.equal((await progress(large)).state, 'waiting')
    await end(large, 'end')
    await end(large, 'end')
    await payout.submit(large)
    await signer.kill('SIGTERM')
    await signer.start(policyOf('1'))
    world.pass(31_000)
    await settle()
    await done(world, small)
    await assert.rejects(end(small, 'end'), notExcluded)
    assert.deepEqual([await stateOf(world, large), (await progress(large)).state], ['never', 'never'])
  })

  it('a higher fee that it refuses is said of the payout, until it signs one', async () => {
    await open(policyOf('0.5'))
    const progress = world.one.payout.progress ?? assert.fail()
    const [plan] = await submitted(world, coins(0.1))
    assert(plan)
    const brought = refuseTransfers(world)
    await world.one.follow()
    await signer.kill('SIGTERM')
    await signer.start(policyOf('0.5', 'fees: [{ chain: BTC, max_amount: "0.00000001" }]'))
    world.pass(1_801_000)
    await world.one.follow()
    const { state, refusal } = await progress(plan)
    assert.deepEqual([state, refusal?.code], ['sent', 'fee'])
    await signer.kill('SIGTERM')
    await signer.start(policyOf('0.5'))
    await world.one.follow()
    assert.equal(new Set(brought).size, 2)
    assert.deepEqual(await progress(plan), { state: 'sent', refusal: undefined })
  })

  it('can be ended once a final block spends what its transfer spends', async () => {
    await open(policyOf('5'))
    const end = world.one.payout.end ?? assert.fail()
    const [plan] = await submitted(world, coins(0.1))
    assert(plan)
    const brought = refuseTransfers(world)
    await world.one.follow()
    assert.equal(brought.length > 0, true)
    takeTransfers(world)
    const [input] = await world.db.sql<SignInput>`select txid, vout, amount, branch, position from bitcoin_inputs`
    assert(input)
    const { raw } = await (
      await localSigner(signerMnemonic, world.one.chain.rules)
    ).sign({ inputs: [input], outputs: [{ script: world.one.chain.wallet.script, amount: input.amount - 10_000n }] })
    await world.node.ask('sendrawtransaction', raw)
    await world.node.mine(1)
    await world.one.follow()
    await assert.rejects(end(plan, 'check'), notExcluded)
    await world.node.mine(1)
    await world.one.follow()
    await end(plan, 'end')
    assert.equal(await stateOf(world, plan), 'never')
  })
})
