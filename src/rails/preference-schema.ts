import type { Schema } from '../platform/lib/schema.ts'

/** The fields of an entry in CONFIG_FILE that say how rails share what several serve. */
export const preferenceSchema: Readonly<Record<string, Schema>> = {
  priority: {
    type: 'integer',
    minimum: 1,
    default: 1,
    description: 'Of several rails that serve the same, those with the lowest number take new payments.',
  },
  weight: {
    type: 'integer',
    minimum: 0,
    default: 1,
    description: 'The share of new payments among rails of the same priority.',
  },
}
