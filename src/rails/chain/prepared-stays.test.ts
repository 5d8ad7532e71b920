import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'

import pg from 'pg'

import { testDatabase } from '../../../test/support/database.ts'

let owner: pg.Client
let service: pg.Client
before(async () => {
  const { url, ownerUrl } = await testDatabase()
  owner = new pg.Client({ connectionString: ownerUrl })
  service = new pg.Client({ connectionString: url })
  await owner.connect()
  await service.connect()
})
after(() => Promise.all([owner.end(), service.end()]))

/** The table of each chain, a payment that waits there, what it may become, and what no statement may make of it. */
const chains = {
  bitcoin_payments: {
    make: `insert into chain_follows (network, family) values ('BTC', 'bitcoin');
      insert into bitcoin_payments (network, plan_key, script, amount, stamp) values ('BTC', '1', '00aa', 5, '\\x01')`,
    allowed: [`script = null`],
    refused: [`script = '00bb'`, 'amount = 6', `plan_key = '2'`, `stamp = '\\x02'`, 'stamp = null'],
  },
  xrpl_payments: {
    make: `insert into chain_follows (network, family, identity) values ('XRP', 'xrpl', 'r1');
      insert into xrpl_payments (network, plan_key, recipient, tag, amount, stamp) values ('XRP', '1', 'r2', 7, 5, '\\x01')`,
    allowed: ['recipient = null, tag = null'],
    refused: [`recipient = 'r3'`, 'tag = 8', 'tag = null', 'amount = 6', `plan_key = '2'`, `stamp = '\\x02'`],
  },
  evm_sends: {
    make: `insert into assets (id, ticker, network, decimals) values ('ETH-ETH', 'ETH', 'ETH', 18) on conflict do nothing;
      insert into chain_follows (network, family) values ('ETH', 'evm');
      insert into evm_wallets (network, address, next_nonce) values ('ETH', '0x1', 1);
      insert into evm_sends (network, sender, nonce, plan_key, body, stamp, asset, amount, most_fee)
      values ('ETH', '0x1', 0, '1', '{"recipient": "0x2"}', '\\x01', 'ETH-ETH', 5, 1)`,
    allowed: ['body = null'],
    refused: [
      `body = '{"recipient": "0x3"}'`,
      'amount = 6',
      `plan_key = '2'`,
      'nonce = 1',
      `asset = 'USDT-ETH'`,
      `stamp = '\\x02'`,
    ],
  },
}

for (const [table, { make, allowed, refused }] of Object.entries(chains))
  it(`what a prepared payment pays, and to whom, stays as it was written down (${table})`, async () => {
    await owner.query(make)
    for (const change of refused)
      await assert.rejects(
        owner.query(`update ${table} set ${change}`),
        /A payment on a chain never changes its/,
        change,
      )
    for (const change of allowed) await owner.query(`update ${table} set ${change}`)
    // Once it is forgotten, too.
    for (const change of refused.filter((one) => one !== 'tag = null'))
      await assert.rejects(
        owner.query(`update ${table} set ${change}`),
        /A payment on a chain never changes its/,
        change,
      )
    if (table !== 'evm_sends')
      await assert.rejects(service.query(`delete from ${table}`), /permission denied/, 'a payment that goes')
  })
