import { type Answer, type Command, WrongUsage } from './command.ts'
import { columns } from './layout.ts'
import { readUsage, usageOf } from './usage.ts'

/** Help on all commands, on those of a group (`help partner`), or on one in full. Refuses an unknown command. */
export function explainCommands(commands: readonly Command[], args: string[]): Answer {
  const chosen = commands.filter((command) => args.every((part, at) => readUsage(command).name[at] === part))
  if (chosen.length === 0) throw new WrongUsage(`There is no command "${args.join(' ')}". See: cambio help`)

  const json = chosen.map((command) => ({ usage: usageOf(command), does: command.does }))
  const [first] = chosen
  if (first && chosen.length === 1) return { json, text: inFull(first) }
  if (args.length > 0) return { json, text: json.map(({ usage, does }) => `cambio ${usage}\n    ${does}`).join('\n\n') }
  return { json, text: `${byNoun(chosen)}\n\n${general}` }
}

/** Every command, under its noun; those without a noun come first. */
function byNoun(commands: readonly Command[]): string {
  const nounOf = (command: Command): string => {
    const [noun = '', verb] = readUsage(command).name
    return verb === undefined ? '' : noun
  }
  const nouns = [...new Set(['', ...commands.map(nounOf)])]
  const ordered = nouns.flatMap((noun) => commands.filter((command) => nounOf(command) === noun))
  const lines = columns(ordered.map((command) => [`  ${readUsage(command).name.join(' ')}`, command.does])).split('\n')
  let last = ''
  return lines
    .flatMap((line, at) => {
      const command = ordered[at]
      const noun = command ? nounOf(command) : last
      if (noun === last) return [line]
      last = noun
      return ['', `${noun}:`, line]
    })
    .join('\n')
}

const inFull = ({ does, details, ...command }: Command): string =>
  [`cambio ${usageOf(command)}`, does, ...(details === undefined ? [] : [details])].join('\n\n')

const general = `What can be done with something: cambio help NOUN. Details of a command: cambio help COMMAND

Commands that change something take an operator's token, in OPERATOR_TOKEN or in the file of --token-file, and are audited as
that operator's. Without a token they are audited as this machine's user.

With --json a command prints one JSON value. Errors go to standard error.
Exit codes: 0; 1 if the command failed or a check found a problem; 2 if the command or its arguments are invalid.
Commands work on the database of DATABASE_URL, or else of DATA_DIR, with the key in MASTER_KEY_FILE. See: cambio settings`
