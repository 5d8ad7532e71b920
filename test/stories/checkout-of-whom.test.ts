import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { type Forms, formsOn, titleOf } from '../support/checkout-forms.ts'
import { newEmail } from '../support/billing.ts'
import { someAddress } from '../support/customer.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { type Body, create, read } from '../support/journey.ts'

let exchange: Exchange
let forms: Forms
before(async () => {
  exchange = await startExchange({ RATE_LIMITS: 'off' })
  forms = formsOn(exchange)
})
after(() => exchange.stop())

const ip = '46.4.0.1'

/** What a browser sees in which an e-mail address has been proven, and what the record says then. */
async function seenBy(email: string, order: Body) {
  const { id, redirect_url: url } = await create(exchange, order)
  const browser = await forms.prove(url, email)
  const page = await forms.get(url, browser)
  // Addresses are drawn in groups.
  return { title: titleOf(page), text: page.text.replaceAll(/<[^>]*>/g, ''), payout: (await read(exchange, id)).payout }
}

const passedOf = (email: string, payout: Body): Body => ({
  customer: { ip, contact_info: { email } },
  payout_info: payout,
})

describe('where the money goes, as a partner passed it of an e-mail address', () => {
  it('is shown to whoever proves that address', async () => {
    const email = newEmail()
    const { title, text } = await seenBy(email, passedOf(email, { payout_address: someAddress }))
    assert.equal(title, 'Review and pay')
    assert.ok(text.includes(someAddress))
  })

  it('stays, masked, where it was passed of no address, and where the partner lets nobody choose', async () => {
    const ofNobody = await seenBy(newEmail(), { customer: { ip }, payout_info: { payout_address: someAddress } })
    assert.equal(ofNobody.payout?.address, someAddress)
    assert.ok(!ofNobody.text.includes(someAddress))
    assert.ok(ofNobody.text.includes(`${someAddress.slice(0, 4)}••••${someAddress.slice(-4)}`))
    const fixed = { payout_address: someAddress, skip_choose_payout_address: true }
    const email = newEmail()
    const held = await seenBy(email, passedOf(email, fixed))
    assert.equal(held.payout?.address, someAddress)
  })
})
