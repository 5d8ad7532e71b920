import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, resolve } from 'node:path'

import type * as Ajv8 from 'ajv'
import type * as Yaml from 'yaml'

import { parseDuration } from '../../platform/lib/duration.ts'
import { configFileSchema } from './file-schema.ts'
import type { MarketsSettings } from '../../markets/settings.ts'
import type { Company } from '../../exchange/settings.ts'
import type { TreasuryFile } from '../../exchange/treasury/settings.ts'
import type { RailEntry } from '../../rails/kind.ts'
import { railProblems } from './rail-problems.ts'
import { treasuryProblems } from './treasury.ts'

/** What is wrong in the file. `path` is spelled `rails[0].in`; empty for the file as a whole. */
export type FileProblem = { path: string; message: string; line?: number }

/** The contents of CONFIG_FILE, checked against `configFileSchema`. A part that is absent is not configured. */
export type ConfigFile = {
  /** Relative paths in the file start here. */
  folder: string
  company?: Company
  custody?: { two_nodes_above?: string; signer?: { socket: string } }
  markets?: MarketsSettings
  rails?: readonly RailEntry[]
  treasury?: TreasuryFile
}

/** The same with what is wrong; `file` is absent if anything is. */
export type CheckedFile = { file?: ConfigFile; problems: FileProblem[] }

// Most processes of the sandbox have no file: the parser and the validator are loaded when there is one.
const load = createRequire(import.meta.url)

/** Reads the file, or throws a RangeError that names every problem with its line. */
export function readConfigFile(path: string): ConfigFile {
  const { file, problems } = checkConfigFile(path, process.env, { withKeystores: false })
  if (file) return file
  throw new RangeError(problems.map((one) => `${path}${printProblem(one)}`).join('; '))
}

/** For people: where, and what. */
export const printProblem = ({ path, message, line }: FileProblem): string =>
  `${line === undefined ? '' : `, line ${line}`}: ${path === '' ? '' : `${path} `}${message}`

/**
 * Checks the file: its YAML (1.2, without aliases or duplicate keys), its schema, that names are unique, and that every secret
 * that it refers to can be read. Secrets are references, `file:PATH` or `env:NAME`; no message repeats a value. Keystores may be
 * out of reach of a command that reads the file, or still have to be created.
 */
export function checkConfigFile(
  path: string,
  env: Readonly<Record<string, string | undefined>> = process.env,
  { withKeystores }: { withKeystores: boolean } = { withKeystores: true },
): CheckedFile {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch {
    return { problems: [{ path: '', message: 'cannot be read' }] }
  }
  const { LineCounter, parseDocument } = load('yaml') as typeof Yaml
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, uniqueKeys: true, strict: true, version: '1.2' })
  if (document.errors.length > 0) {
    return {
      problems: document.errors.map(({ code, pos }) => ({
        path: '',
        message: `is not valid YAML (${code.toLowerCase().replaceAll('_', ' ')})`,
        line: lines.linePos(pos[0]).line,
      })),
    }
  }
  const content = plain(document)
  if (content === undefined) return { problems: [{ path: '', message: 'must not use aliases' }] }

  const folder = dirname(resolve(path))
  const problems = [
    ...shapeProblems(content),
    ...nameProblems(content),
    ...treasuryProblems(content),
    ...secretProblems(content, folder, env),
  ]
  // What fits its schema is looked at as opening the rail does.
  if (problems.length === 0)
    problems.push(
      ...railProblems(content as Partial<ConfigFile>, {
        folder,
        withKeystores,
        readSecret: (reference) => secretOf(reference, { folder }, env),
      }),
    )
  if (problems.length > 0)
    return { problems: problems.map((one) => ({ ...one, ...lineOf(document, lines, one.path) })) }
  return { file: { ...(content as Omit<ConfigFile, 'folder'>), folder }, problems }
}

function plain(document: Yaml.Document): unknown {
  try {
    return (document.toJS({ maxAliasCount: 0 }) as unknown) ?? {}
  } catch {
    return undefined
  }
}

let shape: Ajv8.ValidateFunction | undefined

function shapeProblems(content: unknown): FileProblem[] {
  const validate = (shape ??= compileShape())
  if (validate(content)) return []
  const found = (validate.errors ?? []).map(problemOf)
  return found.filter(
    (one, index) => found.findIndex(({ path, message }) => path === one.path && message === one.message) === index,
  )
}

function compileShape(): Ajv8.ValidateFunction {
  const { Ajv } = load('ajv') as typeof Ajv8
  const ajv = new Ajv({
    allErrors: true,
    discriminator: true,
    strict: true,
    strictRequired: false,
    allowUnionTypes: true,
    // It reads one document: making it quick would take longer.
    code: { optimize: false },
  })
  ajv.addFormat('secret', /^(file|env):.+$/)
  ajv.addFormat('path', true)
  ajv.addFormat('url', { validate: isUrl })
  ajv.addFormat('duration', isDuration)
  return ajv.compile(configFileSchema)
}

const isUrl = (text: string): boolean => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)

function isDuration(text: string): boolean {
  try {
    return parseDuration(text) >= 0
  } catch {
    return false
  }
}

const formats: Readonly<Record<string, string>> = {
  secret: 'must be a reference to a secret: file:PATH or env:NAME',
  url: 'must be an http or https URL',
  duration: 'must be a duration like PT10S',
}

function problemOf({ instancePath, keyword, params, message = 'is invalid' }: Ajv8.ErrorObject): FileProblem {
  const details = params as Readonly<Record<string, unknown>>
  const path = spelled(instancePath.split('/').slice(1))
  const below = (name: unknown) => (path === '' ? String(name) : `${path}.${String(name)}`)
  switch (keyword) {
    case 'required':
      return { path: below(details.missingProperty), message: 'is required' }
    case 'additionalProperties':
      return { path: below(details.additionalProperty), message: 'is not a known setting' }
    case 'discriminator':
      return { path: below(details.tag), message: 'is missing or not a known kind' }
    case 'enum':
      return { path, message: `must be one of: ${(details.allowedValues as unknown[]).join(', ')}` }
    case 'format':
      return { path, message: formats[String(details.format)] ?? message }
    default:
      return { path, message }
  }
}

/** `['rails', '0', 'in']` as `rails[0].in`. */
const spelled = (segments: readonly string[]): string =>
  segments
    .map((one) => (/^\d+$/.test(one) ? `[${one}]` : `.${one.replaceAll('~1', '/').replaceAll('~0', '~')}`))
    .join('')
    .replace(/^\./, '')

/** Names of rails and of price sources are unique. */
function nameProblems(content: unknown): FileProblem[] {
  const { rails, markets } = content as { rails?: unknown; markets?: { sources?: unknown } }
  return [...repeated(rails, 'rails'), ...repeated(markets?.sources, 'markets.sources')]
}

function repeated(list: unknown, path: string): FileProblem[] {
  if (!Array.isArray(list)) return []
  const names = list.map((one: { name?: unknown } | null) => one?.name)
  return names.flatMap((name, index) =>
    name !== undefined && names.indexOf(name) < index
      ? [{ path: `${path}[${index}].name`, message: 'is used twice' }]
      : [],
  )
}

const secretReference = /^(file|env):(.+)$/

function secretProblems(
  content: unknown,
  folder: string,
  env: Readonly<Record<string, string | undefined>>,
): FileProblem[] {
  const problems: FileProblem[] = []
  const visit = (value: unknown, segments: string[]): void => {
    if (typeof value === 'string' && secretReference.test(value)) {
      if (findSecret(value, folder, env) === undefined)
        problems.push({ path: spelled(segments), message: 'refers to a secret that cannot be read' })
    } else if (typeof value === 'object' && value !== null) {
      for (const [name, inner] of Object.entries(value)) visit(inner, [...segments, name])
    }
  }
  visit(content, [])
  return problems
}

function findSecret(
  reference: string,
  folder: string,
  env: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const [, kind, rest = ''] = secretReference.exec(reference) ?? []
  if (kind === 'env') return env[rest] || undefined
  const path = resolve(folder, rest)
  if (kind !== 'file' || !existsSync(path)) return undefined
  try {
    return readFileSync(path, 'utf8').trim() || undefined
  } catch {
    return undefined
  }
}

/** The secret behind a reference of the file. Throws, without repeating it, where there is none any more. */
export function secretOf(
  reference: string,
  { folder }: Pick<ConfigFile, 'folder'>,
  env: Readonly<Record<string, string | undefined>> = process.env,
): string {
  const secret = findSecret(reference, folder, env)
  if (secret === undefined) throw new Error(`A secret of CONFIG_FILE cannot be read: ${reference}`)
  return secret
}

/** The line of the value at a path, or of the nearest value around it. */
function lineOf(document: Yaml.Document, lines: Yaml.LineCounter, path: string): { line?: number } {
  const segments = path.split(/[.[\]]+/).filter((one) => one !== '')
  for (let depth = segments.length; depth > 0; depth -= 1) {
    const node = document.getIn(
      segments.slice(0, depth).map((one) => (/^\d+$/.test(one) ? Number.parseInt(one, 10) : one)),
      true,
    ) as { range?: [number, number, number] } | undefined
    if (node?.range) return { line: lines.linePos(node.range[0]).line }
  }
  return {}
}
