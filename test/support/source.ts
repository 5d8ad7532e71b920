import { readFileSync, readdirSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'

import { parseSync } from 'oxc-parser'

/** One file of the project's code, as the house rules look at it. */
export type Source = {
  /** From the project's folder: `src/platform/money/amount.ts`. */
  path: string
  text: string
  /** The text with all comments, strings and page texts blanked: what is left is code, at the same places. */
  code: string
  /** What it imports, or re-exports: a path from the project's folder, or a package's name. */
  imports: string[]
  /** With their own lines: a named function inside of another one counts for itself only. */
  functions: { name: string; line: number; lines: number }[]
  /** The docstrings of exported things, each with the line that it documents. */
  docstrings: { name: string; text: string; signature: string }[]
  hasComments: boolean
}

/** The project's folder. This file runs from `dist/test/support/`. */
export const projectFolder = fileURLToPath(new URL('../../../', import.meta.url))

/** Every code file below some folders of the project. */
export function readSources(...folders: string[]): Source[] {
  return folders
    .flatMap((folder) => filesBelow(folder))
    .filter((path) => /\.(ts|tsx|js)$/.test(path))
    .map((path) => parseSource(path, readFileSync(join(projectFolder, path), 'utf8')))
}

/** The paths of all files below a folder of the project; none if the folder is not there. */
export function filesBelow(folder: string): string[] {
  return readdirSync(projectFolder, { withFileTypes: true }).some(({ name }) => name === folder.split('/')[0])
    ? readdirSync(join(projectFolder, folder), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => posix.join(entry.parentPath.slice(projectFolder.length), entry.name))
        .toSorted()
    : []
}

/** Reads one file's text as code. Refuses what is not TypeScript or JavaScript. */
export function parseSource(path: string, text: string): Source {
  const { program, module, comments, errors } = parseSync(path, text)
  const [error] = errors
  if (error) throw new Error(`${path}: ${error.message}`)

  const functions: (Source['functions'][number] & { node: Node })[] = []
  const blanks: Span[] = [...comments]
  walk(program, (node, parents) => {
    if (isWords(node)) blanks.push(node)
    const name = isFunction(node) ? nameOf(node, parents) : undefined
    if (name === undefined || isSuite(parents)) return
    const lines = linesOf(text, node)
    functions.push({ name, line: lineAt(text, node.start), lines, node })
    const around = functions.findLast((one) => name !== '' && parents.includes(one.node))
    if (around) around.lines -= lines - 1
  })
  const requested = [
    ...module.staticImports.map(({ moduleRequest }) => moduleRequest.value),
    ...module.staticExports.flatMap(({ entries }) =>
      entries.flatMap(({ moduleRequest }) => moduleRequest?.value ?? []),
    ),
    ...module.dynamicImports.map(({ moduleRequest: { start, end } }) => text.slice(start + 1, end - 1)),
  ]
  return {
    path,
    text,
    code: blanked(text, blanks),
    imports: requested.map((name) => (name.startsWith('.') ? posix.join(dirname(path), name) : name)),
    functions: functions.map(({ name, line, lines }) => ({ name: name || 'a function without a name', line, lines })),
    docstrings: docstringsOf(program.body, comments, text),
    hasComments: comments.length > 0,
  }
}

type Span = { start: number; end: number }
type Node = Span & { type: string; [key: string]: unknown }

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'

/** Visits every node, each with those it lies in, the nearest first. */
function walk(node: unknown, visit: (node: Node, parents: Node[]) => void, parents: Node[] = []): void {
  if (!isNode(node)) return
  visit(node, parents)
  const inside = [node, ...parents]
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value]) walk(child, visit, inside)
  }
}

const isFunction = ({ type }: Node): boolean =>
  ['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression'].includes(type)

/** Text for people or programs inside of code. */
const isWords = (node: Node): boolean =>
  ['TemplateElement', 'JSXText'].includes(node.type) || (node.type === 'Literal' && typeof node.value === 'string')

/** A `describe` is a chapter of tests, not a function that someone has to follow. */
function isSuite([call]: Node[]): boolean {
  const callee = call?.type === 'CallExpression' ? call.callee : undefined
  return isNode(callee) && (callee.name === 'describe' || callee.name === 'suite')
}

/** The name under which a function is known, or nothing: then it is a part of what it stands in. */
function nameOf(node: Node, [parent]: Node[]): string {
  const named = [node.id, parent?.id, parent?.key].find(isNode)
  return typeof named?.name === 'string' ? named.name : ''
}

const lineAt = (text: string, at: number): number => text.slice(0, at).split('\n').length
const linesOf = (text: string, { start, end }: Span): number => text.slice(start, end).split('\n').length

function blanked(text: string, spans: Span[]): string {
  const parts: string[] = []
  let done = 0
  for (const { start, end } of spans.toSorted((one, other) => one.start - other.start)) {
    if (end <= done) continue
    parts.push(text.slice(done, start), text.slice(Math.max(start, done), end).replace(/[^\n`]/g, ' '))
    done = end
  }
  return parts.join('') + text.slice(done)
}

function docstringsOf(
  body: readonly Span[],
  comments: (Span & { type: string; value: string })[],
  text: string,
): Source['docstrings'] {
  const blocks = comments.filter(({ type, value }) => type === 'Block' && value.startsWith('*'))
  return body.flatMap((node) => {
    const declared = isNode(node) && node.type === 'ExportNamedDeclaration' ? node.declaration : undefined
    const block = blocks.find(({ end }) => end <= node.start && text.slice(end, node.start).trim() === '')
    if (!isNode(declared) || !block) return []
    const signature = text.slice(node.start, node.end).split(/=>|\{\n/)[0] ?? ''
    return [{ name: declaredName(declared), text: block.value.replaceAll(/^\s*\*+/gm, '').trim(), signature }]
  })
}

function declaredName(declared: Node): string {
  const first: unknown = Array.isArray(declared.declarations) ? declared.declarations[0] : declared
  const id = isNode(first) ? first.id : undefined
  return isNode(id) && typeof id.name === 'string' ? id.name : 'an export'
}
