import assert from 'node:assert/strict'

import type { BitcoinCustomer } from '../support/bitcoin-customer.ts'
import type { BitcoinNode } from '../support/bitcoin-node.ts'
import { type PlannedPayout, submitted } from '../support/bitcoin-payouts.ts'
import { type BitcoinHouse, type BitcoinWorld } from '../support/bitcoin-world.ts'
import { scriptOf } from '../../src/reference/addresses/output-script.ts'
import { readBlock, type Transfer } from '../../src/rails/bitcoin/wire.ts'
import { type Dice, openDice } from '../simulation/dice.ts'

const asset = 'BTC-BTC'

/** What a run of one seed has done so far. */
type Run = {
  world: BitcoinWorld
  dice: Dice
  payouts: PlannedPayout[]
  addresses: string[]
  paid: Awaited<ReturnType<BitcoinCustomer['pay']>>[]
  ids: () => bigint
}

/** Something that may happen on the chain, to a node, or to a process of ours. */
type Action = { weight: number; name: string; act(run: Run): Promise<unknown> }

/** Looks, as often as there is something to read. A node that does not answer, or a process that is killed, is part of it. */
async function look(house: BitcoinHouse): Promise<void> {
  try {
    await house.follow()
  } catch (error) {
    assert.match(String(error), /did not answer|answered with status|Nothing is sent|killed|as it should/)
  }
}

const amountOf = ({ dice }: Run): bigint => BigInt(300 + dice.below(400_000))
const nodeOf = ({ world, dice }: Run): BitcoinNode => dice.pick([world.node, world.second])

const actions: Action[] = [
  {
    weight: 25,
    name: 'a customer pays',
    act: async (run) => {
      const { world, dice, addresses } = run
      if (addresses.length === 0 || dice.chance(70)) {
        const order = { id: run.ids(), category: 'CRYPTO', asset, amount: 1n }
        addresses.push((await world.one.deposit.instruct(order)).reference)
      }
      const outputs = Array.from({ length: 1 + dice.below(3) }, () => ({
        address: dice.pick(addresses),
        amount: amountOf(run),
      }))
      run.paid.push(await world.customer.pay(outputs))
    },
  },
  {
    weight: 8,
    name: 'a customer replaces a payment that waits',
    act: async (run) => {
      const { world, dice, paid } = run
      const waiting = await world.node.waiting()
      const open = paid.filter(({ txid }) => waiting.includes(txid))
      if (open.length === 0) return
      const { spent, txid } = dice.pick(open)
      const to = run.addresses.length > 0 && dice.chance(50) ? dice.pick(run.addresses) : world.customer.address
      const replacing = await world.customer
        .pay(to, amountOf(run), { spends: spent, fee: 20_000n + BigInt(dice.below(90_000)) })
        .catch(() => undefined)
      if (!replacing) return
      paid.splice(
        paid.findIndex((one) => one.txid === txid),
        1,
        replacing,
      )
    },
  },
  {
    weight: 20,
    name: 'payouts are submitted',
    act: async (run) => {
      const amounts = Array.from({ length: 1 + run.dice.below(6) }, () => 1_000n + amountOf(run))
      run.payouts.push(...(await submitted(run.world, ...amounts)))
    },
  },
  { weight: 25, name: 'blocks come', act: ({ world, dice }) => world.node.mine(1 + dice.below(3)) },
  {
    weight: 8,
    name: 'blocks are undone',
    act: ({ world, dice }) => world.node.reorg(1 + dice.below(6), { drop: dice.chance(40) }),
  },
  {
    weight: 40,
    name: 'a process looks',
    act: ({ world, dice }) => look(dice.pick([world.one, world.one, world.other])),
  },
  { weight: 6, name: 'mempools are emptied', act: ({ world }) => world.node.dropWaiting() },
  {
    weight: 10,
    name: 'time passes',
    act: ({ world, dice }) => Promise.resolve(world.pass(dice.pick([1_000, 31_000, 61_000, 601_000, 1_801_000]))),
  },
  {
    weight: 6,
    name: 'a node is behind, takes nothing, or sends nonsense for a while',
    act: async (run) => {
      const node = nodeOf(run)
      const { world, dice } = run
      const top = node.height() - dice.below(5)
      const kind = dice.below(3)
      node.answering = (method, [first], real) => {
        if (kind === 0 && method === 'getblockcount') return Promise.resolve(top)
        if (kind === 0 && method === 'getblockhash' && Number(first) > top)
          return Promise.reject(new Error('out of range'))
        if (kind === 1 && method === 'sendrawtransaction') return Promise.reject(new Error('mempool full'))
        return kind === 2 && method === 'getblockhash' && Number(first) > 0 ? Promise.resolve('nonsense') : real()
      }
      for (let looks = 1 + dice.below(3); looks > 0; looks -= 1) await world.one.look().catch(() => undefined)
      node.answering = undefined
    },
  },
  {
    weight: 4,
    name: 'a node dies and comes back',
    act: async (run) => {
      const node = nodeOf(run)
      await node.die()
      await look(run.world.one)
      await node.revive()
    },
  },
  {
    weight: 6,
    name: 'a process is killed while it signs',
    act: async ({ world, dice }) => {
      const house = dice.pick([world.one, world.other])
      const { signer } = house.chain
      assert(signer)
      house.chain.signer = { ...signer, sign: () => Promise.reject(new Error('killed')) }
      await look(house)
      house.chain.signer = signer
      world.pass(61_000)
    },
  },
]

/** Does so many things that a seed chooses, lets everything come to rest, and proves that all is as it must be. */
export async function runBitcoinSeed(world: BitcoinWorld, seed: number, steps: number): Promise<void> {
  let ids = BigInt(seed) * 1_000_000n
  const from = world.node.height() + 1
  const run: Run = { world, dice: openDice(seed), payouts: [], addresses: [], paid: [], ids: () => (ids += 1n) }
  const start = await world.one.rail.balance(asset)
  const reported = world.reported.length
  const trace: string[] = []
  try {
    for (let step = 0; step < steps; step += 1) {
      const action = run.dice.weigh(actions)
      trace.push(action.name)
      await action.act(run)
    }
    await comeToRest(run)
    await prove(run, { from, start, reported })
  } catch (error) {
    throw new Error(`Seed ${seed}: ${trace.join(', ')}`, { cause: error })
  }
}

/** Customers' wallets bring their payments again, as wallets do; blocks come until nothing waits. */
async function comeToRest({ world, paid, payouts }: Run): Promise<void> {
  const { node, second } = world
  node.answering = undefined
  second.answering = undefined
  await second.takeFrom(node)
  for (let round = 0; round < 40; round += 1) {
    for (const { raw } of paid) await node.ask('sendrawtransaction', raw).catch(() => undefined)
    world.pass(301_000)
    await world.one.follow()
    await node.mine(2)
    await world.one.follow()
    const states = await Promise.all(payouts.map((plan) => world.one.payout.look(plan)))
    const isPaid = states.every(({ state }) => state === 'done')
    const open = await world.db.sql`select 1 from bitcoin_coins where state in ('mempool', 'seen', 'gone') limit 1`
    if (!isPaid || open.length > 0 || (await node.waiting()).length > 0) continue
    // The next seed undoes nothing of this one.
    await node.mine(7)
    return world.one.follow().then(() => undefined)
  }
  throw new Error('Not every payout was paid.')
}

async function prove(
  { world, payouts }: Run,
  { from, start, reported }: { from: number; start: bigint; reported: number },
): Promise<void> {
  const { one, node } = world
  assert.equal(world.halted(), undefined)
  const transfers = await transfersSince(node, Math.max(from - 7, 1))
  const outputs = transfers.flatMap(({ txid, outputs: all }) =>
    all.map((output, vout) => ({ ...output, id: `${txid}:${vout}` })),
  )
  // Paid once, by the transfer that the evidence names.
  let spent = 0n
  for (const plan of payouts) {
    const outcome = await one.payout.look(plan)
    assert(outcome.state === 'done')
    const script = scriptOf(plan.address, world.one.chain.forms)
    const paid = outputs.filter((output) => output.script === script)
    assert.deepEqual(
      paid.map(({ amount }) => amount),
      [plan.amount],
      `payout ${plan.key}`,
    )
    assert.equal(paid[0]?.id.split(':')[0], outcome.evidence.hash)
    spent += plan.amount + (outcome.evidence.fee?.amount ?? 0n)
  }
  // Credited exactly what is on the chain.
  const events = world.reported.slice(reported)
  assert.equal(new Set(events.map(({ key }) => key)).size, events.length, 'each event once')
  const credited = new Map<string, bigint>()
  for (const { kind, payment, amount } of events) {
    const [outpoint = ''] = payment.split('#')
    if (kind === 'deposit_final') credited.set(outpoint, (credited.get(outpoint) ?? 0n) + amount)
    const wasFinal = events.some((event) => event.kind === 'deposit_final' && event.payment === payment)
    if (kind === 'deposit_reversed' && wasFinal) credited.set(outpoint, (credited.get(outpoint) ?? 0n) - amount)
  }
  const ours = new Set(
    (await world.db.sql<{ script: string }>`select script from bitcoin_addresses where branch = 0`).map(
      ({ script }) => script,
    ),
  )
  const onChain = new Map(
    outputs.filter(({ script, amount }) => ours.has(script) && amount >= 546n).map(({ id, amount }) => [id, amount]),
  )
  for (const [id, amount] of credited) assert.equal(amount, onChain.get(id) ?? 0n, id)
  const sum = (amounts: Iterable<bigint>): bigint => [...amounts].reduce((total, amount) => total + amount, 0n)
  assert.equal(await one.rail.balance(asset), start + sum(credited.values()) - spent)
}

async function transfersSince(node: BitcoinNode, from: number): Promise<Transfer[]> {
  const all: Transfer[] = []
  for (let height = from; height <= node.height(); height += 1) {
    const hash = await node.ask<string>('getblockhash', height)
    all.push(...readBlock(await node.ask<string>('getblock', hash, false), hash, { hasAuxPow: false }).transfers)
  }
  return all
}
