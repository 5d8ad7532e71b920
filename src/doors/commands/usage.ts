import { parseArgs } from 'node:util'

import { type Command, type Arguments, WrongUsage } from './command.ts'

/** A usage line, taken apart. */
export type Usage = {
  /** `['key', 'create']`. */
  name: string[]
  /** What the words stand for: `['NAME']`. */
  words: string[]
  /** Whether the last word may be given several times (`...`). */
  repeats: boolean
  flags: { name: string; value: string; optional: boolean }[]
}

/** A command's usage line, whole. */
export const usageOf = ({ usage, acts = false }: Pick<Command, 'usage' | 'acts'>): string =>
  acts ? `${usage} [--token-file FILE]` : usage

const flagForm = /(\[)?--([a-z-]+)(?: ([^\s\]]+))?\]?/g

/**
 * Takes a usage line apart: the lower-case words at its beginning are the name, `--flag VALUE` is required,
 * `[--flag VALUE]` and `[--flag]` (which takes no value) are not, everything else is a word, `[WORD]` may be missing, and `...` lets the last one repeat.
 */
export function readUsage(command: Pick<Command, 'usage' | 'acts'>): Usage {
  const usage = usageOf(command)
  const flags = [...usage.matchAll(flagForm)].map(([, bracket, name = '', value = '']) => ({
    name,
    value,
    optional: bracket !== undefined,
  }))
  const tokens = usage.replace(flagForm, '').split(' ').filter(Boolean)
  const firstWord = tokens.findIndex((token) => !/^[a-z][a-z0-9]*$/.test(token))
  const name = firstWord === -1 ? tokens : tokens.slice(0, firstWord)
  const words = tokens.slice(name.length).filter((token) => token !== '...')
  return { name, words, repeats: tokens.at(-1) === '...', flags }
}

/**
 * Reads what was typed after a command's name. Refuses, with a sentence and the usage, what the command does not take, what
 * is missing, and a choice (`public|secret`) that is none.
 */
export function readGiven(command: Command, typed: string[]): Arguments {
  const usage = readUsage(command)
  const wrong = (sentence: string) => new WrongUsage(`${sentence}\nUsage: cambio ${usageOf(command)}`)
  const { words, flags } = split(usage, typed, wrong)

  for (const { name, value, optional } of usage.flags) {
    const given = flags[name]
    if (given === undefined && !optional) throw wrong(`--${name} ${value} is missing.`)
    const choices = /^[a-z]+(\|[a-z]+)+$/.test(value) ? value.split('|') : []
    if (given !== undefined && choices.length > 0 && !choices.includes(given)) {
      throw wrong(`--${name} is ${choices.join(' or ')}.`)
    }
  }
  const missing = usage.words[words.length]
  if (missing !== undefined && !missing.startsWith('[')) throw wrong(`${missing} is missing.`)
  if (words.length > usage.words.length && !usage.repeats) throw wrong(`"${words[usage.words.length]}" is too much.`)
  return { words, flags }
}

function split({ flags }: Usage, typed: string[], wrong: (sentence: string) => WrongUsage): Arguments {
  const typeOf = ({ value }: Usage['flags'][number]) => (value === '' ? ('boolean' as const) : ('string' as const))
  const options = Object.fromEntries(flags.map((flag) => [flag.name, { type: typeOf(flag), multiple: true }]))
  const tokens = parseArgs({ args: typed, options, strict: false, allowPositionals: true, tokens: true }).tokens
  const read: Arguments & { flags: Record<string, string> } = { words: [], flags: {} }
  for (const token of tokens) {
    if (token.kind === 'positional') read.words.push(token.value)
    if (token.kind !== 'option') continue
    if (!Object.hasOwn(options, token.name)) throw wrong(`There is no ${token.rawName}.`)
    const isBare = options[token.name]?.type === 'boolean'
    if (isBare && token.value !== undefined) throw wrong(`${token.rawName} takes no value.`)
    if (!isBare && token.value === undefined) throw wrong(`${token.rawName} needs a value.`)
    if (Object.hasOwn(read.flags, token.name)) throw wrong(`${token.rawName} is given twice.`)
    read.flags[token.name] = token.value ?? ''
  }
  return read
}
