import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before } from 'node:test'

import { type BitcoinWorld, openBitcoinWorld } from '../../../test/support/bitcoin-world.ts'
import { makeSandboxAddress } from '../../reference/addresses/address.ts'
import { describeRail } from '../conformance/describe-rail.ts'
import type { Instruction, RailHarness } from '../conformance/harness.ts'
import { bitcoinRail } from './rails.ts'

let world: BitcoinWorld
let ids = 0n

before(async () => {
  world = await openBitcoinWorld()
})
after(() => world.close())

/** What was submitted leaves in the next transfer, which two blocks make final. */
async function settle(): Promise<void> {
  await world.one.follow()
  await world.node.mine(2)
  await world.one.follow()
}

const addressIn = ({ payTo }: Instruction): string => (payTo.kind === 'address' ? payTo.address : assert.fail())

function harness(): RailHarness {
  const { one, other, customer } = world
  return {
    rail: bitcoinRail(one.chain),
    reopen: () => other.rail,
    nextId: () => (ids += 1n),
    settle,
    report: async () => {
      const before = world.reported.length
      await settle()
      return world.reported.slice(before)
    },
    deposits: {
      category: 'CRYPTO',
      asset: 'BTC-BTC',
      amount: 12_345n,
      pay: async (to) => ({ id: `${(await customer.pay(addressIn(to), to.amount)).txid}:0` }),
      payPooled: async (to) => ({ id: `${(await customer.pay(addressIn(to), to.amount, { pooled: true })).txid}:0` }),
    },
    payouts: {
      asset: 'BTC-BTC',
      hash: /^[0-9a-f]{64}$/,
      costsFee: true,
      unit: 1_000n,
      tooMuch: 10n ** 12n,
      destination: () => ({
        address: makeSandboxAddress(
          'bitcoin',
          createHash('sha256')
            .update(String((ids += 1n)))
            .digest(),
        ),
        extraId: '',
        holder: '',
      }),
      own: [one.chain.wallet.address],
    },
  }
}

describeRail('of Bitcoin on a regtest node', harness)
