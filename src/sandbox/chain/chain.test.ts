import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, beforeEach, describe, it, test } from 'node:test'

import { openRailWorld, type RailWorld } from '../../../test/support/rail-world.ts'
import { checkAddress, makeSandboxAddress } from '../../reference/addresses/address.ts'
import { forgetTestNetworks, useTestNetwork } from '../../reference/addresses/test-network.ts'
import { findNetwork, type Network, networks } from '../../reference/catalog/network.ts'
import { nativeAsset } from '../../reference/catalog/sync-assets.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import { parseAmount } from '../../platform/money/amount.ts'
import type { DepositRail, PayoutRail, PlanDraft } from '../../rails/rail.ts'
import { bounce, fundWallet, pay, type Payment, reorg, sendCoins } from '../rails.ts'
import { transferCost, walletOf } from './wallet.ts'

const found = (code: string): Network => findNetwork(code) ?? assert.fail(`no ${code}`)
const [btc, eth, xrp] = [found('BTC'), found('ETH'), found('XRP')]
const conflict = (error: unknown): boolean => error instanceof Refusal && error.code === 'CONFLICT'
const seconds = (count: number): number => count * 1_000
const first = 10n ** 12n

let stage: RailWorld
let ids = 0n

before(async () => {
  stage = await openRailWorld({ BTC: 3, XRP: 1 })
  for (const network of [btc, xrp]) await fundWallet(stage.db, network, nativeAsset(network).id, first)
})
after(() => stage.close())

const railOf = ({ code }: Network): DepositRail & PayoutRail => {
  const [rail, payer] = [stage.rails.forDeposit('CRYPTO', code), stage.rails.forPayout('CRYPTO', code)]
  assert(rail && rail === payer)
  return { ...rail, ...payer }
}

const instructed = async (network: Network, amount = 1_000n): Promise<Payment> => {
  const order = { id: (ids += 1n), category: 'CRYPTO', asset: nativeAsset(network).id, amount }
  const rail = railOf(network)
  return { ...order, ...(await rail.deposit.instruct(order)), rail: rail.name, returnUrl: '', locale: 'en' }
}

const kinds = async ({ name }: { name: string }): Promise<string[]> =>
  (await stage.deliver(name)).map(({ kind }) => kind)
const looked = async (rail: DepositRail, reference: string): Promise<string[]> =>
  (await rail.deposit.look(reference)).map(({ kind }) => kind)

const paidOut = async (network: Network, address: string, amount = 700n): Promise<PlanDraft> => {
  const rail = railOf(network)
  const destination = { address, extraId: '', holder: '' }
  const asset = nativeAsset(network).id
  const [plan] = await rail.payout.prepare([{ payoutId: (ids += 1n), asset, amount, destination }])
  assert(plan)
  await rail.payout.submit(plan)
  return plan
}
const stranger = ({ family }: Network): string =>
  makeSandboxAddress(
    family,
    createHash('sha256')
      .update(`stranger ${(ids += 1n)}`)
      .digest(),
  )

test('the wallet has an address of the network that is in use, whatever was in use before', () => {
  const main = walletOf(stage.world, btc).address
  useTestNetwork('bitcoin', 'regtest')
  const { address } = walletOf(stage.world, btc)
  forgetTestNetworks()
  assert.deepEqual([main.slice(0, 3), address.slice(0, 4), walletOf(stage.world, btc).address], ['bc1', 'bcrt', main])
})

describe('coins that come in', () => {
  let rail: DepositRail
  let payment: Payment
  let held: bigint

  beforeEach(async () => {
    rail = railOf(btc)
    payment = await instructed(btc)
    stage.pass(seconds(60))
    await stage.deliver(rail.name)
    held = await rail.balance(payment.asset)
  })

  it('are reported with their block, and final with the operator’s confirmations, not a block before', async () => {
    assert.equal(rail.deposit.confirmations, 3)
    await pay(stage.world, payment)
    assert.deepEqual(await kinds(rail), [], 'no block has come yet')
    assert.deepEqual(await looked(rail, payment.reference), [])
    stage.pass(seconds(1))
    assert.deepEqual(await looked(rail, payment.reference), ['deposit_seen'])
    assert.deepEqual(await kinds(rail), ['deposit_seen'])
    stage.pass(seconds(1))
    assert.deepEqual(await looked(rail, payment.reference), ['deposit_seen'])
    assert.deepEqual(await kinds(rail), [])
    assert.equal(await rail.balance(payment.asset), held, 'what is not final is not held')
    stage.pass(seconds(1))
    assert.deepEqual(await looked(rail, payment.reference), ['deposit_seen', 'deposit_final'])
    assert.deepEqual(await kinds(rail), ['deposit_final'])
    assert.equal(await rail.balance(payment.asset), held + 1_000n)
  })

  it('are counted as the catalog says where the operator has said nothing', () => {
    assert.equal(railOf(eth).deposit.confirmations, eth.minConfirmations)
  })

  it('are never final when their block is undone before', async () => {
    await pay(stage.world, payment)
    await assert.rejects(reorg(stage.world, { network: 'BTC', reference: payment.reference }), conflict, 'no block yet')
    stage.pass(seconds(2))
    assert.deepEqual(await kinds(rail), ['deposit_seen'])
    await reorg(stage.world, { network: 'BTC', reference: payment.reference })
    assert.equal(await rail.balance(payment.asset), held)
    stage.pass(seconds(60))
    assert.deepEqual(await kinds(rail), ['deposit_reversed'])
    assert.deepEqual(await looked(rail, payment.reference), ['deposit_seen', 'deposit_reversed'])
    assert.equal(await rail.balance(payment.asset), held)
    await assert.rejects(reorg(stage.world, { network: 'BTC', reference: payment.reference }), conflict)
  })

  it('are reversed once when their block is undone after they were final', async () => {
    const { hash } = await pay(stage.world, payment)
    stage.pass(seconds(5))
    assert.deepEqual(await kinds(rail), ['deposit_seen', 'deposit_final'])
    await reorg(stage.world, { network: 'BTC', reference: payment.reference })
    stage.pass(seconds(60))
    const facts = await stage.deliver(rail.name)
    assert.deepEqual(
      facts.map(({ kind, payment: paid, amount }) => ({ kind, paid, amount })),
      [{ kind: 'deposit_reversed', paid: hash, amount: 1_000n }],
    )
    assert.equal(facts[0]?.key, (await rail.deposit.look(payment.reference)).at(-1)?.key)
    assert.equal(await rail.balance(payment.asset), held)
  })

  it('reach each customer when many come at once', async () => {
    const payments = await Promise.all(Array.from({ length: 12 }, () => instructed(btc)))
    await Promise.all(
      payments.flatMap((one) => [pay(stage.world, one), pay(stage.world, one), paidOut(btc, stranger(btc))]),
    )
    stage.pass(seconds(60))
    const final = (await stage.deliver(rail.name)).filter(({ kind }) => kind === 'deposit_final')
    for (const { reference } of payments) assert.equal(final.filter((one) => one.reference === reference).length, 2)
    const spent = 12n * (700n + transferCost(btc).amount)
    assert.equal(await rail.balance(payment.asset), held + 24_000n - spent)
  })

  it('can be paid out again', async () => {
    await pay(stage.world, { ...payment, amount: 10n * first })
    stage.pass(seconds(60))
    await paidOut(btc, stranger(btc), 5n * first)
    assert((await rail.balance(payment.asset)) < 6n * first + held)
    await assert.rejects(reorg(stage.world, { network: 'BTC', reference: payment.reference }), conflict)
  })

  it('come from ourselves when somebody pays out into another order', async () => {
    assert(payment.payTo.kind === 'address')
    await paidOut(btc, payment.payTo.address, 1_000n)
    stage.pass(seconds(60))
    const facts = await stage.deliver(rail.name)
    assert.deepEqual(
      facts.map(({ kind, reference }) => [kind, reference]),
      [
        ['deposit_seen', payment.reference],
        ['deposit_final', payment.reference],
      ],
    )
    assert.equal(await rail.balance(payment.asset), held - transferCost(btc).amount)
  })

  it("neither strangers' coins nor coins of another chain are reported", async () => {
    const coins = { network: btc, asset: payment.asset, amount: 5n, address: stranger(btc), extraId: '' }
    await sendCoins(stage.world, coins)
    stage.pass(seconds(60))
    assert.deepEqual(await kinds(rail), [])
    await assert.rejects(sendCoins(stage.world, { ...coins, asset: 'ETH-ETH' }), Refusal)
  })

  it('need no memo on a chain without memos', async () => {
    await pay(stage.world, payment, { reference: 'for my order' })
    stage.pass(seconds(60))
    assert.deepEqual(await kinds(rail), ['deposit_seen', 'deposit_final'])
    assert.equal((await rail.deposit.look(payment.reference)).length, 2)
  })
})

describe('coins on a chain with memos', () => {
  it('come to one address, each order with its own memo', async () => {
    const rail = railOf(xrp)
    const [one, other] = [await instructed(xrp), await instructed(xrp)]
    assert(one.payTo.kind === 'address' && other.payTo.kind === 'address')
    assert.equal(one.payTo.address, other.payTo.address)
    assert.equal(rail.payout.owns(one.payTo.address), true)
    assert.notEqual(one.payTo.extraId, other.payTo.extraId)
    assert.equal(one.reference, `${one.payTo.address}?${one.payTo.extraId}`)
    assert.match(one.payTo.extraId, new RegExp(xrp.memo?.regex ?? 'no memo'))

    await pay(stage.world, other)
    stage.pass(seconds(1))
    const facts = await stage.deliver(rail.name)
    assert.deepEqual(
      facts.map(({ kind, reference }) => [kind, reference]),
      [
        ['deposit_seen', other.reference],
        ['deposit_final', other.reference],
      ],
    )
    assert.deepEqual(await rail.deposit.look(one.reference), [])
  })

  it('belong to nobody yet when the memo is missing or unknown', async () => {
    const rail = railOf(xrp)
    const payment = await instructed(xrp)
    const held = await rail.balance(payment.asset)
    for (const memo of ['', '1', 'Max Mustermann']) await pay(stage.world, payment, { reference: memo })
    stage.pass(seconds(60))
    const facts = await stage.deliver(rail.name)
    assert.equal(facts.length, 6)
    for (const { reference } of facts)
      assert.equal(reference, `${payment.payTo.kind === 'address' ? payment.payTo.address : ''}?`)
    assert.doesNotMatch(
      JSON.stringify(facts, (_, value) => String(value)),
      /Mustermann/,
    )
    assert.equal(await rail.balance(payment.asset), held + 3_000n)
  })

  it('fit the rules of every such chain', async () => {
    for (const network of networks.filter(({ memo }) => memo !== null)) {
      const { payTo } = await instructed(network)
      assert(payTo.kind === 'address')
      assert.match(payTo.extraId, new RegExp(network.memo?.regex ?? 'no memo'), network.code)
    }
  })
})

describe('coins that went out', () => {
  it('are pending again when their block is undone, and then done with the same hash', async () => {
    const rail = railOf(btc)
    const plan = await paidOut(btc, stranger(btc))
    stage.pass(seconds(1))
    const done = await rail.payout.look(plan)
    const held = await rail.balance('BTC-BTC')
    await reorg(stage.world, { network: 'BTC', planKeys: [plan.key] })
    assert.equal((await rail.payout.look(plan)).state, 'pending')
    await assert.rejects(reorg(stage.world, { network: 'BTC', planKeys: [plan.key] }), conflict)
    stage.pass(seconds(10))
    assert.deepEqual(await rail.payout.look(plan), done)
    assert.equal(await rail.balance('BTC-BTC'), held)
  })

  it('count as ours again when what came back is final', async () => {
    const rail = railOf(btc)
    const plan = await paidOut(btc, stranger(btc))
    stage.pass(seconds(1))
    const held = await rail.balance('BTC-BTC')
    await bounce(stage.world, { rail: rail.name, planKey: plan.key })
    stage.pass(seconds(2))
    assert.deepEqual(await kinds(rail), [])
    assert.equal(await rail.balance('BTC-BTC'), held)
    stage.pass(seconds(1))
    assert.deepEqual(await kinds(rail), ['payout_returned'])
    assert.equal(await rail.balance('BTC-BTC'), held + 700n)
    assert.deepEqual(await rail.deposit.look(plan.key), [], 'it is no deposit')
  })

  it('are undone on chains only, and only where something is in a block', async () => {
    await assert.rejects(reorg(stage.world, { network: 'EUR' }), conflict)
    await assert.rejects(reorg(stage.world, { network: 'BTC', reference: 'nowhere', planKeys: ['0'] }), conflict)
  })
})

test('every chain has a wallet, fresh addresses of its kind, and a price that its coin can be divided into', async () => {
  for (const network of networks) {
    const { address } = walletOf(stage.world, network)
    assert.deepEqual(checkAddress(network.family, address), { ok: true, canonical: address })
    const { payTo } = await instructed(network)
    assert(payTo.kind === 'address')
    assert(checkAddress(network.family, payTo.address).ok, network.code)
    assert.equal(payTo.address === address, network.memo !== null, network.code)
    const { asset, amount } = transferCost(network)
    assert(amount > 0n && amount < parseAmount('2', asset), network.code)
  }
})
