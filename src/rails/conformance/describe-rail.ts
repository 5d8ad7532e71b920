import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'

import { openRegistry } from '../registry.ts'
import { testCallbacks } from './callbacks.ts'
import { testDepositTroubles, testDeposits, testOrigins } from './deposits.ts'
import { testDisputes } from './disputes.ts'
import { type RailHarness, withDeposits, withPayouts } from './harness.ts'
import { testDepositOutages, testPayoutOutages } from './outages.ts'
import { testPayouts, testPayoutTroubles, testPreparedPayments, testReturns } from './payouts.ts'

/** The halves of a rail that a run of the suite is about. */
export type Halves = { deposits?: boolean; payouts?: boolean }

/**
 * What every rail must keep, our own and an operator's: run it from a test of the rail, once for each payment category that differs.
 * `halves` leaves out a half that this harness does not drive.
 */
export function describeRail(
  name: string,
  open: () => RailHarness | Promise<RailHarness>,
  { deposits = true, payouts = true }: Halves = {},
): void {
  describe(`the rail ${name}`, () => {
    let harness: RailHarness
    before(async () => {
      harness = await open()
    })

    it('fits into a registry, and serves something', () => {
      const { rail } = harness
      const registry = openRegistry([rail])
      assert.equal(registry.named(rail.name), rail)
      assert(rail.serves.every(({ categories, directions }) => categories.length * directions.length > 0))
      assert.equal(rail.deposit !== undefined || rail.payout !== undefined, true)
    })
    it('says that it can be used, if it says anything', async () => {
      const { ok, message } = (await harness.rail.check?.()) ?? { ok: true, message: 'It says nothing.' }
      assert(ok && message.length > 0, message)
    })
    describe('callbacks', () => testCallbacks(() => harness))
    if (deposits) {
      const setup = () => withDeposits(harness)
      describe('deposits', () => testDeposits(setup))
      describe('origins', () => testOrigins(setup))
      describe('deposits in trouble', () => testDepositTroubles(setup))
      describe('disputes', () => testDisputes(setup))
      describe('deposits in an outage', () => testDepositOutages(setup))
    }
    if (payouts) {
      const setup = () => withPayouts(harness)
      describe('payouts', () => testPayouts(setup))
      describe('prepared payments', () => testPreparedPayments(setup))
      describe('payouts in trouble', () => testPayoutTroubles(setup))
      describe('returned payouts', () => testReturns(setup))
      describe('payouts in an outage', () => testPayoutOutages(setup))
    }
  })
}
