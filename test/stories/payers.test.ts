import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'

import { profilesOf } from '../../src/exchange/customers/profile.ts'
import { listNeeds } from '../../src/exchange/needs/list-needs.ts'
import { refundTransaction, releaseTransaction } from '../../src/exchange/operations/staff.ts'
import { propose } from '../../src/exchange/proposals/proposal.ts'
import { whole } from '../support/billing.ts'
import { type BankExchange, startBankExchange } from '../support/bank-exchange.ts'
import { formsOn } from '../support/checkout-forms.ts'
import { someAddress } from '../support/customer.ts'
import type { Exchange } from '../support/exchange.ts'
import { arrive, assertBooksHold, checkOut, create, read, referenceOf } from '../support/journey.ts'
import { payersAt, strangerIban } from '../support/payers.ts'
import { contact, importNew, newEmail } from '../support/shared-identity.ts'
import { makeOperators, staffBrowser } from '../support/staff-browser.ts'
import { stopMarket } from '../support/still-market.ts'
import { until } from '../support/telling.ts'

let story: BankExchange
let exchange: Exchange

before(async () => {
  story = await startBankExchange()
  ;({ exchange } = story)
  stopMarket(exchange)
  await makeOperators(exchange)
})
after(() => story.stop())

const { policy, whatIs, pay, compared } = payersAt(() => story)
const browser = staffBrowser(() => exchange)

type Order = { id: string; reference: string; name: string }

/** A buy by a customer whom an identity provider has verified, or who has only said who they are. */
async function order(isVerified: boolean, known?: string): Promise<Order> {
  const email = known ?? newEmail()
  const body = { from_amount: '250', deposit: { payment_category: 'SEPA' } }
  if (!isVerified) {
    const customer = { ...contact(email).customer, billing_info: whole }
    const { id } = await create(exchange, { ...body, customer })
    await checkOut(exchange, id)
    return { id, reference: await referenceOf(exchange, id), name: `${whole.first_name} ${whole.last_name}` }
  }
  if (known === undefined) await importNew(exchange, 'approved', email)
  const { id } = await create(exchange, { ...body, ...contact(email) })
  await checkOut(exchange, id)
  const transaction = await whatIs(id)
  const { ctx } = exchange.service.composition
  const [profile] = await profilesOf(ctx, ctx.db, [transaction.partnerCustomerId ?? 0n])
  const { firstName, lastName } = profile?.imports[0]?.person ?? assert.fail('nobody was verified')
  return { id, reference: await referenceOf(exchange, id), name: `${firstName} ${lastName}` }
}

const staff = { reason: 'The customer showed that the account is theirs.', actor: 'cli:test' }

describe('a bank transfer from a stranger', () => {
  beforeEach(() => policy({ mismatch: 'hold', least_score: '0.8' }))

  it('is held, with both names and how alike they are, and goes on once staff release it', async () => {
    const one = await order(true)
    pay(one, 'Fremd Handels GmbH')
    const { status_details: details, status_history: history } = await arrive(exchange, one.id, 'on_hold')
    assert.equal(details, 'review')
    assert.ok(history.some(({ reason }) => reason === 'Somebody else than the customer paid.'))
    const need = (await listNeeds(exchange.service.composition.ctx)).find(({ subject }) => subject === one.id)
    assert.deepEqual([need?.kind, need?.cause], ['hold', 'on_hold payer'])
    assert.match(
      need?.sentence ?? '',
      /is on hold because someone else may have paid it\. Somebody else than the customer paid\. Compare payer and customer\./,
    )
    const check = await compared(one)
    assert.deepEqual(
      [check.outcome, check.payer.name, check.payer.account, check.name, check.isVerified],
      ['hold', 'Fremd Handels GmbH', strangerIban, one.name, true],
    )
    assert.ok(check.score !== null && check.score < 800)
    const shown = await story.line.told<{ payers: Record<string, unknown>[] }>('transaction', 'show', one.id)
    const [{ payer, account, customer, score, outcome } = {}] = shown.payers
    const likeness = `0.${String(check.score).padStart(3, '0')}`
    assert.deepEqual(
      [payer, account, customer, score, outcome],
      ['Fremd Handels GmbH', strangerIban, one.name, likeness, 'hold'],
    )
    const { body } = await browser.ask(`/console/orders/${one.id}`, { cookie: await browser.as('admin') })
    const [row = ''] = /<tr>(?:(?!<tr>).)*Fremd Handels GmbH.*?<\/tr>/s.exec(body) ?? []
    for (const text of [strangerIban, one.name, likeness, 'Somebody else: held'])
      assert.ok(row.includes(text), `${text} is not in ${row}`)

    await releaseTransaction(exchange.service.composition.ctx, BigInt(one.id), staff)
    await arrive(exchange, one.id, 'finished')
    assert.ok((await compared(one)).acceptedAt)
    assert.ok((await listNeeds(exchange.service.composition.ctx)).every(({ subject }) => subject !== one.id))
    // From now on this account may pay for this customer, and for nobody else.
    const again = await order(true, (await whatIs(one.id)).personal.email ?? '')
    pay(again, 'Fremd Handels GmbH')
    await arrive(exchange, again.id, 'finished')
    assert.equal((await compared(again)).outcome, 'known_account')
    const other = await order(true)
    pay(other, 'Fremd Handels GmbH')
    await arrive(exchange, other.id, 'on_hold')
    await assertBooksHold(exchange)
  })

  it('goes back to the stranger when staff refund it, and the customer may pay again', async () => {
    const one = await order(false)
    pay(one, 'Max Muster')
    await arrive(exchange, one.id, 'on_hold')
    const ctx = exchange.service.composition.ctx
    await refundTransaction(ctx, BigInt(one.id), staff)
    await until(async () => (await read(exchange, one.id)).status_details === 'refund_pending', 'the refund')
    pay(one, one.name)
    await until(async () => (await compared(one)).outcome === 'match', 'the second payment')
  })

  it('is no stranger’s where the bank spells the customer’s name otherwise, or knows none', async () => {
    const one = await order(false)
    pay(one, `OUDEZIJDSVOORT, WILHELMINA`)
    await arrive(exchange, one.id, 'finished')
    const check = await compared(one)
    assert.deepEqual([check.outcome, check.score, check.isVerified], ['match', 1_000, false])
    const other = await order(false)
    pay(other, '')
    await arrive(exchange, other.id, 'finished')
    assert.equal((await compared(other)).outcome, 'not_compared')
  })

  it('may be one where the bank names no payer of a verified customer: it is held until staff release it', async () => {
    const one = await order(true)
    pay(one, '')
    const { status_details: details, status_history: history } = await arrive(exchange, one.id, 'on_hold')
    const reason = 'The bank names no payer, and the customer has never paid from this account.'
    assert.deepEqual([details, history.some((step) => step.reason === reason)], ['review', true])
    const { outcome, score, isVerified } = await compared(one)
    assert.deepEqual([outcome, score, isVerified], ['unnamed', null, true])
    await releaseTransaction(exchange.service.composition.ctx, BigInt(one.id), staff)
    await arrive(exchange, one.id, 'finished')

    const email = (await whatIs(one.id)).personal.email ?? ''
    const again = await order(true, email)
    pay(again, '')
    await arrive(exchange, again.id, 'finished')
    assert.equal((await compared(again)).outcome, 'known_account')

    // Nor does a bank that says nothing at all of who paid.
    const bare = await order(true, email)
    story.bank.state([{ amount: '250.00', servicerReference: 'P-bare', payments: [{ endToEndId: bare.reference }] }])
    await arrive(exchange, bare.id, 'on_hold')
    assert.equal((await compared(bare)).outcome, 'unnamed')
    await assertBooksHold(exchange)
  })
})

describe('a bank transfer for an order that was passed with a name and without an email address', () => {
  beforeEach(() => policy({ mismatch: 'hold', least_score: '0.8' }))

  /** A buy of somebody who has proven an address for it, and what they correct of their name. */
  async function bound(corrected?: Record<string, string>): Promise<Order> {
    const { id, redirect_url: url } = await create(exchange, {
      from_amount: '250',
      deposit: { payment_category: 'SEPA' },
      customer: { ip: '46.4.0.1', billing_info: whole },
      payout_info: { payout_address: someAddress, skip_choose_payout_address: false },
    })
    const forms = formsOn(exchange)
    const browser = await forms.prove(url, newEmail())
    if (corrected)
      assert.equal((await forms.post(`${url}&ask=billing`, { do: 'billing', ...corrected }, browser)).status, 303)
    return { id, reference: await referenceOf(exchange, id), name: `${whole.first_name} ${whole.last_name}` }
  }

  it('is compared with that name, whatever the customer corrects it to', async () => {
    for (const corrected of [undefined, { first_name: 'Max', last_name: 'Muster' }]) {
      const one = await bound(corrected)
      pay(one, 'Max Muster')
      const { outcome, name, isVerified } = await compared(one)
      assert.deepEqual([outcome, name, isVerified], ['hold', one.name, false])
    }
  })

  it('is the customer’s where that name pays, and a correction still fits it', async () => {
    for (const [corrected, outcome] of [
      [undefined, 'match'],
      [{ first_name: 'Wilhelmína' }, 'match'],
      [{ first_name: 'Max', last_name: 'Muster' }, 'hold'],
    ] as const) {
      const one = await bound(corrected)
      pay(one, one.name)
      assert.equal((await compared(one)).outcome, outcome, JSON.stringify(corrected))
    }
  })
})

describe('a bank transfer on behalf of somebody', () => {
  beforeEach(() => policy({ mismatch: 'hold', least_score: '0.8' }))

  it('is held where that is another than the customer, whoever the debtor is, and both are shown', async () => {
    const one = await order(true)
    pay(one, one.name, { onBehalfOf: 'Fremd Handels GmbH' })
    await arrive(exchange, one.id, 'on_hold')
    const { outcome, payer, score } = await compared(one)
    assert.deepEqual([outcome, payer.name, payer.onBehalfOf], ['hold', one.name, 'Fremd Handels GmbH'])
    assert.ok(score !== null && score < 800)
    const shown = await story.line.told<{ payers: { on_behalf_of?: string }[] }>('transaction', 'show', one.id)
    assert.deepEqual(
      shown.payers.map((row) => row.on_behalf_of),
      ['Fremd Handels GmbH'],
    )
    await releaseTransaction(exchange.service.composition.ctx, BigInt(one.id), staff)
    await arrive(exchange, one.id, 'finished')
    // That account is the customer's; what it pays for others is looked at each time.
    const again = await order(true, (await whatIs(one.id)).personal.email ?? '')
    pay(again, one.name, { onBehalfOf: 'Fremd Handels GmbH' })
    await arrive(exchange, again.id, 'on_hold')
    const own = await order(true, (await whatIs(one.id)).personal.email ?? '')
    pay(own, one.name, { onBehalfOf: one.name.toUpperCase() })
    await arrive(exchange, own.id, 'finished')
    await assertBooksHold(exchange)
  })
})

describe('the policy of payers', () => {
  it('sends the money back where it says so', async () => {
    await policy({ mismatch: 'return', least_score: '0.8' })
    const one = await order(true)
    pay(one, 'Fremd Handels GmbH')
    const { status_details: details } = await arrive(exchange, one.id, 'on_hold')
    assert.equal(details, 'refund_pending')
    assert.equal((await compared(one)).outcome, 'return')
    await assertBooksHold(exchange)
  })

  it('accepts it where it says so, and still says who paid', async () => {
    await policy({ mismatch: 'accept', least_score: '0.8' })
    const one = await order(true)
    pay(one, 'Fremd Handels GmbH')
    await arrive(exchange, one.id, 'finished')
    assert.equal((await compared(one)).outcome, 'accept')
  })

  it('is never a score that every name has', async () => {
    const { ctx } = exchange.service.composition
    const document = { mismatch: 'hold', least_score: '0.0' }
    const made = await propose(
      ctx,
      { kind: 'payers', document, reason: 'A test asks for it.', days: 1 },
      { actor: 'cli:test' },
    )
    assert.deepEqual('problems' in made && made.problems.map(({ path }) => path), ['least_score'])
  })
})
