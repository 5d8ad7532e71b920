import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { readFeed } from '../../src/exchange/events/feed.ts'
import { bankAccount, callsOf, halfBitcoin, ibanOf, made, wallet } from '../support/b2b.ts'
import { eventCheck } from '../support/documented-events.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { arrive, buy, create, pay } from '../support/journey.ts'
import type { Json } from '../support/openapi.ts'
import { contact, importNew, newEmail } from '../support/shared-identity.ts'
import { until } from '../support/telling.ts'

describe('what partners are told', () => {
  let exchange: Exchange
  before(async () => {
    exchange = await startExchange({ RATE_LIMITS: 'off', CONFIRMATIONS: 'BTC=1' })
  })
  after(() => exchange.stop())

  it('is what the document says of every event', async () => {
    const check = eventCheck((await (await fetch(`${exchange.url}/openapi.json`)).json()) as Json)
    const email = newEmail()
    await importNew(exchange, 'review', email)
    await create(exchange, contact(email))
    const bought = await buy(exchange)
    const calls = callsOf(exchange)
    await made(calls.addBank(bankAccount('told')))
    await made(calls.addWallet(wallet('told')))
    const { id } = await made(calls.order({ ...halfBitcoin, payout_account_address: ibanOf('told') }))
    await pay(exchange, id)
    await arrive(exchange, id, 'finished')

    const types = new Set<string>()
    const { service, sandbox } = exchange
    const wanted = ['transaction.created', 'transaction.status_changed', 'b2b.transaction.status_changed']
    await until(async () => {
      const page = await readFeed(service.composition.ctx, BigInt(sandbox.partner_id), { after: undefined, limit: 100 })
      const events = page.bodies.map(
        (body) => JSON.parse(body) as { type: string; payload: { id: string; status: string } },
      )
      for (const event of events) {
        assert.equal(check(event), undefined)
        types.add(event.type)
      }
      return events.some(({ payload }) => payload.id === id && payload.status === 'finished')
    }, 'the last event')
    assert.deepEqual(
      wanted.filter((type) => !types.has(type)),
      [],
    )
    assert(bought.status)
    assert.equal(check({ type: 'transaction.created', payload: {} } as { type: string }) === undefined, false)
  })
})
