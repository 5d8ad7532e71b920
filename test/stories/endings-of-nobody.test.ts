import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, describe, it } from 'node:test'

import { makeReference } from '../../src/reference/bank/creditor-reference.ts'
import { chargeback } from '../../src/sandbox/rails.ts'
import { payDeposit } from '../../src/sandbox/api/pay.ts'
import { listSuspense, matchSuspense, returnSuspense } from '../../src/exchange/operations/suspense.ts'
import { verify } from '../../src/exchange/checks/verify.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import {
  arrive,
  assertBooksHold,
  bookBalance,
  lookup,
  owed,
  pay,
  readyToPay,
  seen,
  settled,
} from '../support/journey.ts'
import { asOwner } from '../support/server.ts'
import { strayDeposit } from '../support/stray-money.ts'
import { until } from '../support/telling.ts'
import { tellAndSettle } from '../support/told-facts.ts'
import { backendsWait } from '../support/waiting.ts'

let exchange: Exchange
before(async () => {
  exchange = await startExchange({ RATE_LIMITS: 'off', CONFIRMATIONS: 'XRP=1' })
})
after(() => exchange.stop())

const transfer = { from_amount: '250', deposit: { payment_category: 'SEPA' } }
const order = { reason: 'A test asks for it.', actor: 'cli:test' }
const ctxOf = () => exchange.service.composition.ctx

/** A transfer with a good reference that is not ours. */
async function strayTransfer(): Promise<{ id: string; deposit: bigint; recall: () => Promise<void> }> {
  const { id } = await readyToPay(exchange, transfer)
  const reference = makeReference(createHash('sha256').update(id).digest())
  const deposit = await strayDeposit(exchange, () => pay(exchange, id, { reference }))
  const recall = () => chargeback(exchange.world, { rail: 'sandbox-bank', reference })
  return { id, deposit, recall }
}

describe('money of nobody’s that was found to be a customer’s', () => {
  it('and recalled after it was paid out is our loss, and marks the customer', async () => {
    const losses = await bookBalance(exchange, 'losses:chargebacks', 'EUR-EUR')
    const { id, deposit, recall } = await strayTransfer()
    await matchSuspense(ctxOf(), deposit, BigInt(id), order)
    await arrive(exchange, id, 'finished')
    await recall()
    await seen(exchange, id, 'the recall', ({ errors }) => errors.length > 0)
    assert.equal((await bookBalance(exchange, 'losses:chargebacks', 'EUR-EUR')) - losses, 25_000n)
    await assertBooksHold(exchange)
  })

  it('in the same moment in which it is recalled is not exchanged for nothing: the recall is booked', async () => {
    const { id, deposit, recall } = await strayTransfer()
    await asOwner(exchange.ownerUrl, async (client) => {
      await client.query('begin')
      // What its payout needs: it is matched, and not committed.
      await client.query('select from reserves for update')
      const matched = matchSuspense(ctxOf(), deposit, BigInt(id), order)
      await backendsWait(exchange, 1)
      await recall()
      await backendsWait(exchange, 2)
      await client.query('commit')
      await matched
    })
    await settled(exchange)
    await until(async () => {
      const [row] = await lookup<{ state: string }>(exchange, 'select state from deposits where id = $1', [deposit])
      return row?.state !== 'final'
    }, 'the recall to be booked')
    await until(async () => {
      const [row] = await lookup<{ status: string }>(exchange, 'select status from transactions where public_id = $1', [
        id,
      ])
      return row?.status === 'finished' || row?.status === 'on_hold'
    })
    assert.equal(await owed(exchange, id, 'EUR-EUR'), 0n)
    await assertBooksHold(exchange)
  })

  it('after nobody knew where to send it back to, is exchanged all the same', async () => {
    const { id } = await readyToPay(exchange, { from_amount: '200', from_currency: 'XRP', to_currency: 'EUR' })
    const who = { partnerId: BigInt(exchange.sandbox.partner_id), publicId: BigInt(id) }
    const sent = { reference: '4294967295', isPooled: true }
    const { world: processor } = exchange
    const deposit = await strayDeposit(exchange, () => payDeposit(ctxOf(), processor, { ...who, deposit: sent }))
    await returnSuspense(ctxOf(), deposit, order)
    await until(
      async () => (await lookup(exchange, `select from refunds where state = 'failed'`)).length > 0,
      'failure',
    )
    await matchSuspense(ctxOf(), deposit, BigInt(id), order)
    await arrive(exchange, id, 'finished')
    await assertBooksHold(exchange)
  })

  it('goes back as what is left of it where a part was recalled, and to nobody else', async () => {
    const earlier = await bookBalance(exchange, 'suspense', 'EUR-EUR')
    const { id, deposit } = await strayTransfer()
    const [told] = await lookup<{ reference: string; payment: string }>(
      exchange,
      'select reference, deposits.payment from deposits join rail_events on rail_events.id = event_id where deposits.id = $1',
      [deposit],
    )
    assert.ok(told)
    await tellAndSettle(exchange, { rail: 'sandbox-bank', key: `recall ${id}`, kind: 'deposit_reversed', ...told })
    const left = (await listSuspense(ctxOf())).find((one) => one.id === deposit)
    assert.equal(left?.amount, 15_000n)
    await assert.rejects(matchSuspense(ctxOf(), deposit, BigInt(id), order), { code: 'CONFLICT' })
    await returnSuspense(ctxOf(), deposit, order)
    await assert.rejects(returnSuspense(ctxOf(), deposit, order), { code: 'CONFLICT' })
    await until(async () => (await bookBalance(exchange, 'suspense', 'EUR-EUR')) === earlier, 'the return')
    const problems = (await verify(ctxOf())).filter((problem) => !problem.includes('the books say'))
    assert.deepEqual(problems, [])
    // The bank was only made to say so: it has what it says it gave back.
    await lookup(exchange, `update sandbox.bank_balances set balance = balance - 10000 where asset = 'EUR-EUR'`)
  })

  it('is not sent back once it was recalled', async () => {
    const { deposit, recall } = await strayTransfer()
    await recall()
    await until(async () => !(await listSuspense(ctxOf())).some(({ id }) => id === deposit), 'the recall')
    await assert.rejects(returnSuspense(ctxOf(), deposit, order), { code: 'CONFLICT' })
    await assertBooksHold(exchange)
  })
})
