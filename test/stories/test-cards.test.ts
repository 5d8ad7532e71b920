import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'

import { cardOrders } from '../support/card-orders.ts'
import { formsOn } from '../support/checkout-forms.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { seen } from '../support/journey.ts'
import { putInForce } from '../support/policies.ts'

let exchange: Exchange
before(async () => {
  exchange = await startExchange({ RATE_LIMITS: 'off' })
})
after(() => exchange.stop())

it('a rule about the address or the security code holds a payment by the test card that does not match, and no other', async () => {
  const { ctx } = exchange.service.composition
  const forms = formsOn(exchange)
  const ready = cardOrders(exchange, forms)
  const outcomeOf = async (number: string): Promise<string> => {
    const { id, press } = await ready()
    const { payAt } = await press()
    await forms.post(payAt, { do: 'pay', number, expiry: '12/39', cvc: '123' })
    const ended = ({ status }: { status: string }) => ['finished', 'on_hold'].includes(status)
    return (await seen(exchange, id, 'the payment to be settled', ended)).status
  }
  for (const [fact, number] of [
    ['avs', '4000000000000010'],
    ['cvc', '4000000000000101'],
  ] as const) {
    const rule = { name: 'of-a-test', sentence: 'A test asks for it.', when: [{ fact, one_of: ['mismatch'] }] }
    const document = { rules: [{ ...rule, level: 'high' }] }
    await putInForce(ctx, { kind: 'risk', document, effectiveAt: ctx.clock.now() })
    assert.equal(await outcomeOf(number), 'on_hold')
    assert.equal(await outcomeOf('4242424242424242'), 'finished')
  }
})
