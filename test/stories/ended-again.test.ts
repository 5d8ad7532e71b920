import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { cancelTransaction, releaseTransaction } from '../../src/exchange/operations/staff.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { advance, arrive, assertBooksHold, pay, railEvent, readyToPay, seen, statusesOf } from '../support/journey.ts'

let exchange: Exchange
before(async () => {
  exchange = await startExchange({ RATE_LIMITS: 'off' })
})
after(() => exchange.stop())

const order = { actor: 'test', reason: 'a test' }
const ctxOf = () => exchange.service.composition.ctx

/** Money comes after the end, too little, and its payer takes it back. */
async function comesAndGoes(id: string): Promise<void> {
  await pay(exchange, id, { amount: '3' })
  await arrive(exchange, id, 'on_hold')
  await railEvent(exchange, id, 'chargeback')
  await seen(exchange, id, 'the chargeback', ({ from_amount: arrived }) => arrived === '0')
}

describe('a transaction that had ended, got money, and lost it again', () => {
  it('can be cancelled although it was before', async () => {
    const { id } = await readyToPay(exchange)
    await cancelTransaction(ctxOf(), BigInt(id), order)
    await comesAndGoes(id)
    await cancelTransaction(ctxOf(), BigInt(id), order)
    const record = await arrive(exchange, id, 'cancelled')
    assert.equal(statusesOf(record).filter((status) => status === 'cancelled').length, 2)
    await assertBooksHold(exchange)
  })

  it('expires although it had before, when it was let wait for money again', async () => {
    const { id } = await readyToPay(exchange)
    await advance(exchange, 'PT2H')
    await arrive(exchange, id, 'expired')
    await comesAndGoes(id)
    await releaseTransaction(ctxOf(), BigInt(id), order)
    await advance(exchange, 'PT2H')
    const record = await arrive(exchange, id, 'expired')
    assert.equal(statusesOf(record).filter((status) => status === 'expired').length, 2)
    await assertBooksHold(exchange)
  })
})
