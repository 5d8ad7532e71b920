import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'

import { networks } from '../../src/reference/catalog/network.ts'
import { walletOf } from '../../src/sandbox/chain/wallet.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'

let exchange: Exchange
before(async () => {
  exchange = await startExchange({ RATE_LIMITS: 'off' })
})
after(() => exchange.stop())

test('nobody is paid to a wallet of the exchange itself, in whatever spelling', async () => {
  const ethereum = networks.find(({ code }) => code === 'ETH')
  assert.ok(ethereum)
  const own = walletOf({ confirmations: {} }, ethereum).address
  const wish = { from_amount: 100, from_currency: 'EUR', to_currency: 'ETH' }
  for (const payoutAddress of [own, own.toLowerCase()]) {
    const { status, body } = await exchange.api('/v1/transaction', {
      body: { ...wish, payout_info: { payout_address: payoutAddress } },
    })
    assert.equal(status, 400)
    assert.deepEqual(body.errors, [
      {
        path: 'payout_info.payout_address',
        code: 'INVALID_ADDRESS',
        message: 'payout_info.payout_address: This address belongs to the exchange itself.',
      },
    ])
  }
  const { body } = await exchange.api<{ id: string }>('/v1/transaction', { body: wish })
  const refused = await exchange.api(`/v1/sandbox/transaction/${body.id}/checkout`, { body: { payout_address: own } })
  assert.equal(refused.status, 400)
})
