import { type Answer, type Command, type Exchange, WrongUsage } from './command.ts'
import { explainCommands } from './help.ts'
import { parseArguments, readUsage } from './usage.ts'

/** Whether a command line names a command. */
export const isNamed = (command: Command, typed: string[]): boolean =>
  readUsage(command).name.every((part, at) => typed[at] === part)

/** Runs a command line. Refuses an unknown command and says what to try. */
export async function runTyped(known: readonly Command[], typed: string[], exchange: Exchange): Promise<Answer> {
  const commands = withHelp(known)
  if (typed.length === 0) return explainCommands(commands, [])

  const command = commands.findLast((one) => isNamed(one, typed))
  if (!command) throw noSuchCommand(commands, typed)
  const { name } = readUsage(command)
  const rest = typed.slice(name.length)
  if (rest.some((arg) => arg === '--help' || arg === '-h')) return explainCommands(commands, name)
  return command.run({ ...parseArguments(command, rest), ...exchange })
}

function withHelp(known: readonly Command[]): readonly Command[] {
  const commands: Command[] = [
    ...known,
    {
      usage: 'help [COMMAND] ...',
      does: 'Shows help on all commands or on one.',
      run: ({ args }) => Promise.resolve(explainCommands(commands, args)),
    },
  ]
  return commands
}

function noSuchCommand(commands: readonly Command[], typed: string[]): WrongUsage {
  const [first = ''] = typed
  const seconds = commands.map((command) => readUsage(command).name).filter((name) => name[0] === first)
  if (seconds.length === 0) return new WrongUsage(`There is no command "${first}". See: cambio help`)
  return new WrongUsage(
    `"${first}" needs one of: ${seconds.map((name) => name[1]).join(', ')}. See: cambio help ${first}`,
  )
}
