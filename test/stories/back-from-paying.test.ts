import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { type Answer, type Forms, formsOn, titleOf } from '../support/checkout-forms.ts'
import { createBuy, recordOfBuy, someAddress } from '../support/customer.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { advance, arrive, assertBooksHold, lookup, pay, railEvent } from '../support/journey.ts'
import { until } from '../support/telling.ts'

let exchange: Exchange
let forms: Forms
before(async () => {
  exchange = await startExchange({ RATE_LIMITS: 'off' })
  forms = formsOn(exchange)
})
after(() => exchange.stop())

type Customer = { id: string; url: string; browser: { cookie: string } }
let customers = 0

/** A customer of a buy by card who has only to pay. */
async function customer(): Promise<Customer> {
  customers += 1
  const { id, url } = await createBuy(exchange)
  const browser = await forms.prove(url, `back-${customers}@example.com`)
  await forms.post(url, { do: 'country', country: 'NL' }, browser)
  await forms.post(url, { do: 'payout_address', payout_address: someAddress, confirms: someAddress }, browser)
  return { id, url, browser }
}

const page = ({ url, browser }: Customer): Promise<Answer> => forms.get(url, browser)
const back = ({ url, browser }: Customer): Promise<Answer> => forms.get(`${url}&returned=1`, browser)
const send = ({ url, browser }: Customer, form: Record<string, string>): Promise<Answer> =>
  forms.post(url, form, browser)
const stepOf = async ({ url, browser }: Customer): Promise<string> =>
  (JSON.parse((await forms.get(url.replace('/checkout?', '/checkout/status?'), browser)).text) as { step: string }).step
const statusOf = async ({ id }: Customer): Promise<unknown> => (await recordOfBuy(exchange, id)).status

/** The processor takes the money, and its callback is lost. */
const payUnheard = ({ id }: Customer): Promise<unknown> =>
  lookup(
    exchange,
    `insert into sandbox.card_payments (id, rail, reference, asset, amount, merchant_return, state, attempts, created_at)
     select i.id, rail, reference, i.asset, amount, '', 'captured', 1, now()
     from deposit_instructions i join transactions t on t.id = transaction_id where public_id = $1`,
    [id],
  )

/** While it lasts, the processor does not answer. */
async function whileSilent(work: () => Promise<void>): Promise<void> {
  const rail = exchange.service.composition.ctx.rails.deposit('sandbox-card')?.deposit
  assert(rail)
  const look = rail.look.bind(rail)
  rail.look = () => Promise.reject(new Error('The processor did not answer in time.'))
  try {
    await work()
  } finally {
    rail.look = look
  }
}

const unpaid = /No payment has reached us/
const cancelling = /Cancel this order/
const paying = /<button[^>]*>Pay [^<]* by card</

describe('a customer who comes back from having paid', () => {
  it('to an order that was cancelled in another tab is not told that nothing has come, and sees it go on', async () => {
    const visit = await customer()
    await send(visit, { do: 'cancel' })
    assert.equal(await statusOf(visit), 'cancelled')
    await payUnheard(visit)
    const returned = await back(visit)
    assert.equal(titleOf(returned), 'Checking your payment')
    assert.doesNotMatch(returned.text, unpaid)
    await arrive(exchange, visit.id, 'finished')
    assert.equal(titleOf(await back(visit)), 'Your Bitcoin was sent')
    await assertBooksHold(exchange)
  })

  it('after the time to pay was over, likewise', async () => {
    const visit = await customer()
    await advance(exchange, 'PT35M')
    await arrive(exchange, visit.id, 'expired')
    await payUnheard(visit)
    const returned = await back(visit)
    assert.equal(titleOf(returned), 'Checking your payment')
    assert.doesNotMatch(returned.text, unpaid)
    await until(async () => (await statusOf(visit)) !== 'expired', 'the order to hear of its money')
  })

  it('needs no callback: what the processor says then is taken down', async () => {
    const visit = await customer()
    await payUnheard(visit)
    assert.equal(titleOf(await back(visit)), 'Checking your payment')
    await arrive(exchange, visit.id, 'finished')
  })
})

describe('an order that has ended without money', () => {
  it('says what becomes of money that comes nevertheless, and is followed: its page shows that it went on', async () => {
    const visit = await customer()
    await send(visit, { do: 'cancel' })
    const ended = await page(visit)
    assert.match(ended.text, /This order was canceled/)
    assert.match(ended.text, /Already paid\? Your money is safe/)
    assert.match(
      ended.text,
      /<main data-watch="\/checkout\/status\?tid=[\w-]{24}"[^>]* data-step="ended"[^>]* data-settled/,
    )
    await pay(exchange, visit.id)
    await arrive(exchange, visit.id, 'finished')
    assert.equal(await stepOf(visit), 'done')
  })
})

describe('a customer who comes back from the payment page', () => {
  it('without having paid can pay, choose another way and cancel', async () => {
    const visit = await customer()
    const returned = await back(visit)
    assert.equal(titleOf(returned), 'Review and pay')
    assert.match(returned.text, /We haven’t received a payment yet/)
    for (const way of [paying, /Pay another way/, cancelling]) assert.match(returned.text, way)
  })

  it('in the middle of it is led back to it, and to nothing else', async () => {
    const visit = await customer()
    await railEvent(exchange, visit.id, 'challenge')
    const returned = await back(visit)
    assert.equal(titleOf(returned), 'Checking your payment')
    assert.match(returned.text, /Go to the payment/)
    assert.doesNotMatch(returned.text, cancelling)
    await railEvent(exchange, visit.id, 'decline')
    await until(async () => titleOf(await back(visit)) === 'Review and pay', 'the attempt to be over')
  })

  it('while the processor does not answer is asked to pay nothing, and to cancel nothing', async () => {
    const visit = await customer()
    await whileSilent(async () => {
      const returned = await back(visit)
      assert.equal(titleOf(returned), 'Checking your payment')
      assert.match(returned.text, /don’t (need to )?pay again/)
      assert.doesNotMatch(returned.text, /Go to the payment|Cancel this order/)
      assert.equal((await send(visit, { do: 'cancel' })).status, 503)
    })
    assert.equal(await statusOf(visit), 'waiting_for_deposit')
    assert.equal(titleOf(await back(visit)), 'Review and pay')
  })
})

describe('cancelling', () => {
  it('is refused, and said to be, when the processor has the money and nobody has heard of it', async () => {
    const visit = await customer()
    await payUnheard(visit)
    const refused = await send(visit, { do: 'cancel' })
    assert.equal(refused.status, 409)
    assert.match(refused.text, /We’ve found a payment for this order, so you can’t cancel it anymore\./)
    assert.doesNotMatch(refused.text, cancelling)
    await arrive(exchange, visit.id, 'finished')
  })

  it('is not offered to somebody whose payment is being looked for', async () => {
    const visit = await customer()
    await payUnheard(visit)
    assert.doesNotMatch((await back(visit)).text, cancelling)
  })
})
