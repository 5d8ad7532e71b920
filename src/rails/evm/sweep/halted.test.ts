import assert from 'node:assert/strict'
import { after, afterEach, before, describe, it } from 'node:test'

import { token } from '../../../../test/support/anvil.ts'
import { type EvmWorld, openEvmWorld, through } from '../../../../test/support/evm-world.ts'
import type { Chain } from '../chain.ts'
import type { Keys } from '../keys.ts'
import { toHex } from '../node.ts'
import { payouts } from '../sending/payouts.ts'
import { sweepOnce } from './sweep.ts'

const usdt = { asset: 'USDT-ETH', contract: '0xdAC17F958D2ee523a2206206994597C13D831ec7' }
const ether = 10n ** 18n
const gwei = 10n ** 9n

let world: EvmWorld
let ids = 0n

before(async () => {
  world = await openEvmWorld({ EVM_BUMP_AFTER: 'PT60S', EVM_MAX_FEE_GWEI: '500' }, 'signer')
  const { anvil } = world
  await anvil.layToken(usdt.contract)
  await anvil.send({ to: usdt.contract, data: token.mint(anvil.customer, 10n ** 12n) })
  await anvil.mine(5)
  await world.one.follow()
})
after(() => world.close())
afterEach(() => world.db.sql`delete from halts`)

const halt = (scope: string, name: string): Promise<unknown> =>
  world.db.sql`insert into halts (scope, name, since, reason) values (${scope}, ${name}, now(), 'a drill')`

async function paid(asset: string): Promise<string> {
  const { anvil, one } = world
  const order = { id: (ids += 1n), category: 'CRYPTO', asset, amount: 1n }
  const { reference } = await one.deposit.instruct(order)
  if (asset === usdt.asset) await anvil.send({ to: usdt.contract, data: token.transfer(reference, 60_000_000n) })
  else await anvil.send({ to: reference, value: ether })
  await anvil.mine(3)
  await one.follow()
  return reference
}

async function swept(chain: Chain = world.one.chain): Promise<void> {
  for (let round = 0; round < 5; round += 1) {
    world.pass(3_100)
    await sweepOnce(chain)
    await world.anvil.mine(3)
    await world.one.follow()
  }
}

const tokensAt = (address: string): Promise<bigint> => world.anvil.tokens(usdt.contract, address)
const signing = (chain: Chain, sign: (keys: Keys) => Keys['sign']): Chain => ({
  ...chain,
  keys: { ...chain.keys, sign: sign(chain.keys) },
})
const written = async (): Promise<unknown[]> =>
  world.db.sql`
    select 1 from evm_moves where asked_fee is not null union all select 1 from evm_candidates where hash is null`

describe('what is signed on a chain of the EVM', () => {
  it('brings no tokens while their asset is halted, nor anything while the rail is', async () => {
    const { anvil } = world
    const [tokens, coins] = [await paid(usdt.asset), await paid('ETH-ETH')]
    await halt('rail', 'evm-eth')
    await swept()
    assert.deepEqual([await tokensAt(tokens), await anvil.balance(coins)], [60_000_000n, ether])
    await world.db.sql`delete from halts`
    await halt('asset', usdt.asset)
    await swept()
    assert.deepEqual([await tokensAt(tokens), await anvil.balance(coins)], [60_000_000n, 0n])
    assert.equal(await anvil.balance(tokens), 0n, 'no gas is brought for them')
    await world.db.sql`delete from halts`
    await swept()
    assert.equal(await tokensAt(tokens), 0n)
  })

  it('is not signed where it is halted between the look and the signature', async () => {
    const { anvil, one } = world
    const coins = await paid('ETH-ETH')
    let signed = 0
    const counting = signing(one.chain, (keys) => (transfer) => {
      signed += 1
      return keys.sign(transfer)
    })
    const late = through(counting, (askAll) => async (calls) => {
      if (calls[0]?.method === 'eth_estimateGas') await halt('asset', 'ETH-ETH')
      return askAll(calls)
    })
    world.pass(3_100)
    await sweepOnce(late)
    assert.equal(signed, 0)
    assert.equal(await anvil.balance(coins), ether)
  })

  it('is written down before it is signed, and once it is signed it is brought', async () => {
    const { anvil, one } = world
    await swept()
    const coins = await paid('ETH-ETH')
    const killed = signing(one.chain, (keys) => async (transfer) => {
      assert.equal((await written()).length, 1)
      await keys.sign(transfer)
      throw new Error('killed')
    })
    world.pass(3_100)
    await sweepOnce(killed)
    assert.equal((await written()).length, 1)
    world.pass(61_000)
    await swept()
    assert.equal(await anvil.balance(coins), 0n)
    assert.deepEqual(await written(), [])
  })

  it('is known for a payout even where the process ended before it kept a dearer candidate', async () => {
    const { anvil, one, other } = world
    const destination = { address: '0x00000000000000000000000000000000c0ffee07', extraId: '', holder: '' }
    const [plan] = await one.payout.prepare([{ payoutId: 70_001n, asset: 'ETH-ETH', amount: 500n, destination }])
    assert(plan)
    await anvil.ask('anvil_setNextBlockBaseFeePerGas', toHex(gwei))
    await one.payout.submit(plan)
    world.pass(61_000)
    const killed = signing(one.chain, (keys) => async (transfer) => {
      const { raw } = await keys.sign(transfer)
      if ((await written()).length === 0) return keys.sign(transfer)
      await anvil.ask('eth_sendRawTransaction', raw)
      throw new Error('killed')
    })
    await assert.rejects(payouts(killed).look(plan), /killed/)
    await anvil.mine(4)
    await one.follow()
    assert.equal((await other.payout.look(plan)).state, 'pending')
    assert.equal((await other.payout.look(plan)).state, 'done')
    assert.equal(await anvil.balance(destination.address), 500n)
  })

  it('is brought to both nodes', async () => {
    const { anvil, one } = world
    const destination = { address: '0x00000000000000000000000000000000c0ffee08', extraId: '', holder: '' }
    const [plan] = await one.payout.prepare([{ payoutId: 70_002n, asset: 'ETH-ETH', amount: 500n, destination }])
    assert(plan)
    for (const answer of ['it takes it and forgets it', 'it refuses it']) {
      const deaf = through({ ...one.chain, second: one.chain.node }, (askAll) => (calls) => {
        if (calls[0]?.method !== 'eth_sendRawTransaction') return askAll(calls)
        return answer === 'it refuses it' ? askAll([{ method: 'no_such_call', params: [] }]) : Promise.resolve([])
      })
      await payouts(deaf).submit(plan)
    }
    await anvil.mine(4)
    assert.equal(await anvil.balance(destination.address), 500n)
  })
})
