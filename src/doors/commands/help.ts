import { type Answer, type Command, WrongUsage } from './command.ts'
import { columns } from './layout.ts'
import { readUsage, usageOf } from './usage.ts'

/**
 * Explains the commands: all of them, those that begin with a word (`help partner`), or one with everything there is to know of
 * it. Refuses words that begin none.
 */
export function explainCommands(commands: readonly Command[], words: string[]): Answer {
  const chosen = commands.filter((command) => words.every((word, at) => readUsage(command).name[at] === word))
  if (chosen.length === 0) throw new WrongUsage(`There is no command "${words.join(' ')}". See: cambio help`)

  const json = chosen.map((command) => ({ usage: usageOf(command), does: command.does }))
  const [first] = chosen
  if (first && chosen.length === 1) return { json, text: inFull(first) }
  if (words.length > 0)
    return { json, text: json.map(({ usage, does }) => `cambio ${usage}\n    ${does}`).join('\n\n') }
  const lines = columns(chosen.map((command) => [`  ${readUsage(command).name.join(' ')}`, command.does]))
  return { json, text: `${lines}\n\n${general}` }
}

const inFull = ({ does, details, ...command }: Command): string =>
  [`cambio ${usageOf(command)}`, does, ...(details === undefined ? [] : [details])].join('\n\n')

const general = `What a command takes: cambio help COMMAND

A command that changes something takes an operator's token, in OPERATOR_TOKEN or in the file of --token-file, and is audited as
that operator's; without one, as the user's of this machine.

Every command takes --json, and then prints one JSON value. Errors go to standard error.
The exit code is 0; 1 when something failed or a check found something; 2 when the command itself was wrong.
The exchange is that of DATABASE_URL, or else of DATA_DIR, with the key in MASTER_KEY_FILE. See: cambio settings`
