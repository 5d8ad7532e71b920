import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { verify } from '../../src/exchange/checks/verify.ts'
import { createOperator, type Operator } from '../../src/exchange/operators/operator.ts'
import { approvePayout, listOpenPayouts, type OpenPayout } from '../../src/exchange/settlement/approval.ts'
import { askForRefund } from '../../src/exchange/orders/choose.ts'
import { holdTransaction, refundTransaction, releaseTransaction } from '../../src/exchange/operations/staff.ts'
import { listSuspense, returnSuspense } from '../../src/exchange/operations/suspense.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { arrive, assertBooksHold, bookBalance, lookup, owed, pay, read, readyToPay, seen } from '../support/journey.ts'
import { putInForce } from '../support/policies.ts'
import { until } from '../support/telling.ts'

let exchange: Exchange
const people: Operator[] = []

before(async () => {
  exchange = await startExchange({ RATE_LIMITS: 'off' })
  const document = { payouts: { above: '500', currency: 'EUR' }, policies: 'one_operator' }
  await putInForce(exchange.service.composition.ctx, { kind: 'approvals', document })
  for (const name of ['ann', 'bob', 'cleo']) {
    people.push(
      await createOperator(ctxOf(), { email: `${name}@example.com`, password: 'correct horse battery' }, 'test'),
    )
  }
})
after(() => exchange.stop())

const order = { reason: 'A test asks for it.', actor: 'cli:test' }
const transfer = (amount: string) => ({ from_amount: amount, deposit: { payment_category: 'SEPA' } })
const ctxOf = () => exchange.service.composition.ctx
const approve = (id: bigint, who: number) => approvePayout(ctxOf(), id, people[who] ?? assert.fail('nobody'))

/** What waits for an approval of one transaction, or of nobody's, once it does. */
async function waitingFor(id: string | null): Promise<OpenPayout> {
  let found: OpenPayout | undefined
  await until(async () => {
    const open = await listOpenPayouts(ctxOf(), { waiting: true })
    found = open.find(({ public_id: of, purpose }) => purpose === 'refund' && (of === null ? null : String(of)) === id)
    return found !== undefined
  }, 'a refund to wait for an approval')
  return found ?? assert.fail('nothing waits')
}

/** Both approve it, one after the other. */
async function approveTwice(id: bigint): Promise<void> {
  assert.equal((await approve(id, 0)).isApproved, false)
  assert.equal((await approve(id, 1)).isApproved, true)
}

/** Money came for an order that a person stopped. */
async function heldWith(amount: string): Promise<string> {
  const { id } = await readyToPay(exchange, transfer(amount))
  await holdTransaction(ctxOf(), BigInt(id), order)
  await pay(exchange, id)
  await seen(exchange, id, 'the money', ({ from_amount: came }) => came === amount)
  return id
}

/** Runs a function while nobody knows where a rail's money came from: no refund can be sent. */
async function withoutOrigin(name: string, act: () => Promise<void>): Promise<void> {
  const rail = ctxOf().rails.deposit(name)?.deposit
  assert.ok(rail)
  const { origin } = rail
  Object.assign(rail, { origin: () => Promise.reject(new Error('The rail does not answer.')) })
  await act()
  Object.assign(rail, { origin })
}

/** Waits until nobody has anything to do for refunds. */
const refundsDone = () =>
  until(
    async () => (await lookup(exchange, `select 1 from jobs where kind in ('refund.due', 'plan.due')`)).length === 0,
    'refunds to be looked at',
  )

describe('a refund above the limit', () => {
  it('that an operator orders waits for two different operators, says so, and is paid once', async () => {
    const id = await heldWith('600')
    await refundTransaction(ctxOf(), BigInt(id), order)
    const waiting = await waitingFor(id)
    assert.deepEqual([waiting.state, waiting.needs, waiting.amount], ['reserved', 2, 60_000n])
    const record = await read(exchange, id)
    assert.deepEqual([record.status_details, record.refunds[0]?.status], ['refund_pending', 'pending'])
    assert.match(record.status_history.at(-1)?.reason ?? '', /^This refund needs the approval of 2 different operators/)

    await approve(waiting.id, 0)
    await assert.rejects(approve(waiting.id, 0), { code: 'CONFLICT', message: /already/ })
    await refundsDone()
    assert.equal((await waitingFor(id)).state, 'reserved')
    assert.equal((await approve(BigInt(id), 1)).isApproved, true)
    await arrive(exchange, id, 'refunded')
    await assert.rejects(approve(waiting.id, 2), { code: 'CONFLICT' })
    assert.equal(
      (await lookup(exchange, 'select 1 from payouts where id = $1 and state = $2', [waiting.id, 'paid'])).length,
      1,
    )
    await assertBooksHold(exchange)
  })

  it('that its customer asks for waits as well', async () => {
    const { id } = await readyToPay(exchange, transfer('1000'))
    await pay(exchange, id, { amount: '600' })
    await arrive(exchange, id, 'on_hold')
    await askForRefund(ctxOf(), BigInt(id))
    await approveTwice((await waitingFor(id)).id)
    await arrive(exchange, id, 'refunded')
    await assertBooksHold(exchange)
  })

  it('of what came too much by itself waits as well, and each of payout and refund by its own name', async () => {
    const { id } = await readyToPay(exchange, transfer('15000'))
    await pay(exchange, id, { amount: '20600' })
    const refund = await waitingFor(id)
    assert.ok(refund.amount >= 60_000n)
    const payoutOf = async () =>
      (await listOpenPayouts(ctxOf(), { waiting: true })).find(
        ({ public_id: of, purpose }) => purpose === 'payout' && String(of) === id,
      )
    await until(async () => (await payoutOf()) !== undefined, 'a payout that waits')
    const payout = (await payoutOf()) ?? assert.fail('the payout does not wait any more')
    await assert.rejects(approve(BigInt(id), 0), { code: 'CONFLICT', message: /name one/ })
    await approveTwice(refund.id)
    await seen(exchange, id, 'the refund', ({ refunds }) => refunds[0]?.status === 'paid')
    await approveTwice(payout.id)
    await arrive(exchange, id, 'finished')
    assert.equal(await owed(exchange, id, 'EUR-EUR'), 0n)
    await assertBooksHold(exchange)
  })

  it('of a role is not got around by releasing a refund that has failed', async () => {
    const id = await heldWith('1500')
    await withoutOrigin('sandbox-bank', () => refundTransaction(ctxOf(), BigInt(id), order).then(() => undefined))
    await lookup(exchange, `update refunds set state = 'failed' where state = 'ordered'`)
    const who = { email: 'support@example.com', password: 'correct horse battery', role: 'support' as const }
    const { id: support } = await createOperator(ctxOf(), who, 'test')
    const release = (actor: string) => releaseTransaction(ctxOf(), BigInt(id), { ...order, actor })
    await assert.rejects(release(`operator:${support}`), { code: 'FORBIDDEN', message: /may refund up to 1000 EUR/ })
    await release('cli:test')
    await approveTwice((await waitingFor(id)).id)
    await arrive(exchange, id, 'refunded')
    await assertBooksHold(exchange)
  })

  it('is not got around in parts, and what is no more than the limit goes by itself', async () => {
    const id = await heldWith('600')
    await refundTransaction(ctxOf(), BigInt(id), { ...order, amount: 50_000n })
    await seen(exchange, id, 'the first part', ({ refunds }) => refunds[0]?.status === 'paid')
    await refundTransaction(ctxOf(), BigInt(id), order)
    assert.equal((await waitingFor(id)).amount, 10_000n)
    await approveTwice(BigInt(id))
    await arrive(exchange, id, 'refunded')
    await assertBooksHold(exchange)
  })

  it('of nobody’s money waits as well', async () => {
    const before = await bookBalance(exchange, 'suspense', 'EUR-EUR')
    const { id } = await readyToPay(exchange, transfer('600'))
    await pay(exchange, id, { reference: 'rent for May' })
    await until(async () => (await listSuspense(ctxOf())).length > 0, 'suspense')
    const [deposit] = await listSuspense(ctxOf())
    await returnSuspense(ctxOf(), deposit?.id ?? 0n, order)
    const { id: payout } = await waitingFor(null)
    const left = `Payout ${payout} waited for the approval of two operators, and left without.`
    const rail = await lookup(exchange, 'select plan_id from payouts where plan_id is not null limit 1')
    const went = `update payouts set state = 'planned', approval_asked_at = null, plan_id = $2 where id = $1`
    await lookup(exchange, went, [String(payout), rail[0]?.plan_id])
    assert.ok((await verify(ctxOf())).includes(left), 'what a row says has left is named')
    const back = `update payouts set state = 'reserved', approval_asked_at = now(), plan_id = null where id = $1`
    await lookup(exchange, back, [String(payout)])
    await approveTwice(payout)
    await until(async () => (await bookBalance(exchange, 'suspense', 'EUR-EUR')) === before, 'the return')
    await refundsDone()
    await assertBooksHold(exchange)
  })
})

describe('a person’s hold', () => {
  it('keeps a refund that was ordered before from being sent, until it is released', async () => {
    const { id } = await readyToPay(exchange, transfer('400'))
    await pay(exchange, id, { amount: '300' })
    await arrive(exchange, id, 'on_hold')
    await withoutOrigin('sandbox-bank', async () => {
      await askForRefund(ctxOf(), BigInt(id))
      await holdTransaction(ctxOf(), BigInt(id), order)
    })
    await refundsDone()
    const held = await read(exchange, id)
    assert.deepEqual([held.status_details, held.refunds[0]?.status], ['review', 'pending'])
    assert.equal(await owed(exchange, id, 'EUR-EUR'), 30_000n)
    await assert.rejects(holdTransaction(ctxOf(), BigInt(id), order), { code: 'CONFLICT' })
    await releaseTransaction(ctxOf(), BigInt(id), order)
    await arrive(exchange, id, 'refunded')
    await assertBooksHold(exchange)
  })

  it('keeps one that waits for approvals, too: nobody approves it meanwhile', async () => {
    const id = await heldWith('600')
    await refundTransaction(ctxOf(), BigInt(id), order)
    const { id: payout } = await waitingFor(id)
    await approve(payout, 0)
    await holdTransaction(ctxOf(), BigInt(id), order)
    await assert.rejects(approve(payout, 1), { code: 'CONFLICT' })
    assert.deepEqual(
      (await listOpenPayouts(ctxOf(), { waiting: true })).filter(({ public_id: of }) => String(of) === id),
      [],
    )
    await releaseTransaction(ctxOf(), BigInt(id), order)
    await waitingFor(id)
    await approve(payout, 1)
    await arrive(exchange, id, 'refunded')
    await assertBooksHold(exchange)
  })
})
