import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'

import { parseDuration } from './duration.ts'

/** The environment, or a test's replacement. */
export type Source = Record<string, string | undefined>

/** What a default may depend on: the texts of other settings, given or default. */
export type SettingTexts = { text(name: string): string }

/**
 * A setting. `fallback` is the text of its default; an empty one means that the setting is absent. `read` parses the text or
 * throws a RangeError with a message for people.
 */
export type Setting<T> = {
  name: string
  sentence: string
  /** The default, described for people. */
  shown: string
  example: string
  fallback(given: SettingTexts): string
  read(text: string): T
}

type Tree = { [name: string]: Setting<unknown> | Tree }
/** The values of a tree of settings, in the same shape. */
export type Values<T> = { [Name in keyof T]: T[Name] extends Setting<infer Value> ? Value : Values<T[Name]> }

/** A default: a text, or a rule and its description for people. */
type Fallback = string | { shown: string; from: (given: SettingTexts) => string }

/** Defines a setting that always has a value. */
export function setting<T>(
  name: string,
  fallback: Fallback,
  read: (text: string) => T,
  sentence: string,
  example = '',
): Setting<T> {
  const one = { name, sentence, example, read }
  if (typeof fallback === 'string') return { ...one, shown: fallback, fallback: () => fallback }
  return { ...one, shown: fallback.shown, fallback: fallback.from }
}

/** Defines a setting that may be absent; `example` shows its form. */
export function optional<T>(name: string, example: string, read: (text: string) => T, sentence: string) {
  const absentOr = (text: string): T | undefined => (text === '' ? undefined : read(text))
  return setting(name, '', absentOr, sentence, example)
}

const isSetting = (node: Setting<unknown> | Tree): node is Setting<unknown> => typeof node.sentence === 'string'

export const settingsOf = (tree: Tree): Setting<unknown>[] =>
  Object.values(tree).flatMap((node) => (isSetting(node) ? [node] : settingsOf(node)))

/** A setting as help and docs show it. */
export type Described = { name: string; sentence: string; default: string; example: string }

export const describeSetting = ({ name, sentence, shown, example }: Setting<unknown>): Described => ({
  name,
  sentence,
  default: shown,
  example,
})

/** For a terminal. */
export function printSetting(one: Described): string {
  const hint = one.example === '' ? '' : ` Example: ${one.example}`
  return `${one.name}\n    ${one.sentence}\n    Default: ${one.default || 'none.'}${hint}\n`
}

/**
 * Reads a tree of settings; empty texts count as absent. `wrong` has the error of each invalid setting, by name; its default is
 * among the `values`, so that rules between settings can still be checked. `env` is the source with the texts of files.
 */
export function readSettings<T extends Tree>(tree: T, source: Source) {
  const wrong = new Map<string, string>()
  const byName = new Map(settingsOf(tree).map((one) => [one.name, one]))
  const env = withFiles(byName, source, wrong)
  const given: SettingTexts = { text: (name) => env[name] || byName.get(name)?.fallback(given) || '' }

  const readOne = (one: Setting<unknown>): unknown => {
    try {
      return one.read(given.text(one.name))
    } catch (error) {
      if (!(error instanceof RangeError)) throw error
      wrong.set(one.name, error.message)
      return one.read(one.fallback(given))
    }
  }
  const readTree = (branch: Tree): object =>
    Object.fromEntries(
      Object.entries(branch).map(([at, node]) => [at, isSetting(node) ? readOne(node) : readTree(node)]),
    )

  return { values: readTree(tree) as Values<T>, wrong, env }
}

/** The environment with the texts of files: NAME_FILE names the file that holds the text of the setting NAME. */
function withFiles(known: ReadonlyMap<string, unknown>, source: Source, wrong: Map<string, string>): Source {
  const env = { ...source }
  for (const name of known.keys()) {
    const path = source[`${name}_FILE`]
    if (!path || known.has(`${name}_FILE`)) continue
    try {
      env[name] = readFileSync(path, 'utf8').trim()
    } catch {
      wrong.set(name, `cannot be read from the file that ${name}_FILE names: ${path}`)
    }
    if (source[name]) wrong.set(name, `is set, and so is ${name}_FILE`)
  }
  return env
}

/** Reads a whole number from `min` to `max`. */
export const count = (min: number, max: number) => (text: string) => {
  const number = /^\d{1,15}$/.test(text) ? Number.parseInt(text, 10) : Number.NaN
  if (!(number >= min && number <= max)) {
    throw new RangeError(`"${text}" is not a whole number from ${min} to ${max}`)
  }
  return number
}

/** Reads a TCP port; 0 asks for any free one. */
export const port = count(0, 65_535)

/** Reads an ISO 8601 duration as milliseconds; at least `least` of them. */
export const duration = (least: number) => (text: string) => {
  const ms = parseDuration(text)
  if (ms < least) throw new RangeError(`"${text}" is too short`)
  return ms
}

/** Accepts on, 1, true, yes and off, 0, false, no, in any case. */
export function onOff(text: string): boolean {
  if (['on', '1', 'true', 'yes'].includes(text.toLowerCase())) return true
  if (['off', '0', 'false', 'no'].includes(text.toLowerCase())) return false
  throw new RangeError(`"${text}" is neither on nor off`)
}

export const oneOf =
  <Value extends string>(...allowed: Value[]) =>
  (text: string): Value => {
    const value = allowed.find((one) => one === text)
    if (value === undefined) throw new RangeError(`"${text}" is not one of ${allowed.join(', ')}`)
    return value
  }

/** Comma-separated; an empty text is an empty list. */
export const list =
  <T>(read: (text: string) => T) =>
  (text: string): T[] =>
    text.trim() === '' ? [] : text.split(',').map((item) => read(item.trim()))

/** Reads comma-separated `NAME=number` pairs; names are upper-cased and unique. */
export const counts =
  (min: number, max: number) =>
  (text: string): Record<string, number> => {
    const pairs = list((item) => {
      const [, name = '', number = ''] = /^(\w+)\s*=\s*(\d+)$/.exec(item) ?? []
      if (name === '') throw new RangeError(`"${item}" is not of the form NAME=number`)
      return [name.toUpperCase(), count(min, max)(number)] as const
    })(text)
    const read = Object.fromEntries(pairs)
    if (Object.keys(read).length < pairs.length) throw new RangeError(`"${text}" has a name twice`)
    return read
  }

/** Reads an address or a block of addresses (`10.0.0.0/8`, `fd00::/8`, `192.0.2.7`). */
export function cidr(text: string): string {
  const [, address = '', bits] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? []
  const family = isIP(address)
  if (family === 0) throw new RangeError(`"${text}" is not an IP address or a block such as 10.0.0.0/8`)
  count(0, family === 4 ? 32 : 128)(bits ?? '0')
  return text
}

/** Reads a web address without path, query or credentials, and gives it without a slash at its end. */
export function origin(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const plain = url && url.origin !== 'null' && `${url.origin}/` === url.href && /^https?:$/.test(url.protocol)
  if (!plain) throw new RangeError(`"${text}" is not an origin such as https://exchange.example.com (no path)`)
  return url.origin
}

/** Reads an address or a name to listen on. */
export function host(text: string): string {
  const isName = /^(?=.*[a-z])[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/i.test(text)
  if (isIP(text) === 0 && !isName) throw new RangeError(`"${text}" is not an address or name to listen on`)
  return text
}

/** Reads a URL with one of the given protocols. It may hold a password, so a refusal does not repeat it. */
export const url =
  (...protocols: string[]) =>
  (text: string): string => {
    // PostgreSQL's form for a unix socket has no host after the `@`, which the URL standard refuses.
    const readable = text.replace('@/', '@socket/')
    const known = URL.canParse(readable) && protocols.includes(new URL(readable).protocol.slice(0, -1))
    if (!known)
      throw new RangeError(
        `is not a URL that begins with ${protocols.join(':// or ')}:// (not shown, it may hold a password)`,
      )
    return text
  }
