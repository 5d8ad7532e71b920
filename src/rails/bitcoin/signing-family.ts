import { scriptOf } from '../../reference/addresses/output-script.ts'
import { SignerRefusal, type SigningFamily, type TransferContent } from '../keys/signer.ts'
import { type Account, type KeyPath, openAccount, type SignedTransfer, type Signer, type SignPlan } from './keys.ts'
import { type ChainRules, chainRules } from './networks.ts'
import { sizeOf } from './sending/select.ts'
import type { BitcoinParts } from './remote-signer.ts'
import { localSigner } from './sign.ts'

/** What the signer's process knows of one chain. */
type OwnChain = { code: string; rules: ChainRules; signer: Signer; account: Account }

/**
 * Bitcoin, Litecoin and Bitcoin Cash in the signer's process. Refuses Dogecoin: its signatures do not cover the amounts that are
 * spent, so a transfer could lose any amount as its fee.
 */
export function bitcoinFamily(
  mnemonic: string,
  { testNetworks }: { testNetworks: ReadonlyMap<string, string> },
): SigningFamily<BitcoinParts, SignedTransfer, string> {
  const chains = new Map<string, Promise<OwnChain>>()
  const chainOf = (chain: string): Promise<OwnChain> => {
    const [code = '', network] = chain.split(' ')
    const meant = testNetworks.get(code)
    if (meant !== undefined && network !== meant) {
      throw new SignerRefusal('policy', `The policy is for ${code}'s ${meant}, not for its ${network}.`)
    }
    const known = chains.get(chain) ?? openOwn(mnemonic, chain)
    chains.set(chain, known)
    return known
  }
  return {
    publicKeys: async (chain) => (await chainOf(chain)).signer.accountKey(),
    read: async (parts) => read(await chainOf(parts.chain), parts),
    sign: async (parts) => (await chainOf(parts.chain)).signer.sign(planOf(parts)),
  }
}

const malformed = (message: string): SignerRefusal => new SignerRefusal('malformed', message)

async function openOwn(mnemonic: string, chain: string): Promise<OwnChain> {
  const [, asset, network] = /^(BTC|LTC|BCH) (mainnet|testnet|regtest)$/.exec(chain) ?? []
  if (asset === undefined || network === undefined) throw malformed('The signer does not sign for this chain.')
  const { rules, forms } = chainRules({ asset: asset as 'BTC', network: network as 'mainnet' })
  const signer = await localSigner(mnemonic, rules)
  return { code: chain, rules, signer, account: openAccount(await signer.accountKey(), rules, forms) }
}

const pathOf = ({ branch, position }: { branch: 0 | 1; position: string }): KeyPath => ({
  branch,
  position: BigInt(position),
})

const planOf = ({ inputs, outputs }: BitcoinParts): SignPlan => ({
  inputs: inputs.map(({ txid, vout, amount, ...path }) => ({ txid, vout, amount: BigInt(amount), ...pathOf(path) })),
  outputs: outputs.map(({ script, amount }) => ({ script, amount: BigInt(amount) })),
})

function read({ code, rules, account }: OwnChain, { inputs, outputs }: BitcoinParts): TransferContent {
  const spent = inputs.map(({ txid, vout }) => `${code} ${txid}:${vout}`)
  if (new Set(spent).size < spent.length) throw malformed('A transfer spends an output twice.')
  const payments = outputs.flatMap(({ script, amount, payout, path }) => {
    if (path && payout === undefined) {
      const isWallet = path.branch === 1 && path.position === '0'
      if (!isWallet || account.addressAt(pathOf(path)).script !== script) {
        throw malformed('An output is not the wallet as it says.')
      }
      return []
    }
    if (payout === undefined || path) throw malformed('An output is neither one payout nor ours.')
    return [{ payout, asset: rules.asset, amount: BigInt(amount), destination: script }]
  })
  const fee = sumOf(inputs) - sumOf(outputs)
  const size = sizeOf(
    rules,
    inputs.length,
    outputs.map(({ script }) => script),
  )
  if (fee < 0n) throw malformed('A transfer pays more than it spends.')
  return {
    payments,
    fee: { asset: rules.asset, amount: fee, size: BigInt(size), unit: 1n },
    exclusive: spent,
    // A signature proves the amount of one input only: two transfers with different lies about amounts make a valid one together.
    claims: Object.fromEntries(inputs.map(({ amount }, index) => [spent[index] ?? '', amount])),
  }
}

const sumOf = (all: readonly { amount: string }[]): bigint => all.reduce((sum, { amount }) => sum + BigInt(amount), 0n)

const assets = ['BTC', 'LTC', 'BCH'] as const
const networks = ['mainnet', 'testnet', 'regtest'] as const
type NetworkName = (typeof networks)[number]

/** Whether the signer signs for a chain of this family, by the code of its network. */
export const isOfBitcoin = (code: string): boolean => assets.some((asset) => asset === code)

/** The output script that an address of the policy names on a chain, and on its test networks. */
export function destinationOf(address: string, chain: string): string | undefined {
  const [read] = readAs(address, chain)
  return read?.script
}

/** The networks of a chain that have an address: test networks share some. */
export const networksOf = (address: string, chain: string): NetworkName[] =>
  readAs(address, chain).map(({ network }) => network)

const readAs = (address: string, chain: string): { network: NetworkName; script: string }[] =>
  assets
    .filter((asset) => asset === chain)
    .flatMap((asset) =>
      networks.flatMap((network) => {
        const script = scriptOf(address, chainRules({ asset, network }).forms)
        return script === undefined ? [] : [{ network, script }]
      }),
    )
