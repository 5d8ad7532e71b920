import assert from 'node:assert/strict'
import { it } from 'node:test'

import type { RailEvent } from '../rail.ts'
import { type DepositSetup, instructed, type Instruction, isConflict, itWith, newEvents } from './harness.ts'

/** Disputes: opened, then won or lost. Exactly one event withdraws the money; a won dispute gives it back. */
export function testDisputes(setup: () => DepositSetup): void {
  it('declares disputes exactly when its harness plays them', () => {
    const { deposit, deposits } = setup()
    assert.equal(deposit.disputes === true, deposits.dispute !== undefined)
  })

  itWith(
    'reports a dispute with its deadline, and gives the money back when it is won',
    () => setup().deposits.dispute,
    async () => {
      const before = await heldIn(setup())
      const { one, opened, known } = await disputed(setup())
      assert(opened.dispute?.respondBy && Number.isFinite(opened.dispute.respondBy.getTime()))
      await dispute(setup()).win(one)
      const won = await onlyEvent(setup(), one, 'dispute_won', known)
      assert.equal(won.dispute?.id, opened.dispute.id)
      assert.equal(won.dispute.fundsMoved, opened.dispute.fundsMoved)
      assert.equal(await heldIn(setup()), before + setup().deposits.amount)
      await assert.rejects(dispute(setup()).lose(one), isConflict)
    },
  )

  itWith(
    'takes the money once when a dispute is lost',
    () => setup().deposits.dispute,
    async () => {
      const before = await heldIn(setup())
      const { one, opened, known } = await disputed(setup())
      await dispute(setup()).lose(one)
      const lost = await onlyEvent(setup(), one, 'dispute_lost', known)
      assert.equal(lost.dispute?.id, opened.dispute?.id)
      assert.notEqual(lost.dispute?.fundsMoved, opened.dispute?.fundsMoved)
      assert.equal(await heldIn(setup()), before)
      await assert.rejects(dispute(setup()).win(one), isConflict)
    },
  )
}

const heldIn = ({ rail, deposits }: DepositSetup): Promise<bigint> => rail.balance(deposits.asset)

function dispute({ deposits }: DepositSetup): NonNullable<DepositSetup['deposits']['dispute']> {
  assert(deposits.dispute)
  return deposits.dispute
}

/** Pays, and lets the payer's bank contest the payment. */
async function disputed(setup: DepositSetup): Promise<{ one: Instruction; opened: RailEvent; known: RailEvent[] }> {
  const { deposits, report } = setup
  const one = await instructed(setup)
  await assert.rejects(dispute(setup).open(one), isConflict)
  await deposits.pay(one)
  const known = await report()
  const held = await heldIn(setup)
  await dispute(setup).open(one)
  const opened = await onlyEvent(setup, one, 'dispute_opened', known)
  assert.equal(await heldIn(setup), opened.dispute?.fundsMoved ? held - deposits.amount : held)
  return { one, opened, known: [...known, opened] }
}

/** What was reported since: one new event of that kind, which a look-up repeats. */
async function onlyEvent(
  { deposit, deposits, report }: DepositSetup,
  { reference }: Instruction,
  expected: RailEvent['kind'],
  known: readonly RailEvent[],
): Promise<RailEvent> {
  const [event, ...others] = newEvents(known, await report())
  assert(event)
  assert.equal(others.length, 0)
  const { kind, asset, amount } = event
  assert.deepEqual(
    { kind, reference: event.reference, asset, amount },
    { kind: expected, reference, asset: deposits.asset, amount: deposits.amount },
  )
  assert.deepEqual((await deposit.look(reference)).at(-1), event)
  return event
}
