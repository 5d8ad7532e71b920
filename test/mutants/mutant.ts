import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

import { projectFolder } from '../support/source.ts'

/** A patch that takes one guard out of the sources. */
export type Mutant = {
  name: string
  /** The whole path of the patch. */
  path: string
  /** Which guard is taken out, and which promise that breaks. */
  guard: string
  /** Words that name the test files which should notice, as `npm test` takes them. */
  tests: string[]
}

const folder = join(projectFolder, 'test/mutants')

/** Every mutant, by name. Refuses a patch that does not begin with what it takes out, and a line `tests: ...` below. */
export function readMutants(): Mutant[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.patch'))
    .toSorted()
    .map((file) => readMutant(file))
}

function readMutant(file: string): Mutant {
  const path = join(folder, file)
  const [head = ''] = readFileSync(path, 'utf8').split('\n--- ')
  const [, guard = '', words = ''] = /^(\S[^]*?)\ntests: (.+)$/m.exec(head) ?? []
  if (guard === '' || words === '') throw new Error(`${file} does not say what it takes out, and which tests notice.`)
  return { name: file.replace(/\.patch$/, ''), path, guard: guard.replaceAll('\n', ' '), tests: words.split(' ') }
}

/** The built test files that words name, by their paths from the project's folder: those of the first word first. */
export function testsOf(words: string[]): string[] {
  const files = ['src', 'test']
    .flatMap((part) => readdirSync(join(projectFolder, 'dist', part), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.name.endsWith('.test.js'))
    .map((entry) => join(entry.parentPath, entry.name).slice(projectFolder.length))
    .toSorted()
  return [...new Set(words.flatMap((word) => files.filter((file) => file.includes(word))))]
}
