import { findPaymentCategory } from '../../reference/catalog/payment-category.ts'
import type { Atomic } from '../../platform/db/sql.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import { openingBalance } from './balance.ts'
import type { Chain, EvmGround } from './chain.ts'
import { depositRail } from './deposit-rail.ts'
import { begin, type Halt, keepFollowing, newFollower, type Tell } from './follow.ts'
import { deriveKeys, newWords } from './keys.ts'
import { readKeystore, writeKeystore } from './keystore.ts'
import { openChains } from './open.ts'
import { rereadFrom } from './reread.ts'
import { payoutRail } from './sending/payout-rail.ts'
import type { Charge } from './sweep/sweep.ts'
import type { DepositRail, PayoutRail, Rails } from '../rail.ts'

/** The chains of the EVM that this exchange holds real money on. */
export type EvmRails = {
  /** Each chain as a way in and out, by its code. */
  roads: ReadonlyMap<string, { deposit: DepositRail; payout: PayoutRail }>
  /** What the wallet of a chain held of an asset before any of its deposits could be told. */
  opening(network: string, asset: string): Promise<bigint>
  /** Lets a chain be read again from a block on, and does `also` in the same block. See `rereadFrom`. */
  reread(network: string, block: bigint, tell: Tell, also: (db: Atomic) => void): Promise<void>
  /** Follows every chain, one process at a time each, tells what comes, and gathers it in the wallet that pays. `stop` ends it. */
  follow(told: { tell: Tell; charge: Charge; halt: Halt }): { stop(): Promise<void> }
}

/**
 * Opens the chains that have a node in the settings, with the keys of the keystore. Refuses a network that is none of the EVM, a
 * keystore that cannot be opened, and later, when it is first asked, a node of another chain. Does nothing without nodes.
 */
export async function openEvmRails(ground: EvmGround): Promise<EvmRails> {
  const chains = await openChains(ground)
  const chainOf = (code: string): Chain => {
    const chain = chains.find(({ network }) => network.code === code)
    if (!chain) throw new Refusal('NOT_FOUND', `There is no node for ${code}.`)
    return chain
  }
  const roads = new Map(
    chains.map((chain) => {
      const payout = payoutRail(chain)
      return [chain.network.code, { deposit: depositRail(chain, payout), payout }]
    }),
  )
  return {
    roads,
    reread: (code, block, tell, also) => rereadFrom(chainOf(code), block, tell, also),
    opening: async (code, asset) => {
      const chain = chainOf(code)
      await begin(chain)
      return openingBalance(chain, asset)
    },
    follow: ({ tell, charge, halt }) => {
      const following = chains.map((chain) => keepFollowing(newFollower(chain, tell, halt), charge))
      return { stop: async () => void (await Promise.all(following.map((one) => one.stop()))) }
    },
  }
}

/** These rails, with a real chain in place of each sandbox chain that there is one for. What was begun there ends there. */
export function withEvmRails(rails: Rails, { roads }: EvmRails): Rails {
  if (roads.size === 0) return rails
  const roadOf = (category: string, network: string) =>
    findPaymentCategory(category)?.flow === 'coin' ? roads.get(network) : undefined
  return {
    deposit: new Map([...rails.deposit, ...[...roads.values()].map(({ deposit }) => [deposit.name, deposit] as const)]),
    payout: new Map([...rails.payout, ...[...roads.values()].map(({ payout }) => [payout.name, payout] as const)]),
    forDeposit: (category, network) => roadOf(category, network)?.deposit ?? rails.forDeposit(category, network),
    forPayout: (category, network) => roadOf(category, network)?.payout ?? rails.forPayout(category, network),
  }
}

/** Makes a keystore with new words, and gives the address that pays out. Refuses to overwrite one. */
export async function createKeystore(file: string, password: string): Promise<{ hot: string }> {
  const words = await newWords()
  await writeKeystore(file, words, password)
  return { hot: (await deriveKeys(words)).hot }
}

/** Opens a keystore and gives the address that pays out. */
export const showKeystore = async (file: string, password: string): Promise<{ hot: string }> => ({
  hot: (await deriveKeys(await readKeystore(file, password))).hot,
})

export { keystorePassword } from './open.ts'
