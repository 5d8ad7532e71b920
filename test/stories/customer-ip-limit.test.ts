import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { startExchange } from '../support/exchange.ts'
import type { Body } from '../support/journey.ts'
import { whileStill } from '../support/still-clock.ts'

const buy = { from_amount: 100, from_currency: 'EUR', to_currency: 'BTC' }
const inGermany = '46.4.0.1'
const inBrazil = '200.160.2.3'

describe('creates of one customer IP', () => {
  it('are limited by the address that the country comes from', async (t) => {
    const limited = await startExchange({ RATE_LIMIT_CUSTOMER_IP_BURST: '2', RATE_LIMIT_CUSTOMER_IP_PER_SECOND: '1' })
    t.after(() => limited.stop())
    const create = (customer: Body | undefined, query = '', headers = {}) =>
      limited.api(`/v1/transaction${query}`, { body: { ...buy, ...(customer ? { customer } : {}) }, headers })
    await whileStill(limited.service.composition.ctx, async () => {
      assert.equal((await create({ ip: inGermany })).status, 201)
      assert.equal((await create({ ipV4: inGermany }, `?ip=${inBrazil}`)).status, 201)
      const statuses = await Promise.all([
        create(undefined, '', { 'x-forwarded-for': inGermany }),
        create(undefined, `?ip=${inGermany}`),
        create({ ip: inGermany, ipV4: inBrazil }),
      ])
      assert.ok(statuses.some(({ status }) => status === 429))
      assert.equal((await create({ ip: inBrazil }, `?ip=${inGermany}`)).status, 201)
    })
  })
})
