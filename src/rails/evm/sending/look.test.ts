import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { type EvmWorld, openEvmWorld, through } from '../../../../test/support/evm-world.ts'
import { toHex } from '../node.ts'
import { payouts } from './payouts.ts'

const gwei = 10n ** 9n

let world: EvmWorld
before(async () => {
  world = await openEvmWorld({ EVM_MAX_FEE_GWEI: '500', EVM_BUMP_AFTER: 'PT60S' })
})
after(() => world.close())

const baseFee = (wei: bigint): Promise<unknown> => world.anvil.ask('anvil_setNextBlockBaseFeePerGas', toHex(wei))

describe('a payout that another process makes raisedFees while one looks', () => {
  it('is not taken for one whose nonce somebody else has used', async () => {
    const { anvil, one, other } = world
    const recipient = '0x00000000000000000000000000000000000A11cE'
    const [plan] = await one.payout.prepare([
      { payoutId: 77n, asset: 'ETH-ETH', amount: 500n, destination: { address: recipient, extraId: '', holder: '' } },
    ])
    assert(plan)
    await one.follow()
    await baseFee(gwei)
    await one.payout.submit(plan)

    let isHeld = false
    const slow = payouts(
      through(one.chain, (askAll) => async (calls) => {
        if (!isHeld && calls[0]?.method === 'eth_getTransactionReceipt') {
          isHeld = true
          world.pass(61_000)
          assert.equal((await other.payout.look(plan)).state, 'pending')
          await anvil.mine(4)
          await one.follow()
        }
        return askAll(calls)
      }),
    )
    assert.equal((await slow.look(plan)).state, 'pending')
    const candidates = await world.db.sql`select 1 from evm_candidates`
    assert.equal(candidates.length, 2, 'it was made raisedFees meanwhile')
    await one.follow()
    assert.equal((await one.payout.look(plan)).state, 'done')
    assert.equal(await anvil.balance(recipient), 500n)
  })
})

it('a payout is not taken for one that never was where only the database says that something else has its nonce', async () => {
  const { anvil, one, db } = world
  const recipient = '0x00000000000000000000000000000000000a11cf'
  const destination = { address: recipient, extraId: '', holder: '' }
  const [plan] = await one.payout.prepare([{ payoutId: 78n, asset: 'ETH-ETH', amount: 500n, destination }])
  assert(plan)
  await baseFee(gwei)
  await one.payout.submit(plan)
  const [own] = await db.sql<{ hash: string; nonce: bigint }>`
    select hash, nonce from evm_candidates join evm_sends on id = send_id where plan_key = '78'`
  await anvil.ask('anvil_dropTransaction', own?.hash)
  const strangers = await anvil.send({ to: anvil.stranger, value: 1n })
  await anvil.mine(5)
  await one.follow()
  const sender = one.chain.keys.hot.toLowerCase()
  await db.sql`
    with next as (
      insert into chain_blocks (network, number, hash) select 'ETH', next_block, '0x' from chain_follows returning number)
    select 1 from next`
  await db.sql`
    insert into evm_outgoing (network, sender, nonce, hash, block)
    select 'ETH', ${sender}, ${own?.nonce ?? 0n}, ${strangers}, next_block from chain_follows`
  await db.sql`update chain_follows set next_block = next_block + 1`
  await anvil.mine(3)
  assert.equal((await one.payout.look(plan)).state, 'pending')
  await anvil.mine(3)
  await one.follow()
  assert.equal((await one.payout.look(plan)).state, 'done')
  assert.equal(await anvil.balance(recipient), 500n)
})
