import { ConfigError } from '../config/config.ts'
import { codeOf } from '../../platform/db/pool.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import { WrongUsage } from '../../doors/commands/command.ts'

/** A command's error message and exit code. */
export type Failure = { text: string; exitCode: 1 | 2 }

const notReady =
  'The database is not migrated to this version of Cambio. Start the service once, or run: cambio migrate'
const noDatabase = 'The database does not answer'

/** Messages for a database that is unreachable or not migrated, by SQLSTATE or system error code. */
const known: Readonly<Record<string, string>> = {
  '28P01': `The service's role cannot log in: the database was never migrated, or with another master key. Run: cambio migrate`,
  '28000': `The service's role cannot log in. Run: cambio migrate`,
  '3D000': 'The database does not exist.',
  '3F000': notReady,
  '42P01': notReady,
  '42703': notReady,
  '42501': notReady,
  '57P03': `${noDatabase}: it is starting or stopping.`,
  ECONNREFUSED: `${noDatabase} (ECONNREFUSED).`,
  ENOTFOUND: `${noDatabase}: unknown host.`,
}

/** Refusals and database errors get one sentence, bugs their stack. Invalid arguments exit with 2, everything else with 1. */
export function explainFailure(error: unknown): Failure {
  if (error instanceof WrongUsage) return { text: error.message, exitCode: 2 }
  // Programs tell this one from others, and make the change again.
  const isStale = error instanceof Refusal && error.problems.some(({ code }) => code === 'STALE_PROPOSAL')
  if (isStale) return { text: `STALE_PROPOSAL: ${error.message}`, exitCode: 1 }
  if (error instanceof Refusal) return { text: error.message, exitCode: error.code === 'BAD_REQUEST' ? 2 : 1 }
  if (error instanceof ConfigError) return { text: error.message, exitCode: 1 }
  return { text: known[codeOf(error)] ?? messageOf(error), exitCode: 1 }
}

/** A built-in error, such as a TypeError, is a bug: its stack says where. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return 'A value that is not an Error was thrown.'
  const isBug = error.name.endsWith('Error') && error.name !== 'Error'
  return (isBug && error.stack) || error.message || error.name
}
