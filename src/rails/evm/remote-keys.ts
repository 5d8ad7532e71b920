import { rememberCaps, type SaidCaps } from '../keys/signer-caps.ts'
import { signedForBy, type SignerClient } from '../keys/signer-client.ts'
import { type Keys, openAddresses, type PublicKeys, type SignedTransfer } from './keys.ts'

/** A transfer as it goes to the signer's process, with one of the routes. Numbers are decimal texts. */
export type EvmParts = {
  network: string
  chainId: string
  nonce: string
  asset: string
  amount: string
  gas: string
  maxFee: string
  priorityFee: string
  payout?: string
  recipient?: string
  gasFor?: string
  sweepOf?: string
}

/** Our addresses as the signer says, and its signatures. Asks for the public keys at once. */
export async function remoteKeys(client: SignerClient): Promise<Keys> {
  const { learn, most } = rememberCaps(client)
  const said = await client.call<SaidCaps & { keys: PublicKeys }>('/keys', { family: 'evm', chain: 'all' })
  learn(said)
  const own = await openAddresses(said.keys)
  return {
    ...own,
    most,
    signedFor: signedForBy(client),
    sign: ({ network, chainId, nonce, asset, amount, gas, maxFee, priorityFee, route }) => {
      const parts: EvmParts = {
        network,
        chainId: String(chainId),
        nonce: String(nonce),
        asset,
        amount: String(amount),
        gas: String(gas),
        maxFee: String(maxFee),
        priorityFee: String(priorityFee),
        ...Object.fromEntries(Object.entries(route).map(([name, value]) => [name, String(value)])),
      }
      return client.call<SignedTransfer>('/sign', { family: 'evm', parts })
    },
  }
}
