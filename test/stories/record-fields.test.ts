import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'

import { setPartner } from '../../src/exchange/partners/change.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { until } from '../support/telling.ts'
import type { TransactionRecord } from '../../src/exchange/transactions/record.ts'
import { buy, create, readyToPay } from '../support/journey.ts'

let exchange: Exchange
before(async () => {
  exchange = await startExchange()
})
after(() => exchange.stop())

it('a record names the percentage of every fee, the partner’s too, and "0%" where there is none', async () => {
  const { serviceFees, partnerFee } = (await create(exchange)).estimate_breakdown
  assert.deepEqual(
    serviceFees.map(({ name, percentage }) => [name, percentage]),
    [
      ['Service fee', '1%'],
      ['Payment method fee', '2.5%'],
    ],
  )
  assert.deepEqual(partnerFee, { amount: '0', currency: 'EUR', percentage: '0%' })

  const { ctx } = exchange.service.composition
  await setPartner(ctx, BigInt(exchange.sandbox.partner_id), { fees: '{"commission_percent": "0.5"}' }, 'test')
  let own = (await create(exchange)).estimate_breakdown
  await until(async () => {
    own = (await create(exchange)).estimate_breakdown
    return own.serviceFees.length === 3
  }, 'the commission')
  assert.deepEqual(own.partnerFee, { amount: '0.5', currency: 'EUR', percentage: '0.5%' })
  assert.deepEqual(own.serviceFees.at(-1), { name: 'Partner fee', ...own.partnerFee })
})

it('a sale and a swap name their deposit address in two ways, a buy in none', async () => {
  for (const pair of [
    { from_amount: '0.01', from_currency: 'BTC', to_currency: 'EUR' },
    { from_amount: '500', from_currency: 'XRP', to_currency: 'BTC' },
  ]) {
    const record = await readyToPay(exchange, pair)
    assert.ok(record.deposit?.address)
    assert.deepEqual(
      [record.deposit_address, record.deposit_extra_id],
      [record.deposit.address, record.deposit.extra_id],
    )
  }
  const { deposit, deposit_address: address, deposit_extra_id: extraId } = await readyToPay(exchange)
  assert.deepEqual([deposit, address, extraId], [null, null, null])
})

it('a public key reads no hash of a payout', async () => {
  const { id, output_hash: hash } = await buy(exchange)
  assert.ok(hash)
  const asked = { key: exchange.sandbox.public_key }
  const { body } = await exchange.api<TransactionRecord>(`/v1/transaction/${id}`, asked)
  assert.deepEqual([body.status, body.output_hash, body.email], ['finished', null, null])
})
