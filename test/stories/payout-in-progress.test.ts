import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'

import { formsOn } from '../support/checkout-forms.ts'
import { createBuy } from '../support/customer.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { arrive, checkOut, pay } from '../support/journey.ts'
import { until } from '../support/telling.ts'

let exchange: Exchange
before(async () => {
  exchange = await startExchange()
})
after(() => exchange.stop())

it('a page says that a payout was sent once the rail has taken it, not when it is planned or the rail does not answer', async () => {
  const rail = exchange.service.composition.ctx.rails.payout('sandbox-btc')?.payout
  assert(rail)
  const { look, submit } = rail
  const silent = () => Promise.reject(new Error('The chain did not answer in time.'))
  rail.look = silent
  rail.submit = silent

  const { id, url } = await createBuy(exchange)
  await checkOut(exchange, id)
  await pay(exchange, id)
  await arrive(exchange, id, 'sending')
  const page = async (): Promise<string> => (await formsOn(exchange).get(url)).text
  const before = await page()
  assert.match(before, /<li class="now" aria-current="step">(?:<svg.*?<\/svg>)?Being sent on the Bitcoin network</)
  assert.doesNotMatch(before, /Sent on the Bitcoin network/)

  rail.submit = submit.bind(rail)
  rail.look = () => Promise.resolve({ state: 'pending', lookAgainInMs: 200 })
  await until(async () => (await page()).includes('Waiting for the network to confirm'), 'the chain to have it')
  assert.match(await page(), /<li class="past">(?:<svg.*?<\/svg>)?Sent on the Bitcoin network</)
  rail.look = look.bind(rail)
  await arrive(exchange, id, 'finished')
})
