import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

import { projectFolder } from './source.ts'

/** The compiled files: what each imports, types left out, and whether it uses a module of Node or a package. */
export type ImportGraph = Map<string, { imports: string[]; usesPlatform: boolean }>

/** A run of the suite: by test file, how long it took and the names of the statements that it sent. */
export type SuiteRecord = Record<string, { seconds: number; statements: string[] }>

const compiled = join(projectFolder, 'dist')
/** Path manipulation is the same on every Node. */
const harmless = new Set(['node:path', 'node:url'])

/** @public */
export function readImports(): ImportGraph {
  const files = ['src', 'test']
    .flatMap((top) => readdirSync(join(compiled, top), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && entry.name.endsWith('.js'))
    .map((entry) => join(entry.parentPath, entry.name))
  return new Map(files.map((file) => [file, importsOf(file, readFileSync(file, 'utf8'))]))
}

function importsOf(file: string, text: string): { imports: string[]; usesPlatform: boolean } {
  const names = [...text.matchAll(/(?:from\s*|import\s*\(?\s*)['"]([^'"]+)['"]/gu)].map(([, name = '']) => name)
  return {
    imports: names.filter((name) => name.startsWith('.')).map((name) => join(dirname(file), name)),
    usesPlatform: names.some((name) => !name.startsWith('.') && !harmless.has(name)),
  }
}

/**
 * What depends on the version of Node: for each source that uses one of Node's modules or a package, the test among `tests` that
 * imports it over the fewest files.
 */
export function nearestTests(graph: ImportGraph, tests: readonly string[]): string[] {
  const candidates = new Set(tests)
  const importers = new Map<string, string[]>()
  for (const [file, { imports }] of graph) {
    for (const target of imports) importers.set(target, [...(importers.get(target) ?? []), file])
  }
  const isSource = (file: string) => file.startsWith(join(compiled, 'src')) && !file.endsWith('.test.js')
  const subjects = [...graph].filter(([file, { usesPlatform }]) => usesPlatform && isSource(file))
  const chosen = new Set(subjects.map(([subject]) => nearest(subject, importers, candidates)))
  return tests.filter((file) => chosen.has(file))
}

function nearest(subject: string, importers: Map<string, string[]>, candidates: Set<string>): string | undefined {
  const seen = new Set([subject])
  let level = [subject]
  while (level.length > 0) {
    level = level.flatMap((file) => importers.get(file) ?? []).filter((file) => !seen.has(file) && seen.add(file))
    const [test] = level.filter((file) => candidates.has(file)).toSorted()
    if (test !== undefined) return test
  }
  return undefined
}

/**
 * What depends on the version of PostgreSQL: test files that, with those that run anyway, send every statement of a recorded run. Takes
 * the file with the most new statements for its time first, and leaves out what later ones made superfluous, so the choice is small, but
 * not the smallest.
 */
export function coveringTests(record: SuiteRecord, running: readonly string[] = []): string[] {
  const missing = new Set(Object.values(record).flatMap(({ statements }) => statements))
  const sent = new Map<string, number>()
  const send = (file: string, by: 1 | -1): void => {
    for (const one of record[file]?.statements ?? []) sent.set(one, (sent.get(one) ?? 0) + by)
  }
  const left = new Map(Object.entries(record))
  const take = (file: string): void => {
    send(file, 1)
    for (const statement of record[file]?.statements ?? []) missing.delete(statement)
    left.delete(file)
  }
  for (const file of running) take(file)
  let chosen: string[] = []
  while (missing.size > 0) {
    const ranked = [...left].map(([file, { seconds, statements }]) => {
      const gain = statements.filter((statement) => missing.has(statement)).length
      return { file, worth: gain / Math.max(seconds, 0.1) }
    })
    const { file } = ranked.reduce((one, other) => (other.worth > one.worth ? other : one))
    take(file)
    chosen.push(file)
  }
  const slowestFirst = chosen.toSorted((one, other) => (record[other]?.seconds ?? 0) - (record[one]?.seconds ?? 0))
  for (const file of slowestFirst) {
    if (record[file]?.statements.some((statement) => sent.get(statement) === 1)) continue
    send(file, -1)
    chosen = chosen.filter((one) => one !== file)
  }
  return chosen
}
