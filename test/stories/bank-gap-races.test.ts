import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { eraseCustomer } from '../../src/exchange/operations/erase-customer.ts'
import { bookOwnMoney } from '../../src/exchange/operations/own-money.ts'
import { listSuspense, matchSuspense, returnSuspense } from '../../src/exchange/operations/suspense.ts'
import { withdrawBankBooking } from '../../src/exchange/operations/withdraw-booking.ts'
import { listBreaks } from '../../src/exchange/reconciliation/breaks.ts'
import { reconcileStatements } from '../../src/exchange/reconciliation/reconcile.ts'
import { receiveRailEvents } from '../../src/exchange/settlement/rail-event.ts'
import { lockOwnPayment } from '../../src/exchange/settlement/reverse-own-money.ts'
import { bookingOfFinding, notifiedBooking, withdrawBooking } from '../../src/rails/iso20022/booking/withdraw.ts'
import { lockBank } from '../../src/rails/iso20022/lease.ts'
import { type BankExchange, startBankExchange } from '../support/bank-exchange.ts'
import { next } from '../support/bank-session.ts'
import { camt } from '../support/camt.ts'
import { debitOf, euros } from '../support/folder-bank.ts'
import { arrive, bookBalance, checkOut, create, lookup, pay, seen, settled } from '../support/journey.ts'
import { lostStatements } from '../support/lost-statements.ts'
import { notifiedBookings, reason } from '../support/notified-bookings.ts'
import { makeOperators } from '../support/staff-browser.ts'
import { until } from '../support/telling.ts'

describe('an amount that is booked for a lost statement, which comes while a person decides about it', () => {
  let story: BankExchange
  before(async () => {
    story = await startBankExchange()
    await makeOperators(story.exchange)
    await bookings.state([bookings.paid('Capital', '1000.00')])
    const [capital] = await listSuspense(ctx())
    await bookOwnMoney(ctx(), String(capital?.id), { ...staff, category: 'capital' })
  })
  after(() => story.stop())

  const bookings = notifiedBookings(() => story)
  const { ctx, paid, notify, state, ordered, withdrawOnPage, by, paidOut, assertAgrees } = bookings
  const { lose, accept, onPage, found } = lostStatements(() => story, bookings)
  const staff = { actor: 'cli:test', reason }
  const lump = async (): Promise<{ id: bigint; payment: string }> => {
    const [one] = await listSuspense(ctx())
    return { id: one?.id ?? 0n, payment: one?.payment ?? assert.fail('nothing in suspense') }
  }
  const isWithdrawn = async (payment: string): Promise<boolean> =>
    (
      await lookup(story.exchange, "select from rail_events where kind = 'deposit_withdrawn' and payment = $1", [
        payment,
      ])
    ).length > 0
  /** Waits until so many wait for a lock by name, or something is over. */
  async function waiting(count: number, isOver: () => boolean = () => false): Promise<void> {
    const sql = `select from pg_locks where locktype = 'advisory' and not granted and database = (select oid from pg_database where datname = current_database())`
    await until(async () => isOver() || (await lookup(story.exchange, sql)).length >= count, 'those who wait')
  }
  const match = (id: bigint, order: string): Promise<string> =>
    matchSuspense(ctx(), id, BigInt(order), staff).then(
      () => 'matched',
      ({ code }: { code: string }) => code,
    )
  const credited = async (order: string): Promise<void> =>
    seen(story.exchange, order, 'the money', ({ from_amount: amount }) => amount !== null && amount !== '0').then(
      () => undefined,
    )

  it('is neither matched, returned nor booked once it is withdrawn, though that is not settled yet', async () => {
    const [order, another] = [await story.awaited('80'), await story.awaited('80')]
    const lost = await lose([paid(order.reference, '80.00')], 8_000n)
    const { id, payment } = await lump()
    await ctx().db.atomic(async (db) => {
      // Whoever settles what a rail reports waits for this lock.
      await db.sql`select pg_advisory_xact_lock(hashtextextended(${`bank-1 ${payment}`}, 0))`
      lost.drop()
      await until(() => isWithdrawn(payment), 'the withdrawal')
      const refused = { code: 'CONFLICT', message: /was reversed/ }
      await assert.rejects(matchSuspense(ctx(), id, BigInt(another.id), staff), refused)
      await assert.rejects(returnSuspense(ctx(), id, staff), refused)
      await assert.rejects(bookOwnMoney(ctx(), String(id), { ...staff, category: 'interest' }), refused)
    })
    await credited(order.id)
    await until(async () => (await listSuspense(ctx())).length === 0, 'the reversal')
    assert.equal(await bookBalance(story.exchange, `customer:${another.id}`, 'EUR-EUR'), 0n)
    await assertAgrees()
  })

  for (const first of ['bank', 'person'] as const)
    it(`ends once where a ${first} comes first and the other one a moment later`, async () => {
      const [order, another] = [await story.awaited('60'), await story.awaited('60')]
      const lost = await lose([paid(order.reference, '60.00')], 6_000n)
      const { id, payment } = await lump()
      let matched = Promise.resolve('')
      let isOver = false
      const comes = {
        bank: () => Promise.resolve(lost.drop()),
        person: () => {
          matched = match(id, another.id).finally(() => (isOver = true))
          return Promise.resolve()
        },
      }
      await ctx().db.atomic(async (db) => {
        lockOwnPayment(db, { rail: 'bank-1', payment })
        await db.sql`select 1`
        await comes[first]()
        await waiting(1, () => isOver)
        await comes[first === 'bank' ? 'person' : 'bank']()
        await waiting(2, () => isOver)
      })
      await story.taken()
      await settled(story.exchange)
      if (first === 'bank') {
        assert.equal(await matched, 'CONFLICT')
        await credited(order.id)
        await assertAgrees()
        return
      }
      assert.equal(await matched, 'matched')
      await credited(another.id)
      await paidOut()
      assert.deepEqual(await found(), [['statement', 'double', 6_000n]])
      await accept(lost.name)
      await credited(order.id)
      await assertAgrees()
    })

  /** A payout that is notified to have come back in the days of a gap, which a person has decided about. */
  async function cameBack(amount: string) {
    const { reference } = await story.awaited('200')
    await state([paid(reference, '200.00')])
    const { id } = await create(story.exchange, { from_currency: 'BTC', from_amount: amount, to_currency: 'EUR' })
    await checkOut(story.exchange, id)
    await pay(story.exchange, id)
    await arrive(story.exchange, id, 'sending')
    const [order] = await ordered()
    await state([debitOf(order)])
    await arrive(story.exchange, id, 'finished')
    await lose([], order.amount + 100n)
    await onPage({ action: 'book', about: String((await lump()).id), as: 'interest' })
    await onPage({ action: 'skip' })
    const back = { ...debitOf(order), debit: false, servicerReference: next('BACK'), code: 'RRTN' }
    await notify(back)
    assert.equal((await listSuspense(ctx()))[0]?.amount, order.amount)
    return { id, back, amount: order.amount }
  }

  it('leaves a payout that came back to the statement that has it: it is owed again then', async () => {
    const { id, back } = await cameBack('0.001')
    await state([back])
    await seen(story.exchange, id, 'the question', ({ status_details: details }) => details === 'address_needed')
    assert.deepEqual(await listSuspense(ctx()), [])
    await assertAgrees()
  })

  it('leaves a payout paid again that two operators say has not come back, though it lay in suspense before', async () => {
    const { id, back, amount } = await cameBack('0.0012')
    await state([back])
    await seen(story.exchange, id, 'the question', ({ status_details: details }) => details === 'address_needed')
    story.bank.balance -= amount
    const balance = euros(story.bank.balance)
    const corrected = { id: 'C', number: story.bank.number, opening: balance, closing: balance, entries: [] }
    story.bank.drop('corrected.xml', camt(corrected))
    await story.taken()
    await accept('corrected.xml')
    await reconcileStatements(ctx())
    const missing = (await listBreaks(ctx(), { open: true })).find(({ cause }) => cause === 'missing')
    await withdrawOnPage(missing?.id ?? assert.fail())
    await arrive(story.exchange, id, 'finished')
    assert.deepEqual(await listSuspense(ctx()), [])
    await assertAgrees()
  })

  it('leaves what came back of an erased customer in suspense, once its statement has it, too', async () => {
    const { id, back, amount } = await cameBack('0.0011')
    const [order] = await lookup<{ customer: string }>(
      story.exchange,
      'select partner_customer_id::text as customer from transactions where public_id = $1',
      [id],
    )
    await eraseCustomer(ctx(), BigInt(order?.customer ?? ''), staff)
    await state([back])
    await settled(story.exchange)
    const [waits] = await listSuspense(ctx())
    assert.equal(waits?.amount, amount)
    await assertAgrees()
    await returnSuspense(ctx(), waits?.id ?? 0n, staff)
    await paidOut()
  })

  /** The lump of a statement that never comes, decided about, and a notification that may explain it. */
  async function explained(): Promise<{ double: bigint; missing: bigint; booking: bigint }> {
    const order = await story.awaited('50')
    await lose([], 7_000n)
    await onPage({ action: 'book', about: String((await lump()).id), as: 'interest' })
    await onPage({ action: 'skip' })
    await notify(paid(order.reference, '50.00'))
    assert.equal((await listSuspense(ctx()))[0]?.doubt?.of.length, 1)
    await reconcileStatements(ctx())
    const open = await listBreaks(ctx(), { open: true })
    const [double, missing] = ['double', 'missing'].map((cause) => open.find((one) => one.cause === cause))
    return {
      double: double?.id ?? assert.fail(),
      missing: missing?.id ?? assert.fail(),
      booking: bookingOfFinding(missing?.key ?? '') ?? assert.fail(),
    }
  }
  const interest = (): Promise<bigint> => bookBalance(story.exchange, 'interest', 'EUR-EUR')

  it('is not withdrawn by two operators once it fits again', async () => {
    const { double, booking } = await explained()
    const before = await interest()
    await withdrawBankBooking(ctx(), double, await by())
    const second = await by()
    let withdrawn: Promise<string> | undefined
    await ctx().db.atomic(async (db) => {
      await lockBank(db, 'bank-1')
      const notified = (await notifiedBooking(db, 'bank-1', booking)) ?? assert.fail()
      await receiveRailEvents(ctx(), db, withdrawBooking(db, 'bank-1', notified).events)
      await db.sql`select 1`
      let isOver = false
      withdrawn = withdrawBankBooking(ctx(), double, second).then(
        () => 'withdrawn',
        ({ code }: { code: string }) => code,
      )
      const over = () => (isOver = true)
      void withdrawn.then(over, over)
      const sql = `select from pg_locks where not granted and database = (select oid from pg_database where datname = current_database())`
      await until(async () => isOver || (await lookup(story.exchange, sql)).length > 0, 'who waits for the bank')
    })
    assert.equal(await withdrawn, 'CONFLICT')
    assert.equal(await interest(), before)
    await assertAgrees()
  })

  it('is no break any more once two operators have withdrawn what may have explained it', async () => {
    const { missing } = await explained()
    const before = await interest()
    await withdrawOnPage(missing)
    const open = async () => (await listBreaks(ctx(), { open: true })).length
    await until(async () => (await open()) === 0, 'the end of the breaks')
    assert.equal(await interest(), before)
    await assertAgrees()
  })
})
