import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { accountFor } from '../../src/rails/bank-accounts.ts'
import { sandboxAccounts } from '../../src/sandbox/bank/our-accounts.ts'
import { Refusal } from '../../src/platform/lib/refusal.ts'
import { pay as payAt } from '../../src/sandbox/rails.ts'
import type { Details } from '../../src/exchange/orders/steps.ts'
import { referenceOf } from '../support/callback.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { giveAsCustomer } from '../support/give-details.ts'
import {
  advance,
  arrive,
  assertBooksHold,
  bookBalance,
  checkOut,
  create,
  lookup,
  pay,
  railEvent,
  read,
  readyToPay,
} from '../support/journey.ts'
import { type StillMarket, stopMarket } from '../support/still-market.ts'
import { until } from '../support/telling.ts'

let exchange: Exchange
let market: StillMarket
before(async () => {
  exchange = await startExchange({ RATE_LIMITS: 'off', CONFIRMATIONS: 'BTC=1' })
  market = stopMarket(exchange)
})
after(() => exchange.stop())

const give = (id: string, details: Details) => giveAsCustomer(exchange, id, details)
const refused = (error: unknown): boolean => error instanceof Refusal

describe('a price', () => {
  it('is not kept beyond its validity by a card that was declined within it', async () => {
    market.setPrice('BTC', 1_000n)
    const agreed = await readyToPay(exchange)
    await railEvent(exchange, agreed.id, 'decline')
    await until(async () => (await read(exchange, agreed.id)).errors.length > 0, 'the decline')
    await advance(exchange, 'PT20M')
    market.setPrice('BTC', 1_015n)
    await pay(exchange, agreed.id)
    const { to_amount: paid } = await arrive(exchange, agreed.id, 'finished')
    market.setPrice('BTC', 1_000n)
    assert.notEqual(paid, agreed.expected_to_amount)
  })
})

describe('where money goes', () => {
  it('is never our own account at the bank', async () => {
    const { account } = accountFor(sandboxAccounts, 'SEPA', 'EUR') ?? assert.fail()
    const sale = { from_amount: '0.01', from_currency: 'BTC', to_currency: 'EUR' }
    const { status } = await exchange.api('/v1/transaction', {
      body: { ...sale, payout_info: { payout_address: account } },
    })
    assert.equal(status, 400)
    const { id } = await create(exchange, sale)
    await assert.rejects(give(id, { payoutAddress: account, extraId: '', payoutHolder: 'Erika Mustermann' }), refused)
  })
})

describe('a way to pay', () => {
  it('that was left for another one is still priced as it was agreed, within its validity', async () => {
    const { id } = await create(exchange, { from_amount: '250', deposit: { payment_category: 'VISA_MC' } })
    const byCard = await checkOut(exchange, id)
    const reference = await referenceOf(exchange, id)
    await checkOut(exchange, id, { payment_category: 'SEPA' })
    const order = { reference, category: 'VISA_MC', asset: 'EUR-EUR', amount: 25_000n, locale: 'en' }
    await payAt(exchange.world, { ...order, rail: 'sandbox-card', payTo: { kind: 'page' }, returnUrl: exchange.url })
    await until(async () => ['finished', 'on_hold'].includes((await read(exchange, id)).status), 'an end')
    const { status, to_amount: paid } = await read(exchange, id)
    assert.deepEqual([status, paid], ['finished', byCard.expected_to_amount])
  })
})

describe('a hold', () => {
  it('that waits for an address still takes one when more money has come', async () => {
    const sale = { from_amount: '0.01', from_currency: 'BTC', to_currency: 'EUR' }
    const { id } = await readyToPay(exchange, sale)
    await pay(exchange, id)
    await arrive(exchange, id, 'finished')
    await railEvent(exchange, id, 'bounce')
    await arrive(exchange, id, 'on_hold')
    await pay(exchange, id)
    await until(async () => (await read(exchange, id)).from_amount === '0.02', 'the second deposit')
    const body = { payout_address: 'NL91ABNA0417164300' }
    const { status } = await exchange.api(`/v1/sandbox/transaction/${id}/checkout`, { body })
    assert.equal(status, 201)
  })
})

describe('two at once', () => {
  it('addresses for what came back order one payout', async () => {
    const { id } = await readyToPay(exchange, { from_amount: '0.01', from_currency: 'BTC', to_currency: 'EUR' })
    await pay(exchange, id)
    await arrive(exchange, id, 'finished')
    await railEvent(exchange, id, 'bounce')
    await arrive(exchange, id, 'on_hold')
    const accounts = ['NL91ABNA0417164300', 'DE89370400440532013000', 'NL91ABNA0417164300', 'DE89370400440532013000']
    const given = await Promise.allSettled(
      accounts.map((payoutAddress) => give(id, { payoutAddress, extraId: '', payoutHolder: 'Erika Mustermann' })),
    )
    assert.equal(given.filter(({ status }) => status === 'fulfilled').length, 1)
    await arrive(exchange, id, 'finished')
    const payouts = await lookup(
      exchange,
      'select 1 from payouts join transactions on transactions.id = transaction_id where public_id = $1',
      [id],
    )
    assert.equal(payouts.length, 2)
    await assertBooksHold(exchange)
  })

  it('another way to pay and the money of the first one lose nothing', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { id } = await create(exchange, { from_amount: '250', deposit: { payment_category: 'VISA_MC' } })
      await checkOut(exchange, id)
      await Promise.allSettled([
        pay(exchange, id),
        give(id, { depositMethod: 'SEPA_1' }),
        give(id, { depositMethod: 'APPLE_PAY_1' }),
      ])
      await until(async () => ['finished', 'on_hold'].includes((await read(exchange, id)).status), 'an end')
      assert.equal((await read(exchange, id)).from_amount, '250')
    }
    await assertBooksHold(exchange)
  })
})

describe('what may be promised', () => {
  it('is not more than what is held after money was taken back', async () => {
    const held = () => bookBalance(exchange, 'held:bank', 'EUR-EUR')
    const { id } = await readyToPay(exchange, { from_amount: '5000', deposit: { payment_category: 'SEPA' } })
    await pay(exchange, id)
    await arrive(exchange, id, 'finished')
    const sale = await readyToPay(exchange, { from_amount: '0.01', from_currency: 'BTC', to_currency: 'EUR' })
    await lookup(exchange, `update reserves set covered = 0 where asset = 'EUR-EUR'`)
    await pay(exchange, sale.id)
    await arrive(exchange, sale.id, 'finished')
    await railEvent(exchange, id, 'chargeback')
    await until(async () => (await read(exchange, id)).errors.length > 0, 'the recall')
    const [row] = await lookup<{ covered: string }>(
      exchange,
      `select covered::text from reserves where place = 'bank' and asset = 'EUR-EUR'`,
    )
    assert.ok(BigInt(row?.covered ?? 0) <= (await held()), `${row?.covered} promised of ${await held()}`)
  })
})
