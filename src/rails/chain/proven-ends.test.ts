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
  await owner.query(`
    insert into assets (id, ticker, network, decimals) values ('ETH-ETH', 'ETH', 'ETH', 18) on conflict do nothing;
    insert into chain_follows (network, family, next_block, agreed_block) values ('ETH', 'evm', 11, 10);
    insert into chain_blocks (network, number, hash) select 'ETH', number, number::text from generate_series(8, 10) as number;
    insert into evm_wallets (network, address, next_nonce) values ('ETH', '0x1', 2);
    insert into evm_sends (network, sender, nonce, plan_key, asset, amount, most_fee, stamp)
    values ('ETH', '0x1', 0, '1', 'ETH-ETH', 5, 1, '\\x01'), ('ETH', '0x1', 1, '2', 'ETH-ETH', 5, 1, '\\x01');
    insert into chain_follows (network, family, next_block, agreed_block) values ('BTC', 'bitcoin', 11, 10);
    insert into chain_blocks (network, number, hash) select 'BTC', number, number::text from generate_series(8, 10) as number;
    insert into bitcoin_addresses (network, branch, position, script, address) values ('BTC', 1, 0, '00aa', 'bc1q');
    insert into bitcoin_coins (network, txid, vout, inclusion, address_id, amount, block, is_own, state)
    select 'BTC', 'aa', 0, 1, id, 9, 8, true, 'final' from bitcoin_addresses;
    insert into bitcoin_sends (network) values ('BTC');
    insert into bitcoin_inputs (send_id, txid, vout, amount, branch, position, since)
    select id, 'aa', 0, 9, 1, 0, 1 from bitcoin_sends;
    insert into bitcoin_payments (network, plan_key, script, amount, stamp) values ('BTC', '1', '00bb', 5, '\\x01');
    update bitcoin_payments set send_id = (select id from bitcoin_sends), state = 'sending', number = 1;
    insert into bitcoin_attempts (send_id, number, txid, raw, fee, size, change, made_at)
    select id, 1, 'bb', '00', 1, 1, 0, now() from bitcoin_sends`)
})
after(() => Promise.all([owner.end(), service.end()]))

const refused = async (...statements: string[]): Promise<void> => {
  for (const statement of statements)
    await assert.rejects(
      service.query(statement),
      /No block that was read ends this|changes with its block alone/,
      statement,
    )
}

it('no statement makes a payment of the EVM one that never was, but by a block while it is read', async () => {
  const never = `update evm_sends set state = 'never' where plan_key = '1'`
  const took = (block: number) =>
    `insert into evm_outgoing (network, sender, nonce, hash, block) values ('ETH', '0x1', 0, '0xff', ${block})`
  await refused(never, took(10), took(11))
  await service.query(`
    begin;
    insert into chain_blocks (network, number, hash) values ('ETH', 11, '11');
    ${took(11)};
    update chain_follows set next_block = 12 where network = 'ETH';
    commit`)
  await refused(
    `update evm_outgoing set nonce = 1`,
    `update evm_outgoing set hash = '0xee'`,
    `update evm_outgoing set block = 9`,
    'delete from evm_outgoing',
  )
  await service.query(never)
  await refused(
    `update evm_sends set state = 'open' where plan_key = '1'`,
    `update evm_sends set state = 'never' where plan_key = '2'`,
  )
  await service.query(`update evm_sends set state = 'done' where plan_key = '2'`)
  await refused(`update evm_sends set state = 'never' where plan_key = '2'`)
  await service.query(`delete from chain_blocks where network = 'ETH' and number = 11; delete from evm_outgoing`)
})

it('no statement makes a payment of Bitcoin one that never was, but by a block while it is read', async () => {
  const never = `update bitcoin_sends set state = 'never'`
  const spent = (block: number, by = 'ff') => `update bitcoin_coins set spent_by = '${by}', spent_block = ${block}`
  const over = `update bitcoin_payments set state = 'never'`
  await refused(never, over, spent(10), spent(11))
  const read = (by: string) => `
    begin;
    insert into chain_blocks (network, number, hash) values ('BTC', 11, '11');
    ${spent(11, by)};
    update chain_follows set next_block = 12 where network = 'BTC';
    commit`
  await service.query(read('bb'))
  await refused(
    never,
    spent(9),
    `update bitcoin_coins set spent_by = 'ff'`,
    `update bitcoin_coins set spent_by = null, spent_block = null`,
  )
  await service.query(`
    begin;
    delete from chain_blocks where network = 'BTC' and number = 11;
    update bitcoin_coins set spent_by = null, spent_block = null;
    update chain_follows set next_block = 11 where network = 'BTC';
    commit`)
  await service.query(read('ff'))
  await refused(over)
  await service.query(never)
  await service.query(over)
})
