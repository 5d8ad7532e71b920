import type { ScreeningHit } from '../../identity/provider.ts'
import type { PolicyKind } from './kind.ts'
import { type RiskLevel, riskLevels } from './risk.ts'
import { object } from './values.ts'

/** How bad each kind of a screening's hit makes a customer. */
export type ScreeningDocument = { hits: Readonly<Record<ScreeningHit, RiskLevel>> }

const level = { enum: riskLevels }

export const screening: PolicyKind<ScreeningDocument, { hits: ReadonlyMap<string, RiskLevel> }> = {
  schema: object({
    hits: object({ sanctions: level, pep: level, adverse_media: level, crime: level, watchlist: level }),
  }),
  read: ({ hits }) => ({ hits: new Map(Object.entries(hits)) }),
  contradictions: ({ hits }) =>
    hits.sanctions === 'prohibited'
      ? []
      : [{ path: 'hits.sanctions', message: 'must be prohibited: nobody on a sanctions list may be served' }],
  shipped: () => ({
    hits: { sanctions: 'prohibited', pep: 'high', adverse_media: 'high', crime: 'high', watchlist: 'high' },
  }),
}
