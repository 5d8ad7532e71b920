import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, it } from 'node:test'

import { openXrplWorld, type XrplWorld } from '../../../../test/support/xrpl-world.ts'
import { makeSandboxAddress } from '../../../reference/addresses/address.ts'
import type { PlanDraft } from '../../rail.ts'
import type { Signer } from '../keys.ts'

describe('payments on the XRP Ledger as they are written down', () => {
  let world: XrplWorld
  /** What the signer does instead of signing. */
  let trouble: ((sign: () => ReturnType<Signer['sign']>) => ReturnType<Signer['sign']>) | undefined
  let ids = 0n

  beforeEach(async () => {
    trouble = undefined
    world = await openXrplWorld({
      wrap: (signer) => ({
        ...signer,
        sign: (payment) => (trouble ? trouble(() => signer.sign(payment)) : signer.sign(payment)),
      }),
    })
  })
  afterEach(() => world.end())

  const payout = () => world.one.rail.payout ?? assert.fail()
  const stranger = (): string => makeSandboxAddress('xrp', Buffer.alloc(32, Number((ids += 1n))))
  async function submitted(amount: bigint): Promise<PlanDraft> {
    const destination = { address: stranger(), extraId: '', holder: '' }
    world.open(destination.address)
    const [plan] = await payout().prepare([{ payoutId: ids, asset: world.one.chain.asset, amount, destination }])
    assert(plan)
    await payout().submit(plan)
    return plan
  }
  const stateOf = async (plan: PlanDraft): Promise<string> => (await payout().look(plan)).state
  const sequences = (): unknown[] => world.paid().map(({ tx_json: tx }) => tx.Sequence)
  async function settle(): Promise<void> {
    await world.one.follow()
    world.close(1)
    await world.one.follow()
  }

  it('that were signed before a halt are brought, and nothing else is signed', async () => {
    const halt = () =>
      world.db
        .sql`insert into halts (scope, name, since, reason, halted_by) values ('payouts', '', now(), 'test', 'test')`
    const brought = await submitted(5n)
    for (const node of [world.first, world.second]) node.losesTransactions = true
    await world.one.follow()
    const between = await submitted(6n)
    trouble = async (sign) => {
      const signed = await sign()
      await halt()
      return signed
    }
    await world.one.follow()
    trouble = undefined
    const later = await submitted(7n)
    for (const node of [world.first, world.second]) node.losesTransactions = false
    await settle()
    assert.deepEqual(await Promise.all([brought, between, later].map(stateOf)), ['done', 'done', 'pending'])
    assert.deepEqual(sequences(), [77, 78])
  })

  it('leave once, whatever the role of the service asks for', async () => {
    const plan = await submitted(5n)
    await world.one.follow()
    const refused = /stays so/
    await assert.rejects(world.db.sql`delete from xrpl_attempts`, refused)
    await assert.rejects(world.db.sql`update xrpl_attempts set hash = null, raw = null`, refused)
    await assert.rejects(world.db.sql`update xrpl_payments set state = 'waiting', sequence = null`, refused)
    await settle()
    await assert.rejects(world.db.sql`update xrpl_payments set state = 'sent'`, refused)
    assert.equal(await stateOf(plan), 'done')
    assert.deepEqual(sequences(), [77])
  })

  it('that somebody else wrote down, or has numbered, are not signed, and keep nothing back', async () => {
    const fine = await submitted(5n)
    const forged = { recipient: stranger(), sequence: 78 }
    world.open(forged.recipient)
    await world.db.sql`
      insert into xrpl_payments (network, plan_key, recipient, amount, stamp)
      values ('XRP', '666', ${forged.recipient}, 7000000, ${Buffer.alloc(32)})`
    await world.db.sql`
      with sent as (
        insert into xrpl_payments (network, plan_key, recipient, amount, state, sequence)
        values ('XRP', '667', ${forged.recipient}, 7000000, 'sent', ${forged.sequence}) returning id)
      insert into xrpl_attempts (payment_id, number, last_ledger, fee) select id, 1, 2000, 10 from sent`
    await settle()
    await settle()
    assert.equal(await stateOf(fine), 'done')
    assert.deepEqual(
      world.paid().map(({ tx_json: tx }) => tx.Amount),
      ['5'],
    )
    const refused = await world.db.sql`select plan_key, code from chain_refusals order by plan_key`
    assert.deepEqual(refused, [
      { plan_key: '666', code: 'forged' },
      { plan_key: '667', code: 'forged' },
    ])
  })
})
