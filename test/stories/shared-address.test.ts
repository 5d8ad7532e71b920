import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'

import { policyKinds } from '../../src/exchange/policies/kinds.ts'
import { environmentOf } from '../../src/app/config/environment.ts'
import { commandLineOf } from '../support/command.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { arrive, buy, lookup, pay, readyToPay } from '../support/journey.ts'
import { until } from '../support/telling.ts'

const shared = 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq'
const toShared = { payout_info: { payout_address: shared } }

let exchange: Exchange
before(async () => {
  exchange = await startExchange({ RATE_LIMITS: 'off' }, undefined, { policies: 'shipped' })
})
after(() => exchange.stop())

describe('an address that coins of several customers are paid to', () => {
  it('joins nobody, and holds nobody under the policy of the sandbox, where no address is kept', async () => {
    const amount = { ...toShared, from_amount: '900' }
    for (let count = 0; count < 3; count += 1) await buy(exchange, amount)
    assert.equal((await buy(exchange, amount)).status, 'finished')
    const [kept] = await lookup<{ count: string }>(
      exchange,
      "select count(*) from customer_traits where kind = 'address'",
    )
    assert.equal(kept?.count, '0')
  })

  it('puts the orders of its customers on hold from the fourth one on, under the policy of live mode', async () => {
    const { clock, policies } = exchange.service.composition.ctx
    const file = join(exchange.dataDir, 'risk.json')
    await writeFile(file, JSON.stringify(policyKinds.risk.shipped(environmentOf('live'))))
    await commandLineOf(exchange).told('policy', 'propose', 'risk', file, '--reason', 'As in live mode')
    await until(() => Promise.resolve(policies.at(clock.now(), 'risk').version === 2), 'the policy to hold')

    for (let count = 0; count < 3; count += 1) await buy(exchange, toShared)
    const { id } = await readyToPay(exchange, toShared)
    await pay(exchange, id)
    assert.equal((await arrive(exchange, id, 'on_hold')).status_details, 'review')
    const { id: other } = await readyToPay(exchange)
    await pay(exchange, other)
    await arrive(exchange, other, 'finished')
  })
})
