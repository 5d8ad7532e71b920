import assert from 'node:assert/strict'
import { it } from 'node:test'

import type { PlanDraft } from '../rail.ts'
import { isConflict, itWith, newEvents, type PayoutSetup } from './harness.ts'
import { feeOf, heldIn, prepared, units } from './prepared.ts'

/** A prepared payment as the books give it back: out of JSON. */
const stored = ({ key, body }: PlanDraft): { key: string; body: PlanDraft['body'] } => ({
  key,
  body: JSON.parse(JSON.stringify(body)) as PlanDraft['body'],
})

/** Payouts: prepared once, submitted any number of times, paid once. */
export function testPayouts(setup: () => PayoutSetup): void {
  it('pays once, however often a payment is submitted, and proves it', async () => {
    const { payout, payouts, settle } = setup()
    const plan = await prepared(setup(), units(setup(), 500n))
    const before = await heldIn(setup())
    assert.notEqual((await payout.look(plan)).state, 'done')

    await Promise.all([payout.submit(plan), payout.submit(plan)])
    await payout.submit(plan)
    const soon = await payout.look(plan)
    assert.notEqual(soon.state, 'never')
    if (soon.state === 'pending') assert((soon.lookAgainInMs ?? 0) <= 60_000)
    await settle()
    const outcome = await payout.look(plan)
    assert(outcome.state === 'done')
    const { hash, fee } = outcome.evidence
    assert.match(hash, payouts.hash)
    assert.equal(fee !== undefined, payouts.costsFee)
    const most = payout.mostFee(payouts.asset)
    assert.equal(most?.asset, fee?.asset)
    assert((fee?.amount ?? 0n) <= (most?.amount ?? 0n), 'it costs no more than is reserved for it')
    assert.equal(before - (await heldIn(setup())), units(setup(), 500n) + (await feeOf(setup(), plan)))
    assert.deepEqual(await payout.look(plan), outcome, 'a second look gives the same evidence')
    await payout.submit(plan)
    await settle()
    assert.deepEqual(await payout.look(plan), outcome)
    assert.equal(before - (await heldIn(setup())), units(setup(), 500n) + (await feeOf(setup(), plan)))
  })

  it('pays two payments of the same amount', async () => {
    const { payout, settle } = setup()
    const plans = [await prepared(setup(), units(setup(), 7n)), await prepared(setup(), units(setup(), 7n))]
    assert.notEqual(plans[0]?.key, plans[1]?.key)
    const before = await heldIn(setup())
    await Promise.all(plans.map((plan) => payout.submit(plan)))
    await settle()
    const fees = await Promise.all(plans.map((plan) => feeOf(setup(), plan)))
    assert.equal(before - (await heldIn(setup())), units(setup(), 14n) + (fees[0] ?? 0n) + (fees[1] ?? 0n))
  })

  it('knows its own addresses', async () => {
    const { payout, payouts } = setup()
    assert.equal(payout.owns((await payouts.destination()).address), false)
    for (const address of payouts.own) assert.equal(payout.owns(address), true, address)
  })
}

/** Prepared payments that another process takes over, and those that are never submitted. */
export function testPreparedPayments(setup: () => PayoutSetup): void {
  it('pays once when one process crashes after it submitted and another submits again', async () => {
    const { payout, reopen, settle } = setup()
    const plan = await prepared(setup(), units(setup(), 40n))
    const before = await heldIn(setup())
    const other = (await reopen()).payout
    assert(other && other !== payout, 'reopen() gives a new instance')
    await payout.submit(plan)
    assert.notEqual((await other.look(stored(plan))).state, 'never')
    await other.submit(stored(plan))
    await settle()
    await other.submit(stored(plan))
    assert.deepEqual(await other.look(stored(plan)), await payout.look(plan))
    assert.equal(before - (await heldIn(setup())), units(setup(), 40n) + (await feeOf(setup(), plan)))
  })

  it('pays what another process prepared before it crashed', async () => {
    const { reopen, settle, payout } = setup()
    const plan = await prepared(setup(), units(setup(), 41n))
    const before = await heldIn(setup())
    const other = (await reopen()).payout
    await other?.submit(stored(plan))
    await settle()
    assert.equal((await payout.look(plan)).state, 'done')
    assert.equal(before - (await heldIn(setup())), units(setup(), 41n) + (await feeOf(setup(), plan)))
  })

  it('prepares a batch in order, and keeps nothing of it', async () => {
    const { payout, payouts, nextId, settle } = setup()
    const orders = await Promise.all(
      [3n, 4n].map(async (count) => ({
        payoutId: nextId(),
        asset: payouts.asset,
        amount: units(setup(), count),
        destination: await payouts.destination(),
      })),
    )
    const before = await heldIn(setup())
    const plans = await payout.prepare(orders)
    assert.deepEqual(
      plans.map(({ payoutId }) => payoutId),
      orders.map(({ payoutId }) => payoutId),
    )
    await settle()
    for (const plan of plans) assert.notEqual((await payout.look(plan)).state, 'done')
    assert.equal(await heldIn(setup()), before)
    // Paid after all, so that no number of a wallet stays open behind it.
    for (const plan of plans) await payout.submit(plan)
    await settle()
    for (const plan of plans) assert.equal((await payout.look(plan)).state, 'done')
  })
}

/** Payouts that go wrong: lost answers, too little money. */
export function testPayoutTroubles(setup: () => PayoutSetup): void {
  itWith(
    'has paid although its answer was lost',
    () => setup().payouts.loseAnswer,
    async (loseAnswer) => {
      const { payout, settle } = setup()
      const plan = await prepared(setup(), units(setup(), 300n))
      const before = await heldIn(setup())
      await loseAnswer(plan.destination)
      await assert.rejects(payout.submit(plan), (error) => !isConflict(error))
      await settle()
      assert.equal((await payout.look(plan)).state, 'done')
      await payout.submit(plan)
      await settle()
      assert.equal(before - (await heldIn(setup())), units(setup(), 300n) + (await feeOf(setup(), plan)))
    },
  )

  it('never pays more than it holds, and pays the others', async () => {
    const { payout, payouts, settle } = setup()
    const fine = await prepared(setup(), units(setup(), 11n))
    const tooMuch = await prepared(setup(), payouts.tooMuch)
    const before = await heldIn(setup())
    const [refused, paid] = await Promise.allSettled([payout.submit(tooMuch), payout.submit(fine)])
    if (refused?.status === 'rejected') assert(isConflict(refused.reason))
    assert.equal(paid?.status, 'fulfilled')
    await settle()
    assert.notEqual((await payout.look(tooMuch)).state, 'done')
    assert.equal(before - (await heldIn(setup())), units(setup(), 11n) + (await feeOf(setup(), fine)))
    const again = await Promise.allSettled([payout.submit(tooMuch)])
    assert(again[0].status === 'fulfilled' || isConflict(again[0].reason))
    assert.notEqual((await payout.look(tooMuch)).state, 'done')
  })

  it('reports of payouts only what a look confirms, under the key of the prepared payment', async () => {
    const { payout, settle, report } = setup()
    const plan = await prepared(setup(), units(setup(), 12n))
    await report()
    await payout.submit(plan)
    await settle()
    for (const { kind, reference } of await report()) {
      assert(kind === 'payout_settled' || kind === 'payout_failed' || kind === 'unknown', kind)
      assert.equal(reference, plan.key)
      if (kind !== 'unknown') {
        assert.equal((await payout.look(plan)).state, kind === 'payout_settled' ? 'done' : 'never')
      }
    }
  })
}

export function testReturns(setup: () => PayoutSetup): void {
  itWith(
    'reports once that a payout came back, and holds its money again',
    () => setup().payouts.sendBack,
    async (sendBack) => {
      const { payout, payouts, settle, report } = setup()
      const plan = await prepared(setup(), units(setup(), 900n))
      await assert.rejects(sendBack(plan), isConflict)
      await payout.submit(plan)
      await settle()
      const before = await heldIn(setup())
      const known = await report()
      await sendBack(plan)
      await assert.rejects(sendBack(plan), isConflict)
      const events = newEvents(known, await report())
      assert.equal(events.length, 1)
      const { kind, reference, asset, amount } = events[0] ?? {}
      assert.deepEqual(
        { kind, reference, asset, amount },
        { kind: 'payout_returned', reference: plan.key, asset: payouts.asset, amount: units(setup(), 900n) },
      )
      assert.equal(await heldIn(setup()), before + units(setup(), 900n))
    },
  )
}
