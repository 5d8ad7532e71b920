import { railKind } from '../kind.ts'
import { type EvmEntry, evmSchema } from './settings.ts'

export const evmKind = railKind<EvmEntry>({
  kind: 'evm',
  schema: evmSchema,
  chainOf: ({ network }) => `evm ${network}`,
  isNamedElsewhere: ({ evm }) => Object.keys(evm.rpcUrls).length > 0,
  open: async (entries, tools) => (await import('./rails.ts')).openEvmRails(entries, tools),
})
