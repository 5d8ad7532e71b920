import { showNodes } from '../chain/nodes.ts'
import { balanceOf, openingBalance } from './balance.ts'
import type { Chain } from './chain.ts'
import { deposits } from './deposits.ts'
import { newFollower } from '../chain/follow.ts'
import { begin, keepFollowingChain } from './follow.ts'
import { deriveKeys, newMnemonic } from './keys.ts'
import { readKeystore, writeKeystore } from '../keys/keystore.ts'
import type { SignerClient } from '../keys/signer-client.ts'
import { type OpenedRails, type RailTools, together } from '../kind.ts'
import { openChains } from './open.ts'
import type { EvmEntry } from './settings.ts'
import { remoteKeys } from './remote-keys.ts'
import { readHead } from './read-blocks.ts'
import { reread } from './reread.ts'
import { payouts } from './sending/payouts.ts'
import type { Rail } from '../rail.ts'

/**
 * Opens the chains of the entries and those that have a node in the settings, with the keys of the keystore, and gathers what comes to
 * them in the wallet that pays. Refuses a network that is not of the EVM, a keystore that cannot be opened, and later, when it is
 * first asked, a node of another chain.
 */
export async function openEvmRails(entries: readonly EvmEntry[], tools: EvmTools): Promise<OpenedRails> {
  const { evm, confirmations, isLive, timeoutMs } = tools
  const config = { evm, confirmations, environment: { catalogChainsOnly: isLive }, outsideTimeoutMs: timeoutMs }
  const chains = await openChains({ ...tools, config, entries })
  return {
    rails: chains.map(evmRail),
    openingBalance: (code) => {
      const chain = chains.find(({ network }) => network.code === code)
      if (!chain) return undefined
      return async (asset) => {
        await begin(chain)
        return openingBalance(chain, asset)
      }
    },
    follow: (reports) => together(chains.map((chain) => keepFollowingChain(newFollower(chain, reports)))),
  }
}

type EvmTools = Omit<RailTools, 'folder'>

/** The rail of one chain: coins and tokens, in and out. Deposits are found by following the chain; it has no callbacks. */
export const evmRail = (chain: Chain): Rail => ({
  name: chain.name,
  custodyAccount: chain.name,
  serves: [{ directions: ['deposit', 'payout'], categories: ['CRYPTO'], networks: [chain.network.code] }],
  deposit: deposits(chain),
  payout: payouts(chain),
  nodes: () => showNodes(chain.db, chain.network.code, chain.nodeAddresses),
  reread: (block, report, also) => reread(chain, block, report, also),
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
