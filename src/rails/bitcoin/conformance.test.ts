import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, describe } from 'node:test'

import { type BitcoinWorld, openBitcoinWorld } from '../../../test/support/bitcoin-world.ts'
import { makeSandboxAddress } from '../../reference/addresses/address.ts'
import { describeRail } from '../conformance/describe-rail.ts'
import type { Instruction, RailHarness } from '../conformance/harness.ts'
import { deriveAccount } from './keys.ts'
import { chainRules } from './networks.ts'
import { bitcoinRail } from './rails.ts'
import type { BitcoinSettings } from './settings.ts'

const addressIn = ({ payTo }: Instruction): string => (payTo.kind === 'address' ? payTo.address : assert.fail())

function harnessOf(world: BitcoinWorld, unit: bigint): RailHarness {
  const { one, other, customer, node, second } = world
  let ids = 0n
  /** What was submitted leaves in the next transfer, which two blocks make final. */
  const settle = async (): Promise<void> => {
    await one.follow()
    await node.mine(2)
    await one.follow()
  }
  const { asset } = one.chain.rules
  const harness: RailHarness = {
    rail: bitcoinRail(one.chain),
    reopen: () => other.rail,
    nextId: () => (ids += 1n),
    settle,
    report: async () => {
      const before = world.reported.length
      await settle()
      return world.reported.slice(before)
    },
    goDown: async () => void (await Promise.all([node.die(), second.die()])),
    comeBack: async () => void (await Promise.all([node.revive(), second.revive()])),
    deposits: {
      category: 'CRYPTO',
      asset,
      amount: 12n * unit + 345n,
      sharedSenders: true,
      pay: async (to) => ({ id: `${(await customer.pay(addressIn(to), to.amount)).txid}:0` }),
      payPooled: async (to) => ({ id: `${(await customer.pay(addressIn(to), to.amount, { pooled: true })).txid}:0` }),
    },
  }
  if (!one.rail.payout) return harness
  const destination = (): string =>
    makeSandboxAddress(
      one.chain.network.family,
      createHash('sha256')
        .update(String((ids += 1n)))
        .digest(),
    )
  harness.payouts = {
    asset,
    hash: /^[0-9a-f]{64}$/,
    costsFee: true,
    unit,
    tooMuch: 10n ** 14n,
    destination: () => ({ address: destination(), extraId: '', holder: '' }),
    own: [one.chain.wallet.address],
  }
  return harness
}

const mnemonic = 'test test test test test test test test test test test junk'

/** The other chains' rails follow a chain of Bitcoin's nodes, whose blocks and transfers are alike; only signatures of BCH are not. */
describe('the rails of chains of the family of Bitcoin', () => {
  const worlds: BitcoinWorld[] = []
  after(() => Promise.all(worlds.map((world) => world.close())))
  const opened = async (settings: Partial<BitcoinSettings>, unit: bigint): Promise<RailHarness> => {
    const world = await openBitcoinWorld(settings, { funds: 40n })
    worlds.push(world)
    return harnessOf(world, unit)
  }
  describeRail('of Bitcoin on a regtest node', () => opened({}, 1_000n))
  describeRail('of Litecoin', () => opened({ asset: 'LTC' }, 10_000n))
  describeRail('of Dogecoin', () => opened({ asset: 'DOGE' }, 1_000_000n))
  describeRail(
    'of Bitcoin Cash, watched without keys',
    async () => {
      const { rules } = chainRules({ asset: 'BCH', network: 'regtest' })
      return opened({ asset: 'BCH', account_key: (await deriveAccount(mnemonic, rules)).publicExtendedKey }, 1_000n)
    },
    { payouts: false },
  )
})
