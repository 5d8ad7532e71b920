import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { bookOwnMoney, listUnbookedDebits } from '../../src/exchange/operations/own-money.ts'
import { listSuspense, matchSuspense, returnSuspense } from '../../src/exchange/operations/suspense.ts'
import { resolveBreak } from '../../src/exchange/reconciliation/breaks.ts'
import { reconcile } from '../../src/exchange/reconciliation/reconcile.ts'
import { type BankExchange, startBankExchange } from '../support/bank-exchange.ts'
import { camt, type CamtEntry } from '../support/camt.ts'
import { advance, arrive, settled } from '../support/journey.ts'
import { notifiedBookings, reason } from '../support/notified-bookings.ts'
import { makeOperators } from '../support/staff-browser.ts'

type Row = {
  id: string
  may_be_double: boolean
  double_of: { payment: string; transaction_id: string | null }[]
  waits_because: string | null
}

describe('money that a bank may have reported twice', () => {
  let story: BankExchange
  before(async () => {
    story = await startBankExchange()
    await makeOperators(story.exchange)
  })
  after(() => story.stop())

  const { ctx, paid, notify, state, browser, forms, withdrawOnPage, next } = notifiedBookings(() => story)
  const order = { actor: 'cli:test', reason }
  const rows = (): Promise<Row[]> => story.line.told<Row[]>('suspense', 'list')
  const offered = async (about: string): Promise<string[]> => {
    const finance = await browser.as('finance')
    const found: string[] = []
    for (const action of ['match', 'return', 'writeoff', 'book'])
      if ((await forms.formsOf('/console/money', finance, action, about)).length > 0) found.push(action)
    return found
  }
  /** The same transfer under two references of the bank. */
  const twice = (reference: string, endToEndId: string): CamtEntry => ({
    amount: '100.00',
    servicerReference: `B-${next()}`,
    payments: [
      {
        remittance: reference,
        endToEndId,
        amount: '100.00',
        payer: { name: 'Erika Mustermann', iban: 'DE75512108001245126199', bic: '' },
      },
    ],
  })
  /** Nothing moves a deposit: refused with a sentence like this. */
  async function assertKept(id: bigint, why: RegExp): Promise<void> {
    const other = await story.awaited()
    const refused = { code: 'CONFLICT', message: why }
    await assert.rejects(returnSuspense(ctx(), id, order), refused)
    await assert.rejects(matchSuspense(ctx(), id, BigInt(other.id), order), refused)
    await assert.rejects(bookOwnMoney(ctx(), String(id), { ...order, category: 'capital' }), refused)
    assert.deepEqual(await offered(String(id)), [])
  }
  async function breakOf(cause: string): Promise<bigint> {
    const { breaks } = await reconcile(ctx())
    assert.deepEqual(
      breaks.map((one) => one.cause),
      [cause],
    )
    return breaks[0]?.id ?? assert.fail()
  }

  it('says so, and what it doubles; it is moved by nobody until the break about it has ended', async () => {
    const { id, reference } = await story.awaited()
    await notify(twice(reference, 'E-1'))
    await arrive(story.exchange, id, 'finished')
    const second = twice(reference, 'E-1')
    await state([second])
    const [money, ...others] = await listSuspense(ctx())
    assert.ok(money)
    assert.deepEqual(others, [])
    const found = await breakOf('double')
    const [row] = await rows()
    assert.deepEqual([row?.may_be_double, row?.double_of.map((one) => one.transaction_id)], [true, [id]])
    const why = new RegExp(
      `^It may be the same money as bk_\\d+: end the break ${found} on the page /console/money first\\.$`,
    )
    assert.match(row?.waits_because ?? '', why)
    const { body } = await browser.ask('/console/money', { cookie: await browser.as('finance') })
    assert.match(body, new RegExp(`May be double of bk_\\d+ of order ${id}\\.`))
    assert.ok(body.includes(money.details?.bookedOn ?? assert.fail()))
    assert.ok(body.includes(second.servicerReference ?? assert.fail()))
    await assertKept(money.id, why)

    await withdrawOnPage(found)
    assert.deepEqual(
      (await rows()).map((one) => [one.may_be_double, one.waits_because]),
      [[false, null]],
    )
    assert.deepEqual(await offered(String(money.id)), ['match', 'return', 'book'])
    await bookOwnMoney(ctx(), String(money.id), { ...order, category: 'loss' })
  })

  it('is neither sent back nor matched while the statement of its day does not have it', async () => {
    await notify(paid('Nobody knows', '60.00'))
    await state([])
    const [money] = await listSuspense(ctx())
    assert.ok(money)
    const found = await breakOf('missing')
    const refused = { code: 'CONFLICT', message: new RegExp(`does not have it: end the break ${found} `) }
    await assert.rejects(returnSuspense(ctx(), money.id, order), refused)
    await assert.rejects(matchSuspense(ctx(), money.id, BigInt((await story.awaited()).id), order), refused)
    assert.deepEqual(await offered(String(money.id)), ['book'])
    await withdrawOnPage(found)
    assert.deepEqual(await rows(), [])
  })

  it('is not booked twice where it left', async () => {
    const { reference } = await story.awaited('200')
    await state([paid(reference, '200.00')])
    const back = (): CamtEntry => ({
      amount: '40.00',
      debit: true,
      servicerReference: `D-${next()}`,
      payments: [{ remittance: reference, amount: '40.00' }],
    })
    await notify(back())
    await state([back()])
    const [debit] = await listUnbookedDebits(ctx())
    assert.ok(debit)
    const row = (await rows()).find((one) => one.id === debit.payment)
    assert.equal(row?.may_be_double, true)
    const as = { ...order, category: 'expense' } as const
    await assert.rejects(bookOwnMoney(ctx(), debit.payment, as), {
      code: 'CONFLICT',
      message: /^It may be the same money/,
    })
    assert.deepEqual(await offered(debit.payment), [])
    for (const one of (await reconcile(ctx())).breaks)
      if (one.kind === 'statement') await resolveBreak(ctx(), one.id, order)
    assert.deepEqual(await offered(debit.payment), ['book'])
    await bookOwnMoney(ctx(), debit.payment, as)
  })

  it('is left where it lies before its statement has come', async () => {
    const date = '2026-03-09'
    const { id, reference } = await story.awaited()
    await notify({ ...twice(reference, 'E-2'), date })
    await arrive(story.exchange, id, 'finished')
    story.bank.drop(
      `r${next()}.xml`,
      camt({ kind: '052', id: `R-${next()}`, entries: [{ ...twice(reference, 'E-2'), date }] }),
    )
    await story.taken()
    await settled(story.exchange)
    const [money] = await listSuspense(ctx())
    assert.ok(money)
    await assertKept(money.id, /^It may be the same money as bk_\d+, until the statement of its day has come\.$/)
    story.bank.state([], { date })
    await story.taken()
    await settled(story.exchange)
    await advance(story.exchange, 'PT2H')
    const { breaks } = await reconcile(ctx())
    for (const one of breaks) await resolveBreak(ctx(), one.id, order)
    assert.deepEqual(
      (await rows()).map((one) => [one.may_be_double, one.waits_because]),
      [[true, null]],
    )
    await returnSuspense(ctx(), money.id, order)
  })
})
