import { createHash } from 'node:crypto'

import { type AddressFamily, makeSandboxAddress } from '../../reference/addresses/address.ts'
import { testNetworkOf } from '../../reference/addresses/test-network.ts'
import type { Network } from '../../reference/catalog/network.ts'
import { nativeAsset } from '../../reference/catalog/sync-assets.ts'
import { type Asset, parseAmount } from '../../platform/money/amount.ts'
import { confirmationsOf } from '../../rails/confirmations.ts'
import type { World } from '../world.ts'
import { memoOf } from './memo.ts'
import type { TransferRow, Wallet } from './queries.ts'

/** The rail of a chain. */
export const chainName = ({ code }: Pick<Network, 'code'>): string => `sandbox-${code.toLowerCase()}`

/**
 * Hot addresses by their chain, and by the test network whose addresses its family has: each takes a millisecond to make, and few
 * processes need one of every chain.
 */
const hotAddresses = new Map<string, string>()

function hotAddressOf(network: Network): string {
  const key = `${network.code} ${testNetworkOf(network.family) ?? ''}`
  const address = hotAddresses.get(key) ?? addressOf(network, `cambio hot wallet ${network.code}`)
  hotAddresses.set(key, address)
  return address
}

/** The exchange's own wallet on a chain: it pays out of its hot address, and pools there what comes to any address of its. */
export const walletOf = (world: Pick<World, 'confirmations'>, network: Network): Wallet => ({
  chain: network.code,
  get address() {
    return hotAddressOf(network)
  },
  usesMemos: network.memo !== null,
  confirmations: confirmationsOf(world, network),
})

const addressOf = ({ family }: Network, seed: string): string =>
  makeSandboxAddress(family, createHash('sha256').update(seed).digest())

/** Where one transaction's coins go: a fresh address, or a fresh memo at the hot address where the chain has memos. */
export const depositAddress = (network: Network, wallet: Wallet, id: bigint): { address: string; extraId: string } =>
  wallet.usesMemos
    ? { address: wallet.address, extraId: memoOf(id) }
    : { address: addressOf(network, `${network.code}|${id}`), extraId: '' }

/** Somebody whose coins never end. */
export const testWallet = (network: Network): string => addressOf(network, 'cambio test customer')

/** Another exchange's wallet: money sent there without one of its memos has no owner. */
export const pooledWallet = (network: Network): string => addressOf(network, 'cambio test exchange')

/** What one transfer costs its sender, in whole native coins: about what the main networks take. */
const transferCosts: Record<AddressFamily, string> = {
  bitcoin: '0.00001',
  litecoin: '0.0001',
  dogecoin: '0.1',
  'bitcoin-cash': '0.00001',
  evm: '0.0004',
  tron: '1.1',
  solana: '0.000005',
  xrp: '0.00001',
  stellar: '0.00001',
  cardano: '0.17',
  polkadot: '0.016',
  algorand: '0.001',
  ton: '0.005',
}

/** What one transfer costs the wallet. */
export function transferCost(network: Network): { asset: Asset; amount: bigint } {
  const asset = nativeAsset(network)
  return { asset, amount: parseAmount(transferCosts[network.family], asset) }
}

/** The hash of a transfer, in the spelling of its chain: 64 hexadecimal digits, after `0x` on chains of the EVM. */
export function hashOf(
  { code, family }: Network,
  { sender, nonce, recipient, asset, amount }: Omit<TransferRow, 'hash'>,
): string {
  const digest = createHash('sha256')
    .update([code, sender, nonce, recipient, asset, String(amount)].join('|'))
    .digest('hex')
  return family === 'evm' ? `0x${digest}` : digest
}
