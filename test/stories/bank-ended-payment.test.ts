import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'

import { bookOwnMoney } from '../../src/exchange/operations/own-money.ts'
import { listSuspense } from '../../src/exchange/operations/suspense.ts'
import { endPayout } from '../../src/exchange/settlement/end-payout.ts'
import { type BankExchange, startBankExchange } from '../support/bank-exchange.ts'
import { arrive, checkOut, create, lookup, pay } from '../support/journey.ts'
import { lostStatements } from '../support/lost-statements.ts'
import { notifiedBookings, reason } from '../support/notified-bookings.ts'
import { someone } from '../support/signing.ts'
import { makeOperators } from '../support/staff-browser.ts'

let story: BankExchange
before(async () => {
  story = await startBankExchange()
  await makeOperators(story.exchange)
})
after(() => story.stop())

const bookings = notifiedBookings(() => story)
const { ctx, paid, state, ordered } = bookings
const { lose, bookDifference } = lostStatements(() => story, bookings)
const bookAll = async (category: 'capital' | 'interest'): Promise<void> => {
  for (const { id } of await listSuspense(ctx()))
    await bookOwnMoney(ctx(), String(id), { actor: 'cli:test', reason, category })
}

it('a payment that may be in a gap that was decided about is ended once both operators say that the bank’s list lacks it', async () => {
  await state([paid('Capital', '1000.00')])
  await bookAll('capital')
  const { id } = await create(story.exchange, { from_currency: 'BTC', from_amount: '0.001', to_currency: 'EUR' })
  await checkOut(story.exchange, id)
  await pay(story.exchange, id)
  await arrive(story.exchange, id, 'sending')
  await ordered()
  // The bank's days are in March.
  const [{ payout } = assert.fail()] = await lookup<{ payout: bigint }>(
    story.exchange,
    `select payouts.id as payout from payouts join transactions on transactions.id = transaction_id where public_id = $1`,
    [id],
  )
  await lookup(
    story.exchange,
    `alter table iso20022_batches disable trigger user;
     update iso20022_batches set created_at = '2026-02-27', sent_at = '2026-02-27';
     alter table iso20022_batches enable trigger user;
     update iso20022_statements set closing_on = '2026-02-20'`,
  )
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
  assert.equal(await end(ann, true), true)
})
