import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { examine } from '../../src/exchange/checks/doctor.ts'
import { verify } from '../../src/exchange/checks/verify.ts'
import { listNeeds } from '../../src/exchange/needs/list-needs.ts'
import { acceptBankFile } from '../../src/exchange/operations/bank-files.ts'
import { bookOwnMoney } from '../../src/exchange/operations/own-money.ts'
import { listSuspense } from '../../src/exchange/operations/suspense.ts'
import { advice } from '../../src/exchange/reconciliation/advice.ts'
import { reconcile } from '../../src/exchange/reconciliation/reconcile.ts'
import { resolveBreak } from '../../src/exchange/reconciliation/breaks.ts'
import { type BankExchange, startBankExchange } from '../support/bank-exchange.ts'
import { arrive, bookBalance, checkOut, create, pay, seen, settled } from '../support/journey.ts'
import { camt } from '../support/camt.ts'
import { debitOf, euros } from '../support/folder-bank.ts'
import { notifiedBookings, reason } from '../support/notified-bookings.ts'
import { makeOperators } from '../support/staff-browser.ts'
import { until } from '../support/telling.ts'

describe('a notified booking whose statement came without it', () => {
  let story: BankExchange
  before(async () => {
    story = await startBankExchange()
    await makeOperators(story.exchange)
  })
  after(() => story.stop())

  const { ctx, paid, notify, state, onlyBreak, withdrawOnPage, by, assertAgrees, next } = notifiedBookings(() => story)
  const breaks = async () => (await listNeeds(ctx())).filter(({ kind }) => kind === 'break')
  const balances = async () =>
    (await examine(ctx())).filter(({ check }) => check === 'balances').map(({ message }) => message)

  it('is a break without anybody asking, and a sentence of its own in verify and doctor', async () => {
    await notify(paid('Nobody knows', '60.00'))
    assert.deepEqual([await breaks(), await verify(ctx())], [[], []])
    await notify({ amount: '7.00', debit: true, code: 'CHRG', servicerReference: `W-${next()}` })
    await state([])
    await until(async () => (await breaks()).length === 2, 'the breaks')
    const sentences = await verify(ctx())
    assert.match(
      sentences.toSorted().join('\n'),
      /^bank-1 reported a booking bk_\d+ of 60 EUR in, and .*\nbank-1 reported a booking bk_\d+ of 7 EUR out, and the statement of its day does not have it\.$/,
    )
    assert.deepEqual(await balances(), sentences)

    for (const { subject } of await breaks()) await withdrawOnPage(BigInt(subject))
    await settled(story.exchange)
    assert.deepEqual([await breaks(), await verify(ctx())], [[], []])
    await assertAgrees()
  })

  it('that was booked as our own is no capital once it is taken back', async () => {
    const capital = await bookBalance(story.exchange, 'capital', 'EUR-EUR')
    const lost = await bookBalance(story.exchange, 'losses:chargebacks', 'EUR-EUR')
    await notify(paid('Own funds', '500.00'))
    const [funds] = await listSuspense(ctx())
    await bookOwnMoney(ctx(), String(funds?.id), { category: 'capital', actor: 'cli:test', reason })
    assert.equal(await bookBalance(story.exchange, 'capital', 'EUR-EUR'), capital - 50_000n)
    await state([])
    const [found] = await breaks()
    await withdrawOnPage(BigInt(found?.subject ?? assert.fail()))
    assert.equal(await bookBalance(story.exchange, 'capital', 'EUR-EUR'), capital)
    assert.equal(await bookBalance(story.exchange, 'losses:chargebacks', 'EUR-EUR'), lost)
    assert.deepEqual(await listSuspense(ctx()), [])
    await assertAgrees()
  })

  it('is one too where its statement has lost it by a correction that was accepted', async () => {
    const { id, reference } = await story.awaited()
    const [kept, lost] = [paid('Nobody knows', '12.00'), paid(reference, '60.00')]
    const opening = euros(story.bank.balance)
    await state([kept, lost])
    await arrive(story.exchange, id, 'on_hold')
    await assertAgrees()
    const number = story.bank.number
    story.bank.balance -= 6_000n
    const corrected = camt({ id: 'AGAIN', number, opening, closing: euros(story.bank.balance), entries: [kept] })
    story.bank.drop('corrected.xml', corrected)
    await story.taken()
    for (const _ of [1, 2]) await acceptBankFile(ctx(), { name: 'corrected.xml' }, await by())
    await until(async () => (await verify(ctx())).some((one) => /booking bk_\d+ of 60 EUR in/.test(one)), 'the alarm')
    await withdrawOnPage(await onlyBreak())
    await seen(story.exchange, id, 'the reversal', ({ from_amount: amount }) => amount === null || amount === '0')
    await assertAgrees()
  })

  it('and has another one of the same money is booked as a loss and covered, where the first one was paid out', async () => {
    const { id, reference } = await story.awaited()
    const lost = await bookBalance(story.exchange, 'losses:chargebacks', 'EUR-EUR')
    await notify(paid(reference, '100.00'))
    await arrive(story.exchange, id, 'finished')
    await state([paid(reference, '100.00')])
    const { breaks: found } = await reconcile(ctx())
    assert.deepEqual(
      found.map(({ cause }) => [cause, advice[cause].includes('as a loss')]),
      [['double', true]],
    )
    await withdrawOnPage(found[0]?.id ?? 0n)
    assert.equal((await bookBalance(story.exchange, 'losses:chargebacks', 'EUR-EUR')) - lost, 10_000n)
    const [second, ...others] = (await listSuspense(ctx())).filter(({ amount }) => amount === 10_000n)
    assert.deepEqual(others, [])
    await story.line.told('suspense', 'book', String(second?.id), '--as', 'loss', '--reason', reason)
    assert.equal(await bookBalance(story.exchange, 'losses:chargebacks', 'EUR-EUR'), lost)
    await assertAgrees()
  })

  it('is no alarm once a person has explained it', async () => {
    await notify(paid('Nobody knows', '9.00'))
    await state([])
    await resolveBreak(ctx(), await onlyBreak(), { actor: 'cli:test', reason })
    assert.ok(!(await verify(ctx())).some((one) => one.includes('booking bk_')))
  })
})

describe('money that left for no order', () => {
  let story: BankExchange
  before(async () => {
    story = await startBankExchange()
  })
  after(() => story.stop())

  const { paid, state, ordered } = notifiedBookings(() => story)

  it('is listed with what the bank says of it, and with the orders whose payouts it may be', async () => {
    const { reference } = await story.awaited('200')
    await state([paid(reference, '200.00')])
    const { id } = await create(story.exchange, { from_currency: 'BTC', from_amount: '0.001', to_currency: 'EUR' })
    await checkOut(story.exchange, id)
    await pay(story.exchange, id)
    await arrive(story.exchange, id, 'sending')
    const [order] = await ordered()
    await state([debitOf(order)])
    await arrive(story.exchange, id, 'finished')
    const amount = euros(order.amount)
    await state([
      { ...debitOf(order), servicerReference: 'AGAIN-1' },
      {
        amount,
        debit: true,
        servicerReference: 'ALIKE-1',
        payments: [{ amount, payee: { name: 'Erika Mustermann' } }],
      },
      { amount: '1.23', debit: true, servicerReference: 'OTHER-1', payments: [{ amount: '1.23' }] },
    ])
    type Row = { direction: string; reference: string; candidates: unknown[] }
    const rows = (await story.line.told<Row[]>('suspense', 'list')).filter(({ direction }) => direction === 'out')
    assert.deepEqual(
      rows.map((row) => [row.reference, row.candidates]),
      [
        [order.endToEndId, [{ transaction_id: id, why: 'reference and amount' }]],
        ['ALIKE-1', [{ transaction_id: id, why: 'amount' }]],
        ['OTHER-1', []],
      ],
    )
  })
})
