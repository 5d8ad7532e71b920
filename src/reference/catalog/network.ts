import { type NetworkEntry, networkEntries } from './data/networks.ts'
import { lookupKey } from './lookup-key.ts'

/** A chain that coins move on. Facts only; a rail knows how to speak to it. Fiat money has no `Network`. */
export type Network = NetworkEntry & {
  /** Name of the drawing, `/logos/<name>.svg`. */
  logo: string
}

export type Memo = NonNullable<Network['memo']>

/** Every chain that we know, listed currencies or not, in the order of the data. */
export const networks: readonly Network[] = networkEntries.map((entry) => ({
  ...entry,
  logo: entry.code.toLowerCase(),
}))

const byName = new Map(networks.flatMap((network) => [network.code, ...network.aliases].map((name) => [name, network])))

/** Finds a chain by its code or an alias, in any letter case. */
export const findNetwork = (text: string): Network | undefined => byName.get(lookupKey(text))
