import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { Refusal } from '../../src/platform/lib/refusal.ts'
import type { Details } from '../../src/exchange/orders/steps.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { giveAsCustomer } from '../support/give-details.ts'
import { arrive, type Body, checkOut, create, pay, railEvent, read } from '../support/journey.ts'

let exchange: Exchange
before(async () => {
  exchange = await startExchange({ RATE_LIMITS: 'off', CONFIRMATIONS: 'BTC=1' })
})
after(() => exchange.stop())

const give = (id: string, details: Details) => giveAsCustomer(exchange, id, details)
const refusedAt =
  (path: string) =>
  (error: unknown): boolean =>
    error instanceof Refusal && error.problems[0]?.path === path

const ripple = 'rN7n7otQDd6FczFgLdSqtcsAUxDkw6fzRH'
const german = 'DE89370400440532013000'
const sale: Body = { from_amount: '0.01', from_currency: 'BTC', to_currency: 'EUR' }

/** A transaction whose partner has set where the money goes. */
async function fixed(body: Body, destination: Body): Promise<string> {
  const { id } = await create(exchange, {
    ...body,
    customer: { contact_info: { email: 'erika@example.com' } },
    payout_info: { ...destination, skip_choose_payout_address: true },
  })
  return id
}

describe('where money goes, if the partner has set it,', () => {
  it('is set with its tag', async () => {
    const id = await fixed({ to_currency: 'XRP' }, { payout_address: ripple, extra_id: '111' })
    for (const extraId of ['222', '']) {
      await assert.rejects(give(id, { payoutAddress: ripple, extraId }), refusedAt('payout_address'))
    }
    await give(id, { payoutAddress: ripple })
    await give(id, { payoutAddress: ripple, extraId: '111' })
    assert.deepEqual((await read(exchange, id)).payout, { address: ripple, extra_id: '111' })
  })

  it('is set without a tag where none was named', async () => {
    const id = await fixed({ to_currency: 'XRP' }, { payout_address: ripple })
    await assert.rejects(give(id, { payoutAddress: ripple, extraId: '222' }), refusedAt('payout_address'))
    assert.deepEqual((await read(exchange, id)).payout, { address: ripple, extra_id: '' })
  })

  it('is set with its holder, however both are spelled', async () => {
    const id = await fixed(sale, { payout_address: 'DE89 3704 0044 0532 0130 00', full_name: 'Erika Mustermann' })
    for (const payoutHolder of ['Somebody Else', 'Erika Muster', '']) {
      await assert.rejects(give(id, { payoutHolder }), refusedAt('payout_holder'))
      await assert.rejects(give(id, { payoutAddress: german, extraId: '', payoutHolder }), refusedAt('payout_holder'))
    }
    for (const stolen of [{ payoutAddress: 'NL91ABNA0417164300' }, { payoutAddress: german, extraId: 'COBADEFFXXX' }]) {
      await assert.rejects(give(id, stolen), refusedAt('payout_address'))
    }
    await give(id, { payoutAddress: 'de89 3704 0044 0532 013000', extraId: '', payoutHolder: ' Erika  Mustermann ' })
    const payout = { address: german, extra_id: '', iban: german, full_name: 'Erika Mustermann' }
    assert.deepEqual((await read(exchange, id)).payout, payout)
  })

  it('still needs its holder where the partner has named none, and then keeps it', async () => {
    const id = await fixed(sale, { payout_address: german })
    await give(id, { payoutAddress: german, extraId: '', payoutHolder: 'Erika Mustermann' })
    await assert.rejects(give(id, { payoutHolder: 'Somebody Else' }), refusedAt('payout_holder'))
  })

  it('can be changed once a payout has come back from there', async () => {
    const id = await fixed(sale, { payout_address: german, full_name: 'Erika Mustermann' })
    await checkOut(exchange, id)
    await pay(exchange, id)
    await arrive(exchange, id, 'finished')
    await railEvent(exchange, id, 'bounce')
    await arrive(exchange, id, 'on_hold')
    await give(id, { payoutAddress: 'NL91ABNA0417164300', extraId: '', payoutHolder: 'Max Mustermann' })
    const { payout } = await arrive(exchange, id, 'finished')
    assert.deepEqual([payout?.address, payout?.full_name], ['NL91ABNA0417164300', 'Max Mustermann'])
  })
})
