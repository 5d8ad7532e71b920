import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, describe } from 'node:test'

import { account } from '../../../test/support/xrpl-ledger.ts'
import { openXrplWorld, type XrplWorld } from '../../../test/support/xrpl-world.ts'
import { makeSandboxAddress } from '../../reference/addresses/address.ts'
import { describeRail } from '../conformance/describe-rail.ts'
import type { Instruction, RailHarness } from '../conformance/harness.ts'
import type { Destination } from '../rail.ts'

const tagIn = ({ payTo }: Instruction): number =>
  payTo.kind === 'address' ? Number.parseInt(payTo.extraId, 10) : assert.fail()

function harnessOf(world: XrplWorld): RailHarness {
  const { one, other } = world
  let ids = 0n
  /** What was submitted leaves, and the next ledger has it. */
  const settle = async (): Promise<void> => {
    await one.follow()
    world.close(1)
    await one.follow()
  }
  const silence = (isSilent: boolean): void => {
    for (const node of [world.first, world.second]) node.isSilent = isSilent
  }
  const harness: RailHarness = {
    rail: one.rail,
    reopen: () => other.rail,
    nextId: () => (ids += 1n),
    settle,
    report: async () => {
      const before = world.reported.length
      await settle()
      return world.reported.slice(before)
    },
    goDown: () => silence(true),
    comeBack: () => silence(false),
    deposits: {
      category: 'CRYPTO',
      asset: one.chain.asset,
      amount: 25_000_001n,
      sharedSenders: true,
      pay: (to) => Promise.resolve({ id: world.pay({ tag: tagIn(to), amount: String(to.amount) }) }),
    },
  }
  if (!one.rail.payout) return harness
  const destination = (): Destination => {
    const address = makeSandboxAddress(
      'xrp',
      createHash('sha256')
        .update(String((ids += 1n)))
        .digest(),
    )
    world.open(address)
    return { address, extraId: '', holder: '' }
  }
  harness.payouts = {
    asset: one.chain.asset,
    hash: /^[0-9A-F]{64}$/,
    costsFee: true,
    unit: 1_000n,
    tooMuch: 10n ** 14n,
    destination,
    own: [account],
  }
  return harness
}

describe('the rail of the XRP Ledger', () => {
  const worlds: XrplWorld[] = []
  after(() => Promise.all(worlds.map((world) => world.end())))
  const opened = async (options?: Parameters<typeof openXrplWorld>[0]): Promise<RailHarness> => {
    const world = await openXrplWorld(options)
    worlds.push(world)
    return harnessOf(world)
  }
  describeRail('with two nodes', () => opened())
  describeRail('without keys', () => opened({ hasKeys: false }), { payouts: false })
})
