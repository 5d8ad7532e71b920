import { networkEntries } from './data/networks.ts'
import { lookupKey } from './lookup-key.ts'

/** Which software speaks to a chain and which rules its addresses follow (src/reference/addresses has one file a family). */
export type NetworkFamily =
  | 'bitcoin'
  | 'litecoin'
  | 'dogecoin'
  | 'bitcoin-cash'
  | 'evm'
  | 'tron'
  | 'solana'
  | 'xrp'
  | 'stellar'
  | 'cardano'
  | 'polkadot'
  | 'algorand'
  | 'ton'

/** A destination tag or memo that a chain's addresses need or allow beside them. `regex` is anchored. */
export type Memo = { required: boolean; name: string; regex: string }

/** A chain that coins move on. Facts only; a rail knows how to speak to it. Fiat money has no `Network`. */
export type Network = {
  /** As partners write it: `BTC`, `ETH`, `TRX`. */
  code: string
  name: string
  /** Other spellings that are read and never written (`OP` for `OPTIMISM`). Upper case. */
  aliases: readonly string[]
  family: NetworkFamily
  /** The chain's name in CAIP-2 (`eip155:1`). */
  caip2: string
  /** The coin that the chain's own fees are paid in; listed as a currency or not. */
  native: { ticker: string; decimals: number }
  /** A page about one transfer; `$$` stands for its hash. */
  explorerMask: string
  /** Blocks, the transfer's own included, after which a deposit is final. */
  minConfirmations: number
  /** Usual time between two blocks. */
  blockSeconds: number
  /** What an address looks like, anchored: a hint for forms. Checksums are checked by `addresses/`. */
  addressRegex: string
  /** A real, published address of the right form, for documents and tests. Nobody is paid to it. */
  addressExample: string
  memo: Memo | null
  /** Name of the drawing, `/logos/<name>.svg`. */
  logo: string
}

/** Every chain that we know, listed currencies or not, in the order of the data. */
export const networks: readonly Network[] = networkEntries.map((entry) => ({
  ...entry,
  logo: entry.code.toLowerCase(),
}))

const byName = new Map(networks.flatMap((network) => [network.code, ...network.aliases].map((name) => [name, network])))

/** Finds a chain by its code or an alias, in any letter case. */
export const findNetwork = (text: string): Network | undefined => byName.get(lookupKey(text))
