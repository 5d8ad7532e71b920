import assert from 'node:assert/strict'
import { after, describe } from 'node:test'

import { openXrplWorld, type XrplWorld } from '../../../test/support/xrpl-world.ts'
import { describeRail } from '../conformance/describe-rail.ts'
import type { Instruction, RailHarness } from '../conformance/harness.ts'

const tagIn = ({ payTo }: Instruction): number =>
  payTo.kind === 'address' ? Number.parseInt(payTo.extraId, 10) : assert.fail()

function harnessOf(world: XrplWorld): RailHarness {
  const { one, other } = world
  let ids = 0n
  return {
    rail: one.rail,
    reopen: () => other.rail,
    nextId: () => (ids += 1n),
    settle: async () => void (await one.follow()),
    report: () => one.follow(),
    deposits: {
      category: 'CRYPTO',
      asset: one.chain.asset,
      amount: 25_000_001n,
      pay: (to) => Promise.resolve({ id: world.pay({ tag: tagIn(to), amount: String(to.amount) }) }),
    },
  }
}

describe('the rail of the XRP Ledger', () => {
  let world: XrplWorld | undefined
  after(() => world?.end())
  describeRail(
    'with two nodes, without keys',
    async () => {
      world = await openXrplWorld()
      return harnessOf(world)
    },
    { payouts: false },
  )
})
