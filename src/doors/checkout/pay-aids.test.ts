import assert from 'node:assert/strict'
import { test } from 'node:test'

import { byCoins, byTransfer, listed, sampleView } from '../../../test/support/checkout-views.ts'
import { payAidsOf } from './pay-aids.ts'

const [btc, xrp, usdt] = [listed('BTC'), listed('XRP'), listed('USDT', 'TRX')]

test('coins come with a link for wallets that names amount and tag, where their chain has one', async () => {
  const sell = sampleView(byCoins(btc), { from: btc, to: listed('EUR'), amount: '0.05' })
  const { uri, qr, code } = await payAidsOf(sell)
  assert.equal(uri, `bitcoin:${btc.network.chain?.addressExample}?amount=0.05`)
  assert.match(qr ?? '', /^<svg /)
  assert.equal(code, undefined)

  const tagged = await payAidsOf(sampleView(byCoins(xrp, '1234567890'), { from: xrp, to: usdt, amount: '500' }))
  assert.match(tagged.uri ?? '', /dt=1234567890/)
  const token = await payAidsOf(sampleView(byCoins(usdt), { from: usdt, to: btc, amount: '500' }))
  assert.equal(token.uri, undefined, 'a plain address is nothing that a wallet opens')
  assert.match(token.qr ?? '', /^<svg /)
})

test('a transfer comes with a code where banks read one', async () => {
  const euro = await payAidsOf(sampleView(byTransfer('SEPA', 'EUR'), { deposit: 'SEPA' }))
  assert.match(euro.qr ?? '', /^<svg /)
  assert.equal(euro.code, undefined)

  const real = sampleView(byTransfer('PIX', 'BRL'), { from: listed('BRL'), deposit: 'PIX', amount: '550' })
  const { code, qr } = await payAidsOf(real)
  assert.match(code ?? '', /^000201.*5403550.*6304[0-9A-F]{4}$/)
  assert.match(qr ?? '', /^<svg /)

  const pound = sampleView(byTransfer('FASTERPAYMENTS', 'GBP'), { from: listed('GBP'), deposit: 'FASTERPAYMENTS' })
  assert.deepEqual(await payAidsOf(pound), {})
  assert.deepEqual(await payAidsOf(sampleView()), {})
})
