import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import {
  cancelTransaction,
  holdTransaction,
  refundTransaction,
  releaseTransaction,
} from '../../src/exchange/operations/staff.ts'
import { withdrawBankBooking } from '../../src/exchange/operations/withdraw-booking.ts'
import { listSuspense } from '../../src/exchange/operations/suspense.ts'
import { operatorSubject } from '../../src/exchange/operators/operator.ts'
import { reconcile } from '../../src/exchange/reconciliation/reconcile.ts'
import { approvePayout } from '../../src/exchange/settlement/approval.ts'
import { resumeCrediting } from '../../src/exchange/settlement/halts.ts'
import { parseAmount } from '../../src/platform/money/amount.ts'
import { assetOf } from '../../src/reference/catalog/asset.ts'
import { type BankExchange, startBankExchange } from '../support/bank-exchange.ts'
import { camt, type CamtEntry } from '../support/camt.ts'
import { advance, arrive, buy, lookup, pay, railEvent, readyToPay, seen, settled } from '../support/journey.ts'
import { needsOf } from '../support/needed.ts'
import { inPurse, moveOwnCoins } from '../support/owner-money.ts'
import { putInForce } from '../support/policies.ts'
import { someone } from '../support/signing.ts'
import { until } from '../support/telling.ts'

let story: BankExchange
const { begins, ends } = needsOf(() => story.exchange)
const ctx = () => story.exchange.service.composition.ctx
const why = { reason: 'We have looked at it.', actor: 'cli:test' }

before(async () => {
  story = await startBankExchange()
  const document = { payouts: { above: '500', currency: 'EUR' }, policies: 'one_operator' }
  await putInForce(ctx(), { kind: 'approvals', document })
  story.bank.state([])
  await story.taken()
})
after(() => story.stop())

const entry = (reference: string, amount: string): CamtEntry => ({
  amount,
  servicerReference: `${reference}-${amount}`,
  payments: [
    { remittance: reference, amount, payer: { name: 'Erika Mustermann', iban: 'DE75512108001245126199', bic: '' } },
  ],
})
async function notify(one: CamtEntry): Promise<void> {
  story.bank.drop(
    `n-${one.servicerReference}.xml`,
    camt({ kind: '054', id: `N-${one.servicerReference}`, entries: [one] }),
  )
  await story.taken()
  await settled(story.exchange)
}

describe('somebody is needed, on the first page and by command, for as long as it lasts:', () => {
  it('where an order got too little, until it is released', async () => {
    const { id } = await readyToPay(story.exchange, { from_amount: '250' })
    await pay(story.exchange, id, { amount: '60' })
    await arrive(story.exchange, id, 'on_hold')
    await advance(story.exchange, 'P1D')
    await begins('hold on_hold underpaid', new RegExp(`^Order ${id}: too little was paid\\. `))
    await releaseTransaction(ctx(), BigInt(id), why)
    await arrive(story.exchange, id, 'finished')
    await ends('hold on_hold underpaid')
  })

  it('where payouts that left have emptied an account, and the next one waits, until it is refilled', async () => {
    const { exchange } = story
    const purse = { network: 'BTC', place: 'wallet-btc', asset: 'BTC-BTC' }
    const { to_amount: amount } = await buy(exchange)
    const [first, second] = [await readyToPay(exchange), await readyToPay(exchange)]
    const home = await inPurse(exchange, purse)
    try {
      // Enough for one of the two, and what it costs to send it.
      await moveOwnCoins(exchange, purse, parseAmount(amount ?? '', assetOf('BTC', 'BTC') ?? assert.fail()) * 2n - home)
      await pay(exchange, first.id)
      await arrive(exchange, first.id, 'finished')
      await pay(exchange, second.id)
      await arrive(exchange, second.id, 'exchanging')
      await begins(
        'balance short',
        /^Too little money at wallet-btc: payouts that need 0\.\d+ BTC wait for it \(1\)\. Refill the account\.$/,
      )
    } finally {
      await moveOwnCoins(exchange, purse, home)
    }
    await arrive(exchange, second.id, 'finished')
    await ends('balance short')
  })

  it('where a payout is above the limit, until two operators have approved it', async () => {
    const { id } = await readyToPay(story.exchange, { from_amount: '600' })
    await pay(story.exchange, id)
    await arrive(story.exchange, id, 'on_hold')
    await begins('approval payout', /^A payout of 0\.\d+ BTC waits for approval by two operators\. /)
    for (const _ of [1, 2]) await approvePayout(ctx(), BigInt(id), await someone(ctx()))
    await arrive(story.exchange, id, 'finished')
    await ends('approval payout')
  })

  it('where a refund is above the limit, until two operators have approved it', async () => {
    const { id } = await readyToPay(story.exchange, { from_amount: '600' })
    await holdTransaction(ctx(), BigInt(id), why)
    await pay(story.exchange, id)
    await seen(story.exchange, id, 'the money', ({ from_amount: came }) => came === '600')
    await refundTransaction(ctx(), BigInt(id), why)
    await begins('approval refund', /^A refund of [\d.]+ EUR waits for approval by two operators\. /)
    const [ordered] = await lookup<{ id: bigint }>(
      story.exchange,
      `select payouts.id from payouts join refunds on refunds.id = refund_id
       join transactions on transactions.id = refunds.transaction_id where transactions.public_id = $1`,
      [id],
    )
    assert.ok(ordered)
    for (const _ of [1, 2]) await approvePayout(ctx(), ordered.id, await someone(ctx()))
    await arrive(story.exchange, id, 'refunded')
    await ends('approval refund')
  })

  it('where a rail does not say whether it has paid, until it does', async () => {
    const { id } = await readyToPay(story.exchange)
    const rail = ctx().rails.payout('sandbox-btc')?.payout ?? assert.fail('no rail')
    const { look } = rail
    try {
      Object.assign(rail, { look: () => Promise.reject(new Error('The rail does not answer.')) })
      await pay(story.exchange, id)
      await arrive(story.exchange, id, 'sending')
      const doubted = `select plans.id from plans join payouts on plan_id = plans.id
        join transactions on transactions.id = transaction_id where public_id = $1 and plans.state = 'unknown'`
      await until(async () => (await lookup(story.exchange, doubted, [id])).length > 0, 'the rail to be silent')
      const earlier = `update plans set unknown_since = unknown_since - interval '30 s' where id in (${doubted})`
      await lookup(story.exchange, earlier, [id])
      await seen(story.exchange, id, 'the doubt', ({ status_details: details }) => details === 'payout_unknown')
      await begins('unknown_payout unknown', /does not say whether it has paid /)
    } finally {
      Object.assign(rail, { look })
    }
    await arrive(story.exchange, id, 'finished')
    await ends('unknown_payout unknown')
  })

  it('where work fails again and again: a rail cannot prepare a payout, until it can', async () => {
    const { id } = await readyToPay(story.exchange)
    const rail = ctx().rails.payout('sandbox-btc')?.payout ?? assert.fail('no rail')
    const { prepare } = rail
    const failed = `select 1 from jobs where kind = 'payout.due' and attempts > 0 and key in (
      select payouts.id::text from payouts join transactions on transactions.id = transaction_id where public_id = $1)`
    try {
      Object.assign(rail, { prepare: () => Promise.reject(new Error('The rail does not answer.')) })
      await pay(story.exchange, id)
      await until(async () => (await lookup(story.exchange, failed, [id])).length > 0, 'an attempt to fail')
      await begins(
        'job failed',
        /^Work fails and is tried again by itself: sending a payout\. Attempts so far: [1-9]\d*\. If it does not stop, /,
      )
    } finally {
      Object.assign(rail, { prepare })
    }
    await arrive(story.exchange, id, 'finished')
    await ends('job failed')
  })

  it('where a chain undoes what was final, until somebody lets it continue', async () => {
    const { id } = await readyToPay(story.exchange, { from_currency: 'BTC', from_amount: '0.01', to_currency: 'EUR' })
    await pay(story.exchange, id)
    await seen(story.exchange, id, 'the coins', ({ from_amount: amount }) => amount === '0.01')
    await railEvent(story.exchange, id, 'reorg')
    await seen(story.exchange, id, 'the reorganization', ({ from_amount: amount }) => amount === '0')
    await begins('rail crediting', /^Money that comes by .* is not credited: /)
    await resumeCrediting(ctx(), 'sandbox-btc', why)
    await ends('rail crediting')
    await cancelTransaction(ctx(), BigInt(id), why).catch(() => undefined)
  })

  it('where money came that no order asked for, and where a statement lacks it, until it is taken back', async () => {
    await notify(entry('Nobody knows', '12.00'))
    assert.equal((await listSuspense(ctx())).length, 1)
    await begins('suspense unmatched', /12 EUR/)
    story.bank.state([])
    await story.taken()
    await settled(story.exchange)
    await advance(story.exchange, 'PT2H')
    const { breaks } = await reconcile(ctx())
    const found = breaks.find(({ cause }) => cause === 'missing') ?? assert.fail('no break')
    await begins('break open', /12 EUR/)
    for (const _ of [1, 2])
      await withdrawBankBooking(ctx(), found.id, { ...why, actor: operatorSubject(await someone(ctx())) })
    await settled(story.exchange)
    await ends('suspense unmatched')
    await ends('break open')
  })
})
