import { ConfigError } from '../config/config.ts'
import { codeOf } from '../../platform/db/pool.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import { WrongUsage } from '../../doors/commands/command.ts'

/** What to say of an error, and the exit code that goes with it. */
export type Failure = { text: string; exitCode: 1 | 2 }

const notReady = 'The database does not fit this version of Cambio. Start the service once, or run: cambio migrate'
const noDatabase = 'The database does not answer'

/** What a database says when it is not ours yet, or not there, by SQLSTATE or by the system's code. */
const known: Readonly<Record<string, string>> = {
  '28P01': `The service's role may not log in: the master key is not the one that the database was migrated with, or it was never migrated. Run: cambio migrate`,
  '28000': `The service's role may not log in. Run: cambio migrate`,
  '3D000': 'There is no such database.',
  '3F000': notReady,
  '42P01': notReady,
  '42703': notReady,
  '42501': notReady,
  '57P03': `${noDatabase}: it is just starting or stopping.`,
  ECONNREFUSED: `${noDatabase} (ECONNREFUSED).`,
  ENOTFOUND: `${noDatabase}: its host is not known.`,
}

/**
 * Tells a person why a command failed: in a sentence where it was refused or the database is at fault, with the stack where it
 * is a bug. What is wrong with the words themselves exits with 2, everything else with 1.
 */
export function explainFailure(error: unknown): Failure {
  if (error instanceof WrongUsage) return { text: error.message, exitCode: 2 }
  if (error instanceof Refusal) return { text: error.message, exitCode: error.code === 'BAD_REQUEST' ? 2 : 1 }
  if (error instanceof ConfigError) return { text: error.message, exitCode: 1 }
  return { text: known[codeOf(error)] ?? messageOf(error), exitCode: 1 }
}

/** An error of one of the language's own kinds is a bug of ours, and where it happened matters. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return 'Something that is no error was thrown.'
  const isBug = error.name.endsWith('Error') && error.name !== 'Error'
  return (isBug && error.stack) || error.message || error.name
}
