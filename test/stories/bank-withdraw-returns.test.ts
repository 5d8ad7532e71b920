import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { listSuspense, returnSuspense } from '../../src/exchange/operations/suspense.ts'
import { releaseTransaction } from '../../src/exchange/operations/release.ts'
import { withdrawBankBooking } from '../../src/exchange/operations/withdraw-booking.ts'
import { type BankExchange, startBankExchange } from '../support/bank-exchange.ts'
import type { CamtEntry } from '../support/camt.ts'
import { type BankOrder, debitOf } from '../support/folder-bank.ts'
import { arrive, checkOut, create, pay, seen, settled } from '../support/journey.ts'
import { notifiedBookings, reason } from '../support/notified-bookings.ts'
import { makeOperators } from '../support/staff-browser.ts'
import { until } from '../support/telling.ts'

describe('a payout that a bank says has come back, and that its statement does not have', () => {
  let story: BankExchange
  before(async () => {
    story = await startBankExchange()
    story.bank.state([])
    await story.taken()
    await makeOperators(story.exchange)
  })
  after(() => story.stop())

  const { ctx, paid, notify, state, onlyBreak, ordered, withdrawOnPage, by, assertAgrees, next } = notifiedBookings(
    () => story,
  )
  const backOf = (order: BankOrder): CamtEntry => ({
    ...debitOf(order),
    debit: false,
    servicerReference: `BACK-${next()}`,
    code: 'RRTN',
  })
  /** An order whose payout is debited. */
  async function paidOut(): Promise<{ id: string; order: BankOrder }> {
    const { reference } = await story.awaited('200')
    await state([paid(reference, '200.00')])
    const { id } = await create(story.exchange, { from_currency: 'BTC', from_amount: '0.001', to_currency: 'EUR' })
    await checkOut(story.exchange, id)
    await pay(story.exchange, id)
    await arrive(story.exchange, id, 'sending')
    const [order] = await ordered()
    await state([debitOf(order)])
    await arrive(story.exchange, id, 'finished')
    return { id, order }
  }
  const asked = (id: string) =>
    seen(story.exchange, id, 'the question', ({ status_details: details }) => details === 'address_needed')

  it('is paid, and owed no more, by the form of two operators; when it does come back, it lies in suspense', async () => {
    const { id, order } = await paidOut()
    const back = backOf(order)
    await notify(back)
    await asked(id)
    await state([])
    await withdrawOnPage(await onlyBreak())
    const { to_amount: amount } = await arrive(story.exchange, id, 'finished')
    assert.ok(amount !== null)
    await assertAgrees()

    await state([back])
    assert.deepEqual(
      (await listSuspense(ctx())).map((one) => one.amount),
      [order.amount],
    )
    await assertAgrees()
  })

  it('and that was no payout, or one that had come back before, leaves suspense', async () => {
    const before = (await listSuspense(ctx())).length
    const { id, order } = await paidOut()
    await state([backOf(order)])
    await asked(id)
    await notify(backOf(order))
    assert.equal((await listSuspense(ctx())).length, before + 1)
    await state([])
    await withdrawOnPage(await onlyBreak())
    assert.equal((await listSuspense(ctx())).length, before)
    await assertAgrees()
  })

  it('that was a refund is paid, too', async () => {
    const ofTwelve = async () => (await listSuspense(ctx())).find(({ amount }) => amount === 1_200n)
    await state([paid('Nobody knows this', '12.00')])
    await returnSuspense(ctx(), (await ofTwelve())?.id ?? 0n, { actor: 'cli:test', reason })
    const [order] = await ordered()
    await state([debitOf(order)])
    await settled(story.exchange)
    await notify(backOf(order))
    await until(async () => (await ofTwelve()) !== undefined, 'the refund that came back')
    await state([])
    await withdrawOnPage(await onlyBreak())
    assert.equal(await ofTwelve(), undefined)
    await assertAgrees()
  })

  it('stays as it is, in words, once it was sent again', async () => {
    const { id, order } = await paidOut()
    await notify(backOf(order))
    await asked(id)
    await releaseTransaction(ctx(), BigInt(id), { actor: 'cli:test', reason })
    await arrive(story.exchange, id, 'sending')
    await state([])
    const found = await onlyBreak()
    await assert.rejects(withdrawBankBooking(ctx(), found, await by()), /sent again since/)
  })
})
