import { after, before, describe, it } from 'node:test'

import { holdTransaction, releaseTransaction } from '../../src/exchange/operations/staff.ts'
import { acceptNow, askForRefund } from '../../src/exchange/orders/choose.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { advance, arrive, buy, checkOut, pay, railEvent, readyToPay, seen } from '../support/journey.ts'
import { needsOf } from '../support/needed.ts'
import { type StillMarket, stopMarket } from '../support/still-market.ts'

let exchange: Exchange
let market: StillMarket
const { begins, ends } = needsOf(() => exchange)
const ctx = () => exchange.service.composition.ctx
const why = { reason: 'A test asks for it.', actor: 'cli:test' }

before(async () => {
  exchange = await startExchange({ RATE_LIMITS: 'off', CONFIRMATIONS: 'BTC=1,TRX=1' })
  market = stopMarket(exchange)
})
after(() => exchange.stop())

const waits = (id: string, details: string) =>
  seen(exchange, id, details, (record) => record.status === 'on_hold' && record.status_details === details)

describe('somebody is needed, on the first page and by command, for as long as an order is on hold:', () => {
  it('because a colleague holds it, until it is released', async () => {
    const { id } = await readyToPay(exchange)
    await holdTransaction(ctx(), BigInt(id), why)
    await arrive(exchange, id, 'on_hold')
    await begins(
      'hold on_hold review',
      new RegExp(`^Order ${id} is on hold for you to look at\\. “A test asks for it\\.”, says the command line\\.`),
    )
    await releaseTransaction(ctx(), BigInt(id), why)
    await arrive(exchange, id, 'waiting_for_deposit')
    await ends('hold on_hold review')
  })

  it('because something else was paid, until the customer takes it back', async () => {
    const tether = { from_amount: '100', from_currency: 'USDT', from_network: 'TRX', to_currency: 'EUR' }
    const { id } = await readyToPay(exchange, tether)
    await pay(exchange, id, { amount: '500', currency: 'TRX' })
    await waits(id, 'wrong_asset')
    await advance(exchange, 'P1D')
    await begins('hold on_hold wrong_asset', new RegExp(`^Order ${id} was paid in another currency\\. `))
    await askForRefund(ctx(), BigInt(id))
    await arrive(exchange, id, 'refunded')
    await ends('hold on_hold wrong_asset')
  })

  it('because it was paid after its price had ended, until the customer accepts the price of now', async () => {
    const { id } = await readyToPay(exchange)
    await advance(exchange, 'PT16M')
    try {
      market.setPrice('BTC', 1_500n)
      await pay(exchange, id)
      await waits(id, 'late')
      await advance(exchange, 'P1D')
      await begins('hold on_hold late', new RegExp(`^Order ${id} was paid after its price had ended\\. `))
      await acceptNow(ctx(), BigInt(id), { atLeast: 0n })
      await arrive(exchange, id, 'finished')
      await ends('hold on_hold late')
    } finally {
      market.setPrice('BTC', 1_000n)
    }
  })

  it('because its payout came back, until the customer says where it should go', async () => {
    const { id } = await buy(exchange)
    await railEvent(exchange, id, 'bounce')
    await waits(id, 'address_needed')
    await advance(exchange, 'P1D')
    await begins(
      'hold on_hold address_needed',
      new RegExp(`^Order ${id} waits for its customer to say where the money should go\\. `),
    )
    await checkOut(exchange, id)
    await arrive(exchange, id, 'finished')
    await ends('hold on_hold address_needed')
  })
})
