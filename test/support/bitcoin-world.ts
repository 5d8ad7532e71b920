import { after, before, beforeEach } from 'node:test'

import { useTestNetwork } from '../../src/reference/addresses/test-network.ts'
import { syncAssets } from '../../src/reference/catalog/sync-assets.ts'
import { openPool } from '../../src/platform/db/pool.ts'
import type { Database } from '../../src/platform/db/sql.ts'
import type { Clock } from '../../src/platform/lib/clock.ts'
import { silentLog } from '../../src/platform/lib/log.ts'
import type { Chain } from '../../src/rails/bitcoin/chain.ts'
import type { Reports } from '../../src/rails/two-nodes.ts'
import { followOnce, newBitcoinFollower } from '../../src/rails/bitcoin/follow.ts'
import type { Round } from '../../src/rails/two-nodes.ts'
import { chainRules } from '../../src/rails/bitcoin/networks.ts'
import { openChains } from '../../src/rails/bitcoin/open.ts'
import { bitcoinRail } from '../../src/rails/bitcoin/rails.ts'
import type { BitcoinSettings } from '../../src/rails/bitcoin/settings.ts'
import type { SignerClient } from '../../src/rails/keys/signer-client.ts'
import type { DepositHalf, PayoutHalf, Rail, RailEvent } from '../../src/rails/rail.ts'
import { scriptOf } from '../../src/reference/addresses/output-script.ts'
import { type BitcoinCustomer, openCustomer } from './bitcoin-customer.ts'
import { type BitcoinNode, startBitcoinNode } from './bitcoin-node.ts'
import { testSecrets } from './test-secrets.ts'
import { testDatabase } from './database.ts'

/** A process of ours that has the chain. */
export type BitcoinHouse = {
  chain: Chain
  rail: Rail
  deposit: DepositHalf
  /** Fails where the rail only watches. */
  payout: PayoutHalf
  /** Follows the chain to its end, and gives what it reported meanwhile. */
  follow(): Promise<RailEvent[]>
  /** One look only. */
  look(): Promise<Round>
}

/** Bitcoin on regtest with two nodes, two processes of ours on one database, and a clock that only the test moves. */
export type BitcoinWorld = {
  node: BitcoinNode
  second: BitcoinNode
  customer: BitcoinCustomer
  db: Database
  one: BitcoinHouse
  other: BitcoinHouse
  /** All that was reported, by whichever process, in its order. */
  reported: RailEvent[]
  /** What gathering coins has cost. */
  charged: bigint[]
  /** What halted the rail now, if anything. */
  halted(): string | undefined
  /** An operator resumes the rail. */
  resume(): void
  pass(ms: number): void
  close(): Promise<void>
}

const mnemonic = 'test test test test test test test test test test test junk'

/** Makes the world: transfers are final with two blocks, and the wallet has ten coins. */
export async function openBitcoinWorld(
  settings: Partial<BitcoinSettings> = {},
  { oneNodeBelow = 0n, funds = 10n, signer }: { oneNodeBelow?: bigint; funds?: bigint; signer?: SignerClient } = {},
): Promise<BitcoinWorld> {
  const [node, second, database] = await Promise.all([startBitcoinNode(), startBitcoinNode(), testDatabase()])
  const { forms, rules } = chainRules({ asset: settings.asset ?? 'BTC', network: 'regtest' })
  const customer = await openCustomer(node, {
    isLegacy: !rules.hasWitness,
    scriptOf: (address) => scriptOf(address, forms),
  })
  await second.takeFrom(node)
  node.link(second)
  second.link(node)

  const db = openPool({ urls: [database.url], size: 4 })
  await syncAssets(db)
  let ahead = 0
  const realNow = (): Date => new Date(Date.now() + ahead)
  const clock: Clock = { now: realNow, realNow, offsetMs: () => 0, learnOffset: () => undefined, follow: () => 0 }
  const reported: RailEvent[] = []
  const charged: bigint[] = []
  let halted: string | undefined
  const reports: Reports = {
    report: (_db, events) => Promise.resolve(void reported.push(...events.map(({ rail: _rail, ...event }) => event))),
    charge: (_db, costs) => Promise.resolve(void charged.push(...costs.map(({ amount }) => amount))),
    halt: (_db, _rail, reason) => {
      halted = reason
    },
    resume: (_db, _rail, reason) => {
      if (halted === reason) halted = undefined
    },
    oneNodeBelow: () => oneNodeBelow,
  }
  const keys = signer ? {} : { keys: { file: '', password: '' } }
  const entry: BitcoinSettings = {
    kind: 'bitcoin',
    name: 'btc',
    nodes: [node.url, second.url],
    network: 'regtest',
    first_block: node.height() + 1,
    ...keys,
    ...settings,
  }
  const open = async (): Promise<BitcoinHouse> => {
    const [chain] = await openChains([entry], {
      db,
      clock,
      log: silentLog,
      confirmations: { BTC: 2, LTC: 2, DOGE: 2, BCH: 2 },
      secrets: testSecrets,
      timeoutMs: 60_000,
      readSecret: () => '',
      signer,
      mnemonicOf: ({ account_key: watched }) => Promise.resolve(watched === undefined ? mnemonic : undefined),
    })
    if (!chain) throw new Error('There is no chain.')
    return houseOf(chain, reports, reported)
  }
  const one = await open()
  if (funds > 0n) {
    await customer.pay(one.chain.wallet.address, funds * 10n ** 8n)
    await node.mine(2)
  }
  const other = await open()
  await one.follow()
  return {
    node,
    second,
    customer,
    db,
    one,
    other,
    reported,
    charged,
    halted: () => halted,
    resume: () => {
      halted = undefined
    },
    pass: (ms) => {
      ahead += ms
    },
    close: async () => {
      for (const family of ['bitcoin', 'litecoin', 'dogecoin', 'bitcoin-cash']) useTestNetwork(family, undefined)
      await db.close()
      await Promise.all([node.stop(), second.stop()])
    },
  }
}

function houseOf(chain: Chain, reports: Reports, reported: RailEvent[]): BitcoinHouse {
  const rail = bitcoinRail(chain)
  const { deposit } = rail
  if (!deposit) throw new Error('The rail of a chain takes deposits.')
  const follower = newBitcoinFollower(chain, reports)
  const look = () => followOnce(follower)
  return {
    chain,
    rail,
    deposit,
    get payout() {
      if (!rail.payout) throw new Error('This rail only watches.')
      return rail.payout
    },
    look,
    follow: async () => {
      const before = reported.length
      while ((await look()) === 'more') continue
      return reported.slice(before)
    },
  }
}

/** The rules of Bitcoin on regtest. */
export const regtestRules = chainRules({ asset: 'BTC', network: 'regtest' })

/** One world for the tests of a file. Before each, what the test before left is final, and its lease is over. */
export function useBitcoinWorld(): { readonly world: BitcoinWorld } {
  let world: BitcoinWorld | undefined
  const opened = (): BitcoinWorld => {
    if (!world) throw new Error('The world opens with the first test.')
    return world
  }
  before(async () => {
    world = await openBitcoinWorld()
  })
  after(() => world?.close())
  beforeEach(async () => {
    const { node, second, pass, one } = opened()
    node.answering = undefined
    second.answering = undefined
    await node.mine(8)
    pass(120_000)
    await one.follow()
  })
  return {
    get world() {
      return opened()
    },
  }
}
