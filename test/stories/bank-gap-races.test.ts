import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { eraseCustomer } from '../../src/exchange/operations/erase-customer.ts'
import { bookDifference as bookDifferenceBy } from '../../src/exchange/operations/book-difference.ts'
import { bookOwnMoney } from '../../src/exchange/operations/own-money.ts'
import { listSuspense, matchSuspense, returnSuspense } from '../../src/exchange/operations/suspense.ts'
import { withdrawBankBooking } from '../../src/exchange/operations/withdraw-booking.ts'
import { listBreaks } from '../../src/exchange/reconciliation/breaks.ts'
import { reconcileStatements } from '../../src/exchange/reconciliation/reconcile.ts'
import { type BankExchange, startBankExchange } from '../support/bank-exchange.ts'
import { next } from '../support/bank-session.ts'
import { camt, type CamtEntry } from '../support/camt.ts'
import { debitOf, euros } from '../support/folder-bank.ts'
import { arrive, bookBalance, checkOut, create, lookup, pay, seen, settled } from '../support/journey.ts'
import { lostStatements } from '../support/lost-statements.ts'
import { notifiedBookings, reason } from '../support/notified-bookings.ts'
import { makeOperators } from '../support/staff-browser.ts'

describe('the difference before a statement, which operators withdraw while a person decides about it', () => {
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
  const { lose, accept, onPage, bookDifference } = lostStatements(() => story, bookings)
  const staff = { actor: 'cli:test', reason }
  const money = async (): Promise<{ id: bigint; payment: string }> => {
    const [one] = await listSuspense(ctx())
    return { id: one?.id ?? 0n, payment: one?.payment ?? assert.fail('nothing in suspense') }
  }
  /** A booked difference that fits no more: the lost statement came, and two operators have accepted it. */
  async function misfit(entries: CamtEntry[], moved: bigint) {
    const lost = await lose(entries, moved)
    await bookDifference()
    const lump = await money()
    await lost.come()
    await accept(lost.name)
    const about = (await listBreaks(ctx(), { open: true })).find(({ cause }) => cause === 'double')
    return { ...lump, about: about?.id ?? assert.fail() }
  }
  const match = (id: bigint, order: string): Promise<string> =>
    matchSuspense(ctx(), id, BigInt(order), staff).then(
      () => 'matched',
      ({ code }: { code: string }) => code,
    )
  const credited = (order: string): Promise<unknown> =>
    seen(story.exchange, order, 'the money', ({ from_amount: amount }) => amount !== null && amount !== '0')

  it('is neither matched, returned nor booked while it fits no more, nor once it is withdrawn and that is not settled yet', async () => {
    const [order, another] = [await story.awaited('80'), await story.awaited('80')]
    const { id, payment, about } = await misfit([paid(order.reference, '80.00')], 8_000n)
    const refuses = async (message: RegExp): Promise<void> => {
      const refused = { code: 'CONFLICT', message }
      await assert.rejects(matchSuspense(ctx(), id, BigInt(another.id), staff), refused)
      await assert.rejects(returnSuspense(ctx(), id, staff), refused)
      await assert.rejects(bookOwnMoney(ctx(), String(id), { ...staff, category: 'interest' }), refused)
    }
    await refuses(/end the break/)
    await withdrawBankBooking(ctx(), about, await by())
    const second = await by()
    await ctx().db.atomic(async (db) => {
      // Whoever settles what a rail reports waits for this lock.
      await db.sql`select pg_advisory_xact_lock(hashtextextended(${`bank-1 ${payment}`}, 0))`
      await withdrawBankBooking(ctx(), about, second)
      await refuses(/was reversed/)
    })
    await settled(story.exchange)
    const [waits] = await listSuspense(ctx())
    assert.equal(await match(waits?.id ?? 0n, order.id), 'matched')
    await credited(order.id)
    assert.equal(await bookBalance(story.exchange, `customer:${another.id}`, 'EUR-EUR'), 0n)
    await assertAgrees()
  })

  it('is booked once by two operators who agree at once, and not once the lost statement has come meanwhile', async () => {
    const order = await story.awaited('60')
    const lost = await lose([paid(order.reference, '60.00')], 6_000n)
    const about = (await listBreaks(ctx(), { open: true })).find(({ cause }) => cause === 'opening_differs')
    const id = about?.id ?? assert.fail()
    assert.equal((await bookDifferenceBy(ctx(), id, await by())).approvals, 1)
    await lost.come()
    await assert.rejects(bookDifferenceBy(ctx(), id, await by()), { code: 'CONFLICT' })
    await credited(order.id)
    await assertAgrees()

    await lose([], 1_500n)
    const others = [await by(), await by()]
    const found = (await listBreaks(ctx(), { open: true })).find(({ cause }) => cause === 'opening_differs')
    await bookDifferenceBy(ctx(), found?.id ?? 0n, await by())
    const outcomes = await Promise.allSettled(others.map((one) => bookDifferenceBy(ctx(), found?.id ?? 0n, one)))
    assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1)
    await settled(story.exchange)
    assert.equal((await listSuspense(ctx())).length, 1)
    await bookOwnMoney(ctx(), String((await money()).id), { ...staff, category: 'interest' })
    await assertAgrees()
  })

  /** A payout that is notified to have come back in the days of a gap, which operators have decided about. */
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
    await bookDifference()
    await onPage({ action: 'book', about: String((await money()).id), as: 'interest' })
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

  it('is a break that one operator cannot resolve, and that two can book though one has resolved it before', async () => {
    const { cambio, told } = story.line
    async function openBreak(wanted: string): Promise<bigint> {
      await reconcileStatements(ctx())
      const found = (await listBreaks(ctx(), { open: true })).find(({ cause }) => cause === wanted)
      return found?.id ?? assert.fail(`no break ${wanted}`)
    }
    async function assertStays(id: bigint, why: RegExp): Promise<void> {
      const { exitCode, err } = await cambio('break', 'resolve', String(id), '--reason', reason)
      assert.notEqual(exitCode, 0)
      assert.match(err, why)
      const { forms, browser } = bookings
      assert.deepEqual(await forms.formsOf('/console/money', await browser.as('finance'), 'resolve', String(id)), [])
    }
    const lost = await lose([paid('Nobody knows', '30.00')], 3_000n)
    const gap = await openBreak('opening_differs')
    await assertStays(gap, /break book/)
    const owner = `update breaks set state = 'resolved', ended_at = now(), resolved_by = 'cli:old', reason = 'old' where id = $1`
    await lookup(story.exchange, owner, [String(gap)])
    for (const _ of [1, 2]) await bookDifferenceBy(ctx(), gap, await by())
    await settled(story.exchange)
    await lost.come()
    await accept(lost.name)
    const misfit = await openBreak('double')
    await assertStays(misfit, /break withdraw/)
    await withdrawOnPage(misfit)
    await told('suspense', 'book', String((await money()).id), '--as', 'interest', '--reason', reason)
    await assertAgrees()
  })
})
