import { Refusal } from '../../platform/lib/refusal.ts'
import { showNodes } from '../chain/nodes.ts'
import { balanceOf, openingBalance } from './balance.ts'
import type { Chain, EvmDependencies } from './chain.ts'
import { deposits } from './deposits.ts'
import { begin, keepFollowing, newFollower } from './follow.ts'
import type { Reports } from '../two-nodes.ts'
import { deriveKeys, newMnemonic } from './keys.ts'
import { readKeystore, writeKeystore } from '../keys/keystore.ts'
import type { SignerClient } from '../keys/signer-client.ts'
import { openChains } from './open.ts'
import { remoteKeys } from './remote-keys.ts'
import { readHead } from './read-blocks.ts'
import { rereadFrom } from './reread.ts'
import { payouts } from './sending/payouts.ts'
import type { Rail } from '../rail.ts'

/** The chains of the EVM that this exchange holds real money on. */
export type EvmRails = {
  /** Each chain's rail, by the network's code. */
  rails: ReadonlyMap<string, Rail>
  /** What the wallet of a chain held of an asset before any of its deposits could be reported. */
  opening(network: string, asset: string): Promise<bigint>
  /** Follows every chain, one process at a time each, reports what comes, and gathers it in the wallet that pays. `stop` ends it. */
  follow(reports: Reports): { stop(): Promise<void> }
}

/**
 * Opens the chains that have a node in the settings, with the keys of the keystore. Refuses a network that is not of the EVM, a
 * keystore that cannot be opened, and later, when it is first asked, a node of another chain. Does nothing without nodes.
 */
export async function openEvmRails(dependencies: EvmDependencies): Promise<EvmRails> {
  const chains = await openChains(dependencies)
  const chainOf = (code: string): Chain => {
    const chain = chains.find(({ network }) => network.code === code)
    if (!chain) throw new Refusal('NOT_FOUND', `There is no node for ${code}.`)
    return chain
  }
  return {
    rails: new Map(chains.map((chain) => [chain.network.code, evmRail(chain)])),
    opening: async (code, asset) => {
      const chain = chainOf(code)
      await begin(chain)
      return openingBalance(chain, asset)
    },
    follow: ({ charge, ...reports }) => {
      const following = chains.map((chain) => keepFollowing(newFollower(chain, reports), charge))
      return { stop: async () => void (await Promise.all(following.map((one) => one.stop()))) }
    },
  }
}

/** The rail of one chain: coins and tokens, in and out. Deposits are found by following the chain; it has no callbacks. */
export const evmRail = (chain: Chain): Rail => ({
  name: chain.name,
  custodyAccount: chain.name,
  serves: [{ directions: ['deposit', 'payout'], categories: ['CRYPTO'], networks: [chain.network.code] }],
  deposit: deposits(chain),
  payout: payouts(chain),
  nodes: () => showNodes(chain.db, chain.network.code, chain.nodeAddresses),
  reread: (block, report, also) => rereadFrom(chain, block, report, also),
  balance: (asset) => balanceOf(chain, asset),
  check: async () => {
    await chain.chainId()
    return { ok: true, message: `Block ${await readHead(chain)}.` }
  },
})

/** Makes a keystore with a new mnemonic, and gives the address that pays out. Refuses to overwrite one. */
export async function createKeystore(file: string, password: string): Promise<{ hot: string }> {
  const mnemonic = await newMnemonic()
  await writeKeystore(file, mnemonic, password)
  return { hot: (await deriveKeys(mnemonic)).hot }
}

/** Opens a keystore and gives the address that pays out. */
export const showKeystore = async (file: string, password: string): Promise<{ hot: string }> => ({
  hot: (await deriveKeys(await readKeystore(file, password))).hot,
})

/** Asks a signer for the address that pays out. */
export const showSigner = async (client: SignerClient): Promise<{ hot: string }> => ({
  hot: (await remoteKeys(client)).hot,
})

export { keystorePassword } from './open.ts'
