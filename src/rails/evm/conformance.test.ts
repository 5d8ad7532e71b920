import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before } from 'node:test'

import { token } from '../../../test/support/anvil.ts'
import { type EvmWorld, openEvmWorld, through } from '../../../test/support/evm-world.ts'
import { NoAnswer } from '../json-rpc.ts'
import { describeRail } from '../conformance/describe-rail.ts'
import type { DepositHarness, Instruction, PayoutHarness, RailHarness } from '../conformance/harness.ts'
import type { Chain } from './chain.ts'
import { evmRail } from './rails.ts'
import { referenceOf } from './events.ts'

const usdt = { asset: 'USDT-ETH', contract: '0xdAC17F958D2ee523a2206206994597C13D831ec7' }

let world: EvmWorld
let ids = 0n
let silent = false
let isAway = false

before(async () => {
  world = await openEvmWorld()
  const { anvil, one, other } = world
  for (const { chain } of [one, other]) letGoAway(chain)
  await anvil.layToken(usdt.contract)
  for (const holder of [anvil.customer, one.chain.keys.hot]) {
    await anvil.send({ to: usdt.contract, data: token.mint(holder, 10n ** 12n) })
  }
  await anvil.mine(5)
  await one.follow()
})
after(() => world.close())

/** Lets the node of a process go away, for all that has it. */
function letGoAway({ node, ...chain }: Chain): void {
  const change = through(
    { ...chain, node: { ...node } },
    (askAll) => (calls) => (isAway ? Promise.reject(new NoAnswer('away')) : askAll(calls)),
  )
  Object.assign(node, change.node)
}

/** Whatever waits is brought, mined and final. */
async function settle(): Promise<void> {
  await world.anvil.mine(4)
  if (!isAway) await world.one.follow()
}

function depositsOf(asset: string): DepositHarness {
  const { anvil } = world
  const addressIn = ({ payTo }: Instruction): string => (payTo.kind === 'address' ? payTo.address : assert.fail())
  const sendTokens = async (data: string) => ({ id: `${await anvil.send({ to: usdt.contract, data })}:0` })
  const common = { category: 'CRYPTO', asset, amount: 12_345n, sharedSenders: true as const }
  if (asset !== usdt.asset) {
    return { ...common, pay: async (one) => ({ id: await anvil.send({ to: addressIn(one), value: one.amount }) }) }
  }
  return {
    ...common,
    pay: (one) => sendTokens(token.transfer(addressIn(one), one.amount)),
  }
}

const payoutsOf = (asset: string): PayoutHarness => ({
  asset,
  hash: /^0x[0-9a-f]{64}$/,
  costsFee: true,
  tooMuch: 10n ** 24n,
  destination: () => ({ address: referenceOf(`0x${freshDigits()}`), extraId: '', holder: '' }),
  own: [world.one.chain.keys.hot, world.one.chain.keys.hot.toLowerCase()],
  loseAnswer: () => {
    silent = true
    return Promise.resolve()
  },
})

const freshDigits = (): string =>
  createHash('sha256')
    .update(String((ids += 1n)))
    .digest('hex')
    .slice(0, 40)

function harnessOf(asset: string): RailHarness {
  const { one, other } = world
  const deaf = through(one.chain, (askAll) => async (calls) => {
    const answers = await askAll(calls)
    if (silent && calls[0]?.method === 'eth_sendRawTransaction') {
      silent = false
      throw new Error('The node did not answer.')
    }
    return answers as never
  })
  return {
    rail: evmRail(deaf),
    reopen: () => other.rail,
    nextId: () => (ids += 1n),
    settle,
    report: async () => {
      await settle()
      return world.reported.splice(0)
    },
    goDown: () => void (isAway = true),
    comeBack: () => void (isAway = false),
    deposits: depositsOf(asset),
    payouts: payoutsOf(asset),
  }
}

for (const asset of ['ETH-ETH', usdt.asset]) describeRail(`of a chain, ${asset} on anvil`, () => harnessOf(asset))
