import { checkAddress } from '../../reference/addresses/address.ts'
import { findNetwork } from '../../reference/catalog/network.ts'
import { nativeAsset } from '../../reference/catalog/sync-assets.ts'
import { SignerRefusal, type SigningFamily, type TransferContent } from '../keys/signer.ts'
import { deriveKeys, type PublicKeys, type SignedTransfer } from './keys.ts'
import type { EvmParts } from './remote-keys.ts'
import { movesOn } from './tokens.ts'
import { type OwnAddresses, type Route, senderOf, type Transfer } from './transfer.ts'

const malformed = (message: string): SignerRefusal => new SignerRefusal('malformed', message)

/**
 * The chains of the EVM in the signer's process: coins and tokens of the catalog, on the chain that the catalog names for their
 * network, or that `testChains` names instead. Between our own addresses, which it derives itself, it moves any amount: from any of
 * them to the wallet, and to those with a number below `ownAddresses` as gas.
 */
export function evmFamily(mnemonic: string, bounds: OwnBounds): SigningFamily<EvmParts, SignedTransfer, PublicKeys> {
  let opened: ReturnType<typeof deriveKeys> | undefined
  const keys = (): ReturnType<typeof deriveKeys> => (opened ??= deriveKeys(mnemonic))
  return {
    publicKeys: async () => (await keys()).publicKeys,
    read: async (parts) => read(await keys(), bounds, transferOf(parts)),
    sign: async (parts) => (await keys()).sign(transferOf(parts)),
  }
}

function transferOf(parts: EvmParts): Transfer {
  const { network, chainId, nonce, asset, amount, gas, maxFee, priorityFee } = parts
  return {
    network,
    chainId: BigInt(chainId),
    nonce: BigInt(nonce),
    asset,
    amount: BigInt(amount),
    gas: BigInt(gas),
    maxFee: BigInt(maxFee),
    priorityFee: BigInt(priorityFee),
    route: routeOf(parts),
  }
}

function routeOf({ payout, recipient, gasFor, sweepOf }: EvmParts): Route {
  if (gasFor !== undefined) return { gasFor: BigInt(gasFor) }
  if (sweepOf !== undefined) return { sweepOf: BigInt(sweepOf) }
  if (payout === undefined || recipient === undefined) throw malformed('A transfer has no route.')
  return { payout, recipient }
}

/** What the policy of the signer says of chains and of our own addresses. */
type OwnBounds = { testChains: ReadonlyMap<string, bigint>; ownAddresses: bigint }

function read(own: OwnAddresses, { testChains, ownAddresses }: OwnBounds, transfer: Transfer): TransferContent {
  const { chainId, nonce, asset, amount, gas, maxFee, priorityFee, route } = transfer
  const network = findNetwork(transfer.network)
  if (network?.family !== 'evm' || network.code !== transfer.network) throw malformed('This is no network of the EVM.')
  const test = testChains.get(network.code)
  if (test === undefined ? network.caip2 !== `eip155:${chainId}` : test !== chainId) {
    throw new SignerRefusal('policy', `The policy does not know ${network.code} by the chain id ${chainId}.`)
  }
  if (!movesOn(network, asset)) throw malformed(`${asset} does not move on ${network.code}.`)
  if (amount === 0n || gas === 0n || maxFee === 0n || priorityFee > maxFee) throw malformed('This is no transfer.')
  const coin = nativeAsset(network).id
  if ('gasFor' in route && asset !== coin) throw malformed('Gas is paid in the coin of the chain.')
  if ('gasFor' in route && route.gasFor >= ownAddresses) {
    throw new SignerRefusal('policy', 'The policy knows no address of ours with so large a number.')
  }
  return {
    payments: 'payout' in route ? [{ payout: route.payout, asset, amount, destination: recipientOf(own, route) }] : [],
    fee: { asset: coin, amount: gas * maxFee, size: gas, unit: 10n ** 9n },
    exclusive: [`eip155:${chainId} ${senderOf(own, transfer)} ${nonce}`],
    // The signature covers every field.
    claims: {},
  }
}

function recipientOf({ hot }: OwnAddresses, { recipient }: { recipient: string }): string {
  const destination = destinationOf(recipient)
  if (destination === undefined || destination === hot) throw malformed('The recipient is no address of somebody else.')
  return destination
}

/** The destination that a policy names: an address with its checksum, on every chain of the EVM. */
export function destinationOf(text: string): string | undefined {
  const checked = checkAddress('evm', text)
  return checked.ok ? checked.canonical : undefined
}
