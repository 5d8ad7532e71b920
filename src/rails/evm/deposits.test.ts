import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { token } from '../../../test/support/anvil.ts'
import { type EvmWorld, openEvmWorld, reportsOf, through } from '../../../test/support/evm-world.ts'
import type { RailEvent } from '../rail.ts'
import { newFollower } from '../chain/follow.ts'
import { followOnce } from './follow.ts'

const coin = 'ETH-ETH'
const usdt = { asset: 'USDT-ETH', contract: '0xdAC17F958D2ee523a2206206994597C13D831ec7' }
const lookAlike = '0x00000000000000000000000000000000000c0de5'

let world: EvmWorld
let ids = 2n ** 31n

before(async () => {
  world = await openEvmWorld()
  await world.anvil.layToken(usdt.contract)
  await world.anvil.layToken(lookAlike)
  await world.anvil.send({ to: usdt.contract, data: token.mint(world.anvil.customer, 10n ** 12n) })
  await world.anvil.send({ to: lookAlike, data: token.mint(world.anvil.customer, 10n ** 12n) })
  await world.anvil.mine()
  await world.one.follow()
})
after(() => world.close())

const instructed = async (asset = coin): Promise<string> => {
  const reported = await world.one.deposit.instruct({ id: (ids += 1n), category: 'CRYPTO', asset, amount: 1_000n })
  assert(
    reported.payTo.kind === 'address' && reported.payTo.address === reported.reference && reported.payTo.extraId === '',
  )
  return reported.reference
}
const kindsOf = (events: RailEvent[]): string[] => events.map(({ kind }) => kind)
const pay = (to: string, value = 1_000n): Promise<string> => world.anvil.send({ to, value })
const payTokens = (to: string, amount = 1_000n, contract = usdt.contract): Promise<string> =>
  world.anvil.send({ to: contract, data: token.transfer(to, amount) })

describe('coins and tokens that come in on a chain of the EVM', () => {
  it('each transaction has its own address, and the same one when asked again', async () => {
    const order = { id: (ids += 1n), category: 'CRYPTO', asset: coin, amount: 1n }
    const [first, again] = [await world.one.deposit.instruct(order), await world.other.deposit.instruct(order)]
    assert.deepEqual(again, first)
    assert.notEqual((await world.one.deposit.instruct({ ...order, id: (ids += 1n) })).reference, first.reference)
    assert.notEqual((await world.one.deposit.instruct({ ...order, id: ids - 2n ** 31n })).reference, first.reference)
  })

  for (const [asset, payIn] of [
    [coin, pay],
    [usdt.asset, payTokens],
  ] as const) {
    it(`are seen with their block and final with the confirmations, not a block before: ${asset}`, async () => {
      const { deposit, follow } = world.one
      const reference = await instructed(asset)
      const held = await world.one.rail.balance(asset)
      const hash = await payIn(reference)
      assert.deepEqual(await follow(), [], 'it is in no block')
      await world.anvil.mine()
      const [seen, ...none] = await follow()
      assert.deepEqual(none, [])
      const payment = asset === coin ? hash : `${hash}:0`
      const money = { reference, payment, asset, amount: 1_000n }
      assert.deepEqual(seen, {
        ...money,
        key: `${payment}:seen`,
        kind: 'deposit_seen',
        body: { payment, status: 'SEEN' },
      })
      await world.anvil.mine()
      assert.deepEqual(await follow(), [])
      assert.equal(await world.one.rail.balance(asset), held, 'what is not final is not held')
      await world.anvil.mine()
      const [final, ...more] = await follow()
      assert.deepEqual(more, [])
      assert.deepEqual(final, {
        ...seen,
        key: `${payment}:final`,
        kind: 'deposit_final',
        body: { payment, status: 'FINAL' },
      })
      assert.equal(await world.one.rail.balance(asset), held + 1_000n)
      assert.deepEqual(await deposit.look(reference), [seen, final], 'a look-up gives the same')
      await world.anvil.mine(5)
      assert.deepEqual(await follow(), [], 'and nothing more')
    })
  }

  it('are each payment that was made, several in one block and two in one address', async () => {
    const [mine, yours] = [await instructed(), await instructed(usdt.asset)]
    const paid = [await pay(mine, 1n), await pay(mine, 2n), await payTokens(yours, 3n), await payTokens(yours, 4n)]
    await world.anvil.mine(3)
    const events = await world.one.follow()
    const final = events.filter(({ kind }) => kind === 'deposit_final')
    assert.deepEqual(new Set(final.map(({ amount }) => amount)), new Set([1n, 2n, 3n, 4n]))
    assert.deepEqual(new Set(final.map(({ payment }) => payment.slice(0, 66))), new Set(paid))
    assert.equal(new Set(events.map(({ key }) => key)).size, 8)
  })

  it('credit nothing for a call that failed, a contract that looks alike, or no amount', async () => {
    const { anvil, one } = world
    const reference = await instructed(usdt.asset)
    await anvil.send({ to: usdt.contract, data: token.fail(reference, 1_000n) })
    await anvil.send({ to: usdt.contract, data: token.transfer(reference, 10n ** 13n) })
    await payTokens(reference, 1_000n, lookAlike)
    await anvil.send({ to: lookAlike, data: token.pretend(usdt.contract, reference, 1_000n) })
    await payTokens(reference, 0n)
    await pay(reference, 0n)
    await anvil.ask('anvil_setCode', reference, '0x60006000fd')
    const failed = await pay(reference)
    await anvil.mine(4)
    assert.equal((await anvil.ask<{ status: string }>('eth_getTransactionReceipt', failed)).status, '0x0')
    await anvil.ask('anvil_setCode', reference, '0x')
    assert.deepEqual(await one.follow(), [])
    assert.deepEqual(await one.deposit.look(reference), [])
    await payTokens(reference, 5n)
    await anvil.mine()
    assert.deepEqual(kindsOf(await one.follow()), ['deposit_seen'])
    await anvil.mine(3)
    await one.follow()
  })

  it('credit nothing of a contract that looks alike, though a node hands over all its logs', async () => {
    const { anvil, one } = world
    const reference = await instructed(usdt.asset)
    const lavish = through(one.chain, (askAll) => (calls) => {
      const [first] = calls
      if (first?.method !== 'eth_getLogs') return askAll(calls)
      const all = calls.map(({ method, params: [filter] }) => ({
        method,
        params: [{ blockHash: (filter as { blockHash: string }).blockHash }],
      }))
      return askAll(all)
    })
    await payTokens(reference, 1_000n, lookAlike)
    await anvil.mine(3)
    world.pass(60_000)
    const reported: RailEvent[] = []
    await followOnce(
      newFollower(
        lavish,
        reportsOf((_db, events) => Promise.resolve(void reported.push(...events))),
      ),
    )
    assert.deepEqual(reported, [])
    world.pass(60_000)
    assert.deepEqual(await one.follow(), [])
  })

  it('go back to nobody by themselves: the sender may be the wallet of an exchange', async () => {
    const { anvil, one } = world
    const [plain, other] = [await instructed(), await instructed(usdt.asset)]
    const [coins, tokens] = [await pay(plain), await payTokens(other)]
    await anvil.mine(3)
    await one.follow()
    for (const payment of [coins, `${tokens}:0`]) assert.equal(await one.deposit.origin(payment), 'unknown')
  })

  it('are found by following the chain, without callbacks', () => {
    assert.equal(world.one.rail.readCallback, undefined)
  })
})
