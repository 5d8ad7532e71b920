import { showNodes } from '../chain/nodes.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import type { Rail } from '../rail.ts'
import type { Chain } from './chain.ts'
import type { Reports } from '../two-nodes.ts'
import { heldIn } from './coins.sql.ts'
import { deposits } from './deposits.ts'
import { begin, newFollower } from './follow.ts'
import { keepFollowing } from './keep-following.ts'
import { type BitcoinDependencies, openChains } from './open.ts'
import * as queries from './queries.ts'
import { rereadFrom } from './reread.ts'
import { payouts } from './sending/payouts.ts'
import type { BitcoinSettings } from './settings.ts'

/** The chains of Bitcoin's family that this exchange holds coins on. */
export type BitcoinRails = {
  rails: readonly Rail[]
  /** The codes of their networks in the catalog. */
  networks: readonly string[]
  /** What our addresses on a chain held before any deposit could be reported. */
  opening(network: string): Promise<bigint>
  /** The address that pays out on a network, and the public key of its account; undefined where there is no rail. */
  wallet(network: string): { address: string; account_key: string } | undefined
  /** Follows every chain, one process at a time each. `stop` ends it. */
  follow(reports: Reports): { stop(): Promise<void> }
}

/** Opens the rails of the settings' entries. See `openChains` for what it refuses. */
export async function openBitcoinRails(
  entries: readonly BitcoinSettings[],
  dependencies: BitcoinDependencies,
): Promise<BitcoinRails> {
  const chains = await openChains(entries, dependencies)
  const chainOf = (code: string): Chain => {
    const chain = chains.find(({ network }) => network.code === code)
    if (!chain) throw new Refusal('NOT_FOUND', `There is no node for ${code}.`)
    return chain
  }
  return {
    rails: chains.map(bitcoinRail),
    networks: chains.map(({ network }) => network.code),
    opening: async (code) => {
      const chain = chainOf(code)
      await chain.checkNode(chain.node)
      if ((await queries.readChain(chain.db, code))[0]?.first_block === null) await begin(chain)
      return (await queries.readChain(chain.db, code))[0]?.opening ?? 0n
    },
    wallet: (code) => {
      const chain = chains.find(({ network }) => network.code === code)
      return chain && { address: chain.wallet.address, account_key: chain.accountKey }
    },
    follow: (reports) => {
      const following = chains.map((chain) => keepFollowing(newFollower(chain, reports)))
      return { stop: async () => void (await Promise.all(following.map((one) => one.stop()))) }
    },
  }
}

/** The rail of one chain. Without keys it takes deposits only. */
export const bitcoinRail = (chain: Chain): Rail => ({
  name: chain.name,
  custodyAccount: chain.name,
  serves: [
    {
      directions: chain.signer ? ['deposit', 'payout'] : ['deposit'],
      categories: ['CRYPTO'],
      networks: [chain.network.code],
    },
  ],
  deposit: deposits(chain),
  ...(chain.signer ? { payout: payouts(chain) } : {}),
  nodes: () => showNodes(chain.db, chain.network.code, chain.nodeAddresses),
  reread: (block, _report, also) => rereadFrom(chain, block, also),
  balance: async (asset) => {
    if (asset !== chain.rules.asset) return 0n
    const [held] = await heldIn(chain.db, chain.network.code)
    return held?.amount ?? 0n
  },
})
