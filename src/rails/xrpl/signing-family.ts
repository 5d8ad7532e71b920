import { checkAddress } from '../../reference/addresses/address.ts'
import { SignerRefusal, type SigningFamily, type TransferContent } from '../keys/signer.ts'
import { localSigner, type SignedPayment, type Signer } from './keys.ts'
import type { XrplParts } from './remote-signer.ts'

const asset = 'XRP-XRP'

const malformed = (message: string): SignerRefusal => new SignerRefusal('malformed', message)

/** The XRP Ledger in the signer's process. It signs payments of XRP and nothing else. */
export function xrplFamily(mnemonic: string): SigningFamily<XrplParts, SignedPayment, string> {
  const signers = new Map<string, Promise<Signer>>()
  const signerOf = (chain: string): Promise<Signer> => {
    if (chain !== 'mainnet' && chain !== 'testnet') throw malformed('The signer does not sign for this chain.')
    const known = signers.get(chain) ?? localSigner(mnemonic, chain)
    signers.set(chain, known)
    return known
  }
  return {
    publicKeys: async (chain) => (await signerOf(chain)).account(),
    read: async (parts) => read(parts, await (await signerOf(parts.chain)).account()),
    sign: async (parts) => (await signerOf(parts.chain)).sign(parts),
  }
}

function read({ chain, payout, destination, tag, amount, fee, sequence }: XrplParts, account: string): TransferContent {
  if (sequence === 0 || destination === account) throw malformed('This is no payment of XRP to somebody else.')
  const to = destinationOf(tag === undefined ? destination : `${destination}:${tag}`)
  if (to === undefined) throw malformed('The destination is no address of the XRP Ledger.')
  return {
    payments: [{ payout, asset, amount: BigInt(amount), destination: to }],
    fee: { asset, amount: BigInt(fee) },
    exclusive: [`XRP ${chain} ${account} ${sequence}`],
    claims: {},
  }
}

/** The destination that a policy names: a classic address, or one with its tag as ADDRESS:TAG. */
export function destinationOf(text: string): string | undefined {
  const [, address = '', tag] = /^(r[1-9A-HJ-NP-Za-km-z]{24,34})(?::(0|[1-9]\d{0,9}))?$/.exec(text) ?? []
  const isKnown = checkAddress('xrp', address).ok && (tag === undefined || BigInt(tag) < 2n ** 32n)
  return isKnown ? text : undefined
}
