import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import type { RiskDocument } from '../../src/exchange/policies/risk.ts'
import { type BankExchange, startBankExchange } from '../support/bank-exchange.ts'
import { whole } from '../support/billing.ts'
import { checkOut, create, referenceOf, seen } from '../support/journey.ts'
import { putInForce } from '../support/policies.ts'
import { contact, newEmail } from '../support/shared-identity.ts'
import { stopMarket } from '../support/still-market.ts'

let story: BankExchange
before(async () => {
  story = await startBankExchange()
  stopMarket(story.exchange)
})
after(() => story.stop())

/** Puts one rule in force; payers are only compared, as in every sandbox. */
async function rule(when: RiskDocument['rules'][number]['when']): Promise<void> {
  const { ctx } = story.exchange.service.composition
  const rules = [{ name: 'of-a-test', sentence: 'A test asks for it.', when, level: 'high' as const }]
  await putInForce(ctx, { kind: 'risk', document: { rules }, effectiveAt: ctx.clock.now() })
}

/** A new customer orders, somebody pays, and the order comes to a status. */
async function outcomeOf(name: string, iban: string): Promise<string> {
  const { exchange, bank } = story
  const customer = { ...contact(newEmail()).customer, billing_info: whole }
  const { id } = await create(exchange, { from_amount: '250', deposit: { payment_category: 'SEPA' }, customer })
  await checkOut(exchange, id)
  const payment = {
    remittance: await referenceOf(exchange, id),
    amount: '250.00',
    payer: { name, iban, bic: '' },
  }
  bank.state([{ amount: '250.00', servicerReference: `R-${id}`, payments: [payment] }])
  const { status, status_details: details } = await seen(exchange, id, 'the transfer to be settled', (record) =>
    ['finished', 'on_hold'].includes(record.status),
  )
  return `${status} ${details ?? ''}`.trim()
}

const own = `${whole.first_name} ${whole.last_name}`

describe('a rule of risk about bank transfers', () => {
  it('holds what another than the customer paid, though the policy of payers accepts it', async () => {
    await rule([{ fact: 'payer', one_of: ['other'] }])
    assert.equal(await outcomeOf('Fremd Handels GmbH', 'FR1420041010050500013M02606'), 'on_hold review')
    assert.equal(await outcomeOf(own, 'NL91ABNA0417164300'), 'finished')
  })

  it('holds the third payment from one account in a month, for whomever it is', async () => {
    await rule([{ fact: 'payments_by_account_in_month', at_least: 3 }])
    const one = 'DE75512108001245126199'
    assert.deepEqual(
      [
        await outcomeOf(own, one),
        await outcomeOf('Fremd Handels GmbH', one),
        await outcomeOf(own, one),
        await outcomeOf(own, 'GB29NWBK60161331926819'),
      ],
      ['finished', 'finished', 'on_hold review', 'finished'],
    )
  })
})
