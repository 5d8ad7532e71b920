import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import type { RiskDocument } from '../../src/exchange/policies/risk.ts'
import type { TransactionRecord } from '../../src/exchange/transactions/record.ts'
import { type CardExchange, startCardExchange } from '../support/card-exchange.ts'
import type { FakePayment } from '../support/hyperswitch-world.ts'
import { buy, seen } from '../support/journey.ts'
import { putInForce } from '../support/policies.ts'
import { contact } from '../support/shared-identity.ts'

let cards: CardExchange
before(async () => {
  cards = await startCardExchange()
})
after(() => cards.stop())

type Rule = RiskDocument['rules'][number]

/** Puts one rule in force, in addition to none. */
async function rule(when: Rule['when']): Promise<void> {
  const { ctx } = cards.exchange.service.composition
  const rules: Rule[] = [{ name: 'of-a-test', sentence: 'A test asks for it.', when, level: 'high' }]
  await putInForce(ctx, { kind: 'risk', document: { rules }, effectiveAt: ctx.clock.now() })
}

/** Pays an order with a card of which the processor says something, and gives it as it is then. */
async function paidBy(said: Partial<FakePayment>): Promise<TransactionRecord> {
  const { id, payment } = await cards.atThePage()
  cards.fake.pay(payment.payment_id, said)
  await cards.deliver()
  return seen(cards.exchange, id, 'the payment to be settled', ({ status }) => ['finished', 'on_hold'].includes(status))
}

async function outcomeOf(said: Partial<FakePayment>): Promise<string> {
  const { status, status_details: details } = await paidBy(said)
  return `${status} ${details ?? ''}`.trim()
}

const card = (checks: object, more: object = {}): Partial<FakePayment> => ({
  payment_method_data: { card: { payment_checks: checks, ...more } },
})

describe('a rule of risk about payments', () => {
  it('holds a payment whose card code or address did not match, and no other', async () => {
    await rule([{ fact: 'cvc', one_of: ['mismatch'] }])
    assert.equal(await outcomeOf(card({ cvc_check: 'fail' })), 'on_hold review')
    assert.equal(await outcomeOf(card({ cvc_check: 'pass' })), 'finished')
    assert.equal(await outcomeOf({}), 'finished')
    await rule([{ fact: 'avs', one_of: ['mismatch'] }])
    assert.equal(
      await outcomeOf(card({ address_line1_check: 'pass', address_postal_code_check: 'fail' })),
      'on_hold review',
    )
    assert.equal(await outcomeOf(card({ cvc_check: 'fail', address_line1_check: 'pass' })), 'finished')
  })

  it('holds by the outcome of 3-D Secure, and by the country of the card', async () => {
    await rule([{ fact: 'three_d_secure', one_of: ['failed', 'not_used'] }])
    assert.equal(await outcomeOf({ external_authentication_details: { status: 'failed' } }), 'on_hold review')
    const eci = { electronic_commerce_indicator: '05', status: 'success' }
    assert.equal(await outcomeOf({ external_authentication_details: eci }), 'finished')
    await rule([{ fact: 'card_country', one_of: ['different'] }])
    assert.equal(await outcomeOf(card({}, { card_issuing_country: 'BRAZIL' })), 'on_hold review')
    assert.equal(await outcomeOf(card({}, { card_issuing_country: 'NETHERLANDS' })), 'finished')
  })

  it('holds no bank transfer for what was wrong with an earlier card of the customer', async () => {
    await rule([{ fact: 'cvc', one_of: ['mismatch'] }])
    const { status, email } = await paidBy(card({ cvc_check: 'fail' }))
    assert.equal(status, 'on_hold')
    await buy(cards.exchange, { deposit: { payment_category: 'SEPA' }, ...contact(email ?? '') })
  })

  it('holds the third payment by one card in a day, whoever pays with it', async () => {
    await rule([{ fact: 'payments_by_card_in_day', at_least: 3 }])
    const same = { fingerprint: 'one-card-of-three' }
    assert.deepEqual(
      [
        await outcomeOf(same),
        await outcomeOf(same),
        await outcomeOf(same),
        await outcomeOf({ fingerprint: 'another' }),
      ],
      ['finished', 'finished', 'on_hold review', 'finished'],
    )
  })
})
