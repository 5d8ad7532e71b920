import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { verify } from '../../src/exchange/checks/verify.ts'
import { bookOwnMoney, listUnbookedDebits } from '../../src/exchange/operations/own-money.ts'
import { listSuspense, matchSuspense } from '../../src/exchange/operations/suspense.ts'
import { listBreaks } from '../../src/exchange/reconciliation/breaks.ts'
import { type BankExchange, startBankExchange } from '../support/bank-exchange.ts'
import { camt, type CamtEntry } from '../support/camt.ts'
import { euros } from '../support/folder-bank.ts'
import { advance, bookBalance, lookup, seen, settled } from '../support/journey.ts'
import { type Lost, lostStatements } from '../support/lost-statements.ts'
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
  const { ctx, paid, state, withdrawOnPage, paidOut, assertAgrees, next } = bookings
  const { lose, accept, onPage, bookDifference, found } = lostStatements(() => story, bookings)
  const byText = (one: string, another: string): number => one.localeCompare(another)
  const staff = { actor: 'cli:test', reason }
  const ofStatements = async () =>
    (await found()).flatMap(([kind, ...one]) => (kind === 'statement' ? [one.join(' ')] : []))
  /** The bank loses a statement that moved nothing in all. */
  async function lose0(entries: CamtEntry[]): Promise<Lost> {
    const { bank } = story
    const [opening, number] = [euros(bank.balance), bank.number + 1]
    bank.number = number
    const entriesOf = (date: string) => entries.map((one) => ({ ...one, date }))
    bank.state([], { date: '2026-03-18' })
    await story.taken()
    await settled(story.exchange)
    await advance(story.exchange, 'PT2H')
    const name = `lost-${number}.xml`
    const date = '2026-03-16'
    const text = camt({ id: name, number, date, opening, closing: opening, entries: entriesOf(date) })
    const drop = (): void => bank.drop(name, text)
    const come = async (): Promise<void> => {
      drop()
      await story.taken()
      await settled(story.exchange)
    }
    return { name, drop, come }
  }
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

  it('is a break until two operators book the difference; a person says what the debit was, and nobody is asked about the number', async () => {
    await lose([], -4_000n)
    assert.deepEqual((await ofStatements()).toSorted(byText), ['lost_statement 0', 'opening_differs -4000'])
    assert.deepEqual(await listUnbookedDebits(ctx()), [])
    assert.ok(
      (await verify(ctx())).some((one) => / opens \d+ with 40 EUR less, and nothing is booked of it\.$/.test(one)),
    )
    await bookDifference()
    assert.deepEqual(await found(), [['not_booked', 'opening_differs', -4_000n]])
    const { payment, text } = await debit()
    assert.match(
      text,
      /^Statement 3, file camt053-000003\.xml: it opens with 960 EUR, and the one before it closed with 1000 EUR\.$/,
    )
    await onPage({ action: 'book', about: payment, as: 'expense' })
    await assertAgrees()
    assert.equal(await bookBalance(story.exchange, 'expenses', 'EUR-EUR'), 4_000n)
  })

  it('ends its break by itself when it comes, and its orders are paid', async () => {
    const order = await story.awaited('60')
    const lost = await lose([paid(order.reference, '60.00')], 6_000n)
    await lost.come()
    await seen(story.exchange, order.id, 'the money', ({ from_amount: amount }) => amount !== null && amount !== '0')
    await assertAgrees()
  })

  it('waits once the difference was booked; accepted, its money waits for a person, until what was booked is withdrawn', async () => {
    const [one, two] = [await story.awaited('60'), await story.awaited('70')]
    const lost = await lose([paid(one.reference, '60.00'), paid(two.reference, '70.00')], 13_000n)
    await bookDifference()
    const [lump] = await listSuspense(ctx())
    const capital = await bookBalance(story.exchange, 'capital', 'EUR-EUR')
    await onPage({ action: 'book', about: String(lump?.id), as: 'capital' })
    await lost.come()
    assert.deepEqual(await found(), [['statement', 'double', 13_000n]])
    await accept(lost.name)
    const waits = await listSuspense(ctx())
    assert.deepEqual(
      waits.map(({ amount, doubt }) => [amount, doubt?.of[0]?.payment]),
      [
        [6_000n, lump?.payment],
        [7_000n, lump?.payment],
      ],
    )
    const orderOf = new Map([
      [6_000n, one.id],
      [7_000n, two.id],
    ])
    const match = async (): Promise<void> => {
      for (const { id, amount } of waits)
        await onPage({ action: 'match', about: String(id), transaction: orderOf.get(amount) ?? '' })
    }
    await assert.rejects(matchSuspense(ctx(), waits[0]?.id ?? 0n, BigInt(one.id), staff), { code: 'CONFLICT' })
    const about = (await listBreaks(ctx(), { open: true })).find(({ cause }) => cause === 'double')
    assert.equal(about?.amount, -13_000n)
    await withdrawOnPage(about?.id ?? assert.fail())
    assert.equal(await bookBalance(story.exchange, 'capital', 'EUR-EUR'), capital)
    await match()
    for (const { id } of [one, two])
      await seen(story.exchange, id, 'the money', ({ from_amount: amount }) => amount !== null && amount !== '0')
    assert.deepEqual(await listSuspense(ctx()), [])
    await assertAgrees()
  })

  it('is not paid again to the order that the difference was matched to: what it brings is booked as a loss', async () => {
    const order = await story.awaited('80')
    const lost = await lose([paid(order.reference, '80.00')], 8_000n)
    await bookDifference()
    const [lump] = await listSuspense(ctx())
    await onPage({ action: 'match', about: String(lump?.id), transaction: order.id })
    await seen(story.exchange, order.id, 'the money', ({ from_amount: amount }) => amount !== null && amount !== '0')
    await paidOut()
    await lost.come()
    await accept(lost.name)
    const about = (await listBreaks(ctx(), { open: true })).find(({ cause }) => cause === 'double')
    await withdrawOnPage(about?.id ?? assert.fail())
    await bookRest('loss')
    await assertAgrees()
    assert.equal(await bookBalance(story.exchange, 'losses:chargebacks', 'EUR-EUR'), 0n)
    const deposits = await lookup(
      story.exchange,
      'select from deposits join transactions on transactions.id = transaction_id where public_id = $1',
      [order.id],
    )
    assert.equal(deposits.length, 1)
  })

  it('is not paid to its order by a notification either, once the difference was booked', async () => {
    const { bank } = story
    const order = await story.awaited('50')
    bank.balance += 7_000n
    bank.number += 1
    bank.state([], { date: '2026-03-09' })
    await story.taken()
    await settled(story.exchange)
    await accept(`camt053-${String(bank.number).padStart(6, '0')}.xml`)
    await bookDifference()
    await bookRest('interest')
    const entries = [{ ...paid(order.reference, '50.00'), date: '2026-03-05' }]
    bank.drop('explains.xml', camt({ kind: '054', id: 'EXPLAINS', date: '2026-03-05', entries }))
    await story.taken()
    await until(async () => (await listSuspense(ctx())).length > 0, 'the money to wait')
    await settled(story.exchange)
    await advance(story.exchange, 'PT2H')
    assert.deepEqual(await ofStatements(), ['missing -5000'])
    const [waiting] = await listSuspense(ctx())
    assert.deepEqual(
      waiting?.candidates.map(({ transactionId }) => String(transactionId)),
      [order.id],
    )
    const about = (await listBreaks(ctx(), { open: true })).find(({ cause }) => cause === 'missing')
    await withdrawOnPage(about?.id ?? assert.fail())
    await assertAgrees()
  })

  it('is what a corrected statement says, once what was booked by the first one is withdrawn and booked again', async () => {
    const { bank } = story
    const before = bank.balance
    bank.balance += 15_000n
    bank.number += 1
    bank.state([], { date: '2026-03-12' })
    const { number } = bank
    await story.taken()
    await settled(story.exchange)
    await accept(`camt053-${String(number).padStart(6, '0')}.xml`)
    await bookDifference()
    await bookRest('interest')
    bank.balance = before + 12_000n
    const amount = euros(bank.balance)
    const corrected = camt({ id: 'B', number, date: '2026-03-12', opening: amount, closing: amount, entries: [] })
    bank.drop('corrected.xml', corrected)
    await story.taken()
    await settled(story.exchange)
    await accept('corrected.xml')
    assert.deepEqual(await ofStatements(), ['double -3000'])
    const about = (await listBreaks(ctx(), { open: true })).find(({ cause }) => cause === 'double')
    await withdrawOnPage(about?.id ?? assert.fail())
    await bookDifference()
    await bookRest('interest')
    await assertAgrees()
  })

  it('may have moved nothing in all: its number is given up by one person where no payment of ours can be in it', async () => {
    const lost = await lose0([paid('Stranger', '10.00'), phone('10.00')])
    assert.deepEqual(await ofStatements(), ['lost_statement 0'])
    await onPage({ action: 'skip' })
    await assertAgrees()
    await lost.come()
    assert.deepEqual(await ofStatements(), ['double 0'])
    await accept(lost.name)
    await bookRest('interest')
    await onPage({ action: 'book', about: (await debit()).payment, as: 'expense' })
    await assertAgrees()
  })
})
