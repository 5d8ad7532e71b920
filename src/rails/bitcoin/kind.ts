import { railKind } from '../kind.ts'
import { keyProblems } from '../keys/key-problems.ts'
import { type BitcoinSettings, bitcoinSchema } from './settings.ts'

export const bitcoinKind = railKind<BitcoinSettings>({
  kind: 'bitcoin',
  schema: bitcoinSchema,
  chainOf: ({ asset = 'BTC' }) => `bitcoin ${asset}`,
  // The signer has no keys of Dogecoin.
  problems: (entry, place) => keyProblems(entry, { ...place, hasSigner: place.hasSigner && entry.asset !== 'DOGE' }),
  open: async (entries, tools) => (await import('./rails.ts')).openBitcoinRails(entries, tools),
})
