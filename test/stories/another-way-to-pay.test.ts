import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { Refusal } from '../../src/platform/lib/refusal.ts'
import { openCheckout } from '../../src/exchange/orders/checkout.ts'
import { waysToPay } from '../../src/exchange/orders/pay.ts'
import type { Details } from '../../src/exchange/orders/steps.ts'
import { tidOf } from '../support/checkout-link.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { giveAsCustomer } from '../support/give-details.ts'
import { advance, checkOut, create, lookup, read } from '../support/journey.ts'

let exchange: Exchange
before(async () => {
  exchange = await startExchange({ RATE_LIMITS: 'off' })
})
after(() => exchange.stop())

const give = (id: string, details: Details) => giveAsCustomer(exchange, id, details)

async function byCard(more: Record<string, unknown> = {}): Promise<string> {
  const deposit = { payment_category: 'VISA_MC', ...more }
  const { id } = await create(exchange, { from_amount: '250', deposit })
  return id
}

const endOf = async (id: string): Promise<number> => Date.parse((await read(exchange, id)).expires_at)

describe('another way to pay', () => {
  for (const name of ['SEPA', 'sepa_1', 'SEPA_1']) {
    it(`is kept by its type, named as ${name}`, async () => {
      const id = await byCard()
      await give(id, { depositMethod: name })
      const { deposit_type: type, deposit_payment_category: category } = await read(exchange, id)
      assert.deepEqual([type, category], ['SEPA_1', 'SEPA'])
    })
  }

  it('is none where it is the same in other words, though the partner has set the way', async () => {
    const id = await byCard({ skip_choose_payment_category: true })
    const before = await read(exchange, id)
    await give(id, { depositMethod: 'visa_mc' })
    assert.equal((await read(exchange, id)).quote_expires_at, before.quote_expires_at)
    const isRefused = (error: unknown) => error instanceof Refusal && error.problems[0]?.path === 'payment_method'
    await assert.rejects(give(id, { depositMethod: 'SEPA' }), isRefused)
  })

  it('gives no more time than it gave when it was chosen first', async () => {
    const id = await byCard()
    await checkOut(exchange, id)
    const card = await endOf(id)
    await advance(exchange, 'PT10M')
    await give(id, { depositMethod: 'SEPA_1' })
    const bank = await endOf(id)
    assert.ok(bank > card)

    await advance(exchange, 'PT10M')
    for (const [depositMethod, first] of [
      ['APPLE_PAY_1', card],
      ['SEPA_1', bank],
      ['VISA_MC_1', card],
    ] as const) {
      await give(id, { depositMethod })
      const end = await endOf(id)
      assert.ok(end <= first && end > first - 60_000, `${depositMethod}: ${end - first} ms`)
    }
    await give(id, { depositMethod: 'SEPA_1' })
    await advance(exchange, 'PT11M')
    const isOver = (error: unknown) => error instanceof Refusal && error.problems[0]?.code === 'METHOD_NOT_AVAILABLE'
    await assert.rejects(give(id, { depositMethod: 'VISA_MC_1' }), isOver)
    const ways = await waysToPay(exchange.service.composition.ctx, BigInt(id))
    assert.ok(ways.length > 0 && ways.every(({ method }) => method.category === 'SEPA' || method.category === 'SWIFT'))
    const { status, deposit_type: type } = await read(exchange, id)
    assert.deepEqual([status, type, await endOf(id)], ['waiting_for_deposit', 'SEPA_1', bank])
  })

  it('can be chosen twenty times, not for ever', async () => {
    for (const complete of [false, true]) {
      const id = await byCard()
      if (complete) await checkOut(exchange, id)
      const refusals: string[] = []
      for (let turn = 0; turn < 25; turn += 1) {
        const depositMethod = turn % 2 === 0 ? 'APPLE_PAY_1' : 'VISA_MC_1'
        await give(id, { depositMethod }).catch((error: unknown) => {
          assert.ok(error instanceof Refusal)
          refusals.push(error.code)
        })
      }
      const view = await openCheckout(exchange.service.composition.ctx, await tidOf(exchange, id))
      assert.equal(view?.mayChooseMethod, false)
      assert.ok(refusals.length > 0 && refusals.every((code) => code === 'CONFLICT'), refusals.join())
      const [row] = await lookup<{ prices: string; told: string }>(
        exchange,
        `select (select count(*) from quotes where transaction_id = transactions.id) as prices,
          (select count(*) from deposit_instructions where transaction_id = transactions.id) as told
        from transactions where public_id = $1`,
        [id],
      )
      assert.deepEqual(row, { prices: '20', told: complete ? '20' : '0' })
    }
  })
})
