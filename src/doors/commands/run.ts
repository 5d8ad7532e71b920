import { type Answer, type Command, type Exchange, WrongUsage } from './command.ts'
import { explainCommands } from './help.ts'
import { readGiven, readUsage } from './usage.ts'

/** Finds the command that was typed and does it. Refuses what is none, in a sentence that says what to try. */
export async function runTyped(known: readonly Command[], typed: string[], exchange: Exchange): Promise<Answer> {
  const commands = withHelp(known)
  if (typed.length === 0) return explainCommands(commands, [])

  const command = commands.findLast((one) => readUsage(one).name.every((word, at) => typed[at] === word))
  if (!command) throw noSuchCommand(commands, typed)
  const { name } = readUsage(command)
  const rest = typed.slice(name.length)
  if (rest.some((word) => word === '--help' || word === '-h')) return explainCommands(commands, name)
  return command.run({ ...readGiven(command, rest), ...exchange })
}

function withHelp(known: readonly Command[]): readonly Command[] {
  const commands: Command[] = [
    ...known,
    {
      usage: 'help [COMMAND] ...',
      does: 'Explains the commands, or one of them.',
      run: ({ words }) => Promise.resolve(explainCommands(commands, words)),
    },
  ]
  return commands
}

function noSuchCommand(commands: readonly Command[], typed: string[]): WrongUsage {
  const [first = ''] = typed
  const seconds = commands.map((command) => readUsage(command).name).filter((name) => name[0] === first)
  if (seconds.length === 0) return new WrongUsage(`There is no command "${first}". See: cambio help`)
  return new WrongUsage(
    `"${first}" is followed by ${seconds.map((name) => name[1]).join(', ')}. See: cambio help ${first}`,
  )
}
