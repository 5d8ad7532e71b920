import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { bookOwnMoney, listUnbookedDebits } from '../../src/exchange/operations/own-money.ts'
import { withdrawBankBooking } from '../../src/exchange/operations/withdraw-booking.ts'
import { enqueueComparison } from '../../src/exchange/reconciliation/compare-statements.ts'
import { listBreaks } from '../../src/exchange/reconciliation/breaks.ts'
import * as breaks from '../../src/exchange/reconciliation/breaks.sql.ts'
import { reconcileStatements } from '../../src/exchange/reconciliation/reconcile.ts'
import { lockOwnPayment, reverseOwnDebit } from '../../src/exchange/settlement/reverse-own-money.ts'
import type { Atomic } from '../../src/platform/db/sql.ts'
import { bookingOf } from '../../src/rails/iso20022/booking/events.ts'
import { notifiedBooking, withdrawBooking } from '../../src/rails/iso20022/booking/withdraw.ts'
import { type BankExchange, startBankExchange } from '../support/bank-exchange.ts'
import { bookBalance, lookup } from '../support/journey.ts'
import { notifiedBookings, reason } from '../support/notified-bookings.ts'
import { until } from '../support/telling.ts'

describe('a debit that a bank has reported, and takes back while others work on it', () => {
  let story: BankExchange
  before(async () => {
    story = await startBankExchange()
    story.bank.state([])
    await story.taken()
  })
  after(() => story.stop())

  const { ctx, paid, notify, state, by, assertAgrees, next } = notifiedBookings(() => story)
  const book = (payment: string): Promise<string> =>
    bookOwnMoney(ctx(), payment, { actor: 'cli:test', reason, category: 'fee' }).then(
      () => 'booked',
      ({ code }: { code: string }) => code,
    )
  /** Waits until so many wait for a lock, or one of them has ended. */
  async function waiting(count: number, work: Promise<unknown>): Promise<void> {
    let isOver = false
    const over = () => (isOver = true)
    void work.then(over, over)
    const sql = `select from pg_locks where locktype = 'advisory' and not granted and database = (select oid from pg_database where datname = current_database())`
    await until(async () => isOver || (await lookup(story.exchange, sql)).length >= count, 'those who wait')
  }
  /** Breaks of bookings that their statements lack. */
  const lacking = async (): Promise<bigint[]> =>
    (await listBreaks(ctx(), { open: true })).flatMap(({ id, kind }) => (kind === 'statement' ? [id] : []))
  /** A debit that was notified, and that the statement of its day lacks. */
  async function reported(): Promise<{ payment: string; id: bigint; found: bigint }> {
    await notify({ ...paid('Phone', '12.00'), debit: true, servicerReference: `R-${next()}` })
    await state([])
    const [debit] = await listUnbookedDebits(ctx())
    const payment = debit?.payment ?? assert.fail('no debit')
    return { payment, id: bookingOf(payment) ?? 0n, found: (await lacking())[0] ?? assert.fail('no break') }
  }
  async function withdraw(db: Atomic, id: bigint): Promise<void> {
    withdrawBooking(db, 'bank-1', (await notifiedBooking(db, 'bank-1', id)) ?? assert.fail())
  }

  it('is compared once more where that is asked for while a comparison for its file runs', async () => {
    const jobs = () =>
      lookup<{ file: string }>(
        story.exchange,
        `select split_part(key, ' ', 1) as file from jobs where kind = 'bank_file.taken' and lease_until is not null`,
      )
    await ctx().db.atomic(async (db) => {
      breaks.lockBreaks(db)
      await db.sql`select`
      story.bank.state([])
      await until(async () => (await jobs()).length === 1, 'the comparison')
      const [running] = await jobs()
      const file = { id: BigInt(running?.file ?? 0) }
      await ctx().db.atomic((other) => Promise.resolve(enqueueComparison(ctx(), other, file)))
      assert.deepEqual((await jobs()).length, 2)
    })
    await until(async () => (await jobs()).length === 0, 'both comparisons')
  })

  it('is not booked as our own by who comes a moment later', async () => {
    const { payment, id, found } = await reported()
    let booked: Promise<string> | undefined
    await ctx().db.atomic(async (db) => {
      await withdraw(db, id)
      await reverseOwnDebit(ctx(), db, { rail: 'bank-1', payment })
      breaks.clear(db, [found], ctx().clock.now())
      booked = book(payment)
      await waiting(1, booked)
    })
    assert.equal(await booked, 'CONFLICT')
    await assertAgrees()
  })

  it('is booked back where it was booked a moment before', async () => {
    const { payment, found } = await reported()
    await withdrawBankBooking(ctx(), found, await by())
    const second = await by()
    let work: Promise<unknown[]> | undefined
    await ctx().db.atomic(async (db) => {
      lockOwnPayment(db, { rail: 'bank-1', payment })
      await db.sql`select 1`
      const booked = book(payment)
      await waiting(1, booked)
      const withdrawn = withdrawBankBooking(ctx(), found, second)
      await waiting(2, withdrawn)
      work = Promise.all([booked, withdrawn])
    })
    const [booked] = (await work) ?? []
    assert.equal(booked, 'booked')
    assert.equal(await bookBalance(story.exchange, 'method-costs', 'EUR-EUR'), 0n)
    await assertAgrees()
  })

  it('is no break of a comparison that begins meanwhile', async () => {
    const { id, found } = await reported()
    let compared: Promise<void> | undefined
    await ctx().db.atomic(async (db) => {
      breaks.lockBreaks(db)
      await withdraw(db, id)
      breaks.clear(db, [found], ctx().clock.now())
      compared = reconcileStatements(ctx())
      await waiting(1, compared)
    })
    await compared
    assert.deepEqual(await lacking(), [])
    await assertAgrees()
  })
})
