import type { SignerClient } from '../keys/signer-client.ts'
import type { SignedPayment, Signer, UnsignedPayment, XrplNetwork } from './keys.ts'

/** A payment as it goes to the signer's process. */
export type XrplParts = UnsignedPayment & { chain: XrplNetwork }

/** Signs by the process that holds the key. */
export const remoteSigner = (client: SignerClient, chain: XrplNetwork): Signer => ({
  account: async () => (await client.call<{ keys: string }>('/keys', { family: 'xrpl', chain })).keys,
  sign: (payment) => {
    const parts: XrplParts = { ...payment, chain }
    return client.call<SignedPayment>('/sign', { family: 'xrpl', parts })
  },
})
