import { leastOf } from '../../platform/money/amount.ts'
import { NoAnswer } from '../json-rpc.ts'
import { type Chain, nodesOf } from './chain.ts'
import { toHex } from './node.ts'
import { readFollow } from '../chain/follows.sql.ts'
import { readHead } from './read-blocks.ts'
import { addressesHolding } from './sweep/queries.ts'
import { balanceCall, contractOf, movesOn } from './tokens.ts'

/** What each node says that addresses have of an asset, each at one block (`latest`, or its number as nodes write it). */
async function balancesSaid(chain: Chain, asset: string, addresses: string[], block: string): Promise<bigint[][]> {
  if (!movesOn(chain.network, asset)) return [addresses.map(() => 0n)]
  const contract = contractOf(chain.network, asset)
  const calls = addresses.map((address) =>
    contract === undefined
      ? { method: 'eth_getBalance', params: [address, block] }
      : { method: 'eth_call', params: [{ to: contract, data: balanceCall(address) }, block] },
  )
  return Promise.all(
    nodesOf(chain).map(async (node) => {
      const texts = await node.askAll<string>(calls)
      // Only where there is no token yet, nothing is the answer.
      if (texts.includes('0x') && (await node.ask<string>('eth_getCode', contract, block)) !== '0x')
        throw new NoAnswer('The node did not say what an address holds.')
      return texts.map((text) => (text === '0x' ? 0n : BigInt(text)))
    }),
  )
}

/** How many addresses have what they hold of an asset at one block. Fails where the nodes do not say the same. */
export async function balancesAt(chain: Chain, asset: string, addresses: string[], block: string): Promise<bigint[]> {
  const [balances = [], ...others] = await balancesSaid(chain, asset, addresses, block)
  if (others.some((other) => String(other) !== String(balances)))
    throw new NoAnswer(`The nodes of ${chain.network.code} say different balances.`)
  return balances
}

/** The least that a node says that an address has of an asset now. */
export const leastBalance = async (chain: Chain, asset: string, address: string): Promise<bigint> =>
  leastOf((await balancesSaid(chain, asset, [address], 'latest')).flat())

/** What the paying wallet held of an asset when a chain began to be followed. Nothing of this is ever reported as a deposit. */
export async function openingBalance(chain: Chain, asset: string): Promise<bigint> {
  await chain.chainId()
  const [follow] = await readFollow(chain.db, chain.network.code)
  if (!follow || follow.first_block === null) throw new Error(`No process has begun to follow ${chain.network.code}.`)
  const [held = 0n] = await balancesAt(chain, asset, [chain.keys.hot], toHex(follow.first_block))
  return held
}

/** What our addresses on a chain hold of an asset at the depth at which transfers are final, at every node. */
export async function balanceOf(chain: Chain, asset: string): Promise<bigint> {
  const { db, network, keys, confirmations } = chain
  const heads = await Promise.all(nodesOf(chain).map((node) => readHead({ ...chain, node })))
  const deep = leastOf(heads) - BigInt(confirmations) + 1n
  const holding = await addressesHolding(db, network.code, asset)
  const addresses = [...new Set([keys.hot.toLowerCase(), ...holding.map(({ address }) => address)])]
  const balances = await balancesAt(chain, asset, addresses, toHex(deep > 0n ? deep : 0n))
  return balances.reduce((sum, balance) => sum + balance, 0n)
}
