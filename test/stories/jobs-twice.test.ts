import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import type { Ctx } from '../../src/exchange/context.ts'
import type { Handler, Job } from '../../src/platform/jobs/job.ts'
import { openQueue } from '../../src/platform/jobs/queue.ts'
import { silentLog } from '../../src/platform/lib/log.ts'
import { submitPayments } from '../../src/exchange/settlement/prepared-payment.ts'
import { advance } from '../../src/exchange/transactions/advance.ts'
import { expireTransactions } from '../../src/exchange/settlement/expire.ts'
import { finishPayouts } from '../../src/exchange/settlement/finish-payouts.ts'
import { lockTransaction } from '../../src/exchange/transactions/load.ts'
import { sendPayouts } from '../../src/exchange/settlement/send-payouts.ts'
import { settleRailEvents } from '../../src/exchange/settlement/settle-rail-events.ts'
import { holdTransaction, releaseTransaction } from '../../src/exchange/operations/staff.ts'
import { callBack, captured, referenceOf } from '../support/callback.ts'
import { everyRow } from '../support/every-row.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { assertBooksHold, lookup, read, readyToPay, statusesOf } from '../support/journey.ts'
import { until } from '../support/telling.ts'
import { backendsWait } from '../support/waiting.ts'
import { promised } from '../support/promised.ts'

/** An exchange in which nobody works: each job waits until a test does it. */
let exchange: Exchange
let ctx: Ctx
before(async () => {
  exchange = await startExchange({ RATE_LIMITS: 'off', ROLES: 'api' })
  ;({ ctx } = exchange.service.composition)
})
after(() => exchange.stop())

/** The only job of a kind, as a worker would hold it. */
async function jobOf(kind: string): Promise<Job> {
  const rows = await lookup<Record<'id' | 'kind' | 'key' | 'fence', string>>(
    exchange,
    'select * from jobs where kind = $1',
    [kind],
  )
  const [row] = rows
  assert.ok(row && rows.length === 1, `one job ${kind}, not ${rows.length}`)
  return { id: BigInt(row.id), kind, key: row.key, timebase: 'business', attempts: 0, fence: BigInt(row.fence) }
}

const everything = () => everyRow(exchange, ['jobs', 'mails'])

/** Does a job as it must never be done: by one who has lost it, by two at once, and once more afterwards. */
async function doAgainAndAgain(kind: string, handler: Handler): Promise<void> {
  const job = await jobOf(kind)
  const before = await everything()
  await handler.run([{ ...job, fence: job.fence - 1n }])
  assert.deepEqual(await everything(), before, `${kind}: who has lost its lease writes nothing`)

  await Promise.all([handler.run([job]), handler.run([job])])
  const done = await everything()
  assert.notDeepEqual(done, before, `${kind} was done`)
  await handler.run([job])
  assert.deepEqual(await everything(), done, `${kind}: once more, later, is nothing more`)
}

const transfers = () => lookup<{ hash: string }>(exchange, 'select hash from sandbox.transfers')

describe('a job done twice, at once and later, leaves the same rows', () => {
  it('from the deposit to the end, a crash between broadcast and commit included', async () => {
    const { id } = await readyToPay(exchange)
    await callBack(exchange, captured(await referenceOf(exchange, id)))
    await doAgainAndAgain('fact.received', settleRailEvents(ctx))
    assert.equal((await read(exchange, id)).status, 'exchanging')
    await doAgainAndAgain('payout.due', sendPayouts(ctx))
    assert.equal((await read(exchange, id)).status, 'sending')
    assert.deepEqual(await transfers(), [], 'nothing leaves before its plan is committed')

    const { key } = await jobOf('plan.due')
    const broadcast = async () => (await submitPayments(ctx, [BigInt(key)]))[0]?.outcome.state
    await until(async () => (await broadcast()) === 'done', 'the block with the transfer')
    assert.equal((await read(exchange, id)).status, 'sending', 'the worker died before it wrote that down')
    await doAgainAndAgain('plan.due', finishPayouts(ctx))

    const record = await read(exchange, id)
    assert.deepEqual(statusesOf(record), ['new', 'waiting_for_deposit', 'exchanging', 'sending', 'finished'])
    assert.deepEqual(await transfers(), [{ hash: record.output_hash }])
    await assertBooksHold(exchange)
  })

  it('where its customer is asked what to do, by one e-mail', async () => {
    await lookup(exchange, `delete from jobs`)
    const { id } = await readyToPay(exchange)
    await callBack(
      exchange,
      captured(await referenceOf(exchange, id), { event: 'less', payment: 'pay_less', amount: '6000' }),
    )
    await doAgainAndAgain('fact.received', settleRailEvents(ctx))
    assert.equal((await read(exchange, id)).status_details, 'underpaid')
    // One e-mail brought the code, one confirmed the order, one brought the question.
    const emails = 'select 1 from mails join transactions on transactions.id = transaction_id where public_id = $1'
    assert.equal((await lookup(exchange, emails, [id])).length, 3)
    await assertBooksHold(exchange)
  })

  it('at the deadline', async () => {
    await lookup(exchange, `delete from jobs`)
    const { id } = await readyToPay(exchange)
    ctx.clock.learnOffset(ctx.clock.offsetMs() + 31 * 60_000)
    await doAgainAndAgain('transaction.deadline', expireTransactions(ctx))
    assert.deepEqual(statusesOf(await read(exchange, id)), ['new', 'waiting_for_deposit', 'expired'])
    await assertBooksHold(exchange)
  })
})

describe('a job that comes too late', () => {
  it('plans no payout of a transaction that a person has stopped, until it is let go', async () => {
    await lookup(exchange, `delete from jobs`)
    const { id } = await readyToPay(exchange)
    await callBack(exchange, captured(await referenceOf(exchange, id), { event: 'held', payment: 'pay_held' }))
    await settleRailEvents(ctx).run([await jobOf('fact.received')])
    const stale = await jobOf('payout.due')
    const order = { actor: 'cli:a', reason: 'Who is it?' }
    await holdTransaction(ctx, BigInt(id), order)
    await sendPayouts(ctx).run([stale])
    assert.equal((await read(exchange, id)).status, 'on_hold')
    assert.equal((await payoutOf(id)).plan_id, null)

    await releaseTransaction(ctx, BigInt(id), order)
    await sendPayouts(ctx).run([await jobOf('payout.due')])
    assert.equal((await read(exchange, id)).status, 'sending')
    assert.notEqual((await payoutOf(id)).plan_id, null)
    await assertBooksHold(exchange)
  })

  it('waits for whoever holds its transaction, and goes by what that one leaves', async () => {
    await lookup(exchange, `delete from jobs`)
    const { id } = await readyToPay(exchange)
    await callBack(exchange, captured(await referenceOf(exchange, id), { event: 'waits', payment: 'pay_waits' }))
    const told = await jobOf('fact.received')
    await whileStopped(id, () => settleRailEvents(ctx).run([told]))
    assert.deepEqual(statusesOf(await read(exchange, id)).slice(1), ['waiting_for_deposit', 'on_hold', 'on_hold'])

    await releaseTransaction(ctx, BigInt(id), { actor: 'cli:a', reason: 'It is well.' })
    const due = await jobOf('payout.due')
    await whileStopped(id, () => sendPayouts(ctx).run([due]))
    assert.equal((await read(exchange, id)).status, 'on_hold')
    assert.equal((await payoutOf(id)).plan_id, null)
    await assertBooksHold(exchange)
  })

  /** Does a job while a block that stops its transaction for a person has not committed. */
  async function whileStopped(id: string, work: () => Promise<void>): Promise<void> {
    let worked: Promise<void> | undefined
    await ctx.db.atomic(async (db) => {
      const transaction = await lockTransaction(ctx, db, BigInt(id))
      assert.ok(transaction)
      worked = work()
      await backendsWait(exchange, 1)
      await advance(ctx, db, [
        { transaction, cause: { kind: 'held' }, to: 'on_hold', change: { statusDetails: 'review' } },
      ])
    })
    await worked
  }

  const payoutOf = async (id: string) => {
    const rows = await lookup<{ plan_id: string | null }>(
      exchange,
      'select plan_id from payouts where transaction_id = (select id from transactions where public_id = $1)',
      [id],
    )
    assert.ok(rows[0] && rows.length === 1)
    return rows[0]
  }
})

describe('a job that fails', () => {
  it('is tried again soon by its own clock, however far business time is ahead', async () => {
    ctx.clock.learnOffset(ctx.clock.offsetMs() + 365 * 86_400_000)
    const { db, clock } = ctx
    const fails: Handler = { batch: 1, concurrency: 1, run: () => Promise.reject(new Error('Broken.')) }
    const handlers = { business: fails, real: fails }
    const queue = openQueue({ db, clock, log: silentLog, handlers, leaseMs: 10_000, pollMs: 1_000 })
    queue.start()
    await db.atomic(async (block) =>
      queue.enqueue(block, [
        { kind: 'business', key: '1', runAt: clock.now(), timebase: 'business' },
        { kind: 'real', key: '1', runAt: clock.realNow(), timebase: 'real' },
      ]),
    )
    const failed = () =>
      lookup<{ kind: string; run_at: Date }>(exchange, 'select kind, run_at from jobs where attempts = 1')
    await until(async () => (await failed()).length === 2)
    await queue.stop()
    for (const { kind, run_at } of await failed()) {
      const now = kind === 'real' ? clock.realNow() : clock.now()
      const wait = run_at.getTime() - now.getTime()
      assert.ok(wait > -promised(5_000) && wait < promised(5_000), `${kind} waits ${wait} ms`)
    }
  })
})
