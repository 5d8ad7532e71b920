import { bringUpToDate } from '../database.ts'
import type { Answer } from '../../doors/commands/command.ts'
import { withDatabase } from './reach.ts'

/** Migrates as the owner of the schema, and creates the service's role. */
export const migrateDatabase = (): Promise<Answer> =>
  withDatabase(
    async ({ reached, secrets }) => {
      const applied = await bringUpToDate(reached, secrets)
      const text = applied.length === 0 ? 'The database is up to date.' : `Applied:\n  ${applied.join('\n  ')}`
      return { json: { applied }, text }
    },
    { makeKey: ({ mode }) => mode === 'sandbox', asOwner: true },
  )

/** The URL contains the role's password. */
export const printUrl = (): Promise<Answer> =>
  withDatabase(({ reached }) => {
    const [url = ''] = reached.urls
    return Promise.resolve({ json: { url }, text: url })
  })
