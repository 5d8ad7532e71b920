import type { Chain } from './chain.ts'
import { toHex } from './node.ts'
import * as queries from './queries.ts'
import { readHead } from './read-blocks.ts'
import { addressesHolding } from './sweep/queries.ts'
import { balanceCall, contractOf, movesOn } from './tokens.ts'

/** How many addresses have what they hold of an asset, each at one block (`latest`, or its number as nodes write it). */
export async function balancesAt(chain: Chain, asset: string, addresses: string[], block: string): Promise<bigint[]> {
  if (!movesOn(chain.network, asset)) return addresses.map(() => 0n)
  const contract = contractOf(chain.network, asset)
  const read = await chain.node.askAll<string>(
    addresses.map((address) =>
      contract === undefined
        ? { method: 'eth_getBalance', params: [address, block] }
        : { method: 'eth_call', params: [{ to: contract, data: balanceCall(address) }, block] },
    ),
  )
  return read.map((text) => (text === '0x' ? 0n : BigInt(text)))
}

/** What the paying wallet held of an asset when a chain began to be followed. Nothing of this is ever reported as a deposit. */
export async function openingBalance(chain: Chain, asset: string): Promise<bigint> {
  await chain.chainId()
  const [known] = await queries.firstBlock(chain.db, chain.network.code)
  if (known?.first_block === null || known?.first_block === undefined) {
    throw new Error(`Nobody has begun to follow ${chain.network.code}.`)
  }
  const [held = 0n] = await balancesAt(chain, asset, [chain.keys.hot], toHex(known.first_block))
  return held
}

/** What our addresses on a chain hold of an asset at the depth at which transfers are final. */
export async function balanceOf(chain: Chain, asset: string): Promise<bigint> {
  const { db, network, keys, confirmations } = chain
  const head = await readHead(chain)
  const deep = head - BigInt(confirmations) + 1n
  const holding = await addressesHolding(db, network.code, asset)
  const addresses = [...new Set([keys.hot.toLowerCase(), ...holding.map(({ address }) => address)])]
  const balances = await balancesAt(chain, asset, addresses, toHex(deep > 0n ? deep : 0n))
  return balances.reduce((sum, balance) => sum + balance, 0n)
}
