import { type Kind, readSafely } from '../../exchange/actions/values.ts'
import { readId } from '../../platform/lib/ids.ts'
import { type Invocation, WrongUsage } from './command.ts'

/** Reads `--partner`. */
export const partnerIdOf = ({ flags }: Invocation): bigint => idIn(flags.partner, '--partner')

/** Reads the first positional argument as an id. */
export const idOf = ({ args }: Invocation): bigint => idIn(args[0], 'This command')

/** Reads a flag as an id; undefined if the flag is absent. */
export const idOfFlag = ({ flags }: Invocation, name: string): bigint | undefined =>
  flags[name] === undefined ? undefined : idIn(flags[name], `--${name}`)

/** Reads a flag as a value of a kind; undefined if the flag is absent. */
export function valueOfFlag<Value>({ flags }: Invocation, name: string, kind: Kind<Value>): Value | undefined {
  const text = flags[name]
  const value = text === undefined ? undefined : readSafely(kind, text)
  if (text !== undefined && value === undefined) throw new WrongUsage(`--${name} must be ${kind.form}.`)
  return value
}

function idIn(text: string | undefined, what: string): bigint {
  const id = readId(text ?? '')
  if (id === undefined) throw new WrongUsage(`${what} needs an id of digits.`)
  return id
}
