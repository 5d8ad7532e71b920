import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'

import { reconcile } from '../../src/exchange/reconciliation/reconcile.ts'
import { receiveRailEvents } from '../../src/exchange/settlement/rail-event.ts'
import { runCommand } from '../support/command.ts'
import { type Exchange, startExchange, steady } from '../support/exchange.ts'
import { lookup } from '../support/journey.ts'
import { until } from '../support/telling.ts'

let exchange: Exchange
before(async () => {
  exchange = await startExchange({ RATE_LIMITS: 'off' }, steady)
})
after(() => exchange.stop())

it('coins that came otherwise than by a payment, for no order, are a break with their hash until they leave suspense', async () => {
  const { ctx } = exchange.service.composition
  const unseen = async () =>
    (await reconcile(ctx)).breaks
      .filter(({ cause }) => cause === 'arrived_unseen')
      .map(({ account, key, amount }) => [account, key, amount])
  const came = (payment: string, body: Record<string, string>) =>
    ctx.db.atomic((block) =>
      receiveRailEvents(ctx, block, [
        {
          rail: 'sandbox-xrp',
          key: `${payment}:final`,
          kind: 'deposit_final',
          reference: 'rLVBE827UgJt3Fhr3szgipftoVoxKpJj9a',
          payment,
          asset: 'XRP-XRP',
          amount: 7_000n,
          body,
        },
      ]),
    )
  const hash = 'AB'.repeat(32)
  await came(hash, { arrived_by: 'AccountDelete' })
  await came('CD'.repeat(32), {})
  const waiting = `select deposits.id::text as id from deposits join rail_events on rail_events.id = event_id where transaction_id is null`
  await until(async () => (await lookup(exchange, waiting)).length === 2, 'both in suspense')
  const { custodyAccount } = ctx.rails.named('sandbox-xrp') ?? assert.fail()
  assert.deepEqual(await unseen(), [[custodyAccount, `sandbox-xrp in ${hash}`, 7_000n]])
  const [deposit] = await lookup<{ id: string }>(exchange, `${waiting} and deposits.payment = '${hash}'`)
  const booked = await runCommand(
    ['suspense', 'book', deposit?.id ?? '', '--as', 'capital', '--reason', 'a test', '--json'],
    { DATABASE_URL: exchange.ownerUrl, DATA_DIR: exchange.dataDir },
  )
  assert.equal(booked.exitCode, 0, booked.err)
  assert.deepEqual(await unseen(), [])
})
