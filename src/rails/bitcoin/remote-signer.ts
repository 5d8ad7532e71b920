import { rememberCaps, type SaidCaps } from '../keys/signer-caps.ts'
import { signedForBy, type SignerClient } from '../keys/signer-client.ts'
import type { SignedTransfer, Signer } from './keys.ts'
import type { BitcoinSettings } from './settings.ts'

/** A transfer as it goes to the signer's process. Amounts and positions are decimal texts. */
export type BitcoinParts = {
  chain: string
  inputs: { txid: string; vout: number; amount: string; branch: 0 | 1; position: string }[]
  /** Each pays either a payout or an address of ours. */
  outputs: { script: string; amount: string; payout?: string; path?: { branch: 0 | 1; position: string } }[]
}

/** Signs by the process that holds the keys. */
export function remoteSigner(
  client: SignerClient,
  { asset = 'BTC', network = 'mainnet' }: Pick<BitcoinSettings, 'asset' | 'network'>,
): Signer {
  const chain = `${asset} ${network}`
  const { learn, most } = rememberCaps(client)
  return {
    most,
    signedFor: signedForBy(client),
    accountKey: async () => {
      const said = await client.call<SaidCaps & { keys: string }>('/keys', { family: 'bitcoin', chain })
      learn(said)
      return said.keys
    },
    sign: ({ inputs, outputs }) => {
      const parts: BitcoinParts = {
        chain,
        inputs: inputs.map(({ txid, vout, amount, branch, position }) => ({
          txid,
          vout,
          amount: String(amount),
          branch,
          position: String(position),
        })),
        outputs: outputs.map(({ script, amount, payout, path }) => ({
          script,
          amount: String(amount),
          ...(payout === undefined ? {} : { payout }),
          ...(path ? { path: { branch: path.branch, position: String(path.position) } } : {}),
        })),
      }
      return client.call<SignedTransfer>('/sign', { family: 'bitcoin', parts })
    },
  }
}
