import { railKind } from '../kind.ts'
import { bankProblems, sharedSettings } from './check-settings.ts'
import { type BankEntry, bankSchema } from './settings.ts'

export const bankKind = railKind<BankEntry>({
  kind: 'iso20022',
  schema: bankSchema,
  problems: bankProblems,
  shared: sharedSettings,
  open: async (entries, tools) => (await import('./rails.ts')).openBankRails(entries, tools),
})
