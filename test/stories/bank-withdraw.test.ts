import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { withdrawBankBooking } from '../../src/exchange/operations/withdraw-booking.ts'
import { bookOwnMoney, listUnbookedDebits } from '../../src/exchange/operations/own-money.ts'
import { listSuspense } from '../../src/exchange/operations/suspense.ts'
import { listBreaks } from '../../src/exchange/reconciliation/breaks.ts'
import { reconcile } from '../../src/exchange/reconciliation/reconcile.ts'
import { type BankExchange, startBankExchange } from '../support/bank-exchange.ts'
import type { CamtEntry } from '../support/camt.ts'
import { debitOf, euros } from '../support/folder-bank.ts'
import { arrive, bookBalance, checkOut, create, pay, read, seen } from '../support/journey.ts'
import { notifiedBookings, reason } from '../support/notified-bookings.ts'
import { makeOperators } from '../support/staff-browser.ts'

describe('a booking that a bank has reported once, and that its statement does not have', () => {
  let story: BankExchange
  before(async () => {
    story = await startBankExchange()
    story.bank.state([])
    await story.taken()
    await makeOperators(story.exchange)
  })
  after(() => story.stop())

  const {
    ctx,
    paid,
    notify,
    state,
    onlyBreak,
    ordered,
    browser,
    forms,
    withdrawOnPage,
    chargebacks,
    by,
    assertAgrees,
    next,
  } = notifiedBookings(() => story)

  it('is taken back by two operators, one of them on the page: what it credited is reversed, and the bank agrees with the books', async () => {
    const { id, reference } = await story.awaited()
    const entry = paid(reference, '60.00')
    await notify(entry)
    await arrive(story.exchange, id, 'on_hold')
    await state([])
    const found = await onlyBreak()
    await assert.rejects(withdrawBankBooking(ctx(), found, { actor: 'cli:test', reason: ' ' }), { code: 'BAD_REQUEST' })
    const ann = await by()
    assert.equal((await withdrawBankBooking(ctx(), found, ann)).approvals, 1)
    await assert.rejects(withdrawBankBooking(ctx(), found, ann), { code: 'CONFLICT' })
    assert.equal((await read(story.exchange, id)).from_amount, '60')

    const finance = await browser.as('finance')
    const cause = `data-cause="bank booking" data-subject="${found}"`
    assert.ok((await browser.ask('/console', { cookie: finance })).body.includes(cause), 'the first page asks for it')
    const done = await forms.send('/console/money', finance, { action: 'withdraw', about: String(found), reason })
    assert.match(done, /The booking is withdrawn/)
    assert.ok(!(await browser.ask('/console', { cookie: finance })).body.includes(cause))
    await seen(story.exchange, id, 'the reversal', ({ from_amount: amount }) => amount === null || amount === '0')
    const resolved = (await listBreaks(ctx(), { open: false })).find((one) => one.id === found)
    assert.deepEqual([resolved?.state, resolved?.reason], ['resolved', reason])
    await assertAgrees()

    // An old notification that comes again credits nothing; a statement that has it after all does.
    await notify(entry)
    await assertAgrees()
    await state([entry])
    await seen(story.exchange, id, 'the money', ({ from_amount: amount }) => amount === '60')
    await assertAgrees()
  })

  it('whose money was paid out already is a loss, and one without an order leaves suspense', async () => {
    const { id, reference } = await story.awaited()
    await notify(paid(reference, '100.00'))
    await arrive(story.exchange, id, 'finished')
    await state([])
    const lost = await bookBalance(story.exchange, 'losses:chargebacks', 'EUR-EUR')
    const first = await onlyBreak()
    for (const _ of [1, 2]) await withdrawBankBooking(ctx(), first, await by())
    await assertAgrees()
    assert.equal((await bookBalance(story.exchange, 'losses:chargebacks', 'EUR-EUR')) - lost, 10_000n)
    assert.equal(await chargebacks(id), '0', 'the bank erred, not the customer')
    const said = { code: 'payment_reversed', reason: 'The bank or processor cancelled this payment.' }
    assert.deepEqual((await read(story.exchange, id)).errors.at(-1), said)

    await notify(paid('Nobody knows', '12.00'))
    assert.deepEqual(
      (await listSuspense(ctx())).map(({ amount }) => amount),
      [1_200n],
    )
    await state([])
    const second = await onlyBreak()
    await story.line.told('break', 'withdraw', String(second), '--reason', reason)
    await withdrawBankBooking(ctx(), second, await by())
    await assertAgrees()
    assert.deepEqual(await listSuspense(ctx()), [])
  })

  it('that was a payout of ours makes the payout owed again, and it is paid once', async () => {
    const { reference } = await story.awaited('200')
    await state([paid(reference, '200.00')])
    const { id } = await create(story.exchange, { from_currency: 'BTC', from_amount: '0.001', to_currency: 'EUR' })
    await checkOut(story.exchange, id)
    await pay(story.exchange, id)
    await arrive(story.exchange, id, 'sending')
    const [order] = await ordered()
    await notify(debitOf(order))
    await arrive(story.exchange, id, 'finished')
    await state([])
    const found = await onlyBreak()
    for (const _ of [1, 2]) await withdrawBankBooking(ctx(), found, await by())
    await seen(story.exchange, id, 'the question', ({ status_details: details }) => details === 'address_needed')
    await assertAgrees()
    assert.deepEqual(story.bank.collect(), [], 'nothing is sent before somebody has said where')
  })

  it('that was a debit without an order is gone from the list of such debits', async () => {
    await notify({ amount: '7.00', debit: true, servicerReference: `W-${next()}` })
    assert.equal((await listUnbookedDebits(ctx())).length, 1)
    await state([])
    const { breaks } = await reconcile(ctx())
    const found =
      breaks.find(({ key }) => key.startsWith('booking ')) ??
      assert.fail(JSON.stringify(breaks, (_, one: unknown) => (typeof one === 'bigint' ? String(one) : one)))
    for (const _ of [1, 2]) await withdrawBankBooking(ctx(), found.id, await by())
    assert.deepEqual(await listUnbookedDebits(ctx()), [])
    await assertAgrees()
  })

  it('that was booked as a fee of the bank is booked back, and no cost once its statement has it with the code', async () => {
    const costs = await bookBalance(story.exchange, 'method-costs', 'EUR-EUR')
    const spent = async () => (await bookBalance(story.exchange, 'method-costs', 'EUR-EUR')) - costs
    const fee = (): CamtEntry => ({ amount: '3.50', debit: true, servicerReference: `W-${next()}` })
    const bookAsFee = async () => {
      const [debit] = await listUnbookedDebits(ctx())
      await bookOwnMoney(ctx(), debit?.payment ?? '', { ...(await by()), category: 'fee' })
    }
    const held = fee()
    await notify(held)
    await bookAsFee()
    await state([{ ...held, code: 'CHRG' }])
    assert.equal(await spent(), 350n, 'a code that comes later costs nothing once more')
    await assertAgrees()

    const lost = fee()
    await notify(lost)
    await bookAsFee()
    assert.equal(await spent(), 700n)
    await state([])
    await withdrawOnPage(await onlyBreak())
    assert.equal(await spent(), 350n)
    assert.deepEqual(await listUnbookedDebits(ctx()), [])
    await assertAgrees()
    // The bank takes it after all, and says what it is.
    await state([{ ...lost, code: 'CHRG' }])
    assert.equal(await spent(), 700n)
    await assertAgrees()
  })

  it('that was a charge is no cost, by the form of two operators', async () => {
    const costs = await bookBalance(story.exchange, 'method-costs', 'EUR-EUR')
    await notify({ amount: '3.50', debit: true, code: 'CHRG', servicerReference: `W-${next()}` })
    assert.equal((await bookBalance(story.exchange, 'method-costs', 'EUR-EUR')) - costs, 350n)
    await state([])
    await withdrawOnPage(await onlyBreak())
    assert.equal(await bookBalance(story.exchange, 'method-costs', 'EUR-EUR'), costs)
    await assertAgrees()
  })

  it('that was a recall gives back what it took, and the customer has no mark of it', async () => {
    const lost = await bookBalance(story.exchange, 'losses:chargebacks', 'EUR-EUR')
    const { id, reference } = await story.awaited()
    const entry = paid(reference, '100.00')
    await state([entry])
    await arrive(story.exchange, id, 'finished')
    const recall: CamtEntry = { ...entry, debit: true, code: 'RRCT', servicerReference: `W-${next()}` }
    await notify(recall)
    assert.equal((await bookBalance(story.exchange, 'losses:chargebacks', 'EUR-EUR')) - lost, 10_000n)
    assert.equal(await chargebacks(id), '1')
    await state([])
    await withdrawOnPage(await onlyBreak())
    await assertAgrees()
    assert.equal(await bookBalance(story.exchange, 'losses:chargebacks', 'EUR-EUR'), lost)
    assert.equal(await chargebacks(id), '0')

    // It happens after all.
    await state([recall])
    assert.equal((await bookBalance(story.exchange, 'losses:chargebacks', 'EUR-EUR')) - lost, 10_000n)
    await assertAgrees()
  })

  it('that took back a deposit which is withdrawn itself ends alone, in either order', async () => {
    for (const isDepositFirst of [true, false]) {
      const { id, reference } = await story.awaited()
      const entry = paid(reference, '60.00')
      await notify(entry)
      await arrive(story.exchange, id, 'on_hold')
      await notify({ ...entry, amount: '20.00', payments: [], debit: true, code: 'RRCT', information: reference })
      await state([])
      const found = (await reconcile(ctx())).breaks.toSorted((one, other) => Number(one.id - other.id))
      assert.equal(found.length, 2)
      for (const one of isDepositFirst ? found : found.toReversed()) await withdrawOnPage(one.id)
      await seen(story.exchange, id, 'both', ({ from_amount: amount }) => amount === null || amount === '0')
      await assertAgrees()
    }
  })

  it('that was a payout with a charge is both owed again and no cost', async () => {
    const { reference } = await story.awaited('200')
    await state([paid(reference, '200.00')])
    const costs = await bookBalance(story.exchange, 'method-costs', 'EUR-EUR')
    const { id } = await create(story.exchange, { from_currency: 'BTC', from_amount: '0.001', to_currency: 'EUR' })
    await checkOut(story.exchange, id)
    await pay(story.exchange, id)
    await arrive(story.exchange, id, 'sending')
    const [order] = await ordered()
    await notify({
      ...debitOf(order),
      amount: euros(order.amount + 150n),
      payments: [{ endToEndId: order.endToEndId }],
    })
    await arrive(story.exchange, id, 'finished')
    assert.equal((await bookBalance(story.exchange, 'method-costs', 'EUR-EUR')) - costs, 150n)
    await state([])
    await withdrawOnPage(await onlyBreak())
    await seen(story.exchange, id, 'the question', ({ status_details: details }) => details === 'address_needed')
    assert.equal(await bookBalance(story.exchange, 'method-costs', 'EUR-EUR'), costs)
    await assertAgrees()
  })

  it('and a break of another kind is not', async () => {
    story.bank.state([], { number: story.bank.number + 2 })
    await story.taken()
    const lost = (await reconcile(ctx())).breaks[0]
    assert.equal(lost?.cause, 'lost_statement')
    await assert.rejects(withdrawBankBooking(ctx(), lost?.id ?? 0n, await by()), /not about a booking/)
  })
})
