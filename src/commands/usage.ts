import { parseArgs } from 'node:util'

import { type Command, type Given, WrongUsage } from './command.ts'

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

const flagForm = /(\[)?--([a-z-]+) ([^\s\]]+)\]?/g

/**
 * Takes a usage line apart: the lower-case words at its beginning are the name, `--flag VALUE` is required and
 * `[--flag VALUE]` is not, everything else is a word, `[WORD]` may be missing, and `...` lets the last one repeat.
 */
export function readUsage({ usage }: Pick<Command, 'usage'>): Usage {
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
export function readGiven(command: Command, typed: string[]): Given {
  const usage = readUsage(command)
  const wrong = (sentence: string) => new WrongUsage(`${sentence}\nUsage: cambio ${command.usage}`)
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

function split({ flags }: Usage, typed: string[], wrong: (sentence: string) => WrongUsage): Given {
  const options = Object.fromEntries(flags.map(({ name }) => [name, { type: 'string' as const, multiple: true }]))
  const tokens = parseArgs({ args: typed, options, strict: false, allowPositionals: true, tokens: true }).tokens
  const read: Given & { flags: Record<string, string> } = { words: [], flags: {} }
  for (const token of tokens) {
    if (token.kind === 'positional') read.words.push(token.value)
    if (token.kind !== 'option') continue
    if (!Object.hasOwn(options, token.name)) throw wrong(`There is no ${token.rawName}.`)
    if (token.value === undefined) throw wrong(`${token.rawName} needs a value.`)
    if (Object.hasOwn(read.flags, token.name)) throw wrong(`${token.rawName} is given twice.`)
    read.flags[token.name] = token.value
  }
  return read
}
