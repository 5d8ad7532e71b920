import { readId } from '../../platform/lib/ids.ts'
import { type Given, WrongUsage } from './command.ts'

/** The id that was given with `--partner`. */
export const partnerIdOf = ({ flags }: Given): bigint => idIn(flags.partner, '--partner')

/** The id that a command's first word is. */
export const idOf = ({ words }: Given): bigint => idIn(words[0], 'This command')

/** The id that was given with a flag; undefined if it was not given. */
export const idOfFlag = ({ flags }: Given, name: string): bigint | undefined =>
  flags[name] === undefined ? undefined : idIn(flags[name], `--${name}`)

function idIn(text: string | undefined, what: string): bigint {
  const id = readId(text ?? '')
  if (id === undefined) throw new WrongUsage(`${what} takes an id: digits only.`)
  return id
}
