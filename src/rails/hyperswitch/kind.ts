import { railKind } from '../kind.ts'
import { type HyperswitchEntry, hyperswitchSchema, servesProblem } from './settings.ts'

export const hyperswitchKind = railKind<HyperswitchEntry>({
  kind: 'hyperswitch',
  schema: hyperswitchSchema,
  problems: (entry) => {
    const message = servesProblem(entry)
    return message === undefined ? [] : [{ path: 'serves', message }]
  },
  open: async (entries, tools) => (await import('./open.ts')).openHyperswitch(entries, tools),
})
