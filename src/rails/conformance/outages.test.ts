import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import type { PayoutHalf, Rail } from '../rail.ts'
import type { PayoutSetup } from './harness.ts'
import { paysOnceAcross } from './outages.ts'

/** A provider that pays at once what it gets, and a rail to it. `says`: what the rail makes of no answer. */
function railOf(says: 'nothing' | 'never'): PayoutSetup & Record<'goDown' | 'comeBack', () => void> {
  const paid = new Map<string, bigint>()
  let [isAway, losesAnswer, ids] = [false, false, 0n]
  const refuse = (): never => {
    throw new Error('The provider does not answer.')
  }
  const payout: PayoutHalf = {
    lookAfterMs: 1,
    mostFee: () => undefined,
    prepare: async (orders) =>
      orders.map(({ payoutId, amount }) => ({ key: String(payoutId), payoutId, body: { amount: String(amount) } })),
    submit: async ({ key, body: { amount = '0' } }) => {
      if (isAway) refuse()
      paid.set(key, BigInt(amount))
      if (losesAnswer) {
        losesAnswer = false
        refuse()
      }
    },
    look: async ({ key }) => {
      if (isAway) return says === 'never' ? { state: 'never' } : refuse()
      return paid.has(key) ? { state: 'done', evidence: { hash: key, fee: undefined } } : { state: 'never' }
    },
    owns: () => false,
  }
  const spent = (): bigint => [...paid.values()].reduce((sum, amount) => sum + amount, 0n)
  const rail: Rail = {
    name: 'example',
    serves: [],
    custodyAccount: 'example',
    balance: async () => 1_000n - spent(),
    payout,
  }
  return {
    rail,
    payout,
    reopen: () => rail,
    nextId: () => (ids += 1n),
    settle: async () => undefined,
    report: async () => [],
    payouts: {
      asset: 'EUR-EUR',
      hash: /./,
      costsFee: false,
      tooMuch: 2_000n,
      destination: () => ({ address: 'a', extraId: '', holder: '' }),
      own: [],
      loseAnswer: async () => {
        losesAnswer = true
      },
    },
    goDown: () => void (isAway = true),
    comeBack: () => void (isAway = false),
  }
}

describe('the test of an outage', () => {
  it('passes a rail that knows nothing while its provider is away', async () => {
    const setup = railOf('nothing')
    await paysOnceAcross(setup, setup)
  })

  it('fails a rail that calls a payment never paid while its provider is away', async () => {
    const setup = railOf('never')
    await assert.rejects(paysOnceAcross(setup, setup), /an outage proves nothing/)
  })
})
