import { parseArgs } from 'node:util'

import { type Command, type ParsedArguments, WrongUsage } from './command.ts'

/** A parsed usage line. */
export type Usage = {
  /** `['key', 'create']`. */
  name: string[]
  /** Names of the positional arguments: `['NAME']`. */
  args: string[]
  /** Whether the last argument may repeat (`...`). */
  repeats: boolean
  flags: { name: string; value: string; optional: boolean }[]
}

/** The usage line, with the token flag of commands that act for an operator. */
export const usageOf = ({ usage, acts = false }: Pick<Command, 'usage' | 'acts'>): string =>
  acts ? `${usage} [--token-file FILE]` : usage

const flagForm = /(\[)?--([a-z-]+)(?: ([^\s\]]+))?\]?/g

/**
 * Parses a usage line. The lower-case tokens at its start are the name, `--flag VALUE` is required, `[--flag VALUE]` and
 * `[--flag]` (without a value) are optional. The rest are positional arguments: `[ARG]` is optional, `...` repeats the last.
 */
export function readUsage(command: Pick<Command, 'usage' | 'acts'>): Usage {
  const usage = usageOf(command)
  const flags = [...usage.matchAll(flagForm)].map(([, bracket, name = '', value = '']) => ({
    name,
    value,
    optional: bracket !== undefined,
  }))
  const tokens = usage.replace(flagForm, '').split(' ').filter(Boolean)
  const firstArg = tokens.findIndex((token) => !/^[a-z][a-z0-9-]*$/.test(token))
  const name = firstArg === -1 ? tokens : tokens.slice(0, firstArg)
  const args = tokens.slice(name.length).filter((token) => token !== '...')
  return { name, args, repeats: tokens.at(-1) === '...', flags }
}

/** Parses what follows a command's name. Refuses unknown, missing and superfluous arguments, and shows the usage. */
export function parseArguments(command: Command, typed: string[]): ParsedArguments {
  const usage = readUsage(command)
  const wrong = (sentence: string) => new WrongUsage(`${sentence}\nUsage: cambio ${usageOf(command)}`)
  const { args, flags } = split(usage, typed, wrong)

  for (const { name, value, optional } of usage.flags) {
    const given = flags[name]
    if (given === undefined && !optional) throw wrong(`--${name} ${value} is missing.`)
    const choices = /^[a-z]+(\|[a-z]+)+$/.test(value) ? value.split('|') : []
    if (given !== undefined && choices.length > 0 && !choices.includes(given)) {
      throw wrong(`--${name} must be ${choices.join(' or ')}.`)
    }
  }
  const missing = usage.args[args.length]
  if (missing !== undefined && !missing.startsWith('[')) throw wrong(`${missing} is missing.`)
  if (args.length > usage.args.length && !usage.repeats) throw wrong(`Unexpected argument: ${args[usage.args.length]}.`)
  return { args, flags }
}

function split({ flags }: Usage, typed: string[], wrong: (sentence: string) => WrongUsage): ParsedArguments {
  const typeOf = ({ value }: Usage['flags'][number]) => (value === '' ? ('boolean' as const) : ('string' as const))
  const options = Object.fromEntries(flags.map((flag) => [flag.name, { type: typeOf(flag), multiple: true }]))
  const tokens = parseArgs({ args: typed, options, strict: false, allowPositionals: true, tokens: true }).tokens
  const read: ParsedArguments & { flags: Record<string, string> } = { args: [], flags: {} }
  for (const token of tokens) {
    if (token.kind === 'positional') read.args.push(token.value)
    if (token.kind !== 'option') continue
    if (!Object.hasOwn(options, token.name)) throw wrong(`Unknown flag: ${token.rawName}.`)
    const isBare = options[token.name]?.type === 'boolean'
    if (isBare && token.value !== undefined) throw wrong(`${token.rawName} takes no value.`)
    if (!isBare && token.value === undefined) throw wrong(`${token.rawName} needs a value.`)
    if (Object.hasOwn(read.flags, token.name)) throw wrong(`${token.rawName} is given twice.`)
    read.flags[token.name] = token.value ?? ''
  }
  return read
}
