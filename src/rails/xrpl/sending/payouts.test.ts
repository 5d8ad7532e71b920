import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { afterEach, beforeEach, describe, it } from 'node:test'

import { account, sender } from '../../../../test/support/xrpl-ledger.ts'
import { openXrplWorld, type XrplWorld } from '../../../../test/support/xrpl-world.ts'
import { makeSandboxAddress } from '../../../reference/addresses/address.ts'
import { Refusal } from '../../../platform/lib/refusal.ts'
import { notPrepared } from '../../chain/prepared.ts'
import { SignerRefusal } from '../../keys/signer.ts'
import type { PayoutHalf, PlanDraft } from '../../rail.ts'
import type { Signer, UnsignedPayment } from '../keys.ts'

describe('payouts on the XRP Ledger', () => {
  let world: XrplWorld
  let rail: PayoutHalf
  /** What the signer does instead of signing, and how often it signed. */
  let trouble:
    | ((sign: () => ReturnType<Signer['sign']>, payment: UnsignedPayment) => ReturnType<Signer['sign']>)
    | undefined
  let ids = 0n

  beforeEach(async () => {
    trouble = undefined
    world = await openXrplWorld({
      wrap: (signer) => ({
        ...signer,
        sign: (payment) => (trouble ? trouble(() => signer.sign(payment), payment) : signer.sign(payment)),
      }),
    })
    rail = world.one.rail.payout ?? assert.fail()
  })
  afterEach(() => world.end())

  const stranger = (): string =>
    makeSandboxAddress(
      'xrp',
      createHash('sha256')
        .update(`recipient ${(ids += 1n)}`)
        .digest(),
    )
  async function submitted(
    amount: bigint,
    { address = stranger(), extraId = '', isKnown = true } = {},
  ): Promise<PlanDraft> {
    if (isKnown) world.open(address)
    const order = {
      payoutId: (ids += 1n),
      asset: world.one.chain.asset,
      amount,
      destination: { address, extraId, holder: '' },
    }
    const [plan] = await rail.prepare([order])
    assert(plan)
    await rail.submit(plan)
    return plan
  }
  const stateOf = async (plan: PlanDraft): Promise<string> => (await rail.look(plan)).state
  const sequences = (): unknown[] => world.paid().map(({ tx_json: tx }) => tx.Sequence)
  async function settle(ledgers = 1): Promise<void> {
    await world.one.follow()
    world.close(ledgers)
    await world.one.follow()
  }

  it('are known by their stamp to have been prepared, with their tag, also once the recipient is forgotten', async () => {
    const { asset, stampKey } = world.one.chain
    const [first, second] = [stranger(), stranger()]
    const [tagged, bare] = [
      await submitted(5n, { address: first, extraId: '7' }),
      await submitted(6n, { address: second }),
    ]
    await settle()
    const unknown = async (payout: string, amount: string, destination: string) =>
      (await notPrepared(world.db, stampKey, [{ payout, asset, amount, destination }])).length
    assert.deepEqual([await unknown(tagged.key, '5', `${first}:7`), await unknown(bare.key, '6', second)], [0, 0])
    for (const [amount, destination] of [
      ['6', `${first}:7`],
      ['5', `${first}:8`],
      ['5', first],
      ['5', `${second}:7`],
    ] as const)
      assert.equal(await unknown(tagged.key, amount, destination), 1, destination)
  })

  it('carry the tag, are paid in order under numbers without a gap, and forget their recipients', async () => {
    const plans = [await submitted(5_000_000n, { extraId: '4294967295' }), await submitted(6n), await submitted(7n)]
    await settle()
    assert.deepEqual(await Promise.all(plans.map(stateOf)), ['done', 'done', 'done'])
    assert.deepEqual(
      world.paid().map(({ tx_json: tx }) => [tx.Sequence, tx.Amount, tx.DestinationTag]),
      [
        [77, '5000000', 4_294_967_295],
        [78, '6', undefined],
        [79, '7', undefined],
      ],
    )
    const kept = await world.db.sql`select 1 from xrpl_payments where recipient is not null`
    const bytes = await world.db.sql`select 1 from xrpl_attempts where raw is not null`
    assert.deepEqual([kept.length, bytes.length], [0, 0])
  })

  it('are attempted again under the same number, once no ledger can take the attempt before', async () => {
    for (const node of [world.first, world.second]) node.losesTransactions = true
    const plan = await submitted(5n)
    await settle(19)
    assert.equal((await attempts()).length, 1, 'the next ledger may still take it')
    await settle(1)
    const [first, second] = await attempts()
    assert.equal(second?.sequence, first?.sequence)
    for (const node of [world.first, world.second]) node.losesTransactions = false
    await settle()
    assert.equal(await stateOf(plan), 'done')
    assert.deepEqual(sequences(), [77])
  })

  it('are not attempted again while the second node has not passed the last ledger', async () => {
    for (const node of [world.first, world.second]) node.losesTransactions = true
    await submitted(5n)
    await world.one.follow()
    world.second.behind = 8
    world.close(25)
    await world.one.follow()
    assert.equal((await attempts()).length, 1)
    world.second.behind = 0
    await world.one.follow()
    assert.equal((await attempts()).length, 2)
  })

  for (const [crash, when] of [
    ['before it signs', (_sign: () => unknown) => Promise.reject(new Error('killed'))],
    [
      'after it signed, before it keeps what was signed',
      async (sign: () => Promise<unknown>) => {
        await sign()
        throw new Error('killed')
      },
    ],
  ] as const) {
    it(`are paid once when the process is killed ${crash}`, async () => {
      const plan = await submitted(5n)
      const next = await submitted(6n)
      trouble = when as typeof trouble
      await assert.rejects(world.one.look(), /killed/)
      const [written] = await attempts()
      trouble = undefined
      world.pass(61_000)
      await world.other.follow()
      const [signed] = await attempts()
      assert.deepEqual([signed?.sequence, signed?.last_ledger], [written?.sequence, written?.last_ledger])
      world.close(1)
      await world.other.follow()
      assert.deepEqual([await stateOf(plan), await stateOf(next)], ['done', 'done'])
      assert.deepEqual(sequences(), [77, 78])
    })
  }

  it('leave no gap where the signer refuses one, and wait for it', async () => {
    let isRefusing = true
    trouble = (sign) =>
      isRefusing ? ((isRefusing = false), Promise.reject(new SignerRefusal('cap', 'too much'))) : sign()
    const plans = [await submitted(5n), await submitted(6n)]
    await settle()
    assert.deepEqual(await Promise.all(plans.map(stateOf)), ['pending', 'done'])
    world.pass(31_000)
    await settle()
    assert.equal(await stateOf(plans[0] as PlanDraft), 'done')
    assert.deepEqual(
      world.paid().map(({ tx_json: tx }) => [tx.Sequence, tx.Amount]),
      [
        [77, '6'],
        [78, '5'],
      ],
    )
  })

  it('leave at once behind ten and more that the signer refuses, or that the account has too little for', async () => {
    const refused = Array.from({ length: 12 }, () => submitted(7n))
    const large = Array.from({ length: 12 }, () => submitted(48_900_000n))
    const ahead = await Promise.all([...refused, ...large])
    const fine = await submitted(5n)
    const amounts: string[] = []
    trouble = (sign, { amount }) => {
      amounts.push(amount)
      if (amount === '5') return sign()
      return Promise.reject(new SignerRefusal('approval_missing', 'The payout needs 2 approvals.'))
    }
    await settle()
    assert.equal(await stateOf(fine), 'done')
    assert.deepEqual(new Set(await Promise.all(ahead.map(stateOf))), new Set(['pending']))
    assert.deepEqual(amounts.toSorted(), [...Array.from({ length: 12 }, () => '7'), '5'].toSorted())
  })

  it('can be ended while they have no number, and with one only when something else has used it', async () => {
    const end = rail.end ?? assert.fail()
    const large = await submitted(48_900_000n)
    const sent = await submitted(5n)
    await world.one.follow()
    await assert.rejects(end(sent, 'end'), (error) => error instanceof Refusal && error.code === 'NOT_EXCLUDED')
    await end(large, 'end')
    await rail.submit(large)
    assert.equal(await stateOf(large), 'never')
    world.useNumber()
    await world.one.follow()
    await end(sent, 'end')
    assert.equal(await stateOf(sent), 'never')
  })

  it('keep their number while the signer is halted', async () => {
    const plan = await submitted(5n)
    trouble = () => Promise.reject(new SignerRefusal('halted', 'The signer is halted.'))
    await assert.rejects(world.one.look(), /halted/)
    assert.equal((await attempts()).length, 1)
    trouble = undefined
    await settle()
    assert.equal(await stateOf(plan), 'done')
  })

  it('wait while everything is halted, and while the account has too little', async () => {
    await world.db
      .sql`insert into halts (scope, name, since, reason, halted_by) values ('payouts', '', now(), 'test', 'system')`
    const plan = await submitted(5n)
    const large = await submitted(48_900_000n)
    await settle()
    assert.deepEqual([await stateOf(plan), (await attempts()).length], ['pending', 0])
    await world.db.sql`delete from halts`
    await settle()
    assert.deepEqual([await stateOf(plan), await stateOf(large)], ['done', 'pending'])
  })

  it('are never made where the ledger would only take the fee', async () => {
    const tagged = stranger()
    world.open(tagged, 0x2_0000)
    const closed = stranger()
    world.open(closed, 0x100_0000)
    const plans = [
      await submitted(5n, { address: tagged, isKnown: false }),
      await submitted(5n, { address: closed, isKnown: false }),
      await submitted(999_999n, { isKnown: false }),
    ]
    const opening = await submitted(1_000_000n, { isKnown: false })
    await settle()
    assert.deepEqual(await Promise.all(plans.map(stateOf)), ['never', 'never', 'never'])
    assert.equal(await stateOf(opening), 'done', 'it opens the account')
    assert.equal(world.charged(), 0n)
  })

  it('that the ledger refuses are over, and their fees are booked', async () => {
    const address = stranger()
    const plan = await submitted(5n, { address })
    await world.one.follow()
    world.close(0)
    world.forget(address)
    world.close(1)
    await world.one.follow()
    assert.equal(await stateOf(plan), 'never')
    assert.equal(world.charged(), 10n)
  })

  it('whose number somebody else has used are over', async () => {
    const plan = await submitted(5n)
    await world.one.follow()
    world.useNumber()
    await world.one.follow()
    assert.equal(await stateOf(plan), 'never')
    const next = await submitted(6n)
    await settle()
    assert.equal(await stateOf(next), 'done')
    assert.deepEqual(sequences(), [78])
  })

  it('offer what the next ledger asks for, and never more than is reserved', async () => {
    world.setFee(9_000)
    await submitted(5n)
    await world.one.follow()
    assert.deepEqual(
      (await attempts()).map(({ fee }) => fee),
      [rail.mostFee('XRP-XRP')?.amount],
    )
  })

  it('are refused to our own account, to an X-address and with an invalid tag', async () => {
    for (const [address, extraId] of [
      [account, ''],
      ['XV5sbjUmgPpvXv4ixFWZ5ptAYZ6PD2gYsjNFQLKYW33DzBm', ''],
      [sender, '4294967296'],
      [sender, 'x'],
    ] as const) {
      await assert.rejects(
        submitted(5n, { address, extraId }),
        (error) => error instanceof Refusal && error.code === 'CONFLICT',
      )
    }
  })

  const attempts = () =>
    world.db.sql<{ sequence: bigint; number: number; last_ledger: bigint; fee: bigint }>`
      select sequence, number, last_ledger, attempt.fee from xrpl_attempts as attempt
      join xrpl_payments as payment on payment.id = payment_id order by payment.id, number`
})
