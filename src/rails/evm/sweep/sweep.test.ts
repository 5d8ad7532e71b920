import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'

import { token } from '../../../../test/support/anvil.ts'
import { type EvmWorld, type KeyHolder, keyHolders, openEvmWorld, through } from '../../../../test/support/evm-world.ts'
import type { Chain } from '../chain.ts'
import { toHex } from '../node.ts'
import { chargeCosts, sweepOnce } from './sweep.ts'

const coin = 'ETH-ETH'
const usdt = { asset: 'USDT-ETH', contract: '0xdAC17F958D2ee523a2206206994597C13D831ec7' }
const gwei = 10n ** 9n
const ether = 10n ** 18n

let world: EvmWorld
let ids = 0n
/** What the books say of the coin: the opening, what came, less what was charged. */
let booked = 0n

async function open(holder: KeyHolder): Promise<void> {
  world = await openEvmWorld({ EVM_BUMP_AFTER: 'PT60S' }, holder)
  const { anvil, one } = world
  await anvil.layToken(usdt.contract)
  await anvil.send({ to: usdt.contract, data: token.mint(anvil.customer, 10n ** 12n) })
  await anvil.mine(5)
  await one.follow()
  booked = await one.rail.balance(coin)
}

const baseFee = (wei: bigint): Promise<unknown> => world.anvil.ask('anvil_setNextBlockBaseFeePerGas', toHex(wei))

async function paid(asset: string, amount: bigint, address?: string): Promise<string> {
  const { anvil, one } = world
  const order = { id: (ids += 1n), category: 'CRYPTO', asset, amount }
  const to = address ?? (await one.deposit.instruct(order)).reference
  if (asset === coin) await anvil.send({ to, value: amount })
  else await anvil.send({ to: usdt.contract, data: token.transfer(to, amount) })
  await anvil.mine(3)
  const events = await one.follow()
  assert.equal(events.filter(({ kind }) => kind === 'deposit_final').length, 1)
  if (asset === coin) booked += amount
  return to
}

/** Lets time and blocks pass while addresses are swept, and gives what was charged. Nothing of it is reported. */
async function swept(rounds = 8, chain: Chain = world.one.chain): Promise<bigint> {
  let charged = 0n
  for (let round = 0; round < rounds; round += 1) {
    world.pass(3_100)
    await sweepOnce(chain)
    await chargeCosts(chain, (_db, costs) => {
      for (const { asset, place, amount } of costs) {
        assert.deepEqual([asset, place], [coin, 'evm-eth'])
        charged += amount
      }
      return Promise.resolve()
    })
    await world.anvil.mine(3)
    assert.deepEqual(await world.one.follow(), [], 'transfers between our wallets are not reported')
  }
  booked -= charged
  return charged
}
const purses = (): Promise<unknown[]> => world.db.sql`select 1 from evm_purses`

for (const holder of keyHolders)
  describe(`what lies on addresses of transactions, signed by the ${holder}`, () => {
    before(() => open(holder))
    after(() => world.close())
    beforeEach(() => baseFee(gwei))

    it('stays there while everything is halted', async () => {
      const address = await paid(coin, ether)
      await world.db.sql`insert into halts (scope, name, since, reason) values ('all', '', now(), 'a drill')`
      assert.equal(await swept(3), 0n)
      assert.equal(await world.anvil.balance(address), ether)
      await world.db.sql`delete from halts`
      await swept()
      assert.equal(await world.anvil.balance(address), 0n)
    })

    it('is brought to the wallet that pays, to the last wei, at a cost that is booked once', async () => {
      const { anvil, one } = world
      const address = await paid(coin, ether)
      const before = await anvil.balance(one.chain.keys.hot)
      assert.equal(await one.rail.balance(coin), booked)
      const charged = await swept()
      assert(charged > 0n)
      assert.equal(await anvil.balance(address), 0n)
      assert.equal(await anvil.balance(one.chain.keys.hot), before + ether - charged)
      assert.equal(await one.rail.balance(coin), booked)
      world.pass(3_600_000)
      assert.equal(await swept(2), 0n)
      assert.deepEqual(await purses(), [])
    })

    it('as tokens is brought with gas from that wallet', async () => {
      const { anvil, one } = world
      const address = await paid(usdt.asset, 60_000_000n)
      const held = await one.rail.balance(usdt.asset)
      assert(held >= 60_000_000n)
      const charged = await swept()
      assert(charged > 0n)
      assert.equal(await anvil.tokens(usdt.contract, address), 0n)
      assert.equal(await anvil.tokens(usdt.contract, one.chain.keys.hot), held)
      assert.equal(await one.rail.balance(usdt.asset), held)
      assert.equal(await one.rail.balance(coin), booked)
    })

    it('as both is brought, the tokens first', async () => {
      const { anvil, one } = world
      const address = await paid(usdt.asset, 60_000_000n)
      await paid(coin, ether, address)
      await swept(10)
      assert.equal(await anvil.tokens(usdt.contract, address), 0n)
      assert.equal(await anvil.balance(address), 0n)
      assert.equal(await one.rail.balance(coin), booked)
    })

    it('stays where bringing it is not worth its cost', async () => {
      const { anvil, one } = world
      const [few, little] = [await paid(usdt.asset, 1n), await paid(coin, 1_000n)]
      assert.equal(await swept(2), 0n)
      assert.deepEqual([await anvil.tokens(usdt.contract, few), await anvil.balance(little)], [1n, 1_000n])
      assert.equal(await one.rail.balance(coin), booked)
      await world.db.sql`delete from evm_purses`
      booked -= 1_000n
    })

    it('is brought once by two processes, and by the next one where one was killed before it broadcast', async () => {
      const { anvil, one, other } = world
      const address = await paid(coin, ether)
      const killed = through(one.chain, (askAll) => (calls) => {
        if (calls[0]?.method === 'eth_sendRawTransaction') throw new Error('killed')
        return askAll(calls)
      })
      world.pass(3_100)
      await sweepOnce(killed)
      assert.equal(await anvil.balance(address), ether)
      world.pass(61_000)
      await Promise.all([sweepOnce(one.chain), sweepOnce(other.chain)])
      await anvil.mine(3)
      assert.deepEqual(await one.follow(), [])
      assert((await swept()) > 0n)
      assert.equal(await anvil.balance(address), 0n)
      assert.equal(await one.rail.balance(coin), booked)
    })

    it('is brought at a higher price where the first keeps it back', async () => {
      const { anvil, one } = world
      const address = await paid(coin, ether)
      world.pass(3_100)
      await sweepOnce(one.chain)
      for (let round = 0; round < 12; round += 1) {
        await baseFee(8n * gwei)
        await anvil.mine()
        world.pass(61_000)
        await sweepOnce(one.chain)
      }
      const [move] = await world.db.sql<{ hashes: string[] }>`select hashes from evm_moves order by id desc limit 1`
      assert((move?.hashes.length ?? 0) > 1)
      await swept()
      assert.equal(await anvil.balance(address), 0n)
      assert.equal(await one.rail.balance(coin), booked)
    })

    it('and what a payout cost that failed are charged as well', async () => {
      const { anvil, one } = world
      const address = '0x00000000000000000000000000000000c0ffee02'
      const destination = { address, extraId: '', holder: '' }
      const [plan] = await one.payout.prepare([{ payoutId: 999n, asset: coin, amount: 5n, destination }])
      assert(plan)
      await one.payout.submit(plan)
      await anvil.ask('anvil_setCode', address, '0x60006000fd')
      await anvil.mine(3)
      await one.follow()
      assert.deepEqual(await one.payout.look(plan), { state: 'never' })
      assert((await swept(2)) > 0n)
      assert.equal(await one.rail.balance(coin), booked)
    })
  })
