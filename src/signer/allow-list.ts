import { destinationOf as bitcoinDestination, networksOf } from '../rails/bitcoin/signing-family.ts'
import { destinationOf as evmDestination } from '../rails/evm/signing-family.ts'
import { destinationOf as xrplDestination } from '../rails/xrpl/signing-family.ts'
import { findNetwork, type Network } from '../reference/catalog/network.ts'
import { type Policy, readPolicy } from './policy.ts'

/** Reads `policy.yaml` whole: its allow-list then has what the addresses pay to, as `CHAIN:DESTINATION`. Refuses as `readPolicy` does. */
export function readWholePolicy(text: string): Policy {
  const policy = readPolicy(text)
  return { ...policy, allowed: new Set([...policy.allowed].map((entry) => allowedIn(policy, entry))) }
}

/** What an address pays to on one chain, or on one of its test networks. */
export function destinationOn({ code, family }: Network, address: string): string | undefined {
  if (family === 'evm') return evmDestination(address)
  return code === 'XRP' ? xrplDestination(address) : bitcoinDestination(address, code)
}

/** An entry of the allow-list with what its address pays to. */
function allowedIn({ testNetworks }: Policy, entry: string): string {
  const [, code, address] = /^([A-Z][A-Z0-9]{1,19}):(.+)$/.exec(entry) ?? []
  if (code === undefined || address === undefined) {
    throw new Error(`policy.yaml: ${entry} names no chain: write CHAIN:ADDRESS, such as "BTC:bc1q...".`)
  }
  const network = findNetwork(code)
  if (!network) throw new Error(`policy.yaml: ${entry} names an unknown chain.`)
  if (network.code !== code) throw new Error(`policy.yaml: ${entry} must name the chain as ${network.code}.`)
  const destination = destinationOn(network, address)
  if (destination === undefined) throw new Error(`policy.yaml: ${entry} has no address of ${code}.`)
  const meant = testNetworks.get(code) ?? 'mainnet'
  const [first, ...others] = networksOf(address, code)
  // An output script is the same on each of them: the entry is meant for another wallet than the one that it would allow.
  if (first !== undefined && ![first, ...others].includes(meant)) {
    throw new Error(`policy.yaml: ${entry} is an address of ${code}'s ${first}, and the policy is for its ${meant}.`)
  }
  return `${code}:${destination}`
}
