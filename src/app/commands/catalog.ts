import { commandsOf } from '../../doors/commands/act.ts'
import type { Command } from '../../doors/commands/command.ts'
import { readUsage } from '../../doors/commands/usage.ts'
import { allActions } from '../../exchange/actions/all.ts'
import { machineCommands } from './machine.ts'
import { readers } from './readers.ts'

const first = ['create', 'list', 'show']

/** What comes first of a noun's commands: making one, then what shows. */
const rank = (command: Command): number => {
  const [, verb = ''] = readUsage(command).name
  return first.includes(verb) ? first.indexOf(verb) : first.length
}

/** Every command but `serve` and `help`, in the order of the help page. */
export const commands: readonly Command[] = [
  ...machineCommands,
  ...readers,
  ...commandsOf(allActions.flatMap(([, actions]) => actions)),
].toSorted((one, other) => rank(one) - rank(other))
