import { readFollow } from '../chain/follows.sql.ts'
import { showNodes } from '../chain/nodes.ts'
import { type OpenedRails, type RailTools, together } from '../kind.ts'
import type { Rail } from '../rail.ts'
import type { Chain } from './chain.ts'
import { heldIn } from './coins.sql.ts'
import { deposits } from './deposits.ts'
import { begin, keepFollowingChain, newBitcoinFollower } from './follow.ts'
import { mnemonicOf } from './mnemonic.ts'
import { openChains } from './open.ts'
import { reread } from './reread.ts'
import { payouts } from './sending/payouts.ts'
import type { BitcoinSettings } from './settings.ts'

/** The chains of Bitcoin's family that this exchange holds coins on. */
export type BitcoinRails = OpenedRails & {
  /** The address that pays out on a network, and the public key of its account; undefined where there is no rail. */
  wallet(network: string): { address: string; account_key: string } | undefined
}

/** Opens the rails of the settings' entries. See `openChains` for what it refuses. */
export async function openBitcoinRails(
  entries: readonly BitcoinSettings[],
  tools: Omit<RailTools, 'evm'>,
): Promise<BitcoinRails> {
  const chains = await openChains(entries, { ...tools, mnemonicOf: (entry) => mnemonicOf(entry, tools) })
  const chainOf = (code: string) => chains.find(({ network }) => network.code === code)
  return {
    rails: chains.map(bitcoinRail),
    openingBalance: (code) => {
      const chain = chainOf(code)
      return chain && (() => openingOf(chain))
    },
    wallet: (code) => {
      const chain = chainOf(code)
      return chain && { address: chain.wallet.address, account_key: chain.accountKey }
    },
    follow: (reports) => together(chains.map((chain) => keepFollowingChain(newBitcoinFollower(chain, reports)))),
  }
}

/** What our addresses on a chain held before any deposit could be reported. */
async function openingOf(chain: Chain): Promise<bigint> {
  const { code } = chain.network
  await chain.checkNode(chain.node)
  if ((await readFollow(chain.db, code))[0]?.first_block === null) await begin(chain)
  return (await readFollow(chain.db, code))[0]?.opening ?? 0n
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
  reread: (block, _report, also) => reread(chain, block, also),
  balance: async (asset) => {
    if (asset !== chain.rules.asset) return 0n
    const [held] = await heldIn(chain.db, chain.network.code)
    return held?.amount ?? 0n
  },
})
