import assert from 'node:assert/strict'
import { test } from 'node:test'

import {
  type Limits,
  decide,
  type Decision,
  type Part,
  split,
  type FundsPosition,
  type FundsRequest,
} from './decide.ts'
import { ended, lifecycle, type Status } from '../transactions/lifecycle.ts'

/** Random numbers that are the same for the same seed (mulberry32). */
function randomOf(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

/** A deposit, a payout and a refund of the model: a transaction's money without a database. */
type Deposit = { id: bigint; asset: string; amount: bigint; exchanged: bigint; refunded: bigint; taken: bigint }
type Payout = { state: 'open' | 'paid' | 'returned' | 'failed' }
type Refund = { state: 'open' | 'paid' | 'needed' }

/** A transaction in memory, to which everything happens that can, and that does what is decided. */
type Model = {
  status: Status
  details: FundsPosition['details']
  deposits: Deposit[]
  payouts: Payout[]
  refunds: Refund[]
  limits: Limits
}

const modelOf = (limits: Limits): Model => ({
  status: 'waiting_for_deposit',
  details: null,
  deposits: [],
  payouts: [],
  refunds: [],
  limits,
})

const freeIn = ({ deposits }: Model): Part[] =>
  deposits.flatMap(({ id, asset, amount, exchanged, refunded, taken }) => {
    const left = amount - exchanged - refunded - taken
    return left > 0n ? [{ depositId: id, asset, amount: left }] : []
  })

function positionOf(model: Model): FundsPosition {
  const { status, details, deposits, payouts, refunds } = model
  const is = (state: Payout['state']) => payouts.some((one) => one.state === state)
  const has = (state: Refund['state']) => refunds.some((one) => one.state === state)
  const back = payouts.findLast(({ state }) => state === 'returned' || state === 'failed')
  return {
    status,
    details,
    expected: 'A',
    agreed: 100n,
    free: freeIn(model),
    exchanged: deposits.reduce((sum, { exchanged }) => sum + exchanged, 0n),
    isLost: deposits.some((one) => one.taken > one.amount - one.exchanged - one.refunded),
    payouts: {
      open: is('open'),
      paid: is('paid'),
      returned: !is('open') && back?.state === 'returned',
      failed: !is('open') && back?.state === 'failed',
    },
    refunds: { open: has('open'), addressNeeded: has('needed'), failed: false, paid: has('paid') },
  }
}

/** Does what is decided; what cannot be done is a fault of the decision. */
function settleModel(model: Model, request: FundsRequest = 'none'): void {
  const before = positionOf(model)
  const decision: Decision = decide(before, model.limits, request)
  const parts = decision.exchange?.parts ?? []
  const exchanged = parts.reduce((sum, { amount }) => sum + amount, 0n)
  assert.equal(exchanged, decision.exchange?.amount ?? 0n, 'what is exchanged is what deposits are used for')
  for (const part of parts) use(model, part, 'exchanged')
  for (const part of decision.refund) {
    use(model, part, 'refunded')
    model.refunds.push({ state: 'open' })
  }
  if (decision.exchange) model.payouts.push({ state: 'open' })
  // What cannot continue in one step is held in between.
  const isDirect = decision.to === model.status || lifecycle[model.status].includes(decision.to)
  for (const to of isDirect ? [decision.to] : (['on_hold', decision.to] as const)) {
    assert.ok(to === model.status || lifecycle[model.status].includes(to), `${model.status} to ${to}`)
    model.status = to
  }
  model.details = decision.details
}

function use(model: Model, { depositId, amount }: Part, how: 'exchanged' | 'refunded'): void {
  const deposit = model.deposits.find(({ id }) => id === depositId)
  assert.ok(deposit && amount > 0n)
  deposit[how] += amount
  assert.ok(deposit.exchanged + deposit.refunded + deposit.taken <= deposit.amount, 'used twice')
}

const amounts = [1n, 40n, 60n, 99n, 100n, 101n, 150n, 5_000n]
const excessVerdicts = ['near', 'far', 'none'] as const
const verdicts = ['agreed', ...excessVerdicts] as const

/** One thing that happens by chance, as far as it can happen now. */
function happen(model: Model, random: (below: number) => number): void {
  const pick = <One>(of: readonly One[]): One | undefined => of[random(of.length || 1)]
  switch (random(8)) {
    case 0: {
      const asset = random(4) === 0 ? 'B' : 'A'
      const amount = pick(amounts) ?? 1n
      const id = BigInt(model.deposits.length + 1)
      model.deposits.push({ id, asset, amount, exchanged: 0n, refunded: 0n, taken: 0n })
      return settleModel(model)
    }
    case 1: {
      const payout = pick(model.payouts.filter(({ state }) => state === 'open'))
      if (!payout) return
      if (model.status === 'exchanging') model.status = 'sending'
      payout.state = random(6) === 0 ? 'failed' : 'paid'
      return settleModel(model)
    }
    case 2: {
      const refund = pick(model.refunds.filter(({ state }) => state === 'open'))
      if (!refund) return
      refund.state = random(4) === 0 ? 'needed' : 'paid'
      return settleModel(model)
    }
    case 3: {
      const payout = pick(model.payouts.filter(({ state }) => state === 'paid'))
      if (!payout) return
      payout.state = 'returned'
      return settleModel(model)
    }
    case 4: {
      const deposit = pick(
        model.deposits.filter(({ taken, exchanged, refunded }) => taken + exchanged + refunded === 0n),
      )
      if (!deposit) return
      deposit.taken = deposit.amount
      return settleModel(model)
    }
    case 5:
      if (model.status === 'on_hold' && freeIn(model).length > 0)
        settleModel(model, pick(['accept', 'refund', 'release'] as const))
      return
    case 6: {
      // Somebody says where money goes that came back, or that nobody knew the way of.
      const back = model.payouts.find(({ state }) => state === 'returned' || state === 'failed')
      const needed = model.refunds.find(({ state }) => state === 'needed')
      if (model.status !== 'on_hold' || model.payouts.some(({ state }) => state === 'open')) return
      if (needed) needed.state = 'open'
      else if (back) back.state = 'open'
      else return
      if (back && !needed) [model.status, model.details] = ['exchanging', null]
      else settleModel(model)
      return
    }
    case 7:
      model.limits = {
        ...model.limits,
        priceOf: () => pick(verdicts) ?? 'near',
        excessPriceOf: () => pick(excessVerdicts) ?? 'near',
        needsReview: random(10) === 0,
      }
  }
}

/** Nothing is used twice, and nobody is owed anything at an end. */
function assertSound(model: Model): void {
  for (const { amount, exchanged, refunded, taken } of model.deposits) {
    assert.ok(exchanged >= 0n && refunded >= 0n && exchanged + refunded <= amount)
    const free = amount - exchanged - refunded - taken
    assert.ok(free >= 0n, 'exchanged + refunded + taken back + free = amount')
  }
  if (!ended.has(model.status)) return
  assert.deepEqual(freeIn(model), [], `${model.status} with free money`)
  assert.ok(!model.payouts.some(({ state }) => state !== 'paid'), `${model.status} with an open payout`)
  assert.ok(!model.refunds.some(({ state }) => state !== 'paid'), `${model.status} with an open refund`)
}

const limits: Limits = {
  tolerance: 1n,
  least: 20n,
  most: 1_000n,
  covered: 101n,
  priceOf: () => 'near',
  excessPriceOf: () => 'near',
  needsReview: false,
}

test('whatever happens in whatever order, nothing is used twice, and an ended transaction owes nobody', () => {
  const reached = new Set<string>()
  for (let seed = 1; seed <= 3_000; seed += 1) {
    const random = randomOf(seed)
    const model = modelOf(limits)
    try {
      for (let step = 0; step < 40; step += 1) {
        happen(model, random)
        assertSound(model)
        reached.add(`${model.status} ${model.details}`)
      }
    } catch (error) {
      throw new Error(`seed ${seed}`, { cause: error })
    }
  }
  const wanted = ['finished null', 'refunded null', 'on_hold underpaid', 'on_hold late', 'on_hold wrong_asset']
  for (const one of [...wanted, 'on_hold refund_pending', 'on_hold address_needed', 'on_hold review']) {
    assert.ok(reached.has(one), `${one} was never reached`)
  }
})

/** What is decided of money that arrived for 100 A, in a transaction that waits for it. */
const decidedOf = (
  came: bigint[],
  change: Partial<Limits> = {},
  request: FundsRequest = 'none',
  status: Status = 'waiting_for_deposit',
) => {
  const model = modelOf({ ...limits, ...change })
  model.status = status
  model.deposits = came.map((amount, index) => {
    return { id: BigInt(index + 1), asset: 'A', amount, exchanged: 0n, refunded: 0n, taken: 0n }
  })
  const { to, details, exchange, refund } = decide(positionOf(model), model.limits, request)
  return [to, details, exchange?.amount ?? null, refund.reduce((sum, { amount }) => sum + amount, 0n)]
}

test('what was agreed, a little less, and more up to the limit is exchanged; the rest goes back', () => {
  assert.deepEqual(decidedOf([100n]), ['exchanging', null, 100n, 0n])
  assert.deepEqual(decidedOf([60n, 40n]), ['exchanging', null, 100n, 0n])
  assert.deepEqual(decidedOf([99n]), ['exchanging', null, 99n, 0n])
  assert.deepEqual(decidedOf([98n]), ['on_hold', 'underpaid', null, 0n])
  assert.deepEqual(decidedOf([1_000n]), ['exchanging', null, 1_000n, 0n])
  assert.deepEqual(decidedOf([1_007n]), ['exchanging', null, 1_000n, 7n])
  assert.deepEqual(decidedOf([150n], { most: 50n }), ['exchanging', null, 100n, 50n])
})

test('a price beyond the bound asks the customer, one that cannot be made waits for everybody', () => {
  assert.deepEqual(decidedOf([100n], { priceOf: () => 'far' }), ['on_hold', 'late', null, 0n])
  assert.deepEqual(decidedOf([100n], { priceOf: () => 'far' }, 'accept'), ['exchanging', null, 100n, 0n])
  assert.deepEqual(decidedOf([100n], { priceOf: () => 'none' }, 'release'), ['on_hold', 'late', null, 0n])
})

test('somebody suspicious waits for a person, who alone can release it', () => {
  assert.deepEqual(decidedOf([100n], { needsReview: true }), ['on_hold', 'review', null, 0n])
  assert.deepEqual(decidedOf([100n], { needsReview: true }, 'accept'), ['on_hold', 'review', null, 0n])
  assert.deepEqual(decidedOf([100n], { needsReview: true }, 'release'), ['exchanging', null, 100n, 0n])
})

test('money that comes after an end is exchanged within the range, and waits below it', () => {
  assert.deepEqual(decidedOf([50n], {}, 'none', 'expired'), ['exchanging', null, 50n, 0n])
  assert.deepEqual(decidedOf([19n], {}, 'none', 'cancelled'), ['on_hold', 'underpaid', null, 0n])
  assert.deepEqual(decidedOf([1_500n], {}, 'none', 'finished'), ['exchanging', null, 1_000n, 500n])
})

test('of several deposits the oldest are used first, and never more than is exchanged', () => {
  assert.deepEqual(decidedOf([600n, 600n]), ['exchanging', null, 1_000n, 200n])
  const free = [600n, 600n].map((amount, index) => ({ depositId: BigInt(index), asset: 'A', amount }))
  const [taken, rest] = split(free, 'A', 1_000n)
  assert.deepEqual([taken.map(({ amount }) => amount), rest.map(({ amount }) => amount)], [[600n, 400n], [200n]])
})

test('an ordered payout keeps its transaction from any end', () => {
  const model: Model = { ...modelOf(limits), status: 'on_hold', details: 'review', payouts: [{ state: 'open' }] }
  for (const request of ['none', 'refund', 'release'] as const) {
    const { to, details } = decide(positionOf(model), limits, request)
    assert.deepEqual([to, details], ['on_hold', 'review'])
  }
  const paidBefore = { ...model, payouts: [{ state: 'paid' }, { state: 'open' }] } satisfies Model
  assert.equal(decide(positionOf(paidBefore), limits, 'release').to, 'on_hold')
})
