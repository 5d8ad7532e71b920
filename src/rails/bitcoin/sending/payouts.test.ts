import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { useBitcoinWorld } from '../../../../test/support/bitcoin-world.ts'
import {
  done,
  paidTo,
  planned,
  stateOf,
  submitted,
  submittedOne,
  takeTransfers,
} from '../../../../test/support/bitcoin-payouts.ts'
import { Refusal } from '../../../platform/lib/refusal.ts'
import { scriptOf } from '../../../reference/addresses/output-script.ts'

const asset = 'BTC-BTC'
const conflict = (error: unknown): boolean => error instanceof Refusal && error.code === 'CONFLICT'

const bitcoin = useBitcoinWorld()

describe('coins that go out on Bitcoin', () => {
  it('leave together: 50 payouts are one transfer, and its fee is shared to the last satoshi', async () => {
    const { node, one } = bitcoin.world
    const held = await one.rail.balance(asset)
    const plans = await submitted(bitcoin.world, ...Array.from({ length: 50 }, (_, index) => 10_000n + BigInt(index)))
    await one.follow()
    assert.equal((await node.waiting()).length, 1)
    await node.mine(1)
    await one.follow()
    assert.deepEqual(
      new Set(await Promise.all(plans.map((plan) => stateOf(bitcoin.world, plan)))),
      new Set(['pending']),
      'one block of two',
    )
    await node.mine(1)
    await one.follow()
    const outcomes = await Promise.all(plans.map((plan) => done(bitcoin.world, plan)))
    assert.equal(new Set(outcomes.map(({ hash }) => hash)).size, 1)
    for (const [index, plan] of plans.entries()) {
      assert.equal(await paidTo(bitcoin.world, outcomes[index]?.hash ?? '', plan), plan.amount)
    }
    const fees = outcomes.reduce((sum, { fee }) => sum + fee, 0n)
    const amounts = plans.reduce((sum, { amount }) => sum + amount, 0n)
    assert.equal(await one.rail.balance(asset), held - amounts - fees)
    const shares = outcomes.map(({ fee }) => fee)
    const spread = shares.map((fee) => fee - (shares.at(-1) ?? 0n))
    assert(spread.every((more) => more === 0n || more === 1n))
  })

  it('leave in transfers of at most 100', async () => {
    const { node, one } = bitcoin.world
    const plans = await submitted(bitcoin.world, ...Array.from({ length: 103 }, () => 2_000n))
    await one.follow()
    await node.mine(2)
    await one.follow()
    await node.mine(2)
    await one.follow()
    const hashes = (await Promise.all(plans.map((plan) => done(bitcoin.world, plan)))).map(({ hash }) => hash)
    const counts = [...new Set(hashes)].map((hash) => hashes.filter((one) => one === hash).length)
    assert.deepEqual(counts, [100, 3])
  })

  it('are refused where they are dust, another asset, or no address of this chain', async () => {
    const bad = [
      await planned(bitcoin.world, 545n),
      await planned(bitcoin.world, 10_000n, 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4'),
      await planned(bitcoin.world, 10_000n, 'nonsense'),
    ]
    for (const plan of bad) await assert.rejects(bitcoin.world.one.payout.submit(plan), conflict)
    const plan = await planned(bitcoin.world, 10_000n)
    await assert.rejects(
      bitcoin.world.one.payout.submit({ ...plan, body: { ...plan.body, asset: 'LTC-LTC' } }),
      conflict,
    )
    assert.equal(await stateOf(bitcoin.world, plan), 'never')
  })

  it('wait while they are halted, and leave afterwards', async () => {
    const { node, one, db } = bitcoin.world
    await db.sql`insert into halts (scope, name, since, reason) values ('payouts', '', now(), 'a drill')`
    const plan = await submittedOne(bitcoin.world, 33_000n)
    await one.follow()
    assert.deepEqual(await node.waiting(), [])
    await db.sql`delete from halts`
    await one.follow()
    assert.equal((await node.waiting()).length, 1)
    await node.mine(2)
    await one.follow()
    await done(bitcoin.world, plan)
  })

  it('leave once, whatever the role of the service asks for', async () => {
    const { node, one, db } = bitcoin.world
    const plan = await submittedOne(bitcoin.world, 44_000n)
    await one.follow()
    const own = db.sql<{ id: bigint }>`select send_id as id from bitcoin_payments where plan_key = ${plan.key}`
    const [{ id } = assert.fail()] = await own
    const refused = /stays so/
    await assert.rejects(db.sql`delete from bitcoin_attempts where send_id = ${id}`, refused)
    await assert.rejects(db.sql`update bitcoin_attempts set txid = null, raw = null where send_id = ${id}`, refused)
    const again = () =>
      db.sql`update bitcoin_payments set state = 'waiting', send_id = null, number = null where plan_key = ${plan.key}`
    await assert.rejects(again(), refused)
    await node.mine(2)
    await one.follow()
    await done(bitcoin.world, plan)
    await assert.rejects(again(), refused)
  })

  it('that somebody else wrote down, alone or in a transfer, are not signed, and keep nothing back', async () => {
    const { node, one, db } = bitcoin.world
    const forged = await planned(bitcoin.world, 7_000_000n)
    const script = scriptOf(forged.address, one.chain.forms)
    await db.sql`
      insert into bitcoin_payments (network, plan_key, script, amount, stamp)
      values ('BTC', 'forged 1', ${script}, 7000000, ${Buffer.alloc(32)})`
    await db.sql`
      with send as (insert into bitcoin_sends (network) values ('BTC') returning id),
      spent as (
        insert into bitcoin_inputs (send_id, txid, vout, amount, branch, position)
        select send.id, txid, vout, amount, branch, address.position from send, bitcoin_coins as coin
        join bitcoin_addresses as address on address.id = address_id
        where coin.state = 'final' and spent_by is null order by amount desc limit 1 returning amount),
      attempt as (
        insert into bitcoin_attempts (send_id, number, fee, size, change, made_at)
        select send.id, 1, 1000, 150, amount - 7001000, now() from send, spent)
      insert into bitcoin_payments (network, plan_key, script, amount, state, send_id, number)
      select 'BTC', 'forged 2', ${script}, 7000000, 'sending', id, 0 from send`
    const fine = await submittedOne(bitcoin.world, 33_000n)
    for (let look = 0; look < 3; look += 1) {
      await one.follow()
      await node.mine(2)
    }
    await one.follow()
    const { hash } = await done(bitcoin.world, fine)
    assert.equal(await paidTo(bitcoin.world, hash, forged), 0n)
    const refused = await db.sql`select plan_key, code from chain_refusals order by plan_key`
    assert.deepEqual(refused, [
      { plan_key: 'forged 1', code: 'forged' },
      { plan_key: 'forged 2', code: 'forged' },
    ])
    assert.deepEqual(await db.sql`select 1 from bitcoin_attempts where txid is null`, [])
  })

  it('leave room for more: while fees are low, many small outputs become one, at a cost that is booked', async () => {
    const { node, one, customer } = bitcoin.world
    const { reference: small } = await one.deposit.instruct({ id: 9_001n, category: 'CRYPTO', asset, amount: 1n })
    await customer.pay(
      Array.from({ length: 230 }, () => ({ address: small, amount: 2_000n })),
      0n,
      { fee: 50_000n },
    )
    await node.mine(3)
    const before = await one.rail.balance(asset)
    for (const each of [node, bitcoin.world.second]) {
      each.answering = (method, _params, real) =>
        method === 'estimatesmartfee' ? Promise.resolve({ feerate: 0.00002, blocks: 3 }) : real()
    }
    await one.follow()
    const credited = (await one.rail.balance(asset)) - before
    takeTransfers(bitcoin.world)
    assert.equal((await node.waiting()).length, 1)
    await node.mine(2)
    await one.follow()
    const [cost = 0n, ...others] = bitcoin.world.charged
    assert.deepEqual(others, [])
    assert(cost > 0n && cost < 20_000n)
    assert.equal(credited, 230n * 2_000n)
    assert.equal(await one.rail.balance(asset), before + credited - cost)
    const left = await bitcoin.world.db
      .sql`select 1 from bitcoin_coins where amount = 2000 and state = 'final' and spent_by is null`
    assert.equal(left.length, 130)
  })

  it('are brought to the second node where the first does not answer', async () => {
    const { node, one, second } = bitcoin.world
    await submittedOne(bitcoin.world, 92_000n)
    const brought: string[] = []
    node.answering = async (method, _params, real) => {
      if (method === 'sendrawtransaction') await node.die()
      return real()
    }
    second.answering = (method, [raw], real) => {
      if (method === 'sendrawtransaction') brought.push(String(raw))
      return real()
    }
    await one.follow().catch(() => undefined)
    assert.equal(brought.length, 1)
    await node.revive()
    takeTransfers(bitcoin.world)
    await node.mine(2)
    await one.follow()
  })

  it('leave no recipient behind once they are buried deep', async () => {
    const { node, one, db } = bitcoin.world
    await node.mine(100)
    await one.follow()
    const clear = await db.sql`
      select 1 from bitcoin_payments where state = 'done' and script is not null
      union all select 1 from bitcoin_attempts join bitcoin_sends on id = send_id where state = 'done' and raw is not null`
    assert.deepEqual(clear, [])
  })
})
