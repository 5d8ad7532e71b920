import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { releaseTransaction } from '../../src/exchange/operations/release.ts'
import { endPayout } from '../../src/exchange/settlement/end-payout.ts'
import type { BankOrder } from '../support/folder-bank.ts'
import { arrive, assertBooksHold, lookup, pay, seen } from '../support/journey.ts'
import { needsOf } from '../support/needed.ts'
import { type RestoredBank, startRestoredBank } from '../support/restored-bank.ts'
import { someone } from '../support/signing.ts'
import { until } from '../support/telling.ts'

type Shown = { restored: boolean; may_have_left: { payout: string; transaction_id: string; rail: string }[] }

const restored = async ({ here }: RestoredBank) => (await here().api('/v1/status')).body.restored
const show = ({ line }: RestoredBank) => line().told<Shown>('restore', 'show')
const open = ({ line }: RestoredBank) => line().told('restore', 'open', '--reason', 'the bank was asked')
const isSending = ({ here }: RestoredBank, id: string) =>
  seen(here(), id, 'the payout', ({ status }) => status === 'sending')

/** What the bank is ordered next. */
async function ordered({ bank }: RestoredBank): Promise<BankOrder[]> {
  const orders: BankOrder[] = []
  await until(() => Promise.resolve(orders.push(...bank.collect()) > 0), 'a payment file')
  return orders
}

/** Only a new order is paid by what the bank is ordered until its file has come. */
async function assertNothingLeavesAgain(story: RestoredBank): Promise<void> {
  await isSending(story, await story.sell())
  const again = await ordered(story)
  const keys = new Set(story.left.map(({ endToEndId }) => endToEndId))
  assert.deepEqual(
    again.filter(({ endToEndId }) => keys.has(endToEndId)),
    [],
  )
  assert.equal(again.length, 1)
  story.bank.execute(again)
}

async function payoutOf({ here }: RestoredBank, id: string): Promise<bigint> {
  const sql = `select payouts.id from payouts join transactions on transactions.id = transaction_id where public_id = $1 order by payouts.id`
  return (await lookup<{ id: bigint }>(here(), sql, [id]))[0]?.id ?? assert.fail()
}

describe('an exchange with a bank, restored on the same server', () => {
  let story: RestoredBank
  before(async () => {
    story = await startRestoredBank({ where: 'same server' })
  })
  after(() => story.stop())
  const { begins, ends } = needsOf(() => story.here())

  it('starts closed, and shows what may have left', async () => {
    assert.equal(await restored(story), true)
    const { filed, queued, planned, reserved } = story.orders
    await until(async () => (await show(story)).may_have_left.length === 4, 'the payouts')
    const { may_have_left: shown } = await show(story)
    assert.deepEqual(new Set(shown.map((one) => one.transaction_id)), new Set([filed, queued, planned, reserved]))
    await begins('unknown_payout payout unsure', /was restored, and bank-1 may have paid 8\d\.\d+ EUR before/)
    const payout = await story.line().told<{ may_have_left: boolean }>('payout', 'show', shown[0]?.payout ?? '')
    assert.equal(payout.may_have_left, true)
  })

  it('finds what statements have debited before the payout was ordered again', async () => {
    story.bank.execute(story.left)
    await until(
      async () => (await lookup(story.here(), `select from iso20022_bookings where direction = 'out'`)).length === 5,
      'the debits',
    )
    await open(story)
    await story.resumeRail()
    await pay(story.here(), story.orders.unpaid ?? '')
    for (const id of Object.values(story.orders)) await arrive(story.here(), id, 'finished')
    await ends('unknown_payout payout unsure')
    await assertNothingLeavesAgain(story)
    await assertBooksHold(story.here())
    assert.deepEqual((await show(story)).may_have_left, [])
  })
})

describe('an exchange with a bank, restored on another server', () => {
  let story: RestoredBank
  before(async () => {
    story = await startRestoredBank({ where: 'other server' })
  })
  after(() => story.stop())

  it('orders nothing a second time once it is open, and takes what the bank says for the end of a payout', async () => {
    const { orders, here } = story
    assert.equal(await restored(story), true)
    await open(story)
    await story.resumeRail()
    await pay(here(), orders.unpaid ?? '')
    for (const id of Object.values(orders)) await isSending(story, id)
    await assertNothingLeavesAgain(story)
    // The bank has lost the file of the third one.
    const lost = await payoutOf(story, orders.planned ?? '')
    const [row] = await lookup<{ key: string }>(
      here(),
      `select plan_key as key from plans join payouts on plan_id = plans.id where payouts.id = ${lost}`,
    )
    story.bank.execute(story.left.filter(({ endToEndId }) => endToEndId !== row?.key))
    for (const [name, id] of Object.entries(orders)) if (name !== 'planned') await arrive(here(), id, 'finished')
  })

  it('pays what later statements exclude once two operators have ended it', async () => {
    const { ctx, here, orders } = story
    const id = orders.planned ?? ''
    const lost = await payoutOf(story, id)
    const end = async () =>
      endPayout(ctx(), lost, { operator: await someone(ctx()), reason: 'The bank has no such file.' })
    await assert.rejects(end(), { code: 'NOT_EXCLUDED' })
    story.bank.state([], { date: new Date(Date.now() + 86_400_000).toISOString().slice(0, 10) })
    await until(async () => (await end().catch(() => undefined)) !== undefined, 'the statement')
    assert.equal((await end()).isEnded, true)
    await seen(here(), id, 'the end', ({ status }) => status === 'on_hold')
    await releaseTransaction(ctx(), BigInt(id), { actor: 'test', reason: 'The bank has no such file.' })
    const [again, ...others] = await ordered(story)
    assert.deepEqual(others, [])
    assert(again)
    story.bank.execute([again])
    await arrive(here(), id, 'finished')
    await assertBooksHold(here())
  })
})

describe('an exchange with a bank, restored to before the file of a payment that waited for it', () => {
  let story: RestoredBank
  before(async () => {
    story = await startRestoredBank({ where: 'same server', payouts: 'one in the queue' })
  })
  after(() => story.stop())

  it('starts closed although no payout has left that the database does not know', async () => {
    assert.equal(await restored(story), true)
    await open(story)
    await assertNothingLeavesAgain(story)
    story.bank.execute(story.left)
    for (const id of Object.values(story.orders)) await arrive(story.here(), id, 'finished')
  })
})
