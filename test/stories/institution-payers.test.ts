import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'

import { releaseTransaction } from '../../src/exchange/operations/staff.ts'
import { findPartners } from '../../src/exchange/partners/known.ts'
import { callsOf, ibanOf, made, wallet, walletOf } from '../support/b2b.ts'
import { whole } from '../support/billing.ts'
import { type BankExchange, startBankExchange } from '../support/bank-exchange.ts'
import type { Exchange } from '../support/exchange.ts'
import { arrive, assertBooksHold, checkOut, create, referenceOf } from '../support/journey.ts'
import { payersAt } from '../support/payers.ts'
import { contact, newEmail } from '../support/shared-identity.ts'
import { stopMarket } from '../support/still-market.ts'

let story: BankExchange
let exchange: Exchange
before(async () => {
  story = await startBankExchange()
  ;({ exchange } = story)
  stopMarket(exchange)
})
after(() => story.stop())

const { policy, pay, compared } = payersAt(() => story)
const staff = { reason: 'The institution showed that the account is theirs.', actor: 'cli:test' }

describe('a bank transfer for an institution', () => {
  beforeEach(() => policy({ mismatch: 'hold', least_score: '0.8' }))

  async function institutionOrder() {
    const calls = callsOf(exchange)
    await calls.addWallet(wallet('institution'))
    const { id, deposit } = await made(
      calls.order({ payout_account_address: walletOf('bitcoin', 'institution'), from_amount: '10000' }),
    )
    return { id, reference: deposit?.extra_id ?? '' }
  }
  const name = async (): Promise<string> => {
    const { ctx } = exchange.service.composition
    const id = BigInt(exchange.sandbox.partner_id)
    return (await findPartners(ctx, [id])).get(id)?.name ?? assert.fail('there is no partner')
  }
  const paid = { amount: '10000.00' }

  it('is held where somebody else pays, until staff release it: then the account is known', async () => {
    const one = await institutionOrder()
    pay(one, 'Fremd Handels GmbH', { ...paid, iban: 'DE75512108001245126199' })
    const { status_details: details } = await arrive(exchange, one.id, 'on_hold')
    assert.equal(details, 'review')
    const check = await compared(one)
    assert.deepEqual([check.outcome, check.name, check.isVerified], ['hold', await name(), true])
    await releaseTransaction(exchange.service.composition.ctx, BigInt(one.id), staff)
    await arrive(exchange, one.id, 'finished')
    const again = await institutionOrder()
    pay(again, 'Fremd Handels GmbH', { ...paid, iban: 'DE75512108001245126199' })
    await arrive(exchange, again.id, 'finished')
    assert.equal((await compared(again)).outcome, 'known_account')
    // An institution's account is not that of its customers.
    const { id } = await create(exchange, {
      from_amount: '250',
      deposit: { payment_category: 'SEPA' },
      customer: { ...contact(newEmail()).customer, billing_info: whole },
    })
    await checkOut(exchange, id)
    const customer = { id, reference: await referenceOf(exchange, id) }
    pay(customer, 'Fremd Handels GmbH', { iban: 'DE75512108001245126199' })
    await arrive(exchange, customer.id, 'on_hold')
  })

  it('goes on where the institution itself pays, by name or from its registered account', async () => {
    const one = await institutionOrder()
    pay(one, (await name()).toUpperCase(), paid)
    await arrive(exchange, one.id, 'finished')
    assert.equal((await compared(one)).outcome, 'match')

    const iban = ibanOf('institution')
    const account = { account_name: await name(), account_number: iban, swift: 'SBBKDEF0XXX' }
    await made(callsOf(exchange).addBank({ payment_category: 'SEPA', address: account }))
    const unnamed = await institutionOrder()
    pay(unnamed, '', { ...paid, iban })
    await arrive(exchange, unnamed.id, 'finished')
    assert.equal((await compared(unnamed)).outcome, 'known_account')

    const theirs = ibanOf('of another')
    await made(
      callsOf(exchange).addBank({
        payment_category: 'SEPA',
        address: { ...account, account_name: 'Fremd Handels GmbH', account_number: theirs },
      }),
    )
    const other = await institutionOrder()
    pay(other, 'Fremd Handels GmbH', { ...paid, iban: theirs })
    await arrive(exchange, other.id, 'on_hold')
    await assertBooksHold(exchange)
  })

  it('is held where nobody is named, from an account that is not known', async () => {
    const one = await institutionOrder()
    pay(one, '', { ...paid, iban: 'GB29NWBK60161331926819' })
    await arrive(exchange, one.id, 'on_hold')
    assert.equal((await compared(one)).outcome, 'unnamed')
  })

  it('goes back where the policy says so', async () => {
    await policy({ mismatch: 'return', least_score: '0.8' })
    const one = await institutionOrder()
    pay(one, 'Fremd Handels GmbH', { ...paid, iban: 'NL91ABNA0417164300' })
    const { status_details: details } = await arrive(exchange, one.id, 'on_hold')
    assert.equal(details, 'refund_pending')
    await assertBooksHold(exchange)
  })
})
