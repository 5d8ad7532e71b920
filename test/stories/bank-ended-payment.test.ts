import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'

import { bookOwnMoney } from '../../src/exchange/operations/own-money.ts'
import { listSuspense } from '../../src/exchange/operations/suspense.ts'
import { listBreaks, resolveBreak } from '../../src/exchange/reconciliation/breaks.ts'
import { reconcile } from '../../src/exchange/reconciliation/reconcile.ts'
import { confirmPayout } from '../../src/exchange/settlement/confirm-payout.ts'
import { endPayout } from '../../src/exchange/settlement/end-payout.ts'
import { type BankExchange, startBankExchange } from '../support/bank-exchange.ts'
import { pain002 } from '../support/camt.ts'
import type { BankOrder } from '../support/folder-bank.ts'
import { advance, arrive, checkOut, create, lookup, pay, settled } from '../support/journey.ts'
import { lostStatements } from '../support/lost-statements.ts'
import { notifiedBookings, reason } from '../support/notified-bookings.ts'
import { someone } from '../support/signing.ts'
import { makeOperators } from '../support/staff-browser.ts'
import { until } from '../support/telling.ts'

let story: BankExchange
before(async () => {
  story = await startBankExchange()
  await makeOperators(story.exchange)
})
after(() => story.stop())

const bookings = notifiedBookings(() => story)
const { ctx, paid, state, ordered, browser, forms, withdrawOnPage, assertAgrees } = bookings
const { lose, bookDifference, found, onPage } = lostStatements(() => story, bookings)
const bookAll = async (category: 'capital' | 'interest'): Promise<void> => {
  for (const { id } of await listSuspense(ctx()))
    await bookOwnMoney(ctx(), String(id), { actor: 'cli:test', reason, category })
}

/** An order whose payout has left, and that the bank never answers. */
async function unanswered(): Promise<{ id: string; payout: bigint; cents: bigint; order: BankOrder }> {
  const { id } = await create(story.exchange, { from_currency: 'BTC', from_amount: '0.001', to_currency: 'EUR' })
  await checkOut(story.exchange, id)
  await pay(story.exchange, id)
  await arrive(story.exchange, id, 'sending')
  const [order] = await ordered()
  // The bank's days are in March, and earlier ones before its file.
  const [{ payout, cents } = assert.fail()] = await lookup<{ payout: string; cents: string }>(
    story.exchange,
    `select payouts.id as payout, amount as cents from payouts join transactions on transactions.id = transaction_id where public_id = $1`,
    [id],
  )
  await lookup(
    story.exchange,
    `alter table iso20022_batches disable trigger user;
     update iso20022_batches set created_at = '2026-02-27', sent_at = '2026-02-27';
     alter table iso20022_batches enable trigger user;
     update iso20022_statements set closing_on = '2026-02-20'`,
  )
  return { id, payout: BigInt(payout), cents: BigInt(cents), order }
}

/** The debit that was booked of a difference last. */
async function bookLast(category: string): Promise<void> {
  const [{ payment } = assert.fail()] = await lookup<{ payment: string }>(
    story.exchange,
    `select 'bk_' || max(id) as payment from iso20022_bookings where gap = 'lump' and direction = 'out' and state = 'booked'`,
  )
  await onPage({ action: 'book', about: payment, as: category })
}

/** Two operators say that a booked difference has the debit of a payout. */
async function saysPaid(id: string, payout: bigint): Promise<void> {
  for (const role of ['finance', 'admin'] as const)
    await forms.send(`/console/orders/${id}`, await browser.as(role), {
      action: 'confirm-payout',
      about: String(payout),
      reason,
    })
  await settled(story.exchange)
}

it('a payment that may be in a gap that was decided about is ended once both operators say that the bank’s list lacks it', async () => {
  await state([paid('Capital', '1000.00')])
  await bookAll('capital')
  const { payout } = await unanswered()
  await state([])
  const [ann, bob] = [await someone(ctx()), await someone(ctx())]
  const end = async (operator: typeof ann, isLacking: boolean): Promise<boolean> =>
    (await endPayout(ctx(), payout, { operator, reason, isLacking })).isEnded
  assert.equal(await end(ann, false), false)
  await lose([], 100n)
  await bookDifference()
  await bookAll('interest')
  await assert.rejects(end(bob, false), { code: 'NOT_EXCLUDED' })
  assert.equal(await end(bob, true), false, 'the first one has not said it')
  await lose([], 50n)
  await bookDifference()
  await bookAll('interest')
  assert.equal(await end(ann, true), false, 'the other one has said it of fewer days')
  await lookup(
    story.exchange,
    `create function no_end() returns trigger language plpgsql as $$ begin raise exception 'no end'; end $$;
     create trigger no_end before update on iso20022_payments for each row execute function no_end()`,
  )
  await assert.rejects(end(bob, true), /no end/)
  const [kept] = await lookup<{ count: number }>(
    story.exchange,
    `select count(*)::integer from approvals where kind = 'payout_end' and subject = '${payout}'`,
  )
  assert.equal(kept?.count, 3, 'no approval is kept of an end that failed')
  await lookup(story.exchange, 'drop trigger no_end on iso20022_payments; drop function no_end')
  assert.equal(await end(bob, true), true)
})

it('a payment that the bank never answers is paid once two operators say that a booked difference has its debit; its refusal is a break, then', async () => {
  const { id, payout, cents, order } = await unanswered()
  await lose([], -cents - 300n)
  assert.deepEqual(await forms.formsOf(`/console/orders/${id}`, await browser.as('admin'), 'confirm-payout'), [])
  await bookDifference()
  await saysPaid(id, payout)
  await arrive(story.exchange, id, 'finished')
  await advance(story.exchange, 'PT2H')
  assert.deepEqual(await found(), [['not_booked', 'opening_differs', -300n]])
  await bookLast('fee')
  await assertAgrees()

  story.bank.drop('refused.xml', pain002({ messageId: order.messageId, group: 'RJCT', reason: 'AC04' }))
  await story.taken()
  await settled(story.exchange)
  await advance(story.exchange, 'PT2H')
  assert.deepEqual(await found(), [['statement', 'missing', cents]])
  const [refusal = assert.fail()] = await listBreaks(ctx(), { open: true })
  await assert.rejects(resolveBreak(ctx(), refusal.id, { actor: 'cli:test', reason }), {
    code: 'CONFLICT',
    message: /two operators withdraw it/,
  })
  const withdrawOnly = async (): Promise<void> => {
    const [about = assert.fail()] = await listBreaks(ctx(), { open: true })
    await withdrawOnPage(about.id)
  }
  await withdrawOnly()
  await arrive(story.exchange, id, 'on_hold')
  assert.deepEqual(await found(), [['statement', 'double', -cents]])
  await withdrawOnly()
  await bookDifference()
  await bookLast('expense')
  await assertAgrees()
})

it('is paid by a difference that was booked as something else: that is booked back, and what is left waits again', async () => {
  const { id, payout, cents } = await unanswered()
  await lose([], -cents - 700n)
  await bookDifference()
  await bookLast('expense')
  await saysPaid(id, payout)
  await arrive(story.exchange, id, 'finished')
  await advance(story.exchange, 'PT2H')
  const amounts = (await found()).map(([, , amount]) => amount)
  assert.ok(amounts.includes(-700n), String(amounts))
  await bookLast('fee')
  await assertAgrees()
})

it('shows what each colleague approves; nobody ends a payment that another one says is paid, or the reverse', async () => {
  const { id, payout, cents } = await unanswered()
  await lose([], -cents - 500n)
  await bookDifference()
  await bookLast('expense')
  const [finance, admin] = [await browser.as('finance'), await browser.as('admin')]
  const page = `/console/orders/${id}`
  const confirm = { action: 'confirm-payout', about: String(payout), reason: 'It is in the list of the bank.' }
  const cancel = { ...confirm, action: 'cancel-payout', reason: 'The list lacks it.', bank_lacks_it: 'yes' }
  // On a page that was open before a colleague said the contrary; after that it has no such form.
  const shown = async ({ action, about }: typeof confirm) => (await forms.formsOf(page, admin, action, about))[0]
  const before = { [confirm.action]: await shown(confirm), [cancel.action]: await shown(cancel) }
  const refused = async ({ about, ...typed }: typeof confirm, why: RegExp): Promise<void> => {
    const seen = await browser.ask(page, { cookie: admin, form: { ...before[typed.action], ...typed } })
    assert.equal(seen.status, 409)
    assert.match(seen.body, why)
    assert.equal(await shown({ ...typed, about }), undefined)
  }
  const wanted = async (): Promise<string> => (await browser.ask('/console/money', { cookie: admin })).body

  await forms.send(page, finance, confirm)
  assert.match(await wanted(), /Paid in bk_\d+: The finance: “It is in the list of the bank.”/)
  await refused(cancel, /Another operator says that this payment is paid/)
  // Who changes their mind says so: their last approval counts.
  await forms.send(page, finance, cancel)
  const after = await wanted()
  assert.match(after, /End: The finance: “The list lacks it.”/)
  assert.doesNotMatch(after, /Paid in bk_/)
  await refused(confirm, /Another operator wants to end this payment/)
  assert.match(await forms.send(page, admin, cancel), /It is ended/)
})

it('keeps back the second payment of an order whose first one was ended, once the bank says that it has paid that', async () => {
  const { id, payout, order } = await unanswered()
  await state([])
  for (const operator of [await someone(ctx()), await someone(ctx())])
    await endPayout(ctx(), payout, { operator, reason, isLacking: true })
  await arrive(story.exchange, id, 'on_hold')
  story.bank.drop('paid-after-all.xml', pain002({ messageId: order.messageId, group: 'ACSC' }))
  await story.taken()
  await forms.send(`/console/orders/${id}`, await browser.as('admin'), { action: 'release', reason })
  const second = `select payment.state from iso20022_payments as payment join plans on plan_key = key
    join payouts on plan_id = plans.id join transactions on transactions.id = transaction_id
    where public_id = $1 and payouts.id <> $2`
  const states = () => lookup<{ state: string }>(story.exchange, second, [id, String(payout)])
  await until(async () => (await states()).length > 0, 'the second payment')
  // A bank takes files and sends its own in one round.
  for (const name of ['one.xml', 'two.xml']) {
    story.bank.drop(name, pain002({ messageId: name, group: 'ACSC' }))
    await story.taken()
  }
  assert.deepEqual(await states(), [{ state: 'queued' }])
  await reconcile(ctx())
  const found = (await listBreaks(ctx(), { open: true })).find(({ key }) => key === `payment ${order.endToEndId}`)
  const resolve = () => resolveBreak(ctx(), found?.id ?? assert.fail(), { actor: 'cli:test', reason })
  await assert.rejects(resolve(), { code: 'CONFLICT', message: /payout cancel/ })
  const [{ payout: waiting } = assert.fail()] = await lookup<{ payout: string }>(
    story.exchange,
    second.replace('payment.state', 'payouts.id as payout'),
    [id, String(payout)],
  )
  for (const operator of [await someone(ctx()), await someone(ctx())])
    await endPayout(ctx(), BigInt(waiting), { operator, reason })
  await resolve()
})

it('is not said to be paid while a file waits that may have its debit', async () => {
  const { id, payout, cents } = await unanswered()
  await lose([], -cents - 900n)
  await bookDifference()
  const offered = async () =>
    (await forms.formsOf(`/console/orders/${id}`, await browser.as('admin'), 'confirm-payout')).length
  assert.equal(await offered(), 1)
  story.bank.drop('unread.xml', '<Document>')
  await story.taken()
  assert.equal(await offered(), 0)
  await assert.rejects(confirmPayout(ctx(), payout, { operator: await someone(ctx()), reason }), {
    code: 'CONFLICT',
    message: /unread\.xml waits for a person/,
  })
})
