import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { useBitcoinWorld } from '../../../../test/support/bitcoin-world.ts'
import {
  done,
  outpointsOf,
  paidTo,
  refuseTransfers,
  stateOf,
  submitted,
  submittedOne,
  takeTransfers,
} from '../../../../test/support/bitcoin-payouts.ts'
import { localSigner } from '../sign.ts'
import { readTransfer } from '../wire.ts'

const asset = 'BTC-BTC'

const bitcoin = useBitcoinWorld()

describe('the attempts of a transfer on Bitcoin', () => {
  it('get a higher fee after a while, with the same inputs, and are paid once', async () => {
    const { node, one, other } = bitcoin.world
    const plan = await submittedOne(bitcoin.world, 500_000n)
    const brought = refuseTransfers(bitcoin.world)
    await one.follow()
    bitcoin.world.pass(1_740_000)
    await one.follow()
    assert.equal(new Set(brought).size, 1, 'half an hour is not over')
    bitcoin.world.pass(61_000)
    await Promise.all([one.follow(), other.follow()])
    const [first = '', second = '', ...more] = [...new Set(brought)]
    assert.deepEqual(more, [])
    const missing = outpointsOf(first).filter((outpoint) => !outpointsOf(second).includes(outpoint))
    assert.deepEqual(missing, [], 'the second attempt spends all that the first one spends')
    takeTransfers(bitcoin.world)
    await node.ask('sendrawtransaction', first)
    await node.ask('sendrawtransaction', second)
    assert.deepEqual(await node.waiting(), [readTransfer(second).txid])
    await node.mine(2)
    // Either process may have the lease since both looked at once.
    await Promise.all([one.follow(), other.follow()])
    const { hash } = await done(bitcoin.world, plan)
    assert.equal(hash, readTransfer(second).txid)
    assert.equal(await paidTo(bitcoin.world, hash, plan), 500_000n)
  })

  it('are found whichever attempt the chain took', async () => {
    const { node, one } = bitcoin.world
    const held = await one.rail.balance(asset)
    const plan = await submittedOne(bitcoin.world, 500_000n)
    const brought = refuseTransfers(bitcoin.world)
    await one.follow()
    bitcoin.world.pass(1_801_000)
    await one.follow()
    takeTransfers(bitcoin.world)
    const [first = ''] = brought
    await node.ask('sendrawtransaction', first)
    await node.mine(2)
    await one.follow()
    const { hash, fee } = await done(bitcoin.world, plan)
    assert.equal(hash, readTransfer(first).txid)
    assert.equal(await one.rail.balance(asset), held - 500_000n - fee)
    await one.follow()
    assert.deepEqual(await node.waiting(), [])
  })

  it('never cost more than they reserve, however often the fee is raised', async () => {
    const { one, node } = bitcoin.world
    const most = one.payout.mostFee(asset)?.amount ?? 0n
    const plan = await submittedOne(bitcoin.world, 500_000n)
    refuseTransfers(bitcoin.world)
    for (let count = 0; count < 25; count += 1) {
      bitcoin.world.pass(1_801_000)
      await one.follow()
    }
    takeTransfers(bitcoin.world)
    bitcoin.world.pass(61_000)
    await one.follow()
    await node.mine(2)
    await one.follow()
    const { fee } = await done(bitcoin.world, plan)
    assert(fee <= most && fee > most / 3n, `${fee} of ${most}`)
  })

  it('come back after a reorganization of six blocks, by themselves', async () => {
    const { node, one } = bitcoin.world
    const plans = await submitted(bitcoin.world, 70_000n, 80_000n)
    await one.follow()
    await node.mine(4)
    await one.follow()
    const [{ hash }] = [await done(bitcoin.world, plans[0] ?? assert.fail())]
    const held = await one.rail.balance(asset)
    await node.reorg(6, { drop: true })
    await one.follow()
    assert.deepEqual(await node.waiting(), [hash], 'it was brought again')
    await node.mine(2)
    await one.follow()
    for (const plan of plans) assert.equal((await done(bitcoin.world, plan)).hash, hash)
    assert.equal(await one.rail.balance(asset), held)
  })

  it('keep their coins after a reorganization, until a block has them again', async () => {
    const { node, one } = bitcoin.world
    const first = await submittedOne(bitcoin.world, 300_000n)
    await one.follow()
    await node.mine(3)
    await one.follow()
    const { hash } = await done(bitcoin.world, first)
    const raw = await node.raw(hash)
    await node.reorg(5, { drop: true })
    refuseTransfers(bitcoin.world)
    await one.follow()
    const second = await submittedOne(bitcoin.world, 300_000n)
    await one.follow()
    const taken = await bitcoin.world.db.sql<{ raw: string }>`
      select raw from bitcoin_attempts join bitcoin_payments using (send_id) where plan_key = ${second.key}`
    const shared = taken
      .flatMap((one) => outpointsOf(one.raw))
      .filter((outpoint) => outpointsOf(raw).includes(outpoint))
    assert.deepEqual(shared, [])
    takeTransfers(bitcoin.world)
    await one.follow()
    await node.mine(4)
    await one.follow()
    await node.mine(2)
    await one.follow()
    for (const plan of [first, second])
      assert.equal(await paidTo(bitcoin.world, (await done(bitcoin.world, plan)).hash, plan), plan.amount)
  })

  it('leave out a deposit that a reorganization took permanently, and are paid once', async () => {
    const { node, one, customer } = bitcoin.world
    const order = { id: 4_242n, category: 'CRYPTO', asset, amount: 1n }
    const { reference } = await one.deposit.instruct(order)
    const { spent } = await customer.pay(reference, 3n * 10n ** 8n)
    await node.mine(3)
    await one.follow()
    const plan = await submittedOne(bitcoin.world, 11n * 10n ** 8n)
    await one.follow()
    const [before = ''] = await node.waiting()
    const old = outpointsOf(await node.raw(before))
    assert(old.length > 1)
    await node.reorg(4, { drop: true })
    await customer.pay(customer.address, 1_000n, { spends: spent })
    await customer.pay(one.chain.wallet.address, 5n * 10n ** 8n)
    await node.mine(3)
    await one.follow()
    const [after = ''] = await node.waiting()
    const now = outpointsOf(await node.raw(after))
    assert(
      now.some((outpoint) => old.includes(outpoint)),
      'they share an input',
    )
    await node.mine(2)
    await one.follow()
    assert.equal((await done(bitcoin.world, plan)).hash, after)
    assert.equal(await paidTo(bitcoin.world, after, plan), plan.amount)
  })

  it('are sent by the next process where one was killed between signing and broadcasting', async () => {
    const { node, one, other } = bitcoin.world
    const plan = await submittedOne(bitcoin.world, 90_000n)
    node.answering = (method, _params, real) =>
      method === 'sendrawtransaction' ? Promise.reject(new Error('killed')) : real()
    bitcoin.world.second.answering = node.answering
    await one.follow()
    assert.deepEqual(await node.waiting(), [])
    takeTransfers(bitcoin.world)
    bitcoin.world.pass(61_000)
    await other.follow()
    assert.equal((await node.waiting()).length, 1)
    await node.mine(2)
    await other.follow()
    assert.equal(await paidTo(bitcoin.world, (await done(bitcoin.world, plan)).hash, plan), 90_000n)
    bitcoin.world.pass(61_000)
  })

  it('are signed by one process only: what lost its lease while it signed sends nothing', async () => {
    const { one, other, node } = bitcoin.world
    const plan = await submittedOne(bitcoin.world, 91_000n)
    const { signer } = one.chain
    assert(signer)
    let taken = false
    one.chain.signer = {
      ...signer,
      sign: async (wanted) => {
        if (!taken) {
          taken = true
          bitcoin.world.pass(61_000)
          await other.follow()
        }
        return signer.sign(wanted)
      },
    }
    await assert.rejects(one.look(), /Nothing is sent on BTC now/)
    one.chain.signer = signer
    assert.equal((await node.waiting()).length, 1)
    await node.mine(2)
    bitcoin.world.pass(61_000)
    await one.follow()
    assert.equal(await paidTo(bitcoin.world, (await done(bitcoin.world, plan)).hash, plan), 91_000n)
    assert.equal((await bitcoin.world.db.sql`select 1 from bitcoin_payments where plan_key = ${plan.key}`).length, 1)
  })

  it('are never paid once a foreign transfer has spent their inputs, and not a block before', async () => {
    const { node, one } = bitcoin.world
    const plan = await submittedOne(bitcoin.world, 100_000n)
    const [raw = ''] = await (async () => {
      const brought = refuseTransfers(bitcoin.world)
      await one.follow()
      return brought
    })()
    takeTransfers(bitcoin.world)
    await node.ask('sendrawtransaction', await foreignSpendOf(raw))
    await node.mine(1)
    await one.follow()
    assert.equal(await stateOf(bitcoin.world, plan), 'pending')
    await node.mine(1)
    await one.follow()
    assert.equal(await stateOf(bitcoin.world, plan), 'never')
    await one.payout.submit(plan)
    await one.follow()
    assert.equal(await stateOf(bitcoin.world, plan), 'never')
  })
})

/** Another program with our keys spends what a transfer of ours spends. */
async function foreignSpendOf(raw: string): Promise<string> {
  const { one, db } = bitcoin.world
  const inputs = []
  for (const { txid, vout } of readTransfer(raw).inputs) {
    const [input] = await db.sql<{ amount: bigint; branch: 0 | 1; position: bigint }>`
      select amount, branch, position from bitcoin_inputs where txid = ${txid} and vout = ${vout} limit 1`
    assert(input)
    inputs.push({ txid, vout, ...input })
  }
  const amount = inputs.reduce((sum, input) => sum + input.amount, 0n) - 5_000n
  const signer = await localSigner('test test test test test test test test test test test junk', one.chain.rules)
  return (await signer.sign({ inputs, outputs: [{ script: one.chain.wallet.script, amount }] })).raw
}
