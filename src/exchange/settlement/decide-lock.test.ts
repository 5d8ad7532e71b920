import assert from 'node:assert/strict'
import { test } from 'node:test'

import { decide, type FundsPosition, type FundsRequest, type Limits } from './decide.ts'

const limits: Limits = {
  tolerance: 1n,
  least: 20n,
  most: 1_000n,
  covered: 101n,
  priceOf: () => 'agreed',
  excessPriceOf: () => 'near',
  needsReview: false,
}

/** 100 A are agreed, and nothing has happened but these deposits. */
const positionOf = (came: bigint[]): FundsPosition => ({
  status: 'waiting_for_deposit',
  details: null,
  expected: 'A',
  agreed: 100n,
  free: came.map((amount, index) => ({ depositId: BigInt(index), asset: 'A', amount })),
  exchanged: 0n,
  isLost: false,
  payouts: { open: false, paid: false, returned: false, failed: false },
  refunds: { open: false, addressNeeded: false, failed: false, paid: false },
})

/** What is exchanged, how much of it at the agreed price, what goes back, and what stays free. */
function lockedOf(came: bigint[], change: Partial<Limits> = {}, request: FundsRequest = 'none') {
  const { exchange, refund } = decide(positionOf(came), { ...limits, ...change }, request)
  const sumOf = (amounts: bigint[]) => amounts.reduce((sum, amount) => sum + amount, 0n)
  const used = sumOf((exchange?.parts ?? []).map(({ amount }) => amount))
  const refunded = sumOf(refund.map(({ amount }) => amount))
  assert.equal(used, exchange?.amount)
  return [used, exchange?.atAgreedPrice, refunded, sumOf(came) - used - refunded]
}

test('the agreed price covers what was agreed and the tolerance; what exceeds it has the price of its arrival', () => {
  assert.deepEqual(lockedOf([100n]), [100n, 100n, 0n, 0n])
  assert.deepEqual(lockedOf([99n]), [99n, 99n, 0n, 0n])
  assert.deepEqual(lockedOf([101n]), [101n, 101n, 0n, 0n])
  assert.deepEqual(lockedOf([102n]), [102n, 101n, 0n, 0n])
  assert.deepEqual(lockedOf([1_000n]), [1_000n, 101n, 0n, 0n])
  assert.deepEqual(lockedOf([60n, 60n]), [120n, 101n, 0n, 0n], 'the lock is used up in the order of arrival')
  assert.deepEqual(lockedOf([1_007n]), [1_000n, 101n, 7n, 0n])
  assert.deepEqual(lockedOf([150n], { priceOf: () => 'near' }), [150n, 0n, 0n, 0n])
})

test('an excess whose price is beyond the bound, or that has none, waits; its customer may accept it', () => {
  const far = { excessPriceOf: (): 'far' => 'far' }
  assert.deepEqual(lockedOf([150n], far), [101n, 101n, 0n, 49n])
  assert.deepEqual(lockedOf([1_007n], far), [101n, 101n, 7n, 899n], 'what may not be exchanged goes back all the same')
  assert.deepEqual(lockedOf([150n], far, 'accept'), [150n, 101n, 0n, 0n])
  assert.deepEqual(lockedOf([150n], far, 'release'), [150n, 101n, 0n, 0n])
  assert.deepEqual(lockedOf([150n], { excessPriceOf: () => 'none' }, 'accept'), [101n, 101n, 0n, 49n])
})
