import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, it } from 'node:test'

import { account, sender } from '../../../test/support/xrpl-ledger.ts'
import { testSecrets } from '../../../test/support/test-secrets.ts'
import { openXrplWorld, type XrplWorld } from '../../../test/support/xrpl-world.ts'
import { readNodes } from '../chain/nodes.ts'
import { openChain } from './rails.ts'

const day = 86_400_000

const fieldsOf = (value: unknown) => value as Record<string, unknown>
/** A transaction as it is where we have cashed a check. */
function cashed(entry: Record<string, unknown>): Record<string, unknown> {
  const { TransactionType: type } = fieldsOf(entry.tx_json)
  if (type !== 'CheckCash') return entry
  return {
    ...entry,
    tx_json: { TransactionType: type, Account: account, CheckID: 'A'.repeat(64), Fee: '10', Sequence: 3 },
  }
}

describe('payments on the XRP Ledger', () => {
  let world: XrplWorld
  beforeEach(async () => {
    world = await openXrplWorld({ oneNodeBelow: 100n })
  })
  afterEach(() => world.end())

  const final = () => world.reported.filter(({ kind }) => kind === 'deposit_final')
  async function orderTag(id: bigint): Promise<{ tag: number; reference: string }> {
    const { reference, payTo } = (await world.one.rail.deposit?.instruct({
      id,
      category: 'CRYPTO',
      asset: world.one.chain.asset,
      amount: 1n,
    })) ?? { reference: '', payTo: { kind: 'page' } }
    assert(payTo.kind === 'address' && payTo.address === account)
    return { tag: Number.parseInt(payTo.extraId, 10), reference }
  }

  it('counts what a partial payment delivered, never what it allowed', async () => {
    const { tag, reference } = await orderTag(1n)
    world.pay({ tag, amount: '9000000000', delivered: '1000' })
    await world.one.follow()
    assert.deepEqual(
      final().map((one) => [one.reference, one.amount]),
      [[reference, 1000n]],
    )
  })

  it('takes nothing for a deposit that does not bring XRP to our account', async () => {
    const { tag } = await orderTag(1n)
    const usdc = { currency: '5553444300000000000000000000000000000000', issuer: sender, value: '1000' }
    world.pay({ tag, amount: '5000', delivered: usdc })
    world.pay({ tag, amount: '5000', result: 'tecUNFUNDED_PAYMENT' })
    world.pay({ tag, amount: '5000', type: 'EscrowFinish', paidFrom: 'Escrow', destination: sender })
    world.pay({ tag, amount: '5000', destination: sender })
    world.pay({ tag, amount: '7000' })
    await world.one.follow()
    assert.deepEqual(
      final().map(({ amount }) => amount),
      [7000n],
    )
  })

  it('credits what arrives otherwise than by a payment to whose order its tag is, and says how it came', async () => {
    const { tag, reference } = await orderTag(1n)
    const ways = [
      ['AccountDelete', undefined],
      ['EscrowFinish', 'Escrow'],
      ['PaymentChannelClaim', 'PayChannel'],
      ['VaultWithdraw', undefined],
    ] as const
    for (const [index, [type, paidFrom]] of ways.entries())
      world.pay({ tag, amount: `500${index}`, type, ...(paidFrom ? { paidFrom } : {}) })
    world.pay({ tag, amount: '5009' })
    await world.one.follow()
    assert.deepEqual(
      final().map((one) => [one.reference, one.amount, one.body.arrived_by]),
      [...ways.map(([type], index) => [reference, 5_000n + BigInt(index), type]), [reference, 5_009n, undefined]],
    )
    assert.equal(await world.one.rail.balance(world.one.chain.asset), 50_000_000n + 25_015n)
  })

  it('sees whatever raises our balance, also where nothing says for whom', async () => {
    const { chain, rail } = world.one
    world.pay({ amount: '7000', type: 'AccountDelete' })
    // A check of somebody's that was cashed with our key, elsewhere.
    world.first.lie = (all) => all.map(cashed)
    world.second.lie = world.first.lie
    const hash = world.pay({ amount: '8000', type: 'CheckCash' })
    await world.one.follow()
    assert.deepEqual(
      final().map((one) => [one.reference, one.amount, one.body.arrived_by]),
      [
        [account, 7_000n, 'AccountDelete'],
        [account, 8_000n, 'CheckCash'],
      ],
    )
    assert.equal(final()[1]?.payment, hash)
    assert.equal(await rail.balance(chain.asset), 50_015_000n)
  })

  it('halts where a payment delivers another amount than arrives', async () => {
    const { tag } = await orderTag(1n)
    world.first.lie = (all) => all.map((one) => ({ ...one, meta: { ...fieldsOf(one.meta), delivered_amount: '9000' } }))
    world.pay({ tag, amount: '5000' })
    await assert.rejects(world.one.look(), /delivered another amount/)
    assert.match(world.halted() ?? '', /delivered another amount/)
    assert.deepEqual(final(), [])
  })

  it('reports a payment without a tag, or with an unknown one, under a reference of no order', async () => {
    const { reference } = await orderTag(1n)
    world.pay({ amount: '5000' })
    world.pay({ tag: 0, amount: '5001' })
    await world.one.follow()
    assert.deepEqual(
      final().map((one) => one.reference),
      [account, `${account}:0`],
    )
    assert(!final().some((one) => one.reference === reference))
  })

  it('finds a payment to a tag of last year', async () => {
    const { tag, reference } = await orderTag(1n)
    for (let id = 2n; id < 30n; id += 1n) assert.notEqual((await orderTag(id)).tag, tag)
    world.pass(400 * day)
    world.close(5_000)
    const hash = world.pay({ tag, amount: '5000' })
    await world.other.follow()
    assert.deepEqual(
      final().map((one) => [one.reference, one.payment]),
      [[reference, hash]],
    )
  })

  it('credits nothing large that the second node does not report, and halts at once', async () => {
    const { tag } = await orderTag(1n)
    world.second.lie = () => []
    world.pay({ tag, amount: '5000' })
    assert.equal(await world.one.look(), 'halted')
    assert.match(world.halted() ?? '', /report different payments/)
    assert.deepEqual(final(), [])
    world.second.lie = (all) => all
    await world.one.follow()
    assert.equal(world.halted(), undefined)
    assert.equal(final().length, 1)
  })

  it('takes back what the first node invented, once the nodes agree', async () => {
    const { tag } = await orderTag(1n)
    world.pay({ tag, amount: '5000' })
    world.second.lie = () => []
    await world.one.look()
    world.first.lie = () => []
    await world.one.follow()
    assert.deepEqual(
      world.reported.map(({ kind }) => kind),
      ['deposit_seen', 'deposit_reversed'],
    )
  })

  it('credits what both nodes say, whatever tag, amount or ledger the first one named before', async () => {
    const { tag, reference } = await orderTag(1n)
    const other = await orderTag(2n)
    const lies: ((entry: Record<string, unknown>) => Record<string, unknown>)[] = [
      (entry) => ({ ...entry, tx_json: { ...fieldsOf(entry.tx_json), DestinationTag: other.tag } }),
      (entry) => ({ ...entry, ledger_index: Number(String(entry.ledger_index)) - 1 }),
    ]
    for (const lie of lies) {
      world.close(2)
      const hash = world.pay({ tag, amount: '5000' })
      world.close(2)
      world.first.lie = (all) => all.map((one) => (one.hash === hash ? lie(one) : one))
      assert.equal(await world.one.look(), 'halted')
      world.first.lie = (all) => all
      await world.one.follow()
      assert.equal(world.halted(), undefined)
      assert.deepEqual(
        world.reported.splice(0).map((one) => [one.kind, one.reference === reference, one.payment]),
        [
          ['deposit_seen', lie !== lies[0], hash],
          ['deposit_reversed', lie !== lies[0], hash],
          ['deposit_seen', true, `${hash}#2`],
          ['deposit_final', true, `${hash}#2`],
        ],
      )
    }
  })

  it('takes back a small payment that one node made final and both do not have', async () => {
    const { tag } = await orderTag(1n)
    world.second.behind = 20
    world.pay({ tag, amount: '99' })
    await world.one.look()
    assert.equal(final().length, 1)
    world.first.lie = () => []
    world.second.lie = () => []
    world.second.behind = 0
    await world.one.follow()
    assert.equal(world.reported.at(-1)?.kind, 'deposit_reversed')
  })

  it('waits for a second node that lags, but not with small payments, and halts when it stays behind', async () => {
    const { tag } = await orderTag(1n)
    world.second.behind = 20
    world.pay({ tag, amount: '5000' })
    world.pay({ tag, amount: '99' })
    await world.one.look()
    assert.deepEqual(
      final().map(({ amount }) => amount),
      [99n],
    )
    assert.equal(world.halted(), undefined)
    world.pass(31_000)
    assert.equal(await world.one.look(), 'halted')
    world.second.behind = 0
    await world.one.follow()
    assert.equal(world.halted(), undefined)
    assert.deepEqual(
      final().map(({ amount }) => amount),
      [99n, 5000n],
    )
  })

  it('reads no range that a node does not have whole, and halts when a node stays silent', async () => {
    const { tag } = await orderTag(1n)
    world.pay({ tag, amount: '5000' })
    world.close(10)
    world.first.first = 1_005
    await assert.rejects(world.one.look(), /does not have the ledgers/)
    world.first.first = 1
    world.first.isSilent = true
    world.pass(31_000)
    await assert.rejects(world.one.look())
    assert.match(world.halted() ?? '', /the first does not answer/)
    world.first.isSilent = false
    await world.one.follow()
    assert.equal(final().length, 1)
  })

  it('tells a node that refuses from one that cannot answer now', async () => {
    const states = async () => (await readNodes(world.db, 'XRP')).map(({ state }) => state)
    await world.one.follow()
    assert.deepEqual(await states(), ['ok', 'ok'])
    for (const [error, state] of [
      ['forbidden', 'refuses'],
      ['noNetwork', 'down'],
    ] as const) {
      world.second.error = error
      world.close(1)
      await world.one.look()
      assert.deepEqual(await states(), ['ok', state])
      world.second.error = undefined
      world.first.error = error
      await assert.rejects(world.one.look(), new RegExp(error))
      assert.equal((await states())[0], state)
      world.first.error = undefined
      await world.one.follow()
      assert.deepEqual(await states(), ['ok', 'ok'])
    }
  })

  it('lets one process at a time follow', async () => {
    assert.equal(await world.one.look(), 'idle')
    assert.equal(await world.other.look(), 'elsewhere')
    world.pass(12_100)
    assert.equal(await world.other.look(), 'idle')
  })

  it('refuses another account than before, and a node of another network', async () => {
    const { db, clock, log } = world.one.chain
    const dependencies = {
      db,
      clock,
      log,
      secrets: testSecrets,
      timeoutMs: 1_000,
      readSecret: (text: string) => text,
      isLive: true,
      folder: '.',
    }
    const entry = { kind: 'xrpl', name: 'xrpl', nodes: ['http://127.0.0.1:1', 'http://127.0.0.1:2'] } as const
    await assert.rejects(openChain({ ...entry, account: sender }, dependencies), /another account/)
    await assert.rejects(
      openChain({ ...entry, nodes: ['http://127.0.0.1:1'], account }, dependencies),
      /two independent/,
    )
    await assert.rejects(
      openChain({ ...entry, account }, dependencies).then(({ checkNode }) => checkNode(world.one.chain.node)),
      /network 1/,
    )
  })
})
