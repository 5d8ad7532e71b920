import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { verify } from '../../src/exchange/checks/verify.ts'
import { bookOwnMoney, listUnbookedDebits } from '../../src/exchange/operations/own-money.ts'
import { listSuspense } from '../../src/exchange/operations/suspense.ts'
import { listBreaks } from '../../src/exchange/reconciliation/breaks.ts'
import { bankFilesToDecide, listBankFiles } from '../../src/rails/iso20022/files.ts'
import { type BankExchange, startBankExchange } from '../support/bank-exchange.ts'
import { camt, type CamtEntry } from '../support/camt.ts'
import { euros } from '../support/folder-bank.ts'
import { advance, bookBalance, lookup, seen, settled } from '../support/journey.ts'
import { lostStatements } from '../support/lost-statements.ts'
import { notifiedBookings, reason } from '../support/notified-bookings.ts'
import { makeOperators } from '../support/staff-browser.ts'
import { until } from '../support/telling.ts'

describe('a statement that a bank has lost, where the next one is accepted without it', () => {
  let story: BankExchange
  before(async () => {
    story = await startBankExchange()
    await makeOperators(story.exchange)
    await state([paid('Capital', '1000.00')])
    const [capital] = await listSuspense(ctx())
    await bookOwnMoney(ctx(), String(capital?.id), { actor: 'cli:test', reason, category: 'capital' })
  })
  after(() => story.stop())

  const bookings = notifiedBookings(() => story)
  const { ctx, paid, state, withdrawOnPage, assertAgrees, next } = bookings
  const { lose, accept, onPage, found } = lostStatements(() => story, bookings)
  const byText = (one: string, another: string): number => one.localeCompare(another)
  const byAmount = (one: bigint, another: bigint): number => Number(one - another)
  const ofStatements = async () =>
    (await found()).flatMap(([kind, ...one]) => (kind === 'statement' ? [one.join(' ')] : []))
  const left = async () => (await listSuspense(ctx())).map(({ amount }) => amount)
  async function bookRest(category: string): Promise<void> {
    const [rest] = await listSuspense(ctx())
    await onPage({ action: 'book', about: String(rest?.id), as: category })
  }
  const debit = async () => (await listUnbookedDebits(ctx()))[0] ?? assert.fail('no debit')
  const phone = (amount: string): CamtEntry => ({
    ...paid('Phone', amount),
    debit: true,
    servicerReference: `D-${next()}`,
  })

  it('is one break with a debit that names it, which stays booked when just that comes', async () => {
    const lost = await lose([phone('40.00')], -4_000n)
    assert.deepEqual(await found(), [['not_booked', 'opening_differs', -4_000n]])
    const { payment, text } = await debit()
    assert.match(
      text,
      /^Statement 3, file camt053-000003\.xml: it opens with 960 EUR, and the one before it closed with 1000 EUR\.$/,
    )
    await onPage({ action: 'book', about: payment, as: 'expense' })
    assert.deepEqual(await found(), [['statement', 'lost_statement', 0n]])
    await lost.come()
    await assertAgrees()
    assert.equal(await bookBalance(story.exchange, 'expenses', 'EUR-EUR'), 4_000n)
  })

  it('takes the place of a debit that nobody has decided about', async () => {
    const lost = await lose([phone('20.00'), phone('5.00')], -2_500n)
    const { payment } = await debit()
    await lost.come()
    const debits = await listUnbookedDebits(ctx())
    assert.deepEqual(
      debits.map(({ amount }) => amount),
      [2_000n, 500n],
    )
    await assert.rejects(bookOwnMoney(ctx(), payment, { actor: 'cli:test', reason, category: 'fee' }), {
      code: 'NOT_FOUND',
    })
    for (const one of debits) await onPage({ action: 'book', about: one.payment, as: 'expense' })
    await assertAgrees()
  })

  it('waits where a person has booked the amount; once it is accepted, that is booked back and orders are paid', async () => {
    const [one, two] = [await story.awaited('60'), await story.awaited('70')]
    const lost = await lose([paid(one.reference, '60.00'), paid(two.reference, '70.00')], 13_000n)
    const [lump] = await listSuspense(ctx())
    assert.match(lump?.details?.text ?? '', /^Statement 7, file /)
    const capital = await bookBalance(story.exchange, 'capital', 'EUR-EUR')
    await onPage({ action: 'book', about: String(lump?.id), as: 'capital' })
    await lost.come()
    assert.deepEqual(await found(), [['statement', 'double', 13_000n]])
    await accept(lost.name)
    for (const { id } of [one, two])
      await seen(story.exchange, id, 'the money', ({ from_amount: amount }) => amount !== null && amount !== '0')
    assert.equal(await bookBalance(story.exchange, 'capital', 'EUR-EUR'), capital)
    assert.deepEqual(await listSuspense(ctx()), [])
    await assertAgrees()
  })

  it('stays with the order that a person has matched it to, when just that comes with its reference', async () => {
    const [order, another] = [await story.awaited('80'), await story.awaited('90')]
    const lost = await lose([paid(order.reference, '80.00')], 8_000n)
    const [lump] = await listSuspense(ctx())
    await onPage({ action: 'match', about: String(lump?.id), transaction: order.id })
    await seen(story.exchange, order.id, 'the money', ({ from_amount: amount }) => amount !== null && amount !== '0')
    await lost.come()
    await assertAgrees()

    const wrong = await lose([paid(another.reference, '90.00')], 9_000n)
    const [next] = await listSuspense(ctx())
    const [mistaken] = [await story.awaited('90')]
    await onPage({ action: 'match', about: String(next?.id), transaction: mistaken.id })
    await wrong.come()
    assert.deepEqual(
      (await found()).filter(([kind]) => kind === 'statement'),
      [['statement', 'double', 9_000n]],
    )
    await accept(wrong.name)
    await seen(story.exchange, another.id, 'the money', ({ from_amount: amount }) => amount !== null && amount !== '0')
    await assertAgrees()
  })

  it('needs no statement where two operators accept, one books and one says that it will not come', async () => {
    await lose([], 1_500n)
    const [lump] = await listSuspense(ctx())
    await onPage({ action: 'book', about: String(lump?.id), as: 'interest' })
    await onPage({ action: 'skip' })
    await assertAgrees()
  })

  it('is a break where a notification may explain what was booked, and two operators take that back', async () => {
    const { bank } = story
    const order = await story.awaited('50')
    bank.balance += 7_000n
    bank.number += 1
    bank.state([], { date: '2026-03-09' })
    await story.taken()
    await settled(story.exchange)
    await accept(`camt053-${String(bank.number).padStart(6, '0')}.xml`)
    const [lump] = await listSuspense(ctx())
    const interest = await bookBalance(story.exchange, 'interest', 'EUR-EUR')
    await onPage({ action: 'book', about: String(lump?.id), as: 'interest' })
    await onPage({ action: 'skip' })
    const entries = [{ ...paid(order.reference, '50.00'), date: '2026-03-05' }]
    bank.drop('explains.xml', camt({ kind: '054', id: 'EXPLAINS', date: '2026-03-05', entries }))
    await story.taken()
    await settled(story.exchange)
    const [waiting] = await listSuspense(ctx())
    assert.equal(waiting?.doubt?.of[0]?.payment, lump?.payment)
    await advance(story.exchange, 'PT2H')
    assert.deepEqual((await ofStatements()).toSorted(byText), ['double 0', 'missing -5000'])
    const about = (await listBreaks(ctx(), { open: true })).find(({ cause }) => cause === 'double')
    await withdrawOnPage(about?.id ?? assert.fail())
    assert.deepEqual((await ofStatements()).toSorted(byText), ['missing -5000', 'opening_differs 7000'])
    assert.ok(
      (await verify(ctx())).some((one) => / opens \d+ with 70 EUR more, and nothing is booked of it\.$/.test(one)),
    )
    bank.state(entries, { date: '2026-03-10' })
    await story.taken()
    await until(async () => (await left()).toSorted(byAmount).join() === '5000,7000', 'what is left')
    await onPage({ action: 'match', about: String(waiting?.id), transaction: order.id })
    await bookRest('interest')
    assert.equal(await bookBalance(story.exchange, 'interest', 'EUR-EUR'), interest - 7_000n)
    await assertAgrees()
  })

  it('is what a corrected statement says once operators accept that what was decided by the first one is reversed', async () => {
    const { bank } = story
    const before = bank.balance
    bank.balance += 15_000n
    bank.number += 1
    bank.state([], { date: '2026-03-12' })
    const { number } = bank
    await story.taken()
    await settled(story.exchange)
    await accept(`camt053-${String(number).padStart(6, '0')}.xml`)
    await bookRest('interest')
    await onPage({ action: 'skip' })
    bank.balance = before + 12_000n
    const amount = euros(bank.balance)
    const corrected = camt({ id: 'B', number, date: '2026-03-12', opening: amount, closing: amount, entries: [] })
    bank.drop('corrected.xml', corrected)
    await story.taken()
    await settled(story.exchange)
    await accept('corrected.xml')
    await until(async () => (await left()).join() === '12000', 'what is left')
    await bookRest('interest')
    await assertAgrees()
  })

  it('is taken back only by an acceptance that names it', async () => {
    const { bank } = story
    const opening = bank.balance
    bank.balance += 9_000n
    bank.number += 2
    bank.state([], { date: '2026-03-16' })
    await story.taken()
    await settled(story.exchange)
    await accept(`camt053-${String(bank.number).padStart(6, '0')}.xml`)
    await bookRest('interest')
    const entries = [{ ...paid('Interest', '40.00'), date: '2026-03-14' }]
    const balances = { opening: euros(opening + 3_000n), closing: euros(opening + 7_000n) }
    bank.drop('late.xml', camt({ id: 'L', number: bank.number - 2, date: '2026-03-14', ...balances, entries }))
    await story.taken()
    const causeOfFile = async () => (await listBankFiles(ctx().db)).find(({ file }) => file === 'late.xml')?.cause
    await until(async () => (await causeOfFile()) === 'opening_differs', 'the refusal')
    const [file] = await lookup<{ id: bigint }>(
      story.exchange,
      "select id from iso20022_files where name = 'late.xml'",
      [],
    )
    await onPage({ action: 'accept', about: `#${file?.id}` }, 2)
    const isAskedAgain = async (): Promise<boolean> =>
      (await bankFilesToDecide(ctx().db)).some(({ name, causes }) => name === 'late.xml' && causes === 'double')
    await until(isAskedAgain, 'the second question')
    assert.deepEqual(await left(), [])
    await accept('late.xml')
    await until(async () => (await left()).toSorted(byAmount).join() === '2000,3000,4000', 'what is left')
    for (let count = 0; count < 3; count += 1) await bookRest('interest')
    await onPage({ action: 'skip' })
    await assertAgrees()
  })

  it('is not paid again to the order that it was matched to, when a notification comes instead of the statement', async () => {
    const { bank } = story
    const order = await story.awaited('60')
    bank.balance += 6_000n
    bank.number += 1
    bank.state([], { date: '2026-03-20' })
    await story.taken()
    await settled(story.exchange)
    await accept(`camt053-${String(bank.number).padStart(6, '0')}.xml`)
    const [lump] = await listSuspense(ctx())
    await onPage({ action: 'match', about: String(lump?.id), transaction: order.id })
    await seen(story.exchange, order.id, 'the money', ({ from_amount: amount }) => amount !== null && amount !== '0')
    await onPage({ action: 'skip' })
    const credited = await bookBalance(story.exchange, `customer:${order.id}`, 'EUR-EUR')
    const entries = [{ ...paid(order.reference, '60.00'), date: '2026-03-18' }]
    bank.drop('again.xml', camt({ kind: '054', id: 'AGAIN', date: '2026-03-18', entries }))
    await story.taken()
    await until(async () => (await left()).length > 0, 'the money to wait for a person')
    await settled(story.exchange)
    assert.deepEqual(await left(), [6_000n])
    assert.equal(await bookBalance(story.exchange, `customer:${order.id}`, 'EUR-EUR'), credited)
    const deposits = await lookup(
      story.exchange,
      'select from deposits join transactions on transactions.id = transaction_id where public_id = $1',
      [order.id],
    )
    assert.equal(deposits.length, 1)
  })
})
