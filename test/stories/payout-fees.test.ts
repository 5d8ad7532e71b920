import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { type Exchange, startExchange } from '../support/exchange.ts'
import { arrive, assertBooksHold, lookup, pay, readyToPay } from '../support/journey.ts'
import { inPurse, moveOwnCoins, type Purse } from '../support/owner-money.ts'
import { until } from '../support/telling.ts'

let exchange: Exchange
before(async () => {
  exchange = await startExchange({ RATE_LIMITS: 'off' })
})
after(() => exchange.stop())

const bitcoin: Purse = { network: 'BTC', place: 'wallet-btc', asset: 'BTC-BTC' }
const tron: Purse = { network: 'TRX', place: 'wallet-trx', asset: 'TRX-TRX' }

type Row = { state: string; amount: string; fee_asset: string; most_fee: string; reserved: string }

/** A transaction's payout, and what is reserved of the coin that sending takes. */
async function payoutOf(id: string): Promise<Row> {
  const [row] = await lookup<Row>(
    exchange,
    `select payouts.state, payouts.amount::text, fee_asset, most_fee::text, coalesce(reserved, 0)::text as reserved
     from payouts join transactions on transactions.id = transaction_id
     left join reserves on reserves.place = payouts.place and reserves.asset = fee_asset where public_id = $1`,
    [id],
  )
  return row ?? assert.fail('there is no payout')
}

/** Pays for a buy while nothing is in the wallet that pays for sending it. */
async function paidWithEmpty(purse: Purse, buy: Record<string, unknown>): Promise<{ id: string; home: bigint }> {
  const { id } = await readyToPay(exchange, buy)
  const home = await inPurse(exchange, purse)
  await moveOwnCoins(exchange, purse, -home)
  await pay(exchange, id)
  await arrive(exchange, id, 'exchanging')
  assert.equal((await payoutOf(id)).state, 'waiting')
  return { id, home }
}

const looksAgain = (id: string): Promise<void> => {
  let attempts: string | undefined
  return until(async () => {
    const [job] = await lookup<{ run_at: string }>(
      exchange,
      `select run_at::text from jobs where kind = 'payout.due' and key = (
         select payouts.id::text from payouts join transactions on transactions.id = transaction_id where public_id = $1)`,
      [id],
    )
    attempts ??= job?.run_at
    return job !== undefined && job.run_at !== attempts
  }, 'another look')
}

describe('a payout waits until its wallet can send it', () => {
  it('and not only pay it: the last coins are not promised', async () => {
    const { id, home } = await paidWithEmpty(bitcoin, {})
    const { amount, most_fee: fee, fee_asset: feeAsset } = await payoutOf(id)
    assert.equal(feeAsset, bitcoin.asset)
    await moveOwnCoins(exchange, bitcoin, BigInt(amount) + BigInt(fee) - 1n)
    await looksAgain(id)
    const { state, reserved } = await payoutOf(id)
    assert.deepEqual([state, reserved], ['waiting', '0'])
    await moveOwnCoins(exchange, bitcoin, 1n)
    await arrive(exchange, id, 'finished')
    assert.equal((await payoutOf(id)).reserved, '0')
    assert.equal(await inPurse(exchange, bitcoin), 0n)
    await moveOwnCoins(exchange, bitcoin, home)
    await assertBooksHold(exchange)
  })

  it('where sending takes another coin than is sent', async () => {
    const { id, home } = await paidWithEmpty(tron, { to_currency: 'USDT', to_network: 'TRX' })
    const { fee_asset: feeAsset, most_fee: fee } = await payoutOf(id)
    assert.equal(feeAsset, tron.asset)
    await moveOwnCoins(exchange, tron, BigInt(fee))
    await arrive(exchange, id, 'finished')
    assert.equal(await inPurse(exchange, tron), 0n)
    await moveOwnCoins(exchange, tron, home)
    await assertBooksHold(exchange)
  })
})
