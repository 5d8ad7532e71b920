import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import type { RiskDocument } from '../../src/exchange/policies/risk.ts'
import { reconcile } from '../../src/exchange/reconciliation/reconcile.ts'
import type { FakeDispute } from '../support/checkout-com.ts'
import { type CheckoutExchange, startCheckoutExchange } from '../support/checkout-exchange.ts'
import { arrive, assertBooksHold, lookup, read, seen, settled } from '../support/journey.ts'
import { putInForce } from '../support/policies.ts'
import { until } from '../support/telling.ts'

let cards: CheckoutExchange
before(async () => {
  cards = await startCheckoutExchange()
})
after(() => cards.stop())

describe('a payment at Checkout.com', () => {
  it('that is captured in part, and then whole, is credited the rest, and is one payment to dispute', async () => {
    const { exchange, fake } = cards
    const [held, losses] = [await cards.held(), await cards.losses()]
    const { id, page } = await cards.atThePage()
    const payment = await cards.pay(page, { status: 'Partially Captured', captured: 6_000 })
    await seen(exchange, id, 'the part', ({ status_details: details }) => details === 'underpaid')
    await cards.tell('payment_captured', payment)
    await settled(exchange)
    assert.equal(await cards.held(), held + 6_000n)
    Object.assign(payment, { status: 'Captured', captured: 10_000 })
    await cards.tell('payment_captured', payment)
    assert.equal((await arrive(exchange, id, 'finished')).from_amount, '100')
    assert.equal(await cards.held(), held + 10_000n)
    assert.deepEqual((await reconcile(exchange.service.composition.ctx)).breaks, [])

    const dispute = { id: `dsp_${payment.id}`, currency: 'EUR', amount: 10_000, evidence_required_by: '' }
    fake.disputes.set(dispute.id, { ...dispute, status: 'evidence_required', payment })
    await cards.tell('dispute_received', dispute)
    await until(async () => (await cards.losses()) === losses + 10_000n, 'all of it to be withheld')
    await assertBooksHold(exchange)
  })

  it('that is said to be less later takes nothing back, and is recorded for a person', async () => {
    const { exchange } = cards
    const payment = await cards.paid()
    const held = await cards.held()
    Object.assign(payment, { status: 'Partially Captured', captured: 6_000 })
    await cards.tell('payment_captured', payment)
    await settled(exchange)
    assert.equal(await cards.held(), held)
    assert.equal((await read(exchange, payment.order)).from_amount, '100')
    const sql = "select event_key as key, amount::text from rail_events where payment = $1 and kind = 'unknown'"
    assert.deepEqual(await lookup(exchange, sql, [payment.id]), [{ key: `${payment.id}:less:6000`, amount: '6000' }])
    assert.deepEqual((await reconcile(exchange.service.composition.ctx)).breaks, [])
    await assertBooksHold(exchange)
  })
})

describe('a dispute at Checkout.com', () => {
  type Disputed = Awaited<ReturnType<CheckoutExchange['paid']>>

  /** Opens a dispute. What it gives tells of its next status, and waits until that is what is lost of the payment. */
  function dispute(payment: Disputed, id: string, change: Partial<FakeDispute> = {}) {
    const known = { id, status: '', currency: 'EUR', amount: 10_000, payment, evidence_required_by: '', ...change }
    cards.fake.disputes.set(id, known)
    return async (status: string, taken: bigint): Promise<void> => {
      known.status = status
      await cards.tell(`dispute_${status}`, known)
      const sql = 'select taken_back::text as taken from deposits where payment = $1'
      await until(
        async () => (await lookup<{ taken: string }>(cards.exchange, sql, [payment.id]))[0]?.taken === String(taken),
        `${status} of ${id} to be booked`,
      )
    }
  }

  it('that is won, goes to pre-arbitration and on to arbitration is booked as each round says', async () => {
    const losses = await cards.losses()
    const payment = await cards.paid()
    const held = await cards.held()
    const next = dispute(payment, 'dsp_rounds')
    await next('evidence_required', 10_000n)
    await next('evidence_under_review', 10_000n)
    await next('won', 0n)
    await next('evidence_required', 10_000n)
    await next('won', 0n)
    await next('evidence_required', 10_000n)
    await next('lost', 10_000n)
    await next('arbitration_under_review', 10_000n)
    await next('arbitration_won', 0n)
    assert.deepEqual([await cards.held(), await cards.losses()], [held, losses])
    const other = dispute(await cards.paid(), 'dsp_lost')
    await other('evidence_required', 10_000n)
    await other('lost', 10_000n)
    await other('arbitration_under_review', 10_000n)
    await other('arbitration_lost', 10_000n)
    assert.deepEqual([await cards.held(), await cards.losses()], [held, losses + 10_000n])
    assert.deepEqual((await reconcile(cards.exchange.service.composition.ctx)).breaks, [])
    await assertBooksHold(cards.exchange)
  })

  it('of a part of a payment, next to another one, takes its own amount and gives it back', async () => {
    const payment = await cards.paid()
    const [one, other] = [
      dispute(payment, 'dsp_one', { amount: 6_000 }),
      dispute(payment, 'dsp_other', { amount: 4_000 }),
    ]
    await one('evidence_required', 6_000n)
    await other('evidence_required', 10_000n)
    await one('won', 4_000n)
    await other('lost', 4_000n)
    assert.deepEqual((await reconcile(cards.exchange.service.composition.ctx)).breaks, [])
    await assertBooksHold(cards.exchange)
  })

  it('in another currency takes what it is worth, once, and gives it back', async () => {
    const payment = await cards.paid()
    const next = dispute(payment, 'dsp_usd', { amount: 11_500, currency: 'USD' })
    await next('evidence_required', 10_000n)
    await next('evidence_under_review', 10_000n)
    await next('won', 0n)
    await assertBooksHold(cards.exchange)
  })
})

type Rule = RiskDocument['rules'][number]

describe('a rule of risk about payments at Checkout.com', () => {
  /** Puts one rule in force, in addition to none. */
  async function rule(when: Rule['when'][number]): Promise<void> {
    const { ctx } = cards.exchange.service.composition
    const rules: Rule[] = [{ name: 'of-a-test', sentence: 'A test asks for it.', when: [when], level: 'high' }]
    await putInForce(ctx, { kind: 'risk', document: { rules }, effectiveAt: ctx.clock.now() })
  }
  /** Pays with a card of which this is said, and gives the status that the order comes to. */
  async function outcomeOf(source: object, more: object = {}): Promise<string> {
    const { id, page } = await cards.atThePage()
    await cards.pay(page, { source: { type: 'card', ...source }, ...more })
    const { status } = await seen(cards.exchange, id, 'the payment to be settled', (record) =>
      ['finished', 'on_hold'].includes(record.status),
    )
    return status
  }
  const secure = (response: string, eci: string, signature = 'Y') => ({
    '3ds': { enrolled: 'Y', authentication_response: response, signature_valid: signature },
    eci,
  })

  it('holds a payment whose card code or address did not match by its own codes, and no other', async () => {
    await rule({ fact: 'cvc', one_of: ['mismatch'] })
    for (const [code, status] of Object.entries({ D: 'on_hold', N: 'finished', Y: 'finished', P: 'finished' }))
      assert.equal(await outcomeOf({ cvv_check: code }), status, code)
    await rule({ fact: 'avs', one_of: ['mismatch'] })
    for (const [code, status] of Object.entries({ N: 'on_hold', A: 'on_hold', S: 'finished', M: 'finished' }))
      assert.equal(await outcomeOf({ avs_check: code }), status, code)
    await rule({ fact: 'avs', one_of: ['match'] })
    assert.equal(await outcomeOf({ avs_check: 'AE6' }), 'on_hold')
    assert.equal(await outcomeOf({ avs_check: 'G' }), 'finished')
  })

  it('holds by the outcome of 3-D Secure', async () => {
    await rule({ fact: 'three_d_secure', one_of: ['failed'] })
    assert.equal(await outcomeOf({}, secure('N', '07')), 'on_hold')
    assert.equal(await outcomeOf({}, secure('Y', '05', 'N')), 'on_hold')
    assert.equal(await outcomeOf({}, secure('Y', '05')), 'finished')
    await rule({ fact: 'three_d_secure', one_of: ['not_used'] })
    assert.equal(await outcomeOf({}, { '3ds': undefined, eci: '05' }), 'on_hold')
    assert.equal(await outcomeOf({ card_wallet_type: 'applepay' }, { '3ds': undefined, eci: '05' }), 'finished')
    await rule({ fact: 'three_d_secure', one_of: ['attempted'] })
    assert.equal(await outcomeOf({}, secure('A', '06')), 'on_hold')
  })

  it('holds by the country of the bank of the card, and by how often one card pays in a day', async () => {
    await rule({ fact: 'card_country', one_of: ['different'] })
    assert.equal(await outcomeOf({ issuer_country: 'BR', bin: '519999' }), 'on_hold')
    assert.equal(await outcomeOf({ issuer_country: 'NL' }), 'finished')
    await rule({ fact: 'payments_by_card_in_day', at_least: 3 })
    const pay = (card: string): Promise<string> => outcomeOf({ fingerprint: card.repeat(32) })
    const statuses = [await pay('A1'), await pay('A1'), await pay('A1'), await pay('B2')]
    assert.deepEqual(statuses, ['finished', 'finished', 'on_hold', 'finished'])
    const kept = await lookup(cards.exchange, "select 1 from rail_events where body::text like '%A1A1%'", [])
    assert.deepEqual(kept, [], 'of the fingerprint only a hash is kept')
  })
})
