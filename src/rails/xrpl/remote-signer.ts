import { rememberCaps, type SaidCaps } from '../keys/signer-caps.ts'
import { signedForBy, type SignerClient } from '../keys/signer-client.ts'
import type { SignedPayment, Signer, UnsignedPayment, XrplNetwork } from './keys.ts'

/** A payment as it goes to the signer's process. */
export type XrplParts = UnsignedPayment & { chain: XrplNetwork }

/** Signs by the process that holds the key. */
export function remoteSigner(client: SignerClient, chain: XrplNetwork): Signer {
  const { learn, most } = rememberCaps(client)
  return {
    most,
    signedFor: signedForBy(client),
    account: async () => {
      const said = await client.call<SaidCaps & { keys: string }>('/keys', { family: 'xrpl', chain })
      learn(said)
      return said.keys
    },
    sign: (payment) => {
      const parts: XrplParts = { ...payment, chain }
      return client.call<SignedPayment>('/sign', { family: 'xrpl', parts })
    },
  }
}
