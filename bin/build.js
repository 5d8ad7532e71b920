/**
 * Compiles src/, test/ and bench/ into dist/.
 *
 * `npm start` builds only if a source changed. That check takes milliseconds: it compares the sources' names, sizes and times with
 * the ones recorded after the last successful build, and does not start the compiler if they match.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The project's folder, with a trailing slash. */
export const root = fileURLToPath(new URL('..', import.meta.url))

const folders = ['src', 'test', 'bench']
const settings = ['tsconfig.json', 'package-lock.json']
const stamp = join(root, 'dist/.built')

/** Builds unless dist/ is up to date. Exits if the sources do not compile. */
export function buildIfNeeded() {
  const sources = describeSources()
  if (sources === readIfPresent(stamp)) return
  build(sources)
}

/** Builds. Exits if the sources do not compile. */
export function build(sources = describeSources()) {
  const compiler = join(root, 'node_modules/typescript/bin/tsc')
  rmSync(stamp, { force: true })
  const { status, signal } = spawnSync(process.execPath, [compiler, '-p', root], { stdio: 'inherit' })
  if (status !== 0) {
    console.error(signal ? `The build was stopped (${signal}).` : 'The sources do not compile.')
    process.exit(status ?? 1)
  }
  removeOrphans()
  mkdirSync(join(root, 'dist'), { recursive: true })
  writeFileSync(stamp, sources)
}

/** A line for each source: name, size, time of the last change. */
function describeSources() {
  const files = [...settings, ...folders.flatMap((folder) => filesBelow(folder))]
  return files
    .map((file) => {
      const { size, mtimeMs } = statSync(join(root, file))
      return `${file} ${size} ${mtimeMs}`
    })
    .join('\n')
}

/** Removes compiled files without a source, so that a deleted test does not run again. */
function removeOrphans() {
  const sources = new Set(folders.flatMap((folder) => filesBelow(folder)))
  for (const folder of folders) {
    for (const file of filesBelow(`dist/${folder}`)) {
      const source = file.slice('dist/'.length).replace(/\.js(\.map)?$/, '')
      const known = ['.ts', '.tsx', ''].some((ending) => sources.has(source + ending))
      if (!known) rmSync(join(root, file))
    }
  }
}

/** @param {string} folder relative to the project's folder; a missing one counts as empty */
function filesBelow(folder) {
  /** @type {string[]} */
  const files = []
  for (const entry of entriesOf(folder)) {
    const path = `${folder}/${entry.name}`
    if (entry.isDirectory()) files.push(...filesBelow(path))
    else files.push(path)
  }
  return files
}

/** @param {string} folder */
function entriesOf(folder) {
  try {
    return readdirSync(join(root, folder), { withFileTypes: true })
  } catch (error) {
    if (isMissing(error)) return []
    throw error
  }
}

/** @param {string} file */
function readIfPresent(file) {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

/** @param {unknown} error */
function isMissing(error) {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT'
}

if (process.argv[1] === fileURLToPath(import.meta.url)) build()
