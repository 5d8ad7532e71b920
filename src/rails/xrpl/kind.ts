import { checkAddress } from '../../reference/addresses/address.ts'
import { railKind } from '../kind.ts'
import { keyProblems } from '../keys/key-problems.ts'
import { type XrplSettings, xrplSchema } from './settings.ts'

export const xrplKind = railKind<XrplSettings>({
  kind: 'xrpl',
  schema: xrplSchema,
  chainOf: () => 'xrpl',
  problems: (entry, place) => [
    ...(checkAddress('xrp', entry.account).ok
      ? []
      : [{ path: 'account', message: 'is not an address of the XRP Ledger' }]),
    ...keyProblems(entry, place),
  ],
  open: async (entries, tools) => (await import('./rails.ts')).openXrplRails(entries, tools),
})
